/* What the workbench asks of the library: a command of the program as a terminal runs it, the options of a training, a
 * training in parts, or an open model. Words of a command line come as a JSON array; answers are JSON, which lives until
 * the next question. */
#include "cli/commands.h"
#include "model.h"
#include "several/side_by_side.h"
#include "training/train_options.h"
#include "translate/plan/recipe.h"
#include "translate/run/stepper.h"

#include <cJSON.h>
#include <emscripten.h>
#include <lookback/lookback.h>
#include <stdlib.h>
#include <string.h>

/** Runs a command, its name first, on the files of this instance. Returns the exit status. An instance runs one. */
EMSCRIPTEN_KEEPALIVE int workbench_run(const char *words);

/** The options of `train` with these words: name, kind, help, choices, range, heading, and whether one is usual. */
EMSCRIPTEN_KEEPALIVE const char *workbench_options(void);

/** Begins the training of a command line, "train" first, or goes on with it where its folder has a checkpoint; of an
 *  ensemble, with its member of this number, whose folder is below the common one. Returns the exit status; 0: it has
 *  begun. */
EMSCRIPTEN_KEEPALIVE int workbench_begin(const char *words, int member);

/** The members of the ensemble of a command line: {"members":["additive-1", ...]}; none after an error. */
EMSCRIPTEN_KEEPALIVE const char *workbench_members(const char *words);

/** Takes a step, or a part of an evaluation. */
EMSCRIPTEN_KEEPALIVE const char *workbench_step(void);

/** The evaluations so far: {"title": what chooses, "percent": its unit, "points":[[step, training loss, dev loss, value], ...], "kept":
 *  the step of the best one}. */
EMSCRIPTEN_KEEPALIVE const char *workbench_points(void);

/** Opens a model, for report_text. Returns the exit status. */
EMSCRIPTEN_KEEPALIVE int workbench_open(const char *path);

static lb_stepper *stepper;
static lb_translator *opened;
static app_train_options asked;
static char *answer;

lb_translator *engine_model(void)
{
    return stepper ? lb_stepper_translator(stepper) : opened;
}

static const char *say(cJSON *json)
{
    cJSON_free(answer);
    answer = json ? cJSON_PrintUnformatted(json) : NULL;
    cJSON_Delete(json);
    return answer ? answer : "{\"error\":\"out of memory\"}";
}

/* ---- Command lines. ---- */

/* The words point into `json`, which lives as long as they do: a command keeps pointers to them. NULL: it is no array. */
static char **read_words(const char *text, int *count)
{
    cJSON *json = cJSON_Parse(text), *word;
    char **words = json ? calloc((size_t)cJSON_GetArraySize(json) + 1, sizeof *words) : NULL;
    *count = 0;
    cJSON_ArrayForEach(word, json) if (words && cJSON_IsString(word)) words[(*count)++] = word->valuestring;
    return *count > 0 ? words : NULL;
}

static const app_program *train_program(void)
{
    static app_option options[APP_MOST_OPTIONS];
    static app_program program = {.name = "train",
                                  .purpose = "",
                                  .operands = "[FILE]",
                                  .max_operands = 1,
                                  .operand_of = "train",
                                  .config = &asked.config};
    program.options = options;
    program.option_count = app_train_list(&asked, options);
    return &program;
}

/* Reads the words of a training. APP_RUN: `asked` has them; otherwise the exit status. */
static int read_training(int count, char **words)
{
    lb_error error = {0};
    return app_train_begin(&asked, &error) ? app_fail(&error) : app_options(train_program(), &count, &words);
}

static int read_training_text(const char *text)
{
    int count;
    char **words = read_words(text, &count);
    return words ? read_training(count, words) : lb_status_exit(LB_ERROR_ARGUMENT);
}

/* ---- Commands. ---- */

/* Of a training only its options, with --print-config: the training itself goes in parts. */
static int print_recipe(int count, char **words)
{
    lb_error error = {0};
    int status = read_training(count, words);
    if (status != APP_RUN) return status;
    return app_close_stdout(app_train_print(&asked, train_program(), &error) ? app_fail(&error) : 0);
}

