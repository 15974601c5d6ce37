/* One model in training: its loss, its evaluation, and its loop, at once or in parts. Between two parts, the parameters
 * are the average of the weights, so that the caller evaluates, applies and saves the average; within one, only during
 * an evaluation. */
#include "translate/run/stepper.h"

#include "base/alloc.h"
#include "base/group.h"
#include "base/transcendental.h"
#include "data/pairs/pairs.h"
#include "lookback/op.h"
#include "translate/apply/translator.h"
#include "translate/plan/recipe.h"

#include <math.h>

/* An lb_loss_fn. A batch that is divided into shards has a part for each, numbered through all steps. */
static lb_tensor *loss_of_part(void *stepper, lb_tape *tape, int64_t part, int64_t *tokens)
{
    lb_stepper *s = stepper;
    lb_batch batch = lb_data_loader_batch(&s->loader, tape, part);
    if (batch.source.batch == 0 && lb_tape_status(tape) == LB_OK) return NULL; /* no pair */
    batch = lb_hallucinate(batch, &s->shared, s->config->hallucinate, s->seed, part);
    batch = lb_hide_symbols(&s->shared, batch, s->hidden, s->seed, part);
    batch = lb_batch_for(s->model, batch);
    for (int64_t row = 0; row < batch.target_out.batch; row++) *tokens += batch.target_out.lengths[row];
    int64_t step = part / s->shards;
    double share = (double)step / (double)s->run.steps;
    lb_scheduled_sampling sampling = {.probability = share * fmax(s->config->scheduled_sampling, 0),
                                      .seed = s->seed};
    lb_tokens target_in = lb_scheduled_tokens(s->model, batch.source, batch.target_in, sampling, part);
    lb_tensor *logits = lb_model_forward(s->model, batch.source, target_in);
    return lb_model_loss(s->model, logits, batch.target_out, batch.weights, LB_PAD,
                         (lb_real)fmax(s->config->label_smoothing, 0));
}

static lb_status make_translator(lb_stepper *s, lb_error *error)
{
    lb_translator *t = s->translator = lb_alloc_zero(sizeof *t);
    if (!t) return lb_no_memory(error, "a training");
    t->path = lb_alloc_string("the training");
    t->tapes = lb_tapes_new();
    if (!t->path || !t->tapes) return lb_no_memory(error, "a training");
    t->model = lb_training_data_model(s->data, s->model, s->params);
    t->most = lb_translator_most(&t->model);
    return LB_OK;
}

/* The first process of a group does it for all, so that they agree. */
static lb_status compare_texts(lb_stepper *s, lb_evaluation *found, lb_error *error)
{
    lb_status status = LB_OK;
    if (lb_group_leads(s->config->group))
        status =
            lb_training_compare_texts(s->data, s->translator, &s->texts, s->tallies.in_parts, found, error);
    return status ? status : lb_group_tell(s->config->group, found->own, sizeof found->own, error);
}

static lb_status evaluate_model(void *context, lb_tape *tape, lb_evaluation *found)
{
    lb_stepper *s = context;
    lb_error error = {0};
    lb_status status =
        s->texts ? LB_OK
                 : lb_data_loader_measure(&s->loader, &s->data->dev, s->model, tape, &s->tallies, found);
    if (status || !lb_criterion_find(s->config->choose, NULL)->texts) return status;
    status = compare_texts(s, found, &error);
    if (s->texts) return status;
    if (status) lb_tape_fail(tape, error.status, "%s", error.message);
    return lb_tape_status(tape);
}

static lb_status evaluate_test(void *context, int test, lb_tape *tape, lb_evaluation *found)
{
    lb_stepper *s = context;
    return lb_data_loader_measure(&s->loader, &s->data->test[test], s->model, tape, &s->tallies, found);
}

static bool shall_stop(void *context)
{
    const lb_training_config *c = ((const lb_stepper *)context)->config;
    return c->stop && c->stop(c->context);
}

static void name_setting(void *context, const char *name, const char *value, char *text, size_t size)
{
    const lb_training_config *c = ((const lb_stepper *)context)->config;
    c->setting(c->context, name, value, text, size);
}

static lb_trainer_config loop_of(lb_stepper *s)
{
    lb_trainer_config loop = lb_recipe_trainer(s->config, s->run.steps);
    loop.params = s->params;
    loop.context = s;
    loop.loss = loss_of_part;
    loop.evaluate = evaluate_model;
    loop.tests = s->data->tests;
    loop.test = evaluate_test;
    loop.names = s->config->test;
    loop.choose_on = lb_config_test(s->config, s->config->choose_on) + 1;
    loop.is_better = lb_criterion_find(s->config->choose, NULL)->is_better;
    loop.replan = s->config->minutes > 0 ? lb_budget_look_again : NULL;
    loop.tell = lb_stepper_hear;
    loop.stop = shall_stop;
    loop.seed = s->seed;
    loop.shards = s->shards;
    loop.precision = s->config->precision;
    loop.group = s->config->group;
    loop.trained = s->start->model.params != NULL;
    loop.checkpoint = s->files.checkpoint;
    loop.same_run = lb_run_identity_check;
    loop.setting = s->config->setting ? name_setting : NULL;
    return loop;
}

