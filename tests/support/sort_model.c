#include "support/sort_model.h"

#include "support/model_maker.h"
#include "translate/file/text_model.h"

enum { BATCH = 64 };

static const lb_sort_task task = {.max_value = 9, .min_length = 2, .max_length = 4, .seed = 1};

static lb_status train(lb_model *model, lb_params *params, lb_tape *tape, int steps, double lr,
                       lb_error *error)
{
    lb_optimizer *adam = lb_optimizer_new(params, (lb_optimizer_config){.clip_norm = 1});
    lb_status status = adam ? LB_OK : lb_error_set(error, LB_ERROR_MEMORY, "out of memory");
    for (int step = 0; step < steps && !status; step++) {
        lb_tape_reset(tape);
        lb_batch batch = lb_sort_batch(&task, tape, BATCH, step);
        lb_tensor *logits = lb_model_forward(model, batch.source, batch.target_in);
        lb_optimizer_set_lr(adam, (lb_real)(lr * (1 - 0.95 * step / steps)));
        status = lb_backward(lb_cross_entropy(logits, batch.target_out, LB_PAD), error);
        if (!status) status = lb_optimizer_step(adam, error);
    }
    lb_optimizer_free(adam);
    return status;
}

static lb_status train_and_save(const char *path, int steps, int kind, lb_error *error)
{
    lb_params *params = lb_params_new(1);
    lb_tape *tape = lb_tape_new();
    if (!params || !tape) return lb_error_set(error, LB_ERROR_MEMORY, "out of memory");
    lb_seq2seq seq2seq;
    lb_transformer transformer;
    int64_t vocabulary = lb_sort_vocab(&task);
    if (kind == SUPPORT_TRANSFORMER)
        lb_transformer_init(
            &transformer, params, "",
            (lb_transformer_config){vocabulary, vocabulary, .width = 32, .heads = 2, .feed_forward = 64});
    else
        lb_seq2seq_init(&seq2seq, params, "",
                        (lb_seq2seq_config){vocabulary, vocabulary, .embed = 16, .hidden = 32,
                                            .attention = (lb_attention_kind)kind});
    lb_model *model = kind == SUPPORT_TRANSFORMER ? &transformer.base : &seq2seq.base;
    lb_status status = train(model, params, tape, steps, kind == SUPPORT_TRANSFORMER ? 2e-3 : 1e-2, error);
    lb_text_model made = {.params = params, .model = model, .training = "{\"steps\":500,\"seconds\":1.5}"};
    if (!status) status = lb_list_model(&made, &task, error);
    if (!status) status = lb_text_model_save(path, &made, error);
    lb_vocabulary_free(made.source);
    lb_tape_free(tape);
    lb_params_free(params);
    return status;
}

const char *support_train_model(const char *name, int steps, int kind)
{
    return support_make_model("sort", train_and_save, name, steps, kind);
}