/* A page has no pipes and no ranks, and draws its pictures itself. */
#define COMMANDS(X) X(data) X(join) X(predict) X(evaluate) X(score) X(report) X(inspect) X(export)

int workbench_run(const char *text)
{
    int count;
    char **words = read_words(text, &count);
    static const app_command commands[] = {
#define ROW(name) {#name, "", name##_main},
        COMMANDS(ROW)
#undef ROW
            {"train", "", print_recipe},
    };
    for (size_t i = 0; words && i < sizeof commands / sizeof *commands; i++)
        if (strcmp(commands[i].name, words[0]) == 0) return commands[i].main(count, words);
    app_warn("expected a command of the workbench");
    return lb_status_exit(LB_ERROR_ARGUMENT);
}

lb_status lb_figure_save(const lb_figure *figure, const char *path, lb_error *error)
{
    (void)figure;
    return lb_error_set(error, LB_ERROR_ARGUMENT, "%s: the workbench draws pictures itself", path);
}

lb_panel lb_chart_panel(const lb_chart *chart)
{
    (void)chart;
    return (lb_panel){0};
}

/* ---- Options. ---- */

static cJSON *option_of(const app_option *option, const char *heading)
{
    static const char *const kinds[] = {
        [APP_IS_FLAG] = "flag",     [APP_IS_INT] = "integer", [APP_IS_SEED] = "integer",
        [APP_IS_NUMBER] = "number", [APP_IS_TEXT] = "text",   [APP_IS_ONE_OF] = "choice",
        [APP_IS_CHOICE] = "choice"};
    const size_t known = sizeof kinds / sizeof *kinds;
    cJSON *json = cJSON_CreateObject();
    cJSON_AddStringToObject(json, "name", option->name);
    cJSON_AddStringToObject(json, "kind",
                            option->kind < known && kinds[option->kind] ? kinds[option->kind] : "other");
    cJSON_AddStringToObject(json, "heading", heading);
    cJSON_AddStringToObject(json, "help", option->help);
    cJSON_AddStringToObject(json, "metavar", option->metavar ? option->metavar : "");
    cJSON_AddBoolToObject(json, "usual", option->usual);
    cJSON_AddBoolToObject(json, "rare", app_option_is_rare(option));
    if (option->min < option->max) {
        cJSON_AddNumberToObject(json, "min", option->min);
        cJSON_AddNumberToObject(json, "max", option->max);
    }
    cJSON *choices = option->choices ? cJSON_AddArrayToObject(json, "choices") : NULL;
    for (const char *const *choice = option->choices; choices && *choice; choice++)
        cJSON_AddItemToArray(choices, cJSON_CreateString(*choice));
    return json;
}

const char *workbench_options(void)
{
    lb_error error = {0};
    if (app_train_begin(&asked, &error)) return say(NULL);
    const app_program *program = train_program();
    cJSON *array = cJSON_CreateArray();
    const char *heading = "";
    for (int i = 0; i < program->option_count; i++) {
        const app_option *option = &program->options[i];
        if (option->kind == APP_IS_HEADING)
            heading = option->help;
        else if (option->setting) /* others belong to a terminal */
            cJSON_AddItemToArray(array, option_of(option, heading));
    }
    return say(array);
}

/* ---- Trainings. ---- */

static int evaluations; /* that are saved, of this session */

static lb_status hear(void *context, const lb_event *event, lb_error *error)
{
    static app_progress counting;
    (void)context, (void)error;
    if (event->kind == LB_EVENT_POINT) evaluations++;
    if (event->kind == LB_EVENT_REPORT) app_show(event->text);
    if (event->kind == LB_EVENT_HINT) app_warn("%s", event->text);
    if (event->kind == LB_EVENT_NOTE) app_note("%s", event->text);
    if (event->kind == LB_EVENT_COUNTED)
        app_progress_count(&counting, event->unit, event->done, event->total);
    if (event->kind == LB_EVENT_BEGUN) app_progress_end(&counting);
    if (event->kind == LB_EVENT_UNSAVED) app_warn("%s", event->error->message);
    return LB_OK;
}

