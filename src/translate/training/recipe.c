#include "translate/training/recipe.h"

#include "data/pairs.h"
#include "data/symbols.h"
#include "models/attention/decoder_attention.h"

#include <math.h>
#include <string.h>

enum { SEQ2SEQ, TRANSFORMER, MODELS };

enum { FILMED = 2 };

static const char *const models[MODELS] = {[SEQ2SEQ] = "seq2seq", [TRANSFORMER] = "transformer"};

typedef struct recipe {
    int embed, hidden, heads;
    int warm_up, evaluate_every;
    int patience; /* training ends after this many steps without a better model; 0: never */
    struct {
        int layers;
        double dropout, lr;
    } of[MODELS];
    int few_pairs;        /* fewer than this many pairs are few */
    int few_batch, batch; /* with few pairs; otherwise */
    double few_smoothing, label_smoothing;
    int epochs, least_steps;   /* this many epochs, but at least this many steps */
    double clip_norm, average; /* as in lb_trainer_config */
    bool keep_best;
} recipe;

static const recipe of_files = {
    .embed = 128,
    .hidden = 192,
    .heads = 4,
    .warm_up = 200,
    .evaluate_every = 250,
    .patience = 1250,
    .of = {[SEQ2SEQ] = {.layers = 1, .dropout = 0.5, .lr = 2e-3},
           [TRANSFORMER] = {.layers = 2, .dropout = 0.1, .lr = 1e-3}},
    .few_pairs = 2000,
    .few_batch = 16,
    .batch = 64,
    .few_smoothing = 0.1,
    .epochs = 35,
    .least_steps = 4000,
    .clip_norm = 1,
    .average = 0.998,
    .keep_best = true,
};

static const recipe of_lists = {
    .embed = 64,
    .hidden = 128,
    .heads = 4,
    .evaluate_every = 250,
    .of = {[SEQ2SEQ] = {.layers = 1, .lr = 5e-3}, [TRANSFORMER] = {.layers = 2, .lr = 1e-3}},
    .batch = 64,
    .least_steps = 4000,
    .clip_norm = 1,
    .average = 0.998,
};

static const char FORWARD[] = "forward", BACKWARD[] = "backward";

static const recipe *recipe_for(const lb_training_config *config)
{
    return config->sort ? &of_lists : &of_files;
}

static void choose(int *value, int usual)
{
    if (*value == 0) *value = usual;
}

static lb_status check_counts(const lb_training_config *c, lb_error *error)
{
    const struct {
        const char *field;
        int value;
    } counts[] = {{"min_count", c->min_count}, {"embed", c->embed},
                  {"hidden", c->hidden},       {"layers", c->layers},
                  {"heads", c->heads},         {"batch", c->batch},
                  {"steps", c->steps},         {"evaluate_every", c->evaluate_every},
                  {"seeds", c->seeds},         {"keep", c->keep},
                  {"epochs", c->epochs},       {"kv_heads", c->kv_heads},
                  {"window", c->window},       {"shards", c->shards}};
    for (size_t i = 0; i < sizeof counts / sizeof *counts; i++)
        if (counts[i].value < 0)
            return lb_error_set(error, LB_ERROR_ARGUMENT, "%s: found %d, expected 0 or more", counts[i].field,
                                counts[i].value);
    return LB_OK;
}

/* Negative numbers mean zero. NaN fails every comparison. */
static lb_status check_numbers(const lb_training_config *c, lb_error *error)
{
    const struct {
        const char *field;
        double value;
        bool valid;
        const char *expected;
    } numbers[] = {{"dropout", c->dropout, c->dropout < 1, "less than 1"},
                   {"label_smoothing", c->label_smoothing, c->label_smoothing < 1, "less than 1"},
                   {"scheduled_sampling", c->scheduled_sampling, c->scheduled_sampling <= 1, "at most 1"},
                   {"hallucinate", c->hallucinate, c->hallucinate <= 1, "at most 1"},
                   {"average", c->average, c->average < 1, "less than 1"},
                   {"lr", c->lr, c->lr >= 0, "0 or more"},
                   {"target", c->target, c->target <= 1, "at most 1"},
                   {"softcap", c->softcap, c->softcap >= 0, "0 or more"}};
    for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++)
        if (!numbers[i].valid)
            return lb_error_set(error, LB_ERROR_ARGUMENT, "%s: found %g, expected %s", numbers[i].field,
                                numbers[i].value, numbers[i].expected);
    return LB_OK;
}

