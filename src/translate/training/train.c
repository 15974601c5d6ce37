/* A training from its files to its model: one model, or several that are saved as one ensemble. */
#include "base/alloc.h"
#include "base/buffer.h"
#include "data/pairs.h"
#include "io/file.h"
#include "io/path.h"
#include "models/ensemble/ensemble.h"
#include "train/group.h"
#include "translate/file/text_model.h"
#include "translate/training/data.h"
#include "translate/training/recipe.h"
#include "translate/training/stepper.h"

#include <unistd.h>

/* One model of the training, with the strings it points to. */
typedef struct member {
    lb_stepper stepper;
    char *folder, *name; /* set if there are several models */
    lb_lock *lock;       /* on that folder */
} member;

typedef struct job {
    lb_training_config config;
    lb_warm_start start;
    lb_lock *lock; /* on the folder of all members */
    bool locked;   /* by the caller */
    bool made;     /* the folder was made */
    lb_training_data data;
    member *members; /* [config.seeds] */
    int count;       /* of the members begun so far */
    lb_error *error;
} job;

static lb_status out_of_memory(const job *s)
{
    return lb_error_set(s->error, LB_ERROR_MEMORY, "out of memory");
}

/* A single model writes into the folder itself, several write into subfolders. */
static lb_status name_member(const job *s, member *m, unsigned long long seed)
{
    lb_buffer name = {0}, folder = {0};
    if (s->config.seeds == 1) return LB_OK;
    lb_buffer_print(&name, "seed %llu", seed);
    lb_buffer_print(&folder, "%s/seed-%llu", s->config.out, seed);
    m->name = name.text;
    m->folder = folder.text;
    return name.failed || folder.failed ? out_of_memory(s) : LB_OK;
}

/* Two trainings in one folder would replace each other's files. Of a group, only the first process writes. */
static lb_status lock_folder(const job *s, const char *folder, lb_lock **lock)
{
    lb_error *error = s->error;
    if (!lb_group_leads(s->config.group)) return LB_OK;
    lb_status status = lb_folder_make(folder, error);
    return status ? status : lb_lock_folder(folder, lock, error);
}

/* We name this folder ourselves, so it must not be a link. */
static lb_status lock_member(const job *s, member *m)
{
    lb_status status = lb_own_check(m->folder, "a folder", s->error);
    return status ? status : lock_folder(s, m->folder, &m->lock);
}

static lb_status begin_member(job *s, member *m)
{
    uint64_t seed = s->config.seed + (uint64_t)s->count++;
    lb_status status = name_member(s, m, seed);
    m->stepper = (lb_stepper){.config = &s->config,
                              .data = &s->data,
                              .start = &s->start,
                              .seed = seed,
                              .run = {.name = m->name, .folder = m->folder ? m->folder : s->config.out}};
    if (!status && m->folder) status = lock_member(s, m);
    return status ? status : lb_stepper_init(&m->stepper, s->error);
}

static lb_status tell_of_run(const lb_stepper *t, lb_event_kind kind, lb_error *error)
{
    return lb_training_tell(t->config, (lb_event){.kind = kind, .run = &t->run}, error);
}

static lb_status begin_steps(lb_stepper *t, lb_error *error)
{
    lb_status status = lb_group_leads(t->config->group) ? lb_stepper_begin_files(t, error) : LB_OK;
    if (!status) status = tell_of_run(t, LB_EVENT_BEGUN, error);
    if (status) return status;
    t->loop.run = t->identity = lb_run_identity(t);
    return t->identity ? lb_trainer_open(&t->trainer, error)
                       : lb_error_set(error, LB_ERROR_MEMORY, "out of memory");
}

static lb_status end_steps(lb_stepper *t, lb_error *error)
{
    lb_status status = lb_trainer_end(&t->trainer, error);
    lb_trainer_free(&t->trainer); /* the next model needs the memory */
    t->trainer = (lb_trainer){0};
    if (status) return status;
    t->run.kept = t->loop.keep_best ? lb_train_best(&t->history) : t->history.points + t->history.count - 1;
    if (!lb_group_leads(t->config->group)) return LB_OK;
    status = lb_stepper_end_files(t, error);
    return status ? status : tell_of_run(t, LB_EVENT_ENDED, error);
}

/* Trains until the steps are done or patience runs out, resuming from the checkpoint if there is one, and leaves the
 * best weights in the parameters, or the last ones if nothing is held out. */
static lb_status train_member(job *s, member *m)
{
    lb_stepper *t = &m->stepper;
    lb_status status = begin_member(s, m);
    if (!status) status = begin_steps(t, s->error);
    while (!status && !lb_trainer_is_done(&t->trainer)) status = lb_trainer_advance(&t->trainer, s->error);
    return status ? status : end_steps(t, s->error);
}

static void free_member(member *m)
{
    lb_stepper_close(&m->stepper);
    lb_lock_free(m->lock);
    lb_release(m->folder);
    lb_release(m->name);
}

static lb_status evaluate_ensemble(job *s, const lb_model *model, lb_evaluation *found)
{
    lb_tape *tape = lb_tape_new();
    if (!tape) return out_of_memory(s);
    lb_status status = lb_data_loader_measure(&s->members->stepper.loader, model, tape, NULL, found);
    if (status) lb_error_set(s->error, status, "%s", lb_tape_error(tape));
    lb_tape_free(tape);
    return status;
}

