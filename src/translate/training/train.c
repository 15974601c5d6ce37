/* A training from its files to its model: one model, or several that are saved as one ensemble. */
#include "base/alloc.h"
#include "base/buffer.h"
#include "io/file.h"
#include "io/folder.h"
#include "io/lock.h"
#include "io/own_file.h"
#include "io/path.h"
#include "io/set_aside.h"
#include "models/ensemble/ensemble.h"
#include "train/group.h"
#include "translate/training/locked.h"
#include "translate/training/member.h"
#include "translate/training/recipe.h"
#include "translate/training/start.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

/* One model of the training, with the strings it points to. */
typedef struct member {
    lb_training training;
    char *folder, *name; /* set if there are several models */
    lb_lock *lock;       /* on that folder */
    bool told;           /* its end, to the listener */
} member;

typedef struct job {
    lb_training_config config;
    lb_start start;
    lb_lock *lock; /* on the folder of all members */
    bool locked;   /* by the caller */
    bool made;     /* the folder was made */
    lb_training_data data;
    member *members; /* [config.seeds] */
    int count;       /* of the members begun so far */
    bool shared;     /* among the processes of a group */
    lb_status (*ended)(void *context, const lb_training_run *run,
                       lb_error *error); /* of the caller's listener */
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

/* Its name is ours. */
static lb_status lock_member(const job *s, member *m)
{
    lb_status status = lb_own_check(m->folder, "a folder", s->error);
    return status ? status : lock_folder(s, m->folder, &m->lock);
}

static lb_status train_member(job *s, member *m, uint64_t seed)
{
    s->count++;
    lb_status status = name_member(s, m, seed);
    m->training = (lb_training){.config = &s->config,
                                .data = &s->data,
                                .start = &s->start,
                                .seed = seed,
                                .run = {.name = m->name, .folder = m->folder ? m->folder : s->config.out}};
    if (!status && m->folder) status = lock_member(s, m);
    if (!status) status = lb_training_init(&m->training, s->error);
    return status ? status : lb_training_do(&m->training, s->error);
}

static void free_member(member *m)
{
    lb_training_free(&m->training);
    lb_lock_free(m->lock);
    lb_release(m->folder);
    lb_release(m->name);
    *m = (member){0};
}

/* Of a listener, what does not report. */
static lb_training_listener silent(const lb_training_listener *all)
{
    return (lb_training_listener){.context = all->context, .stop = all->stop, .setting = all->setting};
}

/* Keeps the model of a folder aside, and removes its checkpoint. */
static lb_status forget_earlier_run(const job *s, const char *folder)
{
    char *kept = NULL;
    char *model = lb_folder_path(folder, s->data.sorts ? "sort.safetensors" : "model.safetensors", s->error);
    char *checkpoint = lb_folder_path(folder, "checkpoint.safetensors", s->error);
    lb_status status = model && checkpoint ? lb_set_aside(model, &kept, s->error) : LB_ERROR_MEMORY;
    if (!status && remove(checkpoint) != 0 && errno != ENOENT)
        status = lb_error_set(s->error, LB_ERROR_WRITE, "%s: cannot remove: %s", checkpoint, strerror(errno));
    lb_release(kept);
    lb_release(checkpoint);
    lb_release(model);
    return status;
}

/* Starts all models again, for whichever process will train them: none of them starts a model again that another one has
 * finished. */
static lb_status forget_earlier_runs(job *s)
{
    lb_status status = LB_OK;
    for (int i = 0; i < s->config.seeds && !status && lb_group_leads(s->config.group); i++) {
        member m = {0};
        status = name_member(s, &m, s->config.seed + (uint64_t)i);
        if (!status) status = lock_member(s, &m);
        if (!status) status = forget_earlier_run(s, m.folder);
        free_member(&m);
    }
    s->config.fresh = false;
    return status ? status : lb_group_meet(s->config.group, s->error);
}

/* The processes of a group train several models side by side, each of them alone: every process takes the next model whose
 * folder nobody has locked. What fails here is tried again by the first process, which tells why. */
static lb_status share_out(job *s)
{
    const lb_group *group = s->config.group;
    lb_status status = lb_group_agree_on_build(group, s->error);
    if (!status && s->config.fresh) status = forget_earlier_runs(s);
    if (status) return status;
    s->config.group = NULL;
    s->config.listener.ended = s->ended;
    for (int i = 0; i < s->config.seeds && status != LB_ERROR_INTERRUPTED; i++) {
        int mine = (group->rank + i) % s->config.seeds;
        *s->error = (lb_error){0};
        status = train_member(s, &s->members[mine], s->config.seed + (uint64_t)mine);
        free_member(&s->members[mine]);
        s->members[mine].told = status == LB_OK;
    }
    s->count = 0;
    if (status == LB_ERROR_INTERRUPTED) return status;
    *s->error = (lb_error){0};
    return LB_OK;
}

/* The models of others become free one after the other, and are told of now. */
static lb_status train_when_free(job *s, int i, const lb_training_listener *listener)
{
    const struct timespec pause = {.tv_nsec = 300000000};
    s->config.listener = s->members[i].told ? silent(listener) : *listener;
    for (;;) {
        *s->error = (lb_error){0};
        lb_status status = train_member(s, &s->members[i], s->config.seed + (uint64_t)i);
        if (status != LB_ERROR_BUSY || !s->shared) return status;
        if (listener->stop && listener->stop(listener->context))
            return lb_error_set(s->error, LB_ERROR_INTERRUPTED, "interrupted");
        free_member(&s->members[i]);
        s->count--;
        nanosleep(&pause, NULL);
    }
}

static lb_status evaluate(job *s, const lb_model *model, lb_evaluation *found)
{
    lb_tape *tape = lb_tape_new();
    if (!tape) return out_of_memory(s);
    lb_status status =
        lb_producer_measure(&s->members->training.producer, model, tape, s->config.group, found);
    if (status) lb_error_set(s->error, status, "%s", lb_tape_error(tape));
    lb_tape_free(tape);
    return status;
}

static char *own_record(const lb_training *t)
{
    return lb_training_own_record(t, t->run.kept);
}

/* One record of all members; NULL if memory runs out. */
static char *ensemble_record(const job *s, const lb_evaluation *found)
{
    lb_buffer json = {0};
    lb_buffer_print(&json, "{\"exact_match\":%.9g,\"symbol_error\":%.9g,\"members\":[", found->exact_match,
                    found->symbol_error);
    for (int i = 0; i < s->count; i++) {
        char *record = own_record(&s->members[i].training);
        json.failed = json.failed || !record;
        if (record) lb_buffer_print(&json, "%s%s", i ? "," : "", record);
        lb_release(record);
    }
    lb_buffer_print(&json, "]}");
    if (!json.failed) return json.text;
    lb_release(json.text);
    return NULL;
}

static lb_status save_ensemble(job *s, lb_ensemble *ensemble, lb_params *params, lb_evaluation *found)
{
    lb_status status = evaluate(s, &ensemble->base, found);
    if (status || !lb_group_leads(s->config.group)) return status;
    char *record = ensemble_record(s, found);
    char *path =
        lb_folder_path(s->config.out, s->data.sorts ? "sort.safetensors" : "model.safetensors", s->error);
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

static lb_status gather(job *s, lb_params *params, const lb_model **models, const lb_params **stores,
                        lb_evaluation *found)
{
    for (int i = 0; i < s->count; i++) {
        models[i] = s->members[i].training.model;
        stores[i] = s->members[i].training.params;
    }
    lb_ensemble *ensemble = lb_ensemble_gather(params, models, stores, s->count, NULL, s->error);
    return ensemble ? save_ensemble(s, ensemble, params, found) : s->error->status;
}

static lb_status join_members(job *s, lb_evaluation *found)
{
    lb_params *params = lb_params_new(0);
    const lb_model **models = lb_alloc((size_t)s->count * sizeof *models);
    const lb_params **stores = lb_alloc((size_t)s->count * sizeof *stores);
    lb_status status =
        params && models && stores ? gather(s, params, models, stores, found) : out_of_memory(s);
    lb_release((void *)models);
    lb_release((void *)stores);
    lb_params_free(params);
    return status;
}

static lb_status train(job *s, lb_training_result *result)
{
    lb_status status = lb_start_open(&s->start, &s->config, s->error);
    if (!status) status = lb_recipe_settle(&s->config, s->error);
    if (!status && !s->config.out)
        status = lb_error_set(s->error, LB_ERROR_ARGUMENT, "expected a folder to write to");
    if (status) return status;
    s->made = !s->locked && lb_group_leads(s->config.group) && lb_file_is_missing(s->config.out);
    if (!s->locked) status = lock_folder(s, s->config.out, &s->lock);
    if (!status) status = lb_training_data_open(&s->data, &s->config, &s->start, s->error);
    if (status) return status;
    s->members = lb_alloc_zero((size_t)s->config.seeds * sizeof *s->members);
    if (!s->members) return out_of_memory(s);
    bool leads = lb_group_leads(s->config.group);
    s->shared = s->config.group && s->config.seeds > 1;
    const lb_training_listener listener = s->config.listener;
    if (s->shared) status = share_out(s);
    if (s->shared && !leads) return status;
    for (int i = 0; i < s->config.seeds && !status; i++) status = train_when_free(s, i, &listener);
    if (status) return status;
    result->pairs = s->data.sorts ? LB_MEASURED : s->data.sample.count;
    if (s->config.seeds > 1) return join_members(s, &result->dev);
    result->dev = s->members->training.run.kept->dev;
    return LB_OK;
}

static lb_status train_in(bool locked, const lb_training_config *config, lb_training_result *result,
                          lb_error *error)
{
    lb_error found = {0};
    lb_training_result none;
    job s = {.config = *config, .locked = locked, .error = &found, .ended = config->listener.ended};
    /* Everyone may ask to stop, one reports. */
    if (!lb_group_leads(config->group)) s.config.listener = silent(&config->listener);
    lb_status status = train(&s, result ? result : &none);
    for (int i = 0; i < s.count; i++) free_member(&s.members[i]);
    lb_release(s.members);
    lb_lock_free(s.lock);
    if (status && s.made) rmdir(s.config.out); /* with nothing in it, there was no need for it */
    lb_training_data_close(&s.data);
    lb_start_free(&s.start);
    return status ? lb_error_set(error, status, "%s", found.message) : LB_OK;
}

lb_status lb_train_locked(const lb_training_config *config, lb_training_result *result, lb_error *error)
{
    return train_in(true, config, result, error);
}

lb_status lb_translator_train(lb_training_config config, lb_training_result *result, lb_error *error)
{
    return train_in(false, &config, result, error);
}
