#include "common/pair_settings.h"

const char *const app_pair_models[APP_MODELS + 1] = {
    [APP_SEQ2SEQ] = "seq2seq", [APP_TRANSFORMER] = "transformer", [APP_MODELS] = NULL};

const char *const app_normalizations[] = {
    [LB_NORMALIZE_NONE] = "none", [LB_NORMALIZE_NFC] = "nfc", [LB_NORMALIZE_NFD] = "nfd", NULL};

const app_pair_recipe app_pair_default = {
    .embed = 128,
    .hidden = 192,
    .heads = 4,
    .bidirectional = true,
    .dropout = 0.5,
    .warm_up = 200,
    .evaluate_every = 250,
    .of = {[APP_SEQ2SEQ] = {.layers = 1, .lr = 2e-3}, [APP_TRANSFORMER] = {.layers = 2, .lr = 1e-3}},
    .few_pairs = 2000,
    .few_batch = 16,
    .batch = 64,
    .few_smoothing = 0.1,
    .epochs = 35,
    .least_steps = 4000,
    .clip_norm = 1,
    .average = 0.998,
};

app_pair_settings app_pair_settings_new(void)
{
    const app_pair_recipe *recipe = &app_pair_default;
    return (app_pair_settings){
        .normalize = LB_NORMALIZE_NFD,
        .min_count = 1,
        .embed = recipe->embed,
        .hidden = recipe->hidden,
        .heads = recipe->heads,
        .attention = LB_ATTENTION_ADDITIVE,
        .bidirectional = recipe->bidirectional,
        .dropout = recipe->dropout,
        .evaluate_every = recipe->evaluate_every,
        .warm_up = recipe->warm_up,
        .label_smoothing = -1,
        .seed = 1,
        .seeds = 1,
        .out = "out",
    };
}

lb_status app_pair_settings_check(app_pair_settings *s, lb_error *error)
{
    const app_pair_recipe *recipe = &app_pair_default;
    if (s->layers == 0) s->layers = recipe->of[s->model].layers;
    if (s->lr == 0) s->lr = recipe->of[s->model].lr;
    if (s->steps > 0 && s->epochs > 0)
        return lb_error_set(error, LB_ERROR_ARGUMENT, "--steps and --epochs: expected one of them");
    bool of_seq2seq = s->embed != recipe->embed || s->bidirectional != recipe->bidirectional ||
                      s->attention != LB_ATTENTION_ADDITIVE;
    if (s->model == APP_SEQ2SEQ || !of_seq2seq) return LB_OK;
    return lb_error_set(error, LB_ERROR_ARGUMENT,
                        "--embed, --bidirectional and --attention belong to --model %s, not to %s",
                        app_pair_models[APP_SEQ2SEQ], app_pair_models[s->model]);
}

lb_pair_format app_pair_settings_format(const app_pair_settings *s)
{
    lb_normalization normalize = (lb_normalization)s->normalize;
    return (lb_pair_format){
        .source_column = s->source_column,
        .target_column = s->target_column,
        .source = {.separator = s->source_separator, .normalize = normalize},
        .target = {.separator = s->target_separator, .normalize = normalize},
        .skip_bad_lines = s->skip_bad_lines,
    };
}

int app_pair_settings_batch(const app_pair_settings *s, int64_t pairs)
{
    if (s->batch > 0) return s->batch;
    return pairs < app_pair_default.few_pairs ? app_pair_default.few_batch : app_pair_default.batch;
}

double app_pair_settings_smoothing(const app_pair_settings *s, int64_t pairs)
{
    if (s->label_smoothing >= 0) return s->label_smoothing;
    return pairs < app_pair_default.few_pairs ? app_pair_default.few_smoothing
                                              : app_pair_default.label_smoothing;
}

int64_t app_pair_settings_steps(const app_pair_settings *s, int64_t batches)
{
    if (s->steps > 0) return s->steps;
    if (s->epochs > 0) return s->epochs * batches;
    int64_t steps = app_pair_default.epochs * batches;
    return steps > app_pair_default.least_steps ? steps : app_pair_default.least_steps;
}

static lb_model *make_seq2seq(const app_pair_settings *s, int64_t source, int64_t target, lb_params *params)
{
    lb_seq2seq_config config = {.source_vocab = source,
                                .target_vocab = target,
                                .embed = s->embed,
                                .hidden = s->hidden,
                                .layers = s->layers,
                                .bidirectional = s->bidirectional,
                                .attention = (lb_attention_kind)s->attention,
                                .heads = s->heads,
                                .dropout = (lb_real)s->dropout,
                                .tied = s->tied};
    lb_seq2seq *model = lb_params_alloc(params, sizeof *model);
    return model && !lb_seq2seq_init(model, params, "", config) ? &model->base : NULL;
}

static lb_model *make_transformer(const app_pair_settings *s, int64_t source, int64_t target,
                                  lb_params *params)
{
    lb_transformer_config config = {.source_vocab = source,
                                    .target_vocab = target,
                                    .width = s->hidden,
                                    .heads = s->heads,
                                    .layers = s->layers,
                                    .dropout = (lb_real)s->dropout,
                                    .tied = s->tied};
    lb_transformer *model = lb_params_alloc(params, sizeof *model);
    return model && !lb_transformer_init(model, params, "", config) ? &model->base : NULL;
}

lb_model *app_pair_settings_model(const app_pair_settings *s, int64_t source_vocab, int64_t target_vocab,
                                  lb_params *params, lb_error *error)
{
    lb_model *model = s->model == APP_TRANSFORMER ? make_transformer(s, source_vocab, target_vocab, params)
                                                  : make_seq2seq(s, source_vocab, target_vocab, params);
    if (!model) lb_error_set(error, lb_params_status(params), "%s", lb_params_error(params));
    return model;
}
