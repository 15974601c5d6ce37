#include "support/sorting.h"

#include "lookback/ops.h"

static lb_status add_seq2seq(support_sorting *s, lb_seq2seq_config config)
{
    lb_seq2seq *model = lb_params_alloc(s->params, sizeof *model);
    if (!model) return LB_ERROR_MEMORY;
    config.source_vocab = config.target_vocab = lb_sort_vocab(&s->task);
    s->model = &model->base;
    return lb_seq2seq_init(model, s->params, "sort", config);
}

static lb_status add_transformer(support_sorting *s, lb_transformer_config config)
{
    lb_transformer *model = lb_params_alloc(s->params, sizeof *model);
    if (!model) return LB_ERROR_MEMORY;
    config.source_vocab = config.target_vocab = lb_sort_vocab(&s->task);
    s->model = &model->base;
    return lb_transformer_init(model, s->params, "sort", config);
}

/* Every number is copied as itself. */
static lb_status copy_numbers(lb_model *model)
{
    enum { MOST = 64 };
    int32_t as[MOST] = {0};
    if (model->source_vocab > MOST) return LB_ERROR_ARGUMENT;
    for (int32_t id = LB_UNK; id < model->source_vocab; id++) as[id] = id;
    return lb_model_set_copies(model, as, NULL);
}

lb_status support_sorting_open(support_sorting *s, lb_sort_task task, support_sorter sorter)
{
    *s = (support_sorting){.task = task, .params = lb_params_new(17), .tape = lb_tape_new()};
    if (!s->params || !s->tape) return LB_ERROR_MEMORY;
    lb_tape_seed(s->tape, 5, 0);
    lb_status status =
        sorter.transformer.width ? add_transformer(s, sorter.transformer) : add_seq2seq(s, sorter.seq2seq);
    if (!status && s->model->copies) status = copy_numbers(s->model);
    if (status) return status;
    s->adam = lb_optimizer_new(s->params, (lb_optimizer_config){.lr = (lb_real)3e-3, .clip_norm = 1});
    return s->adam ? LB_OK : LB_ERROR_MEMORY;
}

void support_sorting_close(support_sorting *s)
{
    lb_optimizer_free(s->adam);
    lb_tape_free(s->tape);
    lb_params_free(s->params);
}

lb_status support_sorting_step(support_sorting *s, int64_t batch_size, int64_t step, lb_real *loss)
{
    lb_tape_reset(s->tape);
    lb_batch batch = lb_sort_batch(&s->task, s->tape, batch_size, step);
    lb_tensor *logits = lb_model_forward(s->model, batch.source, batch.target_in);
    lb_tensor *value = lb_cross_entropy(logits, batch.target_out, LB_PAD);
    lb_status status = lb_backward(value, NULL);
    if (loss) *loss = lb_item(value);
    return status ? status : lb_optimizer_step(s->adam, NULL);
}