/* The mixture needs soft attention, and a vocabulary by softmax. */
static lb_status check_copy(const lb_training_config *c, lb_error *error)
{
    const char *expected = lb_built_in_attentions[c->attention]->copying_needs;
    if (c->copy && expected)
        return lb_error_set(error, LB_ERROR_ARGUMENT, "copy: found the attention %s, expected %s",
                            lb_attention_names[c->attention], expected);
    if (c->copy && c->loss != LB_SOFTMAX)
        return lb_error_set(error, LB_ERROR_ARGUMENT, "copy: found the loss %s, expected %s",
                            lb_loss_names[c->loss], lb_loss_names[LB_SOFTMAX]);
    return LB_OK;
}

/* Without pairs to judge by, no weights are better than others. */
static lb_status check_hold_out(const lb_training_config *c, lb_error *error)
{
    if (!c->no_hold_out) return LB_OK;
    if (c->sort || c->dev || lb_pair_texts_given(&c->dev_pairs))
        return lb_error_set(error, LB_ERROR_ARGUMENT, "no_hold_out: found %s, of which nothing is held out",
                            c->sort ? "lists" : "pairs for development");
    if (c->patience > 0)
        return lb_error_set(error, LB_ERROR_ARGUMENT,
                            "patience: expected none, since no_hold_out leaves no pairs to judge by");
    return LB_OK;
}

static lb_status check_pairs(const lb_training_config *c, lb_error *error)
{
    lb_normal_form form;
    if (!lb_normal_form_find(c->normalize, &form))
        return lb_error_set(error, LB_ERROR_ARGUMENT, "normalize: expected none, nfc or nfd, found \"%.40s\"",
                            c->normalize);
    if (strcmp(c->symbols, lb_symbol_kind_names[false]) != 0 &&
        strcmp(c->symbols, lb_symbol_kind_names[true]) != 0)
        return lb_error_set(error, LB_ERROR_ARGUMENT,
                            "symbols: expected characters or graphemes, found \"%.40s\"", c->symbols);
    bool pairs = lb_pair_texts_given(&c->pairs), dev = lb_pair_texts_given(&c->dev_pairs);
    if (c->sort && (c->train || c->dev || pairs || dev || c->epochs))
        return lb_error_set(error, LB_ERROR_ARGUMENT,
                            "sort: found files, pairs or epochs, expected none: lists are random");
    if ((c->train && pairs) || (c->dev && dev))
        return lb_error_set(error, LB_ERROR_ARGUMENT,
                            "%s: found a file, and pairs in memory, expected only one",
                            c->train && pairs ? "pairs" : "dev_pairs");
    if (c->sort && c->hallucinate > 0)
        return lb_error_set(error, LB_ERROR_ARGUMENT, "hallucinate: found lists, expected pairs of texts");
    if (c->steps > 0 && c->epochs > 0)
        return lb_error_set(error, LB_ERROR_ARGUMENT,
                            "found both steps and epochs, expected only one of them");
    if (strcmp(c->direction, FORWARD) != 0 && strcmp(c->direction, BACKWARD) != 0)
        return lb_error_set(error, LB_ERROR_ARGUMENT,
                            "direction: expected forward or backward, found \"%.40s\"", c->direction);
    return LB_OK;
}

static lb_status check_seq2seq(const lb_training_config *c, lb_error *error)
{
    if (c->positions || c->kv_heads || c->softcap != 0)
        return lb_error_set(error, LB_ERROR_ARGUMENT,
                            "positions, kv_heads and softcap are options of a transformer, not of a seq2seq");
    if (c->window && lb_built_in_attentions[c->attention]->window == 0)
        return lb_error_set(error, LB_ERROR_ARGUMENT,
                            "window is an option of a transformer and of local-m, local-p and location "
                            "attention, not of %s",
                            lb_attention_names[c->attention]);
    return LB_OK;
}

