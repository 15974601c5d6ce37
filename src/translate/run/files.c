/* The files of a training while it runs: the model, the log and the checkpoint, written as lb_train tells of
 * evaluations. */
#include "translate/run/stepper.h"

#include "base/alloc.h"
#include "base/buffer.h"
#include "base/bytes.h"
#include "base/instruction_set.h"
#include "io/file.h"
#include "io/json.h"
#include "io/path.h"
#include "lookback/tensor.h"
#include "settings/settings.h"
#include "translate/file/text_model.h"
#include "translate/plan/recipe.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

lb_status lb_training_files_name(lb_training_files *f, const char *folder, bool sorts, lb_error *error)
{
    f->model = lb_model_place(folder, sorts, error);
    f->checkpoint = lb_folder_path(folder, "checkpoint.safetensors", error);
    f->log.path = lb_folder_path(folder, sorts ? "train.jsonl" : "log.jsonl", error);
    f->table.path = lb_folder_path(folder, sorts ? "train.csv" : "log.csv", error);
    f->shown.path = lb_folder_path(folder, "film.jsonl", error);
    return f->model && f->checkpoint && f->log.path && f->table.path && f->shown.path ? LB_OK
                                                                                      : LB_ERROR_MEMORY;
}

void lb_training_files_free(lb_training_files *f)
{
    lb_release(f->model);
    lb_release(f->checkpoint);
    lb_release(f->log.path);
    lb_release(f->table.path);
    lb_attention_history_free(&f->shown);
    lb_release(f->set_aside);
}

/* ---- The log. ---- */

enum { DIGITS = 9 };

static void print_test(lb_buffer *json, const lb_test *test, const lb_evaluation *found)
{
    char key[LB_TEST_NAME + 16];
    const struct {
        const char *name;
        double value;
    } measures[] = {
        {"exact_match", found->exact_match}, {"symbol_error", found->symbol_error}, {"loss", found->loss}};
    for (size_t i = 0; i < sizeof measures / sizeof *measures; i++) {
        snprintf(key, sizeof key, "%s.%s", test->name, measures[i].name);
        lb_json_number(json, key, measures[i].value, DIGITS);
    }
}

/* A point, whose seconds are no part of a record. The members of a test begin with its name: "long.exact_match". */
static void print_point(lb_buffer *json, const lb_train_history *history, const lb_train_point *p,
                        bool seconds)
{
    char weights[24];
    lb_buffer_print(json, "{");
    lb_json_whole(json, "step", p->step);
    lb_json_number(json, "loss", p->loss, DIGITS);
    lb_json_number(json, "dev_loss", p->dev.loss, DIGITS);
    lb_json_number(json, "exact_match", p->dev.exact_match, DIGITS);
    lb_json_number(json, "symbol_error", p->dev.symbol_error, DIGITS);
    if (p->dev.own[LB_OWN_TEXTS] > 0) {
        lb_json_number(json, "bleu_13a", p->dev.own[LB_OWN_BLEU], DIGITS);
        lb_json_number(json, "chrf2", p->dev.own[LB_OWN_CHRF], DIGITS);
    }
    lb_json_number(json, "lr", p->lr, DIGITS);
    lb_json_number(json, "grad_norm", p->grad_norm, DIGITS);
    const lb_test *test;
    for (int i = 0; (test = lb_train_test(history, i)) != NULL; i++) print_test(json, test, &p->test[i]);
    snprintf(weights, sizeof weights, "%016llx", (unsigned long long)p->weights);
    lb_json_string(json, "weights", p->weights ? weights : NULL);
    if (seconds) lb_buffer_print(json, ",\"seconds\":%.3f", p->seconds);
    lb_buffer_print(json, ",\"tokens\":%.0f}", p->tokens);
}

/* The points as lines of JSON; NULL if memory runs out. */
static char *print_lines(const lb_train_history *history)
{
    lb_buffer json = {0};
    lb_buffer_print(&json, "%s", "");
    for (int64_t i = 0; i < history->count; i++) {
        print_point(&json, history, &history->points[i], true);
        lb_buffer_print(&json, "\n");
    }
    return lb_buffer_end(&json);
}

/* Prints one line of JSON as a row of the table, or its member names as the header. */
static void print_row(lb_buffer *csv, const char *line, bool names)
{
    cJSON *json;
    const char *comma = "";
    if (lb_json_parse(line, strcspn(line, "\n"), NULL, &json)) csv->failed = true;
    for (const cJSON *member = json ? json->child : NULL; member; member = member->next, comma = ",") {
        char *value = lb_json_print(member);
        const char *cell = cJSON_IsNull(member) ? "" : value; /* what was not measured */
        csv->failed = csv->failed || !value;
        lb_buffer_print(csv, "%s%s", comma, names || !value ? member->string : cell);
        cJSON_free(value);
    }
    lb_buffer_print(csv, "\n");
    cJSON_Delete(json);
}

