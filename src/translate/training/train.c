/* A training from its files to its model: one model, or several that are saved as one ensemble. */
#include "base/alloc.h"
#include "base/buffer.h"
#include "data/pairs.h"
#include "io/file.h"
#include "io/path.h"
#include "models/ensemble/ensemble.h"
#include "train/group.h"
#include "translate/file/text_model.h"
#include "translate/training/budget.h"
#include "translate/training/locked.h"
#include "translate/training/member.h"
#include "translate/training/recipe.h"
#include "translate/training/start.h"

#include <unistd.h>

/* One model of the training, with the strings it points to. */
typedef struct member {
    lb_training training;
    char *folder, *name; /* set if there are several models */
    lb_lock *lock;       /* on that folder */
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

static lb_status train_next(job *s)
{
    member *m = &s->members[s->count];
    uint64_t seed = s->config.seed + (uint64_t)s->count++;
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
}

static lb_status evaluate(job *s, const lb_model *model, lb_evaluation *found)
{
    lb_tape *tape = lb_tape_new();
    if (!tape) return out_of_memory(s);
    lb_status status = lb_producer_measure(&s->members->training.producer, model, tape, NULL, found);
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
        const lb_training *t = &s->members[i].training;
        char *record = lb_training_own_record(t, t->run.kept);
        json.failed = json.failed || !record;
        if (record) lb_buffer_print(&json, "%s%s", i ? "," : "", record);
        lb_release(record);
    }
    lb_buffer_print(&json, "]}");
    return lb_buffer_end(&json);
}

static lb_status save_ensemble(job *s, lb_ensemble *ensemble, lb_params *params, lb_evaluation *found)
{
    lb_status status = evaluate(s, &ensemble->base, found);
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
        parts[i] = (lb_ensemble_part){.model = s->members[i].training.model,
                                      .params = s->members[i].training.params};
    if (!params || !parts) out_of_memory(s);
    lb_ensemble *ensemble =
        params && parts ? lb_ensemble_gather(params, parts, s->count, NULL, s->error) : NULL;
    lb_status status = ensemble ? save_ensemble(s, ensemble, params, found) : s->error->status;
    lb_release(parts);
    lb_params_free(params);
    return status;
}

static lb_status train(job *s, lb_training_result *result)
{
    lb_status status = lb_start_open(&s->start, &s->config, s->error);
    if (!status) status = lb_recipe_settle(&s->config, s->error);
    if (!status && !s->config.out)
        status = lb_error_set(s->error, LB_ERROR_ARGUMENT, "expected a folder to write to");
    if (!status && s->config.group && s->config.seeds > 1)
        status = lb_error_set(s->error, LB_ERROR_ARGUMENT,
                              "seeds: found %d for %d processes, expected 1: a group trains one model; train "
                              "each by itself, and join them",
                              s->config.seeds, s->config.group->size);
    if (status) return status;
    s->made = !s->locked && lb_group_leads(s->config.group) && lb_file_is_missing(s->config.out);
    if (!s->locked) status = lock_folder(s, s->config.out, &s->lock);
    if (!status) status = lb_training_data_open(&s->data, &s->config, &s->start, s->error);
    if (status) return status;
    lb_recipe_fit(&s->config, lb_training_data_pairs(&s->data));
    status = lb_budget_fit(&s->config, s->config.out, s->error);
    if (status) return status;
    s->members = lb_alloc_zero((size_t)s->config.seeds * sizeof *s->members);
    if (!s->members) return out_of_memory(s);
    while (s->count < s->config.seeds && !status) status = train_next(s);
    if (status) return status;
    result->pairs = s->data.sorts ? LB_MEASURED : lb_pair_sample_judged(&s->data.sample);
    if (s->config.seeds > 1) return join_members(s, &result->dev);
    result->dev = s->members->training.run.kept->dev;
    return LB_OK;
}

static lb_status train_in(bool locked, const lb_training_config *config, lb_training_result *result,
                          lb_error *error)
{
    lb_error found = {0};
    lb_training_result none = {0};
    const lb_training_listener *all = &config->listener;
    job s = {.config = *config, .locked = locked, .error = &found};
    /* Everyone may ask to stop, one reports. */
    if (!lb_group_leads(config->group))
        s.config.listener =
            (lb_training_listener){.context = all->context, .stop = all->stop, .setting = all->setting};
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