/* One record of all members; NULL if memory runs out. */
static char *ensemble_record(const job *s, const lb_evaluation *found)
{
    lb_buffer json = {0};
    lb_buffer_print(&json, "{\"exact_match\":%.9g,\"symbol_error\":%.9g,\"members\":[", found->exact_match,
                    found->symbol_error);
    for (int i = 0; i < s->count; i++) {
        const lb_stepper *t = &s->members[i].stepper;
        char *record = lb_stepper_record(t, t->run.kept);
        json.failed = json.failed || !record;
        if (record) lb_buffer_print(&json, "%s%s", i ? "," : "", record);
        lb_release(record);
    }
    lb_buffer_print(&json, "]}");
    return lb_buffer_end(&json);
}

static lb_status save_ensemble(job *s, lb_ensemble *ensemble, lb_params *params, lb_evaluation *found)
{
    lb_status status = evaluate_ensemble(s, &ensemble->base, found);
    if (status) return status;
    char *record = ensemble_record(s, found);
    char *path = lb_model_place(s->config.out, s->data.sorts, s->error);
    if (record && path) {
        lb_text_model model = lb_training_data_model(&s->data, &ensemble->base, params);
        model.training = record;
        status = lb_text_model_save(path, &model, s->error);
    } else {
        status = out_of_memory(s);
    }
    lb_release(path);
    lb_release(record);
    return status;
}

static lb_status join_members(job *s, lb_evaluation *found)
{
    lb_params *params = lb_params_new(0);
    lb_ensemble_part *parts = lb_alloc_zero((size_t)s->count * sizeof *parts);
    for (int i = 0; i < s->count && parts; i++)
        parts[i] =
            (lb_ensemble_part){.model = s->members[i].stepper.model, .params = s->members[i].stepper.params};
    if (!params || !parts) out_of_memory(s);
    lb_ensemble *ensemble =
        params && parts ? lb_ensemble_gather(params, parts, s->count, NULL, s->error) : NULL;
    lb_status status = ensemble ? save_ensemble(s, ensemble, params, found) : s->error->status;
    lb_release(parts);
    lb_params_free(params);
    return status;
}

static lb_status begin_job(job *s)
{
    lb_training_config *c = &s->config;
    lb_status status = lb_warm_start_open(&s->start, c, s->error);
    if (!status) status = lb_recipe_fill_in(c, s->error);
    if (!status && !c->out)
        status = lb_error_set(s->error, LB_ERROR_ARGUMENT, "expected a folder to write to");
    if (!status && c->group && c->seeds > 1)
        status = lb_error_set(s->error, LB_ERROR_ARGUMENT,
                              "seeds: found %d for %d processes, expected 1: a group trains one model; train "
                              "each by itself, and join them",
                              c->seeds, c->group->size);
    if (status) return status;
    s->made = !s->locked && lb_group_leads(c->group) && lb_file_is_missing(c->out);
    if (!s->locked) status = lock_folder(s, c->out, &s->lock);
    if (!status) status = lb_training_data_open(&s->data, c, &s->start, s->error);
    if (status) return status;
    lb_recipe_fit(c, lb_training_data_pairs(&s->data));
    status = lb_budget_fit(c, c->out, s->error);
    if (status) return status;
    s->members = lb_alloc_zero((size_t)c->seeds * sizeof *s->members);
    return s->members ? LB_OK : out_of_memory(s);
}

static lb_status end_job(job *s, lb_training_result *result)
{
    result->pairs = s->data.sorts ? LB_MEASURED : lb_pair_sample_judged(&s->data.sample);
    if (s->config.seeds > 1) return join_members(s, &result->dev);
    result->dev = s->members->stepper.run.kept->dev;
    return LB_OK;
}

lb_status lb_train_models(const lb_training_config *config, bool locked, lb_training_result *result,
                          lb_error *error)
{
    lb_error found = {0};
    lb_training_result none = {0};
    job s = {.config = *config, .locked = locked, .error = &found};
    if (!lb_group_leads(config->group)) s.config.tell = NULL; /* everyone may ask to stop, one tells */
    lb_status status = begin_job(&s);
    while (!status && s.count < s.config.seeds) status = train_member(&s, &s.members[s.count]);
    if (!status) status = end_job(&s, result ? result : &none);
    for (int i = 0; i < s.count; i++) free_member(&s.members[i]);
    lb_release(s.members);
    lb_lock_free(s.lock);
    if (status && s.made) rmdir(s.config.out); /* with nothing in it, there was no need for it */
    lb_training_data_close(&s.data);
    lb_warm_start_free(&s.start);
    return status ? lb_error_set(error, status, "%s", found.message) : LB_OK;
}

lb_status lb_translator_train(lb_training_config config, lb_training_result *result, lb_error *error)
{
    return lb_train_models(&config, false, result, error);
}

/* ---- What would be trained. ---- */

lb_status lb_training_try(const lb_training_config *config, lb_error *error)
{
    lb_training_config c = *config;
    lb_warm_start start;
    lb_stepper t = {.config = &c, .start = &start};
    c.tell = NULL; /* the training says it */
    lb_status status = lb_warm_start_open(&start, &c, error);
    if (!status) status = lb_recipe_fill_in(&c, error);
    if (!status) lb_recipe_fit(&c, 0);
    if (!status && c.shards > 0) status = lb_group_check(NULL, c.shards, error);
    if (!status) status = lb_stepper_build_trial(&t, error);
    lb_stepper_close(&t);
    lb_warm_start_free(&start);
    return status;
}