/* The points as JSON, one per line, or as CSV; NULL if memory runs out. */
static char *print_points(const char *path, const lb_train_history *history, bool header)
{
    const char *ending = strrchr(path, '.');
    char *json = print_lines(history);
    if (!json || !ending || strcmp(ending, ".csv") != 0) return json;
    lb_buffer csv = {0};
    lb_buffer_print(&csv, "%s", "");
    if (header && *json) print_row(&csv, json, true);
    for (const char *line = json; *line; line += strcspn(line, "\n") + 1) print_row(&csv, line, false);
    lb_release(json);
    return lb_buffer_end(&csv);
}

/* Writes the file with all points; or appends the last one, so that a reader can follow the file, if that is known to
 * have all others. */
static lb_status write_log(lb_training_log *log, const lb_train_history *history, bool all, lb_error *error)
{
    bool append =
        !all && log->count > 0 && log->count == history->count - 1 && !lb_file_is_missing(log->path);
    lb_train_history written = *history;
    if (append) {
        written.points += log->count;
        written.count = 1;
    }
    char *text = print_points(log->path, &written, !append);
    lb_status status =
        !text    ? lb_error_set(error, LB_ERROR_MEMORY, "%s: out of memory for the training log", log->path)
        : append ? lb_file_append(log->path, LB_FILE_END, text, strlen(text), error)
                 : lb_file_write_own(log->path, &(lb_bytes){text, strlen(text)}, 1, error);
    lb_release(text);
    log->count = status ? 0 : history->count;
    return status;
}

/* ---- Models. ---- */

/* Portable kernels are the same everywhere, and so are the records of their trainings. */
static void print_made(lb_buffer *json, const lb_stepper *s)
{
    const char *set = lb_instruction_set_name();
    lb_json_open(json, "made", "{");
    lb_json_string(json, "version", lb_version());
    lb_json_string(json, "instruction_set", set);
    if (strcmp(set, "portable") != 0) lb_json_string(json, "kernel", lb_kernel_name());
    lb_buffer_print(json, ",\"run\":%s}", s->identity);
}

char *lb_stepper_record(const lb_stepper *s, const lb_train_point *kept)
{
    const lb_train_history *history = &s->history;
    const lb_training_config c = lb_stepper_in_force(s);
    lb_buffer json = {0};
    lb_buffer_print(&json, "{\"steps\":%lld,\"exact_match\":%.9g,\"symbol_error\":%.9g,\"best_step\":%lld",
                    (long long)lb_train_last(history)->step, kept->dev.exact_match, kept->dev.symbol_error,
                    (long long)kept->step);
    lb_tests_print(&json, history->tests, kept->test);
    lb_buffer_print(&json, ",\"seed\":%llu", (unsigned long long)c.seed);
    /* The options may have a file name that is not UTF-8; the metadata of a model file must be UTF-8. */
    if (c.options && lb_utf8_valid(c.options, strlen(c.options)))
        lb_buffer_print(&json, ",\"options\":%s", c.options);
    lb_buffer_print(&json, ",\"settings\":{"); /* the options may end with a line */
    lb_settings_print(&json, &c, LB_SETTINGS_IN_FORCE, 1, LB_SETTINGS_END);
    lb_buffer_print(&json, "}");
    print_made(&json, s);
    lb_json_open(&json, "history", "[");
    for (int64_t i = 0; i < history->count; i++) {
        lb_json_key(&json, NULL);
        print_point(&json, history, &history->points[i], false);
    }
    lb_buffer_print(&json, "]}");
    return lb_buffer_end(&json);
}

static lb_status save_model(const lb_stepper *s, const char *path, const lb_train_point *kept,
                            lb_error *error)
{
    char *record = lb_stepper_record(s, kept);
    if (!record) return lb_error_set(error, LB_ERROR_MEMORY, "out of memory while saving");
    lb_text_model model = lb_training_data_model(s->data, s->model, s->params);
    model.training = record;
    lb_status status = lb_text_model_save(path, &model, error);
    lb_release(record);
    return status;
}

