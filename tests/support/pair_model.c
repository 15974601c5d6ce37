#include "support/pair_model.h"
#include "support/gather.h"

#include "support/model_maker.h"
#include "translate/batches/batch.h"
#include "translate/file/text_model.h"

enum { BATCH = 64, MOST_LETTERS = 3, MOST_SYMBOLS = 2 * MOST_LETTERS, SYMBOLS = 6, CHOICES = 6, MEMBERS = 2 };

/* The output for each symbol. The last is the accent. */
static const char *const sources[SYMBOLS] = {"a", "b", "c", "d", "e", "\xcc\x81"};
static const char *const targets[SYMBOLS] = {"A", "B", "C", "t\xca\x83", "\xc9\x9b", "\xcb\x90"};

/* The ids of a word; its target has the same ids. */
static int32_t draw_word(int step, int row, int32_t id[MOST_SYMBOLS])
{
    lb_rng rng = {.seed = 3, .step = (uint32_t)step};
    uint64_t at = (uint64_t)row * (MOST_LETTERS + 1);
    int32_t length = 0;
    for (int i = 1 + (int)lb_rng_below(rng, at, MOST_LETTERS); i > 0; i--) {
        int32_t choice = (int32_t)lb_rng_below(rng, at + (uint64_t)i, CHOICES);
        bool accent = choice == SYMBOLS - 1;
        id[length++] = LB_FIRST_TOKEN + choice - accent;
        if (accent) id[length++] = LB_FIRST_TOKEN + choice;
    }
    return length;
}

static lb_batch make_batch(lb_tape *tape, int step)
{
    lb_batch_rows rows;
    lb_batch batch = lb_batch_new(tape, BATCH, MOST_SYMBOLS, MOST_SYMBOLS, &rows);
    for (int row = 0; row < batch.source.batch; row++) {
        int32_t id[MOST_SYMBOLS], length = draw_word(step, row, id);
        lb_batch_set_source(&rows, row, id, length);
        lb_batch_set_target(&rows, row, id, length);
    }
    return batch;
}

static lb_model *train(lb_params *params, lb_tape *tape, int steps, int kind)
{
    int64_t vocabulary = LB_FIRST_TOKEN + SYMBOLS;
    lb_seq2seq *model = lb_params_alloc(params, sizeof *model);
    lb_seq2seq_config config = {vocabulary, vocabulary, .embed = 16, .hidden = 32,
                                .attention = (lb_attention_kind)kind};
    if (!model || lb_seq2seq_init(model, params, "", config)) return NULL;
    lb_optimizer *adam = lb_optimizer_new(params, (lb_optimizer_config){.clip_norm = 1});
    lb_status status = adam ? LB_OK : LB_ERROR_MEMORY;
    for (int step = 0; step < steps && !status; step++) {
        lb_tape_reset(tape);
        lb_batch batch = make_batch(tape, step);
        lb_tensor *logits = lb_model_forward(&model->base, batch.source, batch.target_in);
        lb_optimizer_set_lr(adam, (lb_real)(1e-2 * (1 - 0.95 * step / steps)));
        status = lb_backward(lb_cross_entropy(logits, batch.target_out, LB_PAD), NULL);
        if (!status) status = lb_optimizer_step(adam, NULL);
    }
    lb_optimizer_free(adam);
    return status ? NULL : &model->base;
}

static lb_model *train_ensemble(lb_params *params, lb_tape *tape, int steps, lb_error *error)
{
    lb_params *stores[MEMBERS];
    const lb_model *members[MEMBERS];
    for (int i = 0; i < MEMBERS; i++) {
        stores[i] = lb_params_new((uint64_t)i + 1);
        members[i] = stores[i] ? train(stores[i], tape, steps, LB_ATTENTION_ADDITIVE) : NULL;
        if (!members[i]) return NULL; /* the process ends anyway */
    }
    lb_ensemble *all =
        support_gather(params, members, (const lb_params *const *)stores, MEMBERS, NULL, error);
    for (int i = 0; i < MEMBERS; i++) lb_params_free(stores[i]);
    return all ? &all->base : NULL;
}

static lb_status train_and_save(const char *path, int steps, int kind, lb_error *error)
{
    lb_tape *tape = lb_tape_new();
    lb_text_model made = {.params = lb_params_new(1),
                          .source = lb_vocabulary_new_reserved(error),
                          .target = lb_vocabulary_new_reserved(error),
                          .source_rule = {.normalize = LB_NORMAL_FORM_NFD},
                          .target_rule = {.separator = " ", .normalize = LB_NORMAL_FORM_NFD},
                          .shortest_source = 1,
                          .longest_source = MOST_SYMBOLS,
                          .longest_target = MOST_SYMBOLS,
                          .training = "{\"steps\":500,\"seconds\":1.5}"};
    if (!tape || !made.params || !made.source || !made.target ||
        lb_vocabulary_add(made.source, sources, SYMBOLS, error) ||
        lb_vocabulary_add(made.target, targets, SYMBOLS, error))
        return lb_error_set(error, LB_ERROR_MEMORY, "out of memory");
    made.model = kind == SUPPORT_ENSEMBLE ? train_ensemble(made.params, tape, steps, error)
                                          : train(made.params, tape, steps, kind);
    lb_status status = made.model ? lb_text_model_save(path, &made, error)
                                  : lb_error_set(error, LB_ERROR_MEMORY, "%s%s", lb_params_error(made.params),
                                                 lb_tape_error(tape));
    lb_tape_free(tape);
    lb_text_model_free(&made);
    return status;
}

const char *support_train_pair_model(const char *name, int steps, int kind)
{
    return support_make_model("pair", train_and_save, name, steps, kind);
}
