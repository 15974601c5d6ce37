#include "shared/model.h"

#include "shared/measure.h"

enum { TINY, SMALL, MEDIUM, LARGE, TRANSFORMER };

const char *const bench_configs[] = {[TINY] = "tiny",
                                     [SMALL] = "small",
                                     [MEDIUM] = "medium",
                                     [LARGE] = "large",
                                     [TRANSFORMER] = "transformer",
                                     NULL};

static const bench_size sizes[] = {
    [TINY] = {.config = TINY, .embed = 16, .hidden = 32, .batch = 16, .length = 8},
    [SMALL] = {.config = SMALL, .embed = 64, .hidden = 128, .batch = 64, .length = 10},
    [MEDIUM] = {.config = MEDIUM, .embed = 128, .hidden = 256, .batch = 128, .length = 20},
    [LARGE] = {.config = LARGE, .embed = 256, .hidden = 512, .batch = 128, .length = 40},
    [TRANSFORMER] = {.config = TRANSFORMER, .embed = 0, .hidden = 128, .batch = 64, .length = 10},
};

void bench_size_settle(bench_size *size)
{
    const bench_size *config = &sizes[size->config];
    if (size->embed == 0) size->embed = config->embed;
    if (size->hidden == 0) size->hidden = config->hidden;
    if (size->batch == 0) size->batch = config->batch;
    if (size->length == 0) size->length = config->length;
}

bool bench_is_transformer(const bench_size *size)
{
    return size->config == TRANSFORMER;
}

double bench_tokens(const bench_size *size)
{
    return (double)size->batch * (size->length + 1);
}

void bench_add_size(cJSON *object, const bench_size *size)
{
    cJSON_AddStringToObject(object, "config", bench_configs[size->config]);
    bench_add(object, "embed", bench_is_transformer(size) ? size->hidden : size->embed);
    bench_add(object, "hidden", size->hidden);
    bench_add(object, "batch", size->batch);
    bench_add(object, "length", size->length);
    bench_add(object, "vocabulary", size->vocabulary);
}

static lb_status init_either(bench_model *model, const bench_size *size, lb_attention_kind attention)
{
    if (bench_is_transformer(size)) {
        model->model = &model->transformer.base;
        return lb_transformer_init(&model->transformer, model->params, "",
                                   (lb_transformer_config){.source_vocab = size->vocabulary,
                                                           .target_vocab = size->vocabulary,
                                                           .width = size->hidden,
                                                           .heads = BENCH_HEADS,
                                                           .layers = BENCH_LAYERS});
    }
    model->model = &model->seq2seq.base;
    return lb_seq2seq_init(&model->seq2seq, model->params, "",
                           (lb_seq2seq_config){.source_vocab = size->vocabulary,
                                               .target_vocab = size->vocabulary,
                                               .embed = size->embed,
                                               .hidden = size->hidden,
                                               .attention = attention});
}

lb_status bench_model_init(bench_model *model, const bench_size *size, lb_attention_kind attention,
                           lb_error *error)
{
    *model = (bench_model){
        .task = {size->vocabulary - LB_FIRST_TOKEN - 1, size->length, size->length, .seed = 1},
        .params = lb_params_new(1),
    };
    if (!model->params) return lb_error_set(error, LB_ERROR_MEMORY, "out of memory");
    lb_status status = init_either(model, size, attention);
    return status ? lb_error_set(error, status, "%s", lb_params_error(model->params)) : LB_OK;
}

void bench_model_free(bench_model *model)
{
    lb_params_free(model->params);
}