static lb_status check_transformer(const lb_training_config *c, lb_error *error)
{
    if (c->one_direction || c->attention || c->embed != recipe_for(c)->embed)
        return lb_error_set(
            error, LB_ERROR_ARGUMENT,
            "embed, one_direction and attention are options of a seq2seq, not of a transformer");
    if (c->cell)
        return lb_error_set(error, LB_ERROR_ARGUMENT, "cell is an option of a seq2seq, not of a transformer");
    bool features = c->features_separator && *c->features_separator;
    if (c->feature_positions && !features)
        return lb_error_set(error, LB_ERROR_ARGUMENT,
                            "feature_positions: the sources have no features (features_column)");
    return LB_OK;
}

static lb_status check_model(const lb_training_config *c, lb_error *error)
{
    if (strcmp(c->model, models[SEQ2SEQ]) == 0) return check_seq2seq(c, error);
    if (strcmp(c->model, models[TRANSFORMER]) == 0) return check_transformer(c, error);
    return lb_error_set(error, LB_ERROR_ARGUMENT, "model: expected seq2seq or transformer, found \"%.40s\"",
                        c->model);
}

static lb_status check(const lb_training_config *c, lb_error *error)
{
    lb_status status = check_pairs(c, error);
    if (!status) status = check_model(c, error);
    if (!status) status = check_counts(c, error);
    if (!status) status = check_copy(c, error);
    if (!status) status = check_hold_out(c, error);
    return status ? status : check_numbers(c, error);
}

static int kind_of(const lb_training_config *config)
{
    return strcmp(config->model, models[TRANSFORMER]) == 0 ? TRANSFORMER : SEQ2SEQ;
}

lb_status lb_training_config_settle(lb_training_config *c, lb_error *error)
{
    return c->from ? check_numbers(c, error) : lb_recipe_settle(c, error);
}

lb_status lb_recipe_settle(lb_training_config *c, lb_error *error)
{
    const recipe *r = recipe_for(c);
    if (!c->symbols) c->symbols = lb_symbol_kind_names[false];
    if (!c->normalize) c->normalize = lb_normal_form_names[LB_NORMAL_FORM_NFD];
    if (!c->model) c->model = models[SEQ2SEQ];
    if (!c->direction) c->direction = FORWARD;
    bool features = c->features_column > 0 || c->pairs.features;
    if (features && !c->features_separator) c->features_separator = ";";
    choose(&c->min_count, 1);
    choose(&c->embed, r->embed);
    choose(&c->hidden, r->hidden);
    choose(&c->layers, r->of[kind_of(c)].layers);
    choose(&c->heads, r->heads);
    choose(&c->warm_up, r->warm_up);
    choose(&c->evaluate_every, r->evaluate_every);
    if (c->evaluate_every > 0 && !c->no_hold_out)
        choose(&c->patience, (r->patience + c->evaluate_every - 1) / c->evaluate_every);
    choose(&c->seeds, 1);
    choose(&c->film, FILMED);
    if (c->sort) {
        choose(&c->batch, r->batch);
        choose(&c->steps, r->least_steps);
    }
    if (c->dropout == 0) c->dropout = r->of[kind_of(c)].dropout;
    if (c->lr == 0) c->lr = r->of[kind_of(c)].lr;
    if (c->average == 0) c->average = r->average;
    return check(c, error);
}

lb_pair_format lb_recipe_format(const lb_training_config *c)
{
    lb_normal_form form = LB_NORMAL_FORM_NFD;
    lb_normal_form_find(c->normalize, &form);
    bool graphemes = strcmp(c->symbols, lb_symbol_kind_names[true]) == 0;
    return (lb_pair_format){
        .kind = c->format,
        .targets = c->train_targets,
        .weight_column = c->weight_column,
        .source_column = c->source_column,
        .target_column = c->target_column,
        .features_column = c->features_column,
        .source = {.separator = c->source_separator,
                   .normalize = form,
                   .graphemes = graphemes,
                   .features = c->features_separator},
        .target = {.separator = c->target_separator, .normalize = form, .graphemes = graphemes},
        .skip_bad_lines = c->skip_bad_lines,
    };
}

