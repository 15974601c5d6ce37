/* A training whose steps the caller asks for. Between two steps the parameters are the average, which is what
 * evaluations, texts and files see; lb_train swaps the two only around an evaluation. */
#include "base/alloc.h"
#include "data/pairs.h"
#include "train/evaluate.h"
#include "train/step.h"
#include "translate/apply/translator.h"
#include "translate/training/member.h"
#include "translate/training/recipe.h"

struct lb_stepper {
    lb_training_config config;
    lb_start start;
    lb_training_data data;
    lb_training training;
    lb_trainer_config settings;
    lb_trainer trainer;
    lb_translator translator; /* over the model of the training */
};

static lb_status out_of_memory(lb_error *error)
{
    return lb_error_set(error, LB_ERROR_MEMORY, "out of memory for a training");
}

static lb_status begin_trainer(lb_stepper *s, lb_error *error)
{
    s->settings = lb_training_trainer(&s->training);
    s->settings.group = NULL;
    s->settings.keep_best = false; /* there is no last step after which to look back */
    s->trainer.config = &s->settings;
    lb_status status = lb_trainer_begin(&s->trainer, error);
    if (!status) lb_trainer_swap(&s->trainer);
    return status;
}

static lb_status begin_translator(lb_stepper *s, lb_error *error)
{
    lb_translator *t = &s->translator;
    t->path = lb_alloc_string("the training");
    t->tapes = lb_tapes_new();
    if (!t->path || !t->tapes) return out_of_memory(error);
    t->model = lb_training_data_model(&s->data, s->training.model, s->training.params);
    t->most = lb_translator_most(&t->model);
    return LB_OK;
}

static lb_status begin(lb_stepper *s, lb_error *error)
{
    s->config.seeds = 1;
    s->config.index = LB_INDEX_NEVER;
    if (s->config.shards == 0) s->config.shards = 1; /* there is no earlier run to follow */
    lb_status status = lb_start_open(&s->start, &s->config, error);
    if (!status) status = lb_recipe_settle(&s->config, error);
    if (!status) status = lb_training_data_open(&s->data, &s->config, &s->start, error);
    if (status) return status;
    lb_recipe_fit(&s->config, lb_training_data_pairs(&s->data));
    s->training = (lb_training){.config = &s->config,
                                .data = &s->data,
                                .start = &s->start,
                                .seed = s->config.seed,
                                .run = {.folder = "."}};
    status = lb_training_init(&s->training, error);
    if (!status) status = begin_trainer(s, error);
    return status ? status : begin_translator(s, error);
}

lb_stepper *lb_stepper_new(lb_training_config config, lb_error *error)
{
    lb_stepper *s = lb_alloc_zero(sizeof *s);
    if (!s) return lb_null(out_of_memory(error));
    s->config = config;
    if (begin(s, error) == LB_OK) return s;
    lb_stepper_free(s);
    return NULL;
}

void lb_stepper_free(lb_stepper *s)
{
    if (!s) return;
    lb_tapes_free(s->translator.tapes);
    lb_release(s->translator.path);
    lb_trainer_free(&s->trainer);
    lb_training_free(&s->training);
    lb_training_data_close(&s->data);
    lb_start_free(&s->start);
    lb_release(s);
}

lb_status lb_stepper_step(lb_stepper *s, double *loss, lb_error *error)
{
    if (s->trainer.state.step >= s->training.run.steps)
        return lb_error_set(error, LB_ERROR_ARGUMENT, "found all %lld steps done, expected fewer",
                            (long long)s->training.run.steps);
    lb_trainer_swap(&s->trainer);
    lb_status status = lb_trainer_step(&s->trainer, loss, error);
    lb_trainer_swap(&s->trainer);
    return status;
}

void lb_stepper_set_lr(lb_stepper *s, double lr)
{
    s->settings.schedule.lr = lr;
}

static lb_status measure_pairs(lb_stepper *s, int64_t pairs, lb_evaluation *found, lb_error *error)
{
    lb_training_data *d = &s->data;
    lb_pair_sample sample;
    lb_status status =
        lb_training_sample(&s->config, d->dev, d->target, s->config.copy, pairs, &sample, error);
    if (!status) sample.longest = d->sample.longest;
    if (!status && lb_pair_evaluate(s->training.model, d->dev, d->source, d->target, &sample, s->trainer.tape,
                                    NULL, found))
        status = lb_error_set(error, lb_tape_status(s->trainer.tape), "%s", lb_tape_error(s->trainer.tape));
    lb_pair_sample_free(&sample);
    return status;
}

lb_status lb_stepper_measure(lb_stepper *s, int64_t pairs, lb_evaluation *found, lb_error *error)
{
    *found = (lb_evaluation){0};
    if (pairs < 1)
        return lb_error_set(error, LB_ERROR_ARGUMENT, "pairs: found %lld, expected at least 1",
                            (long long)pairs);
    if (!s->data.sorts) return measure_pairs(s, pairs, found, error);
    lb_status status =
        lb_sort_measure(s->training.model, &s->training.producer.task, s->trainer.tape, pairs, NULL, found);
    return status ? lb_error_set(error, status, "%s", lb_tape_error(s->trainer.tape)) : LB_OK;
}

lb_stepper_facts lb_stepper_about(const lb_stepper *s)
{
    return (lb_stepper_facts){.step = s->trainer.state.step,
                              .steps = s->training.run.steps,
                              .parameters = s->training.run.parameters,
                              .lr = lb_schedule_lr(&s->settings.schedule, s->trainer.state.step),
                              .held_out = s->data.sorts ? 0 : lb_pairs_count(s->data.dev)};
}

lb_translator *lb_stepper_translator(lb_stepper *s)
{
    return &s->translator;
}

lb_status lb_stepper_save(const lb_stepper *s, const char *path, lb_error *error)
{
    return lb_text_model_save(path, &s->translator.model, error);
}
