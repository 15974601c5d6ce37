/* A training from its files to its model: one model, or several that are saved as one ensemble. */
#include "base/alloc.h"
#include "base/buffer.h"
#include "base/group.h"
#include "data/pairs.h"
#include "io/file.h"
#include "io/path.h"
#include "translate/file/text_model.h"
#include "translate/training/data.h"
#include "translate/training/recipe.h"
#include "translate/training/stepper.h"

#include <string.h>
#include <unistd.h>

typedef struct job {
    lb_training_config config;
    lb_warm_start start;
    lb_lock *lock; /* on the folder of all members */
    bool locked;   /* by the caller */
    bool made;     /* the folder was made */
    lb_training_data data;
    lb_stepper *members; /* [config.seeds] */
    int count;           /* of the members begun so far */
    lb_error *error;
} job;

/* A single model writes into the folder itself, several write into subfolders. */
static lb_status name_member(const job *j, lb_stepper *s)
{
    lb_buffer name = {0}, folder = {0};
    if (j->config.seeds == 1) return LB_OK;
    lb_buffer_print(&name, "seed %llu", (unsigned long long)s->seed);
    lb_buffer_print(&folder, "%s/seed-%llu", j->config.out, (unsigned long long)s->seed);
    s->run.name = s->name = name.text;
    s->run.folder = s->folder = folder.text;
    return name.failed || folder.failed ? lb_no_memory(j->error, NULL) : LB_OK;
}

/* Two trainings in one folder would replace each other's files. Of a group, only the first process writes. */
static lb_status lock_folder(const job *j, const char *folder, lb_lock **lock)
{
    lb_error *error = j->error;
    if (!lb_group_leads(j->config.group)) return LB_OK;
    lb_status status = lb_folder_make(folder, error);
    return status ? status : lb_lock_folder(folder, lock, error);
}

static lb_status begin_member(job *j, lb_stepper *s)
{
    *s = (lb_stepper){.config = &j->config,
                      .data = &j->data,
                      .start = &j->start,
                      .seed = j->config.seed + (uint64_t)j->count++,
                      .run = {.folder = j->config.out}};
    lb_status status = name_member(j, s);
    /* We name this folder ourselves, so it must not be a link. */
    if (!status && s->folder) status = lb_own_check(s->folder, "a folder", j->error);
    if (!status && s->folder) status = lock_folder(j, s->folder, &s->lock);
    return status ? status : lb_stepper_init(s, j->error);
}

static lb_status tell_of_run(const lb_stepper *s, lb_event_kind kind, lb_error *error)
{
    return lb_training_tell(s->config, (lb_event){.kind = kind, .run = &s->run}, error);
}

static lb_status begin_steps(lb_stepper *s, lb_error *error)
{
    lb_status status = lb_group_leads(s->config->group) ? lb_stepper_begin_files(s, error) : LB_OK;
    if (!status) status = tell_of_run(s, LB_EVENT_BEGUN, error);
    if (status) return status;
    s->loop.run = s->identity = lb_run_identity(s);
    return s->identity ? LB_OK : lb_no_memory(error, NULL);
}

static lb_status end_steps(lb_stepper *s, lb_error *error)
{
    s->run.kept = lb_stepper_kept(s);
    if (!lb_group_leads(s->config->group)) return LB_OK;
    /* Of a training that was done already. */
    lb_status status =
        s->config->film > 0 ? lb_attention_history_begin(&s->files.shown, &s->history, error) : LB_OK;
    if (!status) status = lb_stepper_end_files(s, error);
    return status ? status : tell_of_run(s, LB_EVENT_ENDED, error);
}

/* Trains until the loop is done, resuming from the checkpoint if there is one, and leaves the best weights in the
 * parameters, or the last ones if nothing is held out. */
static lb_status train_member(job *j, lb_stepper *s)
{
    lb_status status = begin_member(j, s);
    if (!status) status = begin_steps(s, j->error);
    if (!status) status = lb_train(s->loop, &s->history, j->error);
    return status ? status : end_steps(s, j->error);
}

static lb_status evaluate_ensemble(job *j, const lb_model *model, lb_training_result *found)
{
    const lb_data_loader *loader = &j->members->loader;
    const lb_training_data *d = &j->data;
    lb_tape *tape = lb_tape_new();
    if (!tape) return lb_no_memory(j->error, NULL);
    lb_status status = lb_data_loader_measure(loader, &d->dev, model, tape, NULL, &found->dev);
    for (int i = 0; i < d->tests && !status; i++)
        status = lb_data_loader_measure(loader, &d->test[i], model, tape, NULL, &found->test[i]);
    if (status) lb_error_set(j->error, status, "%s", lb_tape_error(tape));
    lb_tape_free(tape);
    return status;
}

/* One record of all members; NULL if memory runs out. */
static char *ensemble_record(const job *j, const lb_training_result *found)
{
    lb_buffer json = {0};
    lb_buffer_print(&json, "{\"exact_match\":%.9g,\"symbol_error\":%.9g", found->dev.exact_match,
                    found->dev.symbol_error);
    lb_tests_print(&json, j->config.test, found->test);
    lb_buffer_print(&json, ",\"members\":[");
    for (int i = 0; i < j->count; i++) {
        const lb_stepper *s = &j->members[i];
        char *record = lb_stepper_record(s, s->run.kept);
        json.failed = json.failed || !record;
        if (record) lb_buffer_print(&json, "%s%s", i ? "," : "", record);
        lb_release(record);
    }
    lb_buffer_print(&json, "]}");
    return lb_buffer_end(&json);
}