int lb_recipe_batch(const lb_training_config *c, int64_t pairs)
{
    const recipe *r = recipe_for(c);
    if (c->batch > 0) return c->batch;
    return pairs < r->few_pairs ? r->few_batch : r->batch;
}

double lb_recipe_smoothing(const lb_training_config *c, int64_t pairs)
{
    const recipe *r = recipe_for(c);
    if (c->label_smoothing != 0) return fmax(c->label_smoothing, 0);
    return pairs < r->few_pairs ? r->few_smoothing : r->label_smoothing;
}

int64_t lb_recipe_steps(const lb_training_config *c, int64_t batches)
{
    const recipe *r = recipe_for(c);
    if (c->steps > 0) return c->steps;
    if (c->epochs > 0) return c->epochs * batches;
    int64_t steps = r->epochs * batches;
    return steps > r->least_steps ? steps : r->least_steps;
}

lb_trainer_config lb_recipe_trainer(const lb_training_config *c, int64_t steps)
{
    const recipe *r = recipe_for(c);
    return (lb_trainer_config){
        .steps = steps,
        .evaluate_every = c->evaluate_every,
        .patience = c->patience > 0 ? c->patience : 0,
        .target = c->target,
        .keep_best = r->keep_best && !c->no_hold_out,
        .schedule = {.kind = LB_SCHEDULE_COSINE,
                     .lr = c->lr,
                     .warm_up = c->warm_up > 0 ? c->warm_up : 0,
                     .period = steps},
        .optimizer = {.clip_norm = (lb_real)r->clip_norm},
        .average = fmax(c->average, 0),
        .fresh = c->fresh,
    };
}

static lb_model *make_seq2seq(const lb_training_config *c, int64_t source, int64_t target, lb_params *params)
{
    lb_seq2seq_config config = {.source_vocab = source,
                                .target_vocab = target,
                                .embed = c->embed,
                                .hidden = c->hidden,
                                .layers = c->layers,
                                .bidirectional = !c->one_direction,
                                .attention = c->attention,
                                .heads = c->heads,
                                .attention_weights = c->attention_weights,
                                .dropout = (lb_real)fmax(c->dropout, 0),
                                .output = c->loss,
                                .tied = c->tied,
                                .cell = c->cell,
                                .window = c->window,
                                .copy = c->copy};
    lb_seq2seq *model = lb_params_alloc(params, sizeof *model);
    return model && !lb_seq2seq_init(model, params, "", config) ? &model->base : NULL;
}

static lb_model *make_transformer(const lb_training_config *c, int64_t source, int64_t target,
                                  lb_params *params)
{
    lb_transformer_config config = {.source_vocab = source,
                                    .target_vocab = target,
                                    .width = c->hidden,
                                    .heads = c->heads,
                                    .attention_weights = c->attention_weights,
                                    .layers = c->layers,
                                    .positions = c->positions,
                                    .dropout = (lb_real)fmax(c->dropout, 0),
                                    .output = c->loss,
                                    .tied = c->tied,
                                    .kv_heads = c->kv_heads,
                                    .softcap = c->softcap,
                                    .window = c->window,
                                    .feature_positions = c->feature_positions,
                                    .copy = c->copy};
    lb_transformer *model = lb_params_alloc(params, sizeof *model);
    return model && !lb_transformer_init(model, params, "", config) ? &model->base : NULL;
}

lb_model *lb_recipe_model(const lb_training_config *config, int64_t source_vocab, int64_t target_vocab,
                          lb_params *params, lb_error *error)
{
    lb_model *model = (kind_of(config) == TRANSFORMER ? make_transformer : make_seq2seq)(
        config, source_vocab, target_vocab, params);
    if (!model) lb_error_set(error, lb_params_status(params), "%s", lb_params_error(params));
    if (model) model->from_end = strcmp(config->direction, BACKWARD) == 0;
    return model;
}