/* The file name of the model of one evaluation. */
static char *name_snapshot(const lb_stepper *s, int64_t step, lb_error *error)
{
    char name[64];
    snprintf(name, sizeof name, "%s-%lld.safetensors", s->data->text.sorts ? "sort" : "model",
             (long long)step);
    return lb_folder_path(s->run.folder, name, error);
}

/* Saves the model of the last evaluation, and removes all but the newest of these files. */
static lb_status save_snapshot(const lb_stepper *s, lb_error *error)
{
    const lb_train_history *history = &s->history;
    const lb_train_point *last = lb_train_last(history);
    char *path = name_snapshot(s, last->step, error);
    lb_status status = path ? save_model(s, path, last, error) : LB_ERROR_MEMORY;
    lb_release(path);
    for (int64_t i = 0; i < history->count - s->config->keep && !status; i++) {
        path = name_snapshot(s, history->points[i].step, error);
        if (!path) return LB_ERROR_MEMORY;
        if (remove(path) != 0 && errno != ENOENT)
            status = lb_error_set(error, LB_ERROR_WRITE, "%s: cannot remove: %s", path, strerror(errno));
        lb_release(path);
    }
    return status;
}

/* ---- What the loop tells. ---- */

/* A file that cannot be written now is written at the end, with the weights that are kept in memory. */
static lb_status downgrade(const lb_stepper *s, lb_status status, const lb_error *found, lb_error *error)
{
    if (status != LB_ERROR_WRITE) return status ? lb_error_set(error, status, "%s", found->message) : LB_OK;
    const lb_event event = {.kind = LB_EVENT_UNSAVED, .run = &s->run, .error = found};
    return lb_training_tell(s->config, event, error);
}

static lb_status save_evaluated(lb_stepper *s, lb_error *error)
{
    lb_error found = {0};
    const lb_train_point *last = lb_train_last(&s->history);
    bool kept = lb_stepper_kept(s) == last;
    lb_status status = kept ? save_model(s, s->files.model, last, &found) : LB_OK;
    if (!status && s->config->keep > 0) status = save_snapshot(s, &found);
    status = downgrade(s, status, &found, error);
    if (status) return status;
    lb_text_model model = lb_training_data_model(s->data, s->model, s->params);
    status =
        lb_attention_history_add(&s->files.shown, &s->loader, &model, s->config->film, &s->history, &found);
    return downgrade(s, status, &found, error);
}

static lb_status log_point(lb_stepper *s, lb_error *error)
{
    lb_error found = {0};
    s->run.kept = lb_stepper_kept(s);
    lb_status status = write_log(&s->files.log, &s->history, false, &found);
    if (!status) status = write_log(&s->files.table, &s->history, false, &found);
    return downgrade(s, status, &found, error);
}

lb_status lb_stepper_hear(void *stepper, const lb_event *event, lb_error *error)
{
    lb_stepper *s = stepper;
    lb_event told = *event;
    told.run = &s->run;
    if (event->kind == LB_EVENT_STEPPED) s->loss = event->step.loss;
    if (!s->files.model) { /* nothing is written */
        s->run.kept = lb_stepper_kept(s);
        return event->kind == LB_EVENT_EVALUATED ? LB_OK : lb_training_tell(s->config, told, error);
    }
    if (event->kind == LB_EVENT_EVALUATED) return save_evaluated(s, error);
    lb_status status = event->kind == LB_EVENT_STEPPED && s->config->film > 0
                           ? lb_attention_history_begin(&s->files.shown, &s->history, error)
                           : LB_OK;
    if (!status && event->kind == LB_EVENT_POINT) status = log_point(s, error);
    return status ? status : lb_training_tell(s->config, told, error);
}

/* The model and its checkpoint may be links, to another disk. */
lb_status lb_stepper_begin_files(lb_stepper *s, lb_error *error)
{
    const char *const files[] = {s->files.log.path, s->files.table.path, s->files.shown.path};
    lb_status status = LB_OK;
    for (size_t i = 0; i < sizeof files / sizeof *files && !status; i++)
        status = lb_own_check(files[i], "a file", error);
    if (!status && s->config->fresh) status = lb_set_aside(s->files.model, &s->files.set_aside, error);
    s->run.set_aside = s->files.set_aside;
    return status;
}

lb_status lb_stepper_end_files(lb_stepper *s, lb_error *error)
{
    lb_status status = save_model(s, s->files.model, s->run.kept, error);
    if (!status) status = write_log(&s->files.log, &s->history, true, error);
    if (!status) status = write_log(&s->files.table, &s->history, true, error);
    return status ? status : lb_attention_history_save(&s->files.shown, error);
}