static lb_status save_ensemble(job *j, lb_ensemble *ensemble, lb_params *params, lb_training_result *found)
{
    lb_status status = evaluate_ensemble(j, &ensemble->base, found);
    if (status) return status;
    char *record = ensemble_record(j, found);
    char *path = lb_model_place(j->config.out, j->data.text.sorts, j->error);
    if (record && path) {
        lb_text_model model = lb_training_data_model(&j->data, &ensemble->base, params);
        model.training = record;
        status = lb_text_model_save(path, &model, j->error);
    } else {
        status = lb_no_memory(j->error, NULL);
    }
    lb_release(path);
    lb_release(record);
    return status;
}

static lb_status join_members(job *j, lb_training_result *found)
{
    lb_params *params = lb_params_new(0);
    lb_ensemble_part *parts = lb_alloc_zero((size_t)j->count * sizeof *parts);
    for (int i = 0; i < j->count && parts; i++)
        parts[i] = (lb_ensemble_part){.model = j->members[i].model, .params = j->members[i].params};
    if (!params || !parts) lb_no_memory(j->error, NULL);
    lb_ensemble *ensemble =
        params && parts ? lb_ensemble_gather(params, parts, j->count, NULL, j->error) : NULL;
    lb_status status = ensemble ? save_ensemble(j, ensemble, params, found) : j->error->status;
    lb_release(parts);
    lb_params_free(params);
    return status;
}

/* Opens all that the members share. */
static lb_status begin_job(job *j)
{
    lb_training_config *c = &j->config;
    lb_status status = lb_warm_start_open(&j->start, c, j->error);
    if (!status) status = lb_recipe_fill_in(c, j->error);
    if (!status && !c->out)
        status = lb_error_set(j->error, LB_ERROR_ARGUMENT, "expected a folder to write to");
    if (!status && c->group && c->seeds > 1)
        status = lb_error_set(j->error, LB_ERROR_ARGUMENT,
                              "seeds: found %d for %d processes, expected 1: a group trains one model; train "
                              "each by itself, and join them",
                              c->seeds, c->group->size);
    if (status) return status;
    j->made = !j->locked && lb_group_leads(c->group) && lb_file_is_missing(c->out);
    const lb_training_config asked = *c;
    if (!j->locked) status = lock_folder(j, c->out, &j->lock);
    if (!status) status = lb_training_data_open(&j->data, c, &j->start, j->error);
    if (!status) status = lb_budget_fit(c, &asked, j->error);
    if (status) return status;
    j->members = lb_alloc_zero((size_t)c->seeds * sizeof *j->members);
    return j->members ? LB_OK : lb_no_memory(j->error, NULL);
}

static lb_status end_job(job *j, lb_training_result *result)
{
    result->pairs = lb_pair_sample_judged(&j->data.dev.sample);
    for (int i = 0; i < j->data.tests; i++)
        result->test_pairs[i] = lb_pair_sample_judged(&j->data.test[i].sample);
    if (j->config.seeds > 1) return join_members(j, result);
    const lb_train_point *kept = j->members->run.kept;
    result->dev = kept->dev;
    memcpy(result->test, kept->test, sizeof result->test);
    return LB_OK;
}

lb_status lb_train_models(const lb_training_config *config, bool locked, lb_training_result *result,
                          lb_error *error)
{
    lb_error found = {0};
    lb_training_result none = {0};
    job j = {.config = *config, .locked = locked, .error = &found};
    if (!lb_group_leads(config->group)) j.config.tell = NULL; /* everyone may ask to stop, one tells */
    lb_status status = begin_job(&j);
    while (!status && j.count < j.config.seeds) status = train_member(&j, &j.members[j.count]);
    if (!status) status = end_job(&j, result ? result : &none);
    for (int i = 0; i < j.count; i++) lb_stepper_close(&j.members[i]);
    lb_release(j.members);
    lb_lock_free(j.lock);
    if (status && j.made) rmdir(j.config.out); /* with nothing in it, there was no need for it */
    lb_training_data_close(&j.data);
    lb_warm_start_free(&j.start);
    return status ? lb_error_set(error, status, "%s", found.message) : LB_OK;
}

lb_status lb_translator_train(lb_training_config config, lb_training_result *result, lb_error *error)
{
    return lb_train_models(&config, false, result, error);
}

/* ---- Whether a training is possible. ---- */

lb_status lb_training_try(const lb_training_config *config, lb_error *error)
{
    lb_training_config c = *config;
    lb_warm_start start;
    lb_stepper s = {.config = &c, .start = &start};
    c.tell = NULL; /* the training will tell it */
    lb_status status = lb_warm_start_open(&start, &c, error);
    if (!status) status = lb_recipe_fill_in(&c, error);
    if (!status) lb_recipe_fit(&c, &(lb_recipe_facts){0});
    if (!status && c.shards > 0) status = lb_group_check(NULL, c.shards, error);
    if (!status) status = lb_stepper_build_trial(&s, error);
    lb_stepper_close(&s);
    lb_warm_start_free(&start);
    return status;
}
