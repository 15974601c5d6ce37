/* Lists of trainings: each is checked before the first one begins. Then they run here, one after the other, or where
 * the host of the list runs them. */
#include "base/alloc.h"
#include "io/file.h"
#include "translate/plan/recipe.h"
#include "translate/run/stepper.h"

#include <stdlib.h>
#include <string.h>

enum { LONGEST_NAME = 200 };

static const char *name_of(const lb_training *t)
{
    return t->name ? t->name : t->config.out;
}

static int compare_folders(const void *a, const void *b)
{
    const lb_training *const *x = a, *const *y = b;
    return strcmp((*x)->config.out, (*y)->config.out);
}

static lb_status check_folders(const lb_trainings *list, lb_error *error)
{
    const size_t count = (size_t)list->count;
    const lb_training **sorted = lb_alloc(count * sizeof *sorted);
    lb_status status = LB_OK;
    if (!sorted) return lb_no_memory(error, "a training");
    for (size_t i = 0; i < count && !status; i++) {
        sorted[i] = &list->training[i];
        if (!sorted[i]->config.out)
            status = lb_error_set(error, LB_ERROR_ARGUMENT, "expected a folder to write to");
    }
    if (!status) qsort((void *)sorted, count, sizeof *sorted, compare_folders);
    for (size_t i = 1; i < count && !status; i++)
        if (strcmp(sorted[i - 1]->config.out, sorted[i]->config.out) == 0)
            status = lb_error_set(error, LB_ERROR_ARGUMENT,
                                  "found %.80s and %.80s with the same folder, %.120s; expected values that "
                                  "differ in letters or digits",
                                  name_of(sorted[i - 1]), name_of(sorted[i]), sorted[i]->config.out);
    lb_release((void *)sorted);
    return status;
}

/* Whether there can be a training with this configuration, as far as can be said without its pairs. */
static lb_status try_training(const lb_training_config *config, lb_error *error)
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

lb_status lb_trainings_check(const lb_trainings *list, lb_error *error)
{
    lb_status status = check_folders(list, error);
    for (int64_t i = 0; i < list->count && !status; i++) {
        lb_error found = {0};
        const lb_training *t = &list->training[i];
        status = try_training(&t->config, &found);
        if (!status && t->config.seeds > 1)
            status = lb_error_set(&found, LB_ERROR_ARGUMENT, "seeds: found %d, expected 1", t->config.seeds);
        if (status)
            lb_error_set(error, status, "%s: %.*s", name_of(t), LB_MESSAGE_LENGTH - LONGEST_NAME,
                         found.message);
    }
    return status;
}

/* The evaluations are those of the checkpoint, whichever process has written it. */
static lb_status read_result(lb_training *t, lb_error *error)
{
    const lb_training_config *c = &t->config;
    int tests = 0;
    while (tests < LB_MOST_TESTS && *c->test[tests].name) tests++;
    t->history = (lb_train_history){.tests = c->test, .choose_on = lb_config_test(c, c->choose_on) + 1};
    char *checkpoint = lb_folder_path(c->out, "checkpoint.safetensors", error);
    if (!checkpoint) return LB_ERROR_MEMORY;
    lb_status status =
        lb_file_is_missing(checkpoint) ? LB_OK : lb_train_history_load(checkpoint, tests, &t->history, error);
    lb_release(checkpoint);
    const lb_evaluation *first = t->history.count > 0 ? &t->history.points->dev : NULL;
    t->history.is_better = lb_criterion_find(c->choose, first)->is_better;
    t->kept = lb_recipe_trainer(c, 0).keep_best ? lb_train_best(&t->history) : lb_train_last(&t->history);
    return status;
}

static lb_status note_end(const lb_trainings *list, int64_t i, lb_error *error)
{
    lb_training *t = &list->training[i];
    lb_status status = t->error.status ? LB_OK : read_result(t, error);
    return status || !list->ended ? status : list->ended(list->context, i, error);
}

lb_status lb_trainings_run(const lb_trainings *list, lb_error *error)
{
    const lb_training_host *host = list->host;
    const int64_t most = host->wait ? host->most : 1;
    int64_t begun = 0, running = 0;
    bool stop = false;
    lb_status status = LB_OK;
    while (running > 0 || (begun < list->count && !stop)) {
        lb_error found = {0};
        int64_t ended = -1;
        stop = stop || status || (list->stop && list->stop(list->context));
        if (begun < list->count && running < most && !stop) {
            status = host->begin(host->context, begun, error);
            running += !status;
            if (!host->wait && !status) ended = begun;
            begun++;
        } else if (running > 0) {
            ended = host->wait(host->context, stop, &found);
        }
        if (ended < 0) continue;
        running--;
        list->training[ended].error = found;
        const lb_status noted = note_end(list, ended, error);
        status = status ? status : noted;
    }
    if (!status && (stop || (list->stop && list->stop(list->context))))
        status = lb_error_set(error, LB_ERROR_INTERRUPTED, "interrupted; the same list resumes");
    return status;
}
