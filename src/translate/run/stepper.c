/* One model in training: its loss, its evaluation, and the steps that a caller asks for. Between two such steps, the
 * parameters are the average of the weights, so that the caller evaluates, applies and saves the average. In
 * lb_translator_train they are the average only during an evaluation. */
#include "translate/run/stepper.h"

#include "base/alloc.h"
#include "base/group.h"
#include "data/pairs/pairs.h"
#include "lookback/op.h"
#include "translate/apply/translator.h"
#include "translate/plan/recipe.h"

#include <math.h>

/* A model that is trained step by step, with what lb_translator_train opens for all of its models. */
typedef struct lone_stepper {
    lb_stepper stepper;
    lb_training_config config;
    lb_warm_start start;
    lb_training_data data;
    lb_translator translator; /* of the model in training */
    lb_tape *tape;            /* for measures */
    int64_t step;             /* steps done */
    double loss;              /* of the last one */
} lone_stepper;

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

static lb_status begin_translator(const lb_stepper *s, lb_translator *t, lb_error *error)
{
    t->path = lb_alloc_string("the training");
    t->tapes = lb_tapes_new();
    if (!t->path || !t->tapes) return lb_no_memory(error, "a training");
    t->model = lb_training_data_model(s->data, s->model, s->params);
    t->most = lb_translator_most(&t->model);
    return LB_OK;
}

static void end_translator(lb_translator *t)
{
    lb_tapes_free(t->tapes);
    lb_release(t->path);
}

/* The first process of a group does it for all, so that they agree. */
static lb_status compare_texts(const lb_stepper *s, lb_evaluation *found, lb_error *error)
{
    lb_translator t = {0};
    lb_status status = LB_OK;
    if (lb_group_leads(s->config->group)) {
        status = begin_translator(s, &t, error);
        if (!status) status = lb_training_compare_texts(s->data, &t, found, error);
        end_translator(&t);
    }
    return status ? status : lb_group_tell(s->config->group, found->own, sizeof found->own, error);
}

static lb_status evaluate_model(void *context, lb_tape *tape, lb_evaluation *found)
{
    lb_stepper *s = context;
    lb_error error = {0};
    lb_status status =
        lb_data_loader_measure(&s->loader, &s->data->dev, s->model, tape, s->config->group, found);
    if (status || !lb_criterion_find(s->config->choose, NULL)->texts) return status;
    if (compare_texts(s, found, &error)) lb_tape_fail(tape, error.status, "%s", error.message);
    return lb_tape_status(tape);
}

static lb_status evaluate_test(void *context, int test, lb_tape *tape, lb_evaluation *found)
{
    const lb_stepper *s = context;
    return lb_data_loader_measure(&s->loader, &s->data->test[test], s->model, tape, s->config->group, found);
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
    if (c->shards == 0 && !c->fresh && lb_run_identity_facts(s->files.checkpoint, &run, error))
        return error->status;
    s->shards = c->shards ? c->shards : run.shards ? run.shards : lb_group_size(c->group);
    return lb_group_check(c->group, s->shards, error);
}

lb_status lb_stepper_init(lb_stepper *s, lb_error *error)
{
    lb_status status = lb_training_files_name(&s->files, s->run.folder, s->data->text.sorts, error);
    if (!status) status = choose_shards(s, error);
    if (!status) status = lb_data_loader_init(&s->loader, s->data, s->config, s->seed, s->shards, error);
    if (!status) status = lb_stepper_build(s, error);
    if (status) return status;
    s->run.steps = lb_data_loader_steps(&s->loader, s->config);
    s->run.parameters = lb_params_learned(s->params);
    s->run.pairs = s->data->facts.pairs;
    s->loop = loop_of(s);
    const bool last = !s->loop.keep_best && s->data->facts.sentences; /* nothing is chosen */
    s->run.choose = last ? "symbol" : lb_criterion_find(s->config->choose, NULL)->name;
    s->run.history = &s->history;
    s->run.guessing = log((double)s->model->target_vocab);
    s->run.dropout = s->config->dropout;
    s->run.label_smoothing = fmax(s->config->label_smoothing, 0);
    return LB_OK;
}

void lb_stepper_close(lb_stepper *s)
{
    lb_release(s->history.points);
    lb_training_files_free(&s->files);
    lb_release(s->identity);
    lb_release(s->shared.target);
    lb_release(s->hidden);
    lb_data_loader_free(&s->loader);
    lb_params_free(s->params);
}

/* ---- Step by step. ---- */

static lb_status open_inputs(lone_stepper *own, lb_error *error)
{
    lb_training_config *c = &own->config;
    c->seeds = 1;
    c->index = LB_INDEX_NEVER;
    c->test[0] = (lb_test){0};
    c->choose_on = NULL;
    if (c->shards == 0) c->shards = 1; /* there is no earlier run to follow */
    lb_status status = lb_warm_start_open(&own->start, c, error);
    if (!status) status = lb_recipe_fill_in(c, error);
    return status ? status : lb_training_data_open(&own->data, c, &own->start, error);
}

