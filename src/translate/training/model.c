#include "translate/training/stepper.h"

#include "base/alloc.h"
#include "data/pairs.h"
#include "data/symbols.h"
#include "models/built_in.h"
#include "nn/params.h"
#include "train/augment.h"
#include "translate/training/recipe.h"

#include <stdio.h>
#include <string.h>

/* The share of common symbols of a source and its target that a copying model does not see, unless they are frequent:
 * docs/adr/0030-copying.md. */
static const double HIDDEN_SHARE = 0.1;

lb_training_config lb_stepper_in_force(const lb_stepper *s)
{
    lb_training_config c = *s->config;
    c.patience = (int)lb_recipe_trainer(&c, s->run.steps).patience;
    c.steps = (int)s->run.steps;
    c.seed = s->seed;
    c.shards = s->shards;
    if (c.kv_heads == 0) c.kv_heads = c.heads;
    return c;
}

static lb_status unknown_module(const lb_stepper *t, const char *name, int length, lb_error *error)
{
    char all[LB_MESSAGE_LENGTH / 2] = "";
    size_t before = 0;
    const char *last = "";
    for (int i = 0; i < lb_params_count(t->params); i++) {
        const char *module = lb_params_name(t->params, i);
        int bytes = (int)strcspn(module, ".");
        bool again = strncmp(module, last, (size_t)bytes) == 0 && (int)strcspn(last, ".") == bytes;
        if (again || before + (size_t)bytes + 3 > sizeof all) continue;
        before +=
            (size_t)snprintf(all + before, sizeof all - before, "%s%.*s", before ? ", " : "", bytes, module);
        last = module;
    }
    return lb_error_set(error, LB_ERROR_ARGUMENT,
                        "freeze: found \"%.*s\", expected a parameter or a module of the model: %s", length,
                        name, all);
}

static lb_status freeze(const lb_stepper *t, lb_error *error)
{
    char name[LB_MESSAGE_LENGTH / 4];
    int64_t end;
    for (const char *word = t->config->freeze; word && *word; word += *word == ',') {
        int length = (int)strcspn(word, ",");
        snprintf(name, sizeof name, "%.*s", length, word);
        if (lb_params_freeze(t->params, name) == 0) return unknown_module(t, word, length, error);
        word += length;
    }
    if (lb_params_trained(t->params, 0, &end) < lb_params_size(t->params)) return LB_OK;
    return lb_error_set(error, LB_ERROR_ARGUMENT, "freeze: nothing is left to train");
}

static void mark_features(const lb_stepper *t)
{
    const lb_vocabulary *symbols = t->data->source;
    if (t->model->kind != &lb_transformer_kind) return;
    lb_transformer *model = (lb_transformer *)t->model;
    for (int32_t id = LB_FIRST_TOKEN; model->source_features && id < lb_vocabulary_size(symbols); id++)
        if (lb_symbol_is_feature(lb_vocabulary_symbol(symbols, id))) lb_transformer_mark_feature(model, id);
}

/* By their spelling. Features are not copied. */
static lb_status find_shared_symbols(lb_stepper *t, lb_error *error)
{
    const lb_vocabulary *source = t->data->source, *target = t->data->target;
    int32_t size = lb_vocabulary_size(source), *as = lb_alloc_zero((size_t)size * sizeof *as);
    if (!as) return lb_error_set(error, LB_ERROR_MEMORY, "out of memory");
    as[LB_UNK] = LB_UNK;
    for (int32_t id = LB_FIRST_TOKEN; id < size; id++) {
        const char *symbol = lb_vocabulary_symbol(source, id);
        as[id] = lb_symbol_is_feature(symbol) ? LB_PAD : lb_vocabulary_id(target, symbol);
    }
    t->shared = (lb_shared_symbols){as, size};
    return LB_OK;
}

/* What the target vocabulary lacks is pointed at. Numbers can be sorted only if they are known: none is hidden. */
static lb_status set_copies(lb_stepper *t, lb_error *error)
{
    if (!t->model->copies) return LB_OK;
    lb_status status = lb_model_set_copies(t->model, t->shared.target, error);
    return status || t->data->sorts
               ? status
               : lb_hidden_shares(t->model, t->data->source, HIDDEN_SHARE, &t->hidden, error);
}

static lb_status make_model(lb_stepper *t, int64_t source, int64_t target, lb_error *error)
{
    if (!t->params) return lb_error_set(error, LB_ERROR_MEMORY, "out of memory");
    t->model = lb_recipe_model(t->config, source, target, t->params, error);
    return t->model ? LB_OK : error->status;
}

/* It has the vocabulary of the data; what a start model knows is copied over it. */
lb_status lb_stepper_build(lb_stepper *t, lb_error *error)
{
    const lb_training_data *data = t->data;
    t->params = lb_params_new(t->seed);
    if (make_model(t, lb_vocabulary_size(data->source), lb_vocabulary_size(data->target), error))
        return error->status;
    mark_features(t);
    lb_status status = lb_warm_start_copy(t->start, t->config, t->model, t->params, error);
    if (!status) status = find_shared_symbols(t, error);
    if (!status) status = set_copies(t, error);
    return status ? status : freeze(t, error);
}

lb_status lb_stepper_build_trial(lb_stepper *t, lb_error *error)
{
    /* Zeros: no random numbers are drawn, which would take most of the time. */
    static const lb_params_source nothing = {.room = SIZE_MAX};
    const lb_text_model *from = &t->start->model;
    int64_t source = from->params ? from->model->source_vocab : LB_FIRST_TOKEN + 1;
    int64_t target = from->params ? from->model->target_vocab : LB_FIRST_TOKEN + 1;
    t->params = lb_params_new(0);
    if (t->params) lb_params_take_from(t->params, &nothing);
    lb_status status = make_model(t, source, target, error);
    if (!status) status = lb_warm_start_copy(t->start, t->config, t->model, t->params, error);
    return status ? status : freeze(t, error);
}