static lb_status choose_member(int number, lb_error *error)
{
    static char folder[APP_PATH];
    app_members members;
    lb_status status = app_ensemble_members(asked.ensemble, &asked.settings, &members, error);
    if (status) return status;
    char *name = app_ensemble_member(&members.member[number], number, &asked);
    if (!name) return lb_error_set(error, LB_ERROR_MEMORY, "out of memory");
    asked.settings.out = app_path(asked.settings.out, name, folder);
    lb_release(name);
    return LB_OK;
}

int workbench_begin(const char *words, int member)
{
    static char *record;
    lb_error error = {0};
    int exit_status = read_training_text(words);
    if (exit_status != APP_RUN) return exit_status ? exit_status : lb_status_exit(LB_ERROR_ARGUMENT);
    lb_status status = asked.ensemble ? choose_member(member, &error) : LB_OK;
    if (!status) status = app_train_prepare(&asked, train_program(), false, &record, &error);
    asked.settings.tell = hear;
    stepper = status ? NULL : lb_stepper_new(asked.settings, &error);
    return stepper ? 0 : app_fail(&error);
}

const char *workbench_members(const char *words)
{
    lb_error error = {0};
    app_members members = {.count = 0};
    if (read_training_text(words) == APP_RUN && asked.ensemble &&
        app_ensemble_members(asked.ensemble, &asked.settings, &members, &error)) {
        app_fail(&error);
        members.count = 0;
    }
    cJSON *json = cJSON_CreateObject(), *names = cJSON_AddArrayToObject(json, "members");
    for (int i = 0; i < members.count; i++) {
        app_train_options options = asked;
        char *name = app_ensemble_member(&members.member[i], i, &options);
        cJSON_AddItemToArray(names, cJSON_CreateString(name ? name : ""));
        lb_release(name);
    }
    return say(json);
}

const char *workbench_step(void)
{
    lb_error error = {0};
    double loss = 0;
    lb_status status = lb_stepper_step(stepper, &loss, &error);
    lb_stepper_facts now = lb_stepper_about(stepper);
    cJSON *json = cJSON_CreateObject();
    cJSON_AddNumberToObject(json, "step", (double)now.step);
    cJSON_AddNumberToObject(json, "steps", (double)now.steps);
    cJSON_AddNumberToObject(json, "evaluations", evaluations);
    cJSON_AddBoolToObject(json, "done", now.done);
    cJSON_AddNumberToObject(json, "loss", loss);
    if (status) cJSON_AddStringToObject(json, "error", error.message);
    return say(json);
}

const char *workbench_points(void)
{
    const lb_train_history *history = &stepper->history;
    const lb_criterion *by = lb_criterion_find(stepper->run.choose, NULL);
    cJSON *json = cJSON_CreateObject(), *points = cJSON_AddArrayToObject(json, "points");
    cJSON_AddStringToObject(json, "title", by->title);
    cJSON_AddBoolToObject(json, "percent", by->scale > 1);
    for (int64_t i = 0; i < history->count; i++) {
        const lb_train_point *at = &history->points[i];
        const double row[] = {(double)at->step, at->loss, at->dev.loss, lb_criterion_value(by, &at->dev)};
        cJSON_AddItemToArray(points, cJSON_CreateDoubleArray(row, sizeof row / sizeof *row));
    }
    if (history->count > 0) cJSON_AddNumberToObject(json, "kept", (double)lb_stepper_kept(stepper)->step);
    return say(json);
}

int workbench_open(const char *path)
{
    lb_error error = {0};
    lb_translator *model = lb_translator_open(path, &error);
    if (!model) return app_fail(&error);
    lb_translator_close(opened);
    opened = model;
    return 0;
}