/* An lb_tell_fn of its loop. */
static lb_status hear_step(void *stepper, const lb_event *event, lb_error *error)
{
    lone_stepper *own = ((lb_stepper *)stepper)->own;
    (void)error;
    if (event->kind != LB_EVENT_STEPPED) return LB_OK;
    own->step = event->step.step;
    own->loss = event->step.loss;
    return LB_OK;
}

/* Between two steps the loop neither evaluates nor saves, and there is no last one after which to look back. */
static lb_status begin_loop(lone_stepper *own, lb_error *error)
{
    lb_stepper *s = &own->stepper;
    s->loop.steps = s->loop.evaluate_every = INT64_MAX;
    s->loop.evaluate = NULL;
    s->loop.tests = 0;
    s->loop.keep_best = false;
    s->loop.checkpoint = NULL;
    s->loop.group = NULL;
    s->loop.stop = NULL;
    s->loop.tell = hear_step;
    s->loop.part = -1;
    lb_status status = lb_train(s->loop, &s->history, error);
    s->loop.part = 1;
    return status;
}

lb_stepper *lb_stepper_new(lb_training_config config, lb_error *error)
{
    lone_stepper *own = lb_alloc_zero(sizeof *own);
    if (!own) return lb_null(lb_no_memory(error, "a training"));
    lb_stepper *s = &own->stepper;
    own->config = config;
    own->tape = lb_tape_new();
    *s = (lb_stepper){.config = &own->config,
                      .data = &own->data,
                      .start = &own->start,
                      .seed = config.seed,
                      .run = {.folder = "."},
                      .own = own};
    lb_status status = own->tape ? open_inputs(own, error) : lb_no_memory(error, "a training");
    if (!status) status = lb_stepper_init(s, error);
    if (!status) status = begin_loop(own, error);
    if (!status) status = begin_translator(s, &own->translator, error);
    if (!status) return s;
    lb_stepper_free(s);
    return NULL;
}

void lb_stepper_free(lb_stepper *s)
{
    if (!s) return;
    lone_stepper *own = s->own;
    end_translator(&own->translator);
    lb_stepper_close(s);
    lb_training_data_close(&own->data);
    lb_warm_start_free(&own->start);
    lb_tape_free(own->tape);
    lb_release(own);
}

lb_status lb_stepper_step(lb_stepper *s, double *loss, lb_error *error)
{
    lone_stepper *own = s->own;
    if (own->step >= s->run.steps)
        return lb_error_set(error, LB_ERROR_ARGUMENT, "found all %lld steps done, expected fewer",
                            (long long)s->run.steps);
    lb_status status = lb_train(s->loop, &s->history, error);
    *loss = own->loss;
    return status;
}

void lb_stepper_set_lr(lb_stepper *s, double lr)
{
    s->loop.schedule.lr = lr;
}

lb_status lb_stepper_measure(lb_stepper *s, int64_t pairs, lb_evaluation *found, lb_error *error)
{
    const lb_training_data *d = s->data;
    lb_tape *tape = s->own->tape;
    lb_tested_pairs on = {.pairs = d->dev.pairs, .sample.count = pairs, .task = d->dev.task};
    lb_status status = LB_OK;
    *found = (lb_evaluation){0};
    if (pairs < 1)
        return lb_error_set(error, LB_ERROR_ARGUMENT, "pairs: found %lld, expected at least 1",
                            (long long)pairs);
    if (on.pairs) status = lb_training_sample(s->config, &on, d->text.target, s->config->copy, pairs, error);
    on.sample.longest = d->dev.sample.longest;
    if (!status && lb_data_loader_measure(&s->loader, &on, s->model, tape, NULL, found))
        status = lb_error_set(error, lb_tape_status(tape), "%s", lb_tape_error(tape));
    lb_pair_sample_free(&on.sample);
    return status;
}

lb_stepper_facts lb_stepper_about(const lb_stepper *s)
{
    return (lb_stepper_facts){.step = s->own->step,
                              .steps = s->run.steps,
                              .parameters = s->run.parameters,
                              .lr = lb_schedule_lr(&s->loop.schedule, s->own->step),
                              .held_out = s->data->text.sorts ? 0 : lb_pairs_count(s->data->dev.pairs)};
}

lb_translator *lb_stepper_translator(lb_stepper *s)
{
    return &s->own->translator;
}

lb_status lb_stepper_save(const lb_stepper *s, const char *path, lb_error *error)
{
    return lb_text_model_save(path, &s->own->translator.model, error);
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
