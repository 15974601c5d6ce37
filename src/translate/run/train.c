/* A training from its files to its model: one model, several that are saved as one ensemble, a list of trainings, or
 * one step by step. */
#include "base/alloc.h"
#include "base/buffer.h"
#include "base/group.h"
#include "data/pairs/pairs.h"
#include "io/file.h"
#include "io/path.h"
#include "translate/apply/translator.h"
#include "translate/file/text_model.h"
#include "translate/input/data.h"
#include "translate/join/join_fit.h"
#include "translate/plan/recipe.h"
#include "translate/run/stepper.h"

#include <string.h>

typedef struct job {
    lb_training_config config;
    lb_warm_start start;
    lb_lock *lock; /* on its folder */
    bool locked;   /* by the caller */
    bool made;     /* the folder was made */
    lb_training_data data;
    lb_error *error;
} job;

/* Two trainings in one folder would replace each other's files. Of a group, only the first process writes. */
static lb_status lock_folder(const job *j, const char *folder, lb_lock **lock)
{
    lb_error *error = j->error;
    if (!lb_group_leads(j->config.group)) return LB_OK;
    lb_status status = lb_folder_make(folder, error);
    return status ? status : lb_lock_folder(folder, lock, error);
}

static lb_stepper stepper_of(job *j, uint64_t seed, const char *name, const char *folder)
{
    return (lb_stepper){.config = &j->config,
                        .data = &j->data,
                        .start = &j->start,
                        .seed = seed,
                        .run = {.name = name, .folder = folder}};
}

/* Trains until the loop is done, resuming from the checkpoint if there is one, and leaves the best weights in the
 * parameters, or the last ones if nothing is held out. */
static lb_status train_member(job *j, uint64_t seed, const char *name, const char *folder,
                              lb_training_result *result)
{
    lb_stepper s = stepper_of(j, seed, name, folder);
    lb_status status = lb_stepper_begin(&s, j->error);
    if (!status) status = lb_train(s.loop, &s.history, j->error);
    if (!status) status = lb_stepper_end(&s, j->error);
    if (!status) {
        result->dev = s.run.kept->dev;
        memcpy(result->test, s.run.kept->test, sizeof result->test);
    }
    lb_stepper_close(&s);
    return status;
}

/* ---- Several models that differ in their seed: a list of trainings that read the pairs once. ---- */

typedef struct seeds {
    job *job;
    lb_training *list; /* [job->config.seeds] */
    lb_strings names, folders;
    lb_training_result *result;
} seeds;

/* We name this folder ourselves, so it must not be a link. */
static lb_status begin_seed(void *context, int64_t i, lb_error *error)
{
    const seeds *all = context;
    const lb_training *t = &all->list[i];
    lb_lock *lock = NULL;
    lb_status status = lb_own_check(t->config.out, "a folder", error);
    if (!status) status = lock_folder(all->job, t->config.out, &lock);
    if (!status) status = train_member(all->job, t->config.seed, t->name, t->config.out, all->result);
    lb_lock_free(lock);
    return status;
}

static lb_status list_seeds(seeds *all)
{
    const lb_training_config *c = &all->job->config;
    lb_error *error = all->job->error;
    lb_status status = LB_OK;
    all->list = lb_alloc_zero((size_t)c->seeds * sizeof *all->list);
    if (!all->list) return lb_no_memory(error, NULL);
    for (int i = 0; i < c->seeds && !status; i++) {
        const unsigned long long seed = c->seed + (unsigned)i;
        status = lb_strings_print(&all->names, error, "seed %llu", seed);
        if (!status) status = lb_strings_print(&all->folders, error, "%s/seed-%llu", c->out, seed);
        if (status) return status;
        all->list[i] = (lb_training){.config = *c, .name = all->names.text[i]};
        all->list[i].config.seed = seed;
        all->list[i].config.out = all->folders.text[i];
    }
    return LB_OK;
}

static lb_status train_seeds(job *j, lb_training_result *result)
{
    seeds all = {.job = j, .result = result};
    const lb_training_host here = {.begin = begin_seed, .context = &all};
    lb_status status = list_seeds(&all);
    const lb_trainings list = {.training = all.list, .count = j->config.seeds, .host = &here};
    if (!status) status = lb_trainings_run(&list, j->error);
    const lb_join_config join = {.models = (const char *const *)all.folders.text,
                                 .count = j->config.seeds,
                                 .out = j->config.out,
                                 .replace = true};
    const lb_joined_seeds joined = {&j->data, &j->config, result};
    if (!status) status = lb_join_models(&join, &joined, true, NULL, j->error);
    for (int i = 0; all.list && i < j->config.seeds; i++) lb_release(all.list[i].history.points);
    lb_release(all.list);
    lb_strings_free(&all.names);
    lb_strings_free(&all.folders);
    return status;
}

/* ---- A training. ---- */

