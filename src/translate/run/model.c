/* The model of a training: its sizes, what it takes over from another one, and what is frozen. */
#include "translate/run/stepper.h"

#include "base/alloc.h"
#include "data/pairs/pairs.h"
#include "data/text/symbols.h"
#include "translate/plan/recipe.h"

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

static lb_status unknown_module(const lb_stepper *s, const char *name, int length, lb_error *error)
{
    char all[LB_MESSAGE_LENGTH / 2] = "";
    size_t before = 0;
    const char *last = "";
    for (int i = 0; i < lb_params_count(s->params); i++) {
        const char *module = lb_params_name(s->params, i);
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

static lb_status freeze(const lb_stepper *s, lb_error *error)
{
    char name[LB_MESSAGE_LENGTH / 4];
    bool trains = false;
    for (const char *word = s->config->freeze; word && *word; word += *word == ',') {
        int length = (int)strcspn(word, ",");
        snprintf(name, sizeof name, "%.*s", length, word);
        if (lb_params_freeze(s->params, name) == 0) return unknown_module(s, word, length, error);
        word += length;
    }
    for (int i = 0; i < lb_params_count(s->params) && !trains; i++)
        trains = lb_params_tensor(s->params, i)->requires_grad;
    if (trains) return LB_OK;
    return lb_error_set(error, LB_ERROR_ARGUMENT, "freeze: nothing is left to train");
}

static void mark_features(const lb_stepper *s)
{
    const lb_vocabulary *symbols = s->data->text.source;
    const lb_transformer *model = lb_transformer_of(s->model);
    if (!model || !model->source_features) return;
    for (int32_t id = LB_FIRST_TOKEN; id < lb_vocabulary_size(symbols); id++)
        if (lb_symbol_is_feature(lb_vocabulary_symbol(symbols, id))) model->source_features->data[id] = 1;
}

/* A symbol is shared if both sides spell it alike. Features are not copied. */
static lb_status find_shared_symbols(lb_stepper *s, lb_error *error)
{
    const lb_vocabulary *source = s->data->text.source, *target = s->data->text.target;
    int32_t size = lb_vocabulary_size(source), *as = lb_alloc_zero((size_t)size * sizeof *as);
    if (!as) return lb_error_set(error, LB_ERROR_MEMORY, "out of memory");
    as[LB_UNK] = LB_UNK;
    for (int32_t id = LB_FIRST_TOKEN; id < size; id++) {
        const char *symbol = lb_vocabulary_symbol(source, id);
        as[id] = lb_symbol_is_feature(symbol) ? LB_PAD : lb_vocabulary_id(target, symbol);
    }
    s->shared = (lb_shared_symbols){as, size};
    return LB_OK;
}

/* A model copies what the target vocabulary lacks. Numbers can be sorted only if they are known: none is hidden. */
static lb_status set_copies(lb_stepper *s, lb_error *error)
{
    if (!s->model->copies) return LB_OK;
    lb_status status = lb_model_set_copies(s->model, s->shared.target, error);
    return status || s->data->text.sorts
               ? status
               : lb_hidden_shares(&s->shared, s->data->text.source, HIDDEN_SHARE, &s->hidden, error);
}

static lb_status make_model(lb_stepper *s, int64_t source, int64_t target, lb_error *error)
{
    if (!s->params) return lb_error_set(error, LB_ERROR_MEMORY, "out of memory");
    s->model = lb_recipe_model(s->config, source, target, s->params, error);
    return s->model ? LB_OK : error->status;
}

/* The model has the vocabulary of the data; what a start model has learnt replaces its initial weights. */
lb_status lb_stepper_build(lb_stepper *s, lb_error *error)
{
    const lb_training_data *data = s->data;
    s->params = lb_params_new(s->seed);
    if (make_model(s, lb_vocabulary_size(data->text.source), lb_vocabulary_size(data->text.target), error))
        return error->status;
    mark_features(s);
    lb_status status = lb_warm_start_copy(s->start, s->config, s->model, s->params, error);
    if (!status) status = find_shared_symbols(s, error);
    if (!status) status = set_copies(s, error);
    return status ? status : freeze(s, error);
}

lb_status lb_stepper_build_trial(lb_stepper *s, lb_error *error)
{
    const lb_text_model *from = &s->start->model;
    int64_t source = from->params ? from->model->source_vocab : LB_FIRST_TOKEN + 1;
    int64_t target = from->params ? from->model->target_vocab : LB_FIRST_TOKEN + 1;
    s->params = lb_params_new(0);
    lb_status status = make_model(s, source, target, error);
    if (!status) status = lb_warm_start_copy(s->start, s->config, s->model, s->params, error);
    return status ? status : freeze(s, error);
}