/* A run that is resumed keeps its shards, on any number of processes. */
static lb_status choose_shards(lb_stepper *s, lb_error *error)
{
    const lb_training_config *c = s->config;
    lb_run_facts run = {0};
    if (c->shards == 0 && !c->fresh && s->files.checkpoint &&
        lb_run_identity_facts(s->files.checkpoint, &run, error))
        return error->status;
    s->shards = c->shards ? c->shards : run.shards ? run.shards : lb_group_size(c->group);
    return lb_group_check(c->group, s->shards, error);
}

/* Builds the model, and the configuration of its loop. */
static lb_status init(lb_stepper *s, lb_error *error)
{
    lb_status status =
        s->run.folder ? lb_training_files_name(&s->files, s->run.folder, s->data->text.sorts, error) : LB_OK;
    if (!status) status = choose_shards(s, error);
    if (!status) status = lb_data_loader_init(&s->loader, s->data, s->config, s->seed, s->shards, error);
    if (!status) status = lb_stepper_build(s, error);
    if (!status) status = make_translator(s, error);
    if (status) return status;
    s->tallies.group = s->config->group;
    s->run.steps = lb_data_loader_steps(&s->loader, s->config);
    s->run.parameters = lb_params_learned(s->params);
    s->run.pairs = s->data->facts.pairs;
    s->loop = loop_of(s);
    const bool last = !s->loop.keep_best && s->data->facts.sentences; /* nothing is chosen */
    s->run.choose = last ? "symbol" : lb_criterion_find(s->config->choose, NULL)->name;
    s->run.history = &s->history;
    s->run.guessing = lb_log64((double)s->model->target_vocab);
    s->run.dropout = s->config->dropout;
    s->run.label_smoothing = fmax(s->config->label_smoothing, 0);
    return LB_OK;
}

static lb_status tell_of_run(const lb_stepper *s, lb_event_kind kind, lb_error *error)
{
    return lb_training_tell(s->config, (lb_event){.kind = kind, .run = &s->run}, error);
}

lb_status lb_stepper_begin(lb_stepper *s, lb_error *error)
{
    lb_status status = init(s, error);
    if (!status && s->files.model && lb_group_leads(s->config->group))
        status = lb_stepper_begin_files(s, error);
    if (!status) status = tell_of_run(s, LB_EVENT_BEGUN, error);
    if (status) return status;
    s->loop.run = s->identity = lb_run_identity(s);
    return s->identity ? LB_OK : lb_no_memory(error, NULL);
}

lb_status lb_stepper_end(lb_stepper *s, lb_error *error)
{
    s->run.kept = lb_stepper_kept(s);
    if (!lb_group_leads(s->config->group)) return LB_OK;
    /* Of a training that was done already. */
    lb_status status = s->files.model && s->config->film > 0
                           ? lb_attention_history_begin(&s->files.shown, &s->history, error)
                           : LB_OK;
    if (!status && s->files.model) status = lb_stepper_end_files(s, error);
    return status ? status : tell_of_run(s, LB_EVENT_ENDED, error);
}

void lb_stepper_close(lb_stepper *s)
{
    lb_release(s->history.points);
    lb_training_files_free(&s->files);
    lb_release(s->identity);
    lb_release(s->shared.target);
    lb_release(s->hidden);
    lb_tallies_free(&s->tallies);
    lb_text_comparison_free(s->texts);
    if (s->translator) { /* whose model is ours */
        lb_tapes_free(s->translator->tapes);
        lb_release(s->translator->path);
        lb_release(s->translator);
    }
    lb_data_loader_free(&s->loader);
    lb_params_free(s->params);
}

lb_status lb_training_fit(lb_training_config *config, lb_error *error)
{
    const lb_training_config asked = *config;
    lb_warm_start start = {0};
    lb_training_data data;
    lb_data_loader loader = {0};
    config->tell = NULL;
    config->index = LB_INDEX_NEVER;
    lb_status status = lb_training_data_open(&data, config, &start, error);
    config->tell = asked.tell;
    config->index = asked.index;
    if (!status) {
        if (config->label_smoothing == 0) config->label_smoothing = -1; /* the recipe has none */
        status = lb_data_loader_init(&loader, &data, config, config->seed, 1, error);
    }
    if (!status && config->epochs == 0 && config->minutes == 0)
        config->steps = (int)lb_data_loader_steps(&loader, config);
    lb_data_loader_free(&loader);
    lb_training_data_close(&data);
    return status;
}