/* Opens all that the members share. */
static lb_status begin_job(job *j)
{
    lb_training_config *c = &j->config;
    lb_status status = lb_warm_start_open(&j->start, c, j->error);
    if (!status) status = lb_recipe_fill_in(c, j->error);
    if (!status && c->group && c->seeds > 1)
        status = lb_error_set(j->error, LB_ERROR_ARGUMENT,
                              "seeds: found %d for %d processes, expected 1: a group trains one model; train "
                              "each by itself, and join them",
                              c->seeds, c->group->size);
    if (status) return status;
    const bool locks = c->out && !j->locked;
    j->made = locks && lb_group_leads(c->group) && lb_file_is_missing(c->out);
    const lb_training_config asked = *c;
    if (locks) status = lock_folder(j, c->out, &j->lock);
    if (!status) status = lb_training_data_open(&j->data, c, &j->start, j->error);
    if (!status) status = lb_budget_fit(c, &asked, j->error);
    return status;
}

static void end_job(job *j, lb_status status)
{
    lb_lock_free(j->lock);
    if (status && j->made) lb_os_remove(j->config.out); /* with nothing in it, there was no need for it */
    lb_training_data_close(&j->data);
    lb_warm_start_free(&j->start);
}

lb_status lb_train_models(const lb_training_config *config, const char *name, bool locked,
                          lb_training_result *result, lb_error *error)
{
    lb_error found = {0};
    lb_training_result room = {0}, *r = result ? result : &room;
    job j = {.config = *config, .locked = locked, .error = &found};
    if (!lb_group_leads(config->group)) j.config.tell = NULL; /* everyone may ask to stop, one tells */
    lb_status status = config->out ? begin_job(&j)
                                   : lb_error_set(&found, LB_ERROR_ARGUMENT, "expected a folder to write to");
    const lb_training_config *c = &j.config;
    if (!status) status = c->seeds > 1 ? train_seeds(&j, r) : train_member(&j, c->seed, name, c->out, r);
    if (!status) r->pairs = lb_pair_sample_judged(&j.data.dev.sample);
    for (int i = 0; i < j.data.tests && !status; i++)
        r->test_pairs[i] = lb_pair_sample_judged(&j.data.test[i].sample);
    end_job(&j, status);
    return status ? lb_error_set(error, status, "%s", found.message) : LB_OK;
}

lb_status lb_translator_train(lb_training_config config, lb_training_result *result, lb_error *error)
{
    return lb_train_models(&config, NULL, false, result, error);
}

/* ---- A list of them. ---- */

static lb_status begin_here(void *list, int64_t i, lb_error *error)
{
    const lb_training *t = (const lb_training *)list + i;
    return lb_train_models(&t->config, t->name, false, NULL, error);
}

lb_status lb_translator_train_all(lb_trainings list, lb_error *error)
{
    const lb_training_host here = {.begin = begin_here, .context = list.training};
    if (!list.host) list.host = &here;
    lb_status status = lb_trainings_check(&list, error);
    return status ? status : lb_trainings_run(&list, error);
}

/* ---- Step by step. ---- */

typedef struct lone_stepper {
    lb_stepper stepper;
    job job;
    lb_tape *tape;  /* for measures */
    lb_error found; /* at the beginning */
} lone_stepper;

/* The loop of train_member, one part of it; negative: only its beginning. */
static lb_status advance(lb_stepper *s, int64_t part, lb_error *error)
{
    s->loop.part = part;
    s->tallies.in_parts = true;
    lb_status status = lb_train(s->loop, &s->history, error);
    return status || !s->history.done ? status : lb_stepper_end(s, error);
}

lb_stepper *lb_stepper_new(lb_training_config config, lb_error *error)
{
    lone_stepper *own = lb_alloc_zero(sizeof *own);
    if (!own) return lb_null(lb_no_memory(error, "a training"));
    lb_stepper *s = &own->stepper;
    lb_error *found = &own->found;
    config.seeds = 1;
    config.group = NULL;
    if (!config.out) config.index = LB_INDEX_NEVER;
    own->job = (job){.config = config, .error = found};
    own->tape = lb_tape_new();
    lb_status status = own->tape ? begin_job(&own->job) : lb_no_memory(found, "a training");
    *s = stepper_of(&own->job, config.seed, NULL, config.out);
    s->own = own;
    if (!status) status = lb_stepper_begin(s, found);
    if (!status) status = advance(s, -1, found);
    if (!status) return s;
    lb_error_set(error, status, "%s", found->message);
    lb_stepper_free(s);
    return NULL;
}

void lb_stepper_free(lb_stepper *s)
{
    if (!s) return;
    lone_stepper *own = s->own;
    lb_stepper_close(s);
    end_job(&own->job, own->found.status);
    lb_tape_free(own->tape);
    lb_release(own);
}

lb_status lb_stepper_step(lb_stepper *s, double *loss, lb_error *error)
{
    if (s->history.done)
        return lb_error_set(error, LB_ERROR_ARGUMENT, "found all %lld steps done, expected fewer",
                            (long long)s->history.step);
    lb_status status = advance(s, 1, error);
    *loss = s->loss;
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
    return (lb_stepper_facts){.step = s->history.step,
                              .steps = s->run.steps,
                              .parameters = s->run.parameters,
                              .lr = lb_schedule_lr(&s->loop.schedule, s->history.step),
                              .held_out = s->data->text.sorts ? 0 : lb_pairs_count(s->data->dev.pairs),
                              .history = &s->history,
                              .done = s->history.done};
}

lb_translator *lb_stepper_translator(lb_stepper *s)
{
    return s->translator;
}

lb_status lb_stepper_save(const lb_stepper *s, const char *path, lb_error *error)
{
    return lb_text_model_save(path, &s->translator->model, error);
}
