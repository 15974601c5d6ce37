/* Trains models that differ in some settings, side by side, and compares them: on pairs of texts, or, without any, on
 * lists to sort. */
#include "base/alloc.h"
#include "cli/commands.h"
#include "cli/config.h"
#include "compare/comparison.h"
#include "console/console.h"
#include "data/lists/sort_task.h"
#include "several/sweep.h"
#include "training/train_options.h"
#include "translate/plan/recipe.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

enum { DIGIT = 9, LONGEST = 200 }; /* the largest digit; numbers of a list */

/* The lists to sort, and the trainings on them, unless options say otherwise. */
typedef struct budget {
    int max_number, min_length, max_length, hidden, batch, steps;
} budget;

static const budget full = {49, 5, 30, 128, 64, 8000}, quick = {19, 2, 16, 64, 32, 3000};

typedef struct comparing {
    app_train_options options; /* most of them are settings */
    const char *kinds;         /* NULL: not given */
    bool quick;
    lb_sort_task measured; /* the lists of the options, with the lengths of the tests */
    lb_strings lists;      /* "attention=dot,none": what varies */
    int task_options;      /* of the table, the first ones */
    app_grid grid;
    app_side_by_side all; /* the trainings */
    size_t seeds;         /* of each combination */
    lb_error *error;
} comparing;

/* ---- The options that all trainings have. ---- */

/* Refuses options of trainings on lists where there are pairs, and the other way round. */
static lb_status check_options(const comparing *c, const app_program *program, const app_program *one)
{
    static const char *const own[] = {"quick", "lengths", "kinds", "sweep",  "seeds", "out",
                                      "isa",   "threads", "quiet", "config", NULL};
    const bool lists = c->options.settings.sort;
    char words[LB_SETTING_WORDS], number[APP_OPTION_NUMBER], expected[LB_MESSAGE_LENGTH / 2];
    for (int i = 0; i < program->option_count; i++) {
        const app_option *option = &program->options[i];
        const bool of_task = i < c->task_options;
        const bool of_lists = of_task ||
                              (option->setting && (option->setting->trainings & LB_SETTING_OF_LISTS)) ||
                              option->kind == APP_IS_TESTS;
        if (option->kind == APP_IS_SET || !app_option_was_set(option->value.text)) continue;
        if ((of_task && !lists) || (!of_lists && lists && !app_is_one_of(option->name, own)))
            return lb_error_set(c->error, LB_ERROR_ARGUMENT,
                                lists ? "%s: expected FILE, since trainings on lists to sort do not have it"
                                      : "%s: expected no FILE, since it is about lists to sort",
                                app_option_words(option, words));
        const app_option *same = lists && option->setting ? app_options_find(one, option->name) : NULL;
        const char *value = same ? app_option_value(option, number) : NULL;
        if (!value || app_option_set(same, value)) continue;
        app_option_expects(same, expected, sizeof expected);
        return lb_error_set(c->error, LB_ERROR_ARGUMENT, "%s: expected %s, found \"%s\"",
                            app_option_words(same, words), expected, value);
    }
    return LB_OK;
}

static void set_if_open(int *value, int usual)
{
    if (!app_option_was_set(value)) *value = usual;
    app_option_note_set(value);
}

/* Each step sorts lists of one length. What no option says is that of `sort`, or of the budget. */
static lb_status begin_lists(comparing *c)
{
    const budget *usual = c->quick ? &quick : &full;
    app_train_options sorts, *o = &c->options;
    lb_training_config *s = &o->settings;
    lb_status status = app_sort_begin(&sorts, c->error);
    o->usual = sorts.usual;
    for (const lb_setting *setting = lb_settings; setting->name; setting++)
        if (!app_option_was_set(lb_setting_place(setting, s))) lb_setting_take(setting, s, &sorts.usual);
    if (!app_option_was_set(&s->target)) s->target = 0;
    if (!app_option_was_set(&s->out)) s->out = "out/attention";
    s->sort = &o->task;
    o->usual.sort = NULL;
    o->task.one_length = true;
    set_if_open(&o->task.max_value, o->what == LB_LIST_ADD ? DIGIT : usual->max_number);
    set_if_open(&o->task.min_length, usual->min_length);
    set_if_open(&o->task.max_length, usual->max_length);
    set_if_open(&s->hidden, usual->hidden);
    set_if_open(&s->batch, usual->batch);
    set_if_open(&s->steps, usual->steps);
    c->measured = o->task;
    c->measured.what = (lb_list_task)o->what;
    c->measured.one_length = false;
    c->measured.seed = s->seed;
    return status || !o->lengths ? status
                                 : lb_sort_set_lengths(&c->measured, "--", "lengths", o->lengths, c->error);
}

/* Models are measured on the lengths of tests, too. Some lists of each length have to be held out. */
static lb_status choose_lengths(comparing *c)
{
    const lb_test *tests = c->options.settings.test;
    const lb_sort_task task = c->measured;
    lb_status status = lb_sort_check(&task, c->error);
    for (int i = 0; i < LB_MOST_TESTS && *tests[i].name && !status; i++) {
        lb_sort_task test = task;
        status = lb_sort_set_lengths(&test, "test ", tests[i].name, tests[i].file, c->error);
        if (test.min_length < c->measured.min_length) c->measured.min_length = test.min_length;
        if (test.max_length > c->measured.max_length) c->measured.max_length = test.max_length;
    }
    if (!status && c->measured.max_length > LONGEST)
        return lb_error_set(c->error, LB_ERROR_ARGUMENT, "found lists of %d numbers, expected at most %d",
                            (int)c->measured.max_length, LONGEST);
    for (int32_t length = c->measured.min_length; length <= c->measured.max_length && !status; length++) {
        lb_sort_task part = c->measured;
        part.min_length = part.max_length = length;
        status = lb_sort_check(&part, c->error);
    }
    return status;
}

/* With half the width, a transformer has about as many parameters as GRUs, which have embeddings of that width. */
static void complete_list_training(lb_training_config *s)
{
    const bool transformer = strcmp(s->model, LB_MODEL_TRANSFORMER) == 0;
    if (transformer)
        s->hidden /= 2;
    else if (!app_option_was_set(&s->embed))
        s->embed = s->hidden / 2;
    if (!transformer && !app_option_was_set(&s->lr)) s->lr = 0.003;
}

/* ---- What varies. ---- */

static lb_status add_seeds(comparing *c)
{
    const lb_training_config *s = &c->options.settings;
    lb_buffer list = {0};
    if (s->seeds < 2) return LB_OK;
    for (int i = 0; i < s->seeds; i++)
        lb_buffer_print(&list, "%s%llu", i ? "," : "", (unsigned long long)s->seed + (unsigned)i);
    lb_status status =
        list.failed ? lb_no_memory(c->error, NULL) : app_grid_add(&c->grid, "seed", list.text, c->error);
    lb_release(list.text);
    return status;
}

static lb_status open_grid(comparing *c, const app_program *program)
{
    app_grid *grid = &c->grid;
    const bool lists = c->options.settings.sort;
    lb_status status = app_grid_open(grid, program, c->options.sweep, c->error);
    const bool nothing = !c->kinds && !c->options.sweep && c->lists.count == 0;
    if (!status && (c->kinds || (lists && nothing))) status = app_grid_add(grid, "kinds", c->kinds, c->error);
    for (size_t i = 0; i < c->lists.count && !status; i++) {
        char *name = c->lists.text[i], *end = strchr(name, '=');
        *end = '\0';
        status = app_grid_add(grid, name, end + 1, c->error);
    }
    if (!status) status = add_seeds(c);
    c->options.settings.seeds = c->options.usual.seeds; /* of each training */
    if (!status && grid->count == 1 && nothing)
        return lb_error_set(c->error, LB_ERROR_ARGUMENT,
                            "expected something to compare, such as --kinds none,additive, --hidden 64,128, "
                            "--sweep FILE or --seeds 3");
    /* What varies is no property of all. */
    if (!status && app_grid_varies(grid, "steps")) c->options.settings.steps = 0;
    if (!status && app_grid_varies(grid, "batch")) c->options.settings.batch = 0;
    if (!status) c->seeds = (size_t)app_grid_seeds_last(grid);
    return status || c->seeds <= APP_MOST_SEEDS
               ? status
               : lb_error_set(c->error, LB_ERROR_ARGUMENT, "found %zu seeds, expected at most %d", c->seeds,
                              APP_MOST_SEEDS);
}

/* ---- The trainings. ---- */

static lb_status train_all(comparing *c)
{
    static const char *const of_pairs[] = {"compare.tsv", "compare.png", NULL};
    static const char *const of_lists[] = {"exact_match.png", "exact_match.json", NULL};
    const bool lists = c->options.settings.sort;
    lb_status status = app_grid_trainings(&c->grid, 0, lists ? complete_list_training : NULL, &c->all);
    return status ? status : app_side_by_side_run(&c->all, lists ? of_lists : of_pairs, false);
}

static lb_status show(const comparing *c)
{
    char path[APP_PATH];
    const size_t count = c->all.count / c->seeds;
    lb_strings names = {0};
    lb_status status = LB_OK;
    for (size_t i = 0; i < count && !status; i++)
        status = lb_strings_add(&names, app_grid_name(&c->grid, (int64_t)(i * c->seeds), false), c->error);
    const lb_training_config *s = &c->options.settings;
    const app_result_table table = {c->all.training, count, c->seeds, names.text, s};
    if (!status)
        status = s->sort ? app_compare_lengths(&table, &c->measured, c->error)
                         : app_result_table_show(&table, "compare.tsv", c->error);
    if (!status && !s->sort)
        status = app_draw_intervals(&table, app_path(s->out, "compare.png", path), c->error);
    lb_strings_free(&names);
    return status;
}

static int train_and_show(comparing *c, const app_program *program, int argc, char **argv)
{
    static app_option options[APP_MOST_OPTIONS];
    const bool lists = !c->options.settings.train;
    lb_status status = lists ? begin_lists(c) : LB_OK;
    const app_program one = {.name = lists ? "sort" : "train",
                             .options = options,
                             .option_count = lists ? app_sort_list(&c->options, options)
                                                   : app_train_list(&c->options, options)};
    c->all = (app_side_by_side){.program = &one,
                                .options = &c->options,
                                .command = lists ? NULL : program,
                                .argc = argc,
                                .argv = argv,
                                .prepare = lists ? app_sort_prepare : app_train_prepare,
                                .run = app_train_run,
                                .settings = &c->options.settings,
                                .compares = true,
                                .error = c->error};
    if (!status) status = check_options(c, program, &one);
    if (!status && lists) status = choose_lengths(c);
    if (!status) status = open_grid(c, program);
    if (!status) status = train_all(c);
    if (!status && c->all.failed < c->all.count) status = show(c);
    app_grid_close(&c->grid);
    return app_side_by_side_end(&c->all, status);
}

/* ---- The options: those of `train`, and of the lists. ---- */

static int list_options(comparing *c, app_option options[APP_MOST_OPTIONS])
{
    static const char *const left_out[] = {"print-config", "sweep-count", "ensemble", NULL};
    static const char *const usual[] = {"test", "sweep", NULL};
    static const char *const unusual[] = {"lexicon", "minutes", NULL};
    const app_option task[] = {
        APP_HEADING("Lists to sort, without FILE"),
        APP_FLAG(0, "quick", &c->quick, "use shorter lists, smaller models and fewer steps", .usual = true),
        APP_CHOICE(0, "task", "KIND", &c->options.what, lb_list_task_names,
                   "what is done to a list; to add, it has the digits of two numbers"),
        APP_INT(0, "max-number", "N", &c->options.task.max_value, 0, 1000000,
                "largest number; default: 49; 19 with --quick; 9 to add"),
        APP_TEXT(
            0, "lengths", "N-N", &c->options.lengths,
            "lengths of the shortest and of the longest list of the training; --test long=11-30 measures "
            "on others, too"),
        APP_INT(0, "min-length", "N", &c->options.task.min_length, 1, LONGEST,
                "length of the shortest list; default: 5; 2 with --quick"),
        APP_INT(0, "max-length", "N", &c->options.task.max_length, 1, LONGEST,
                "length of the longest list; default: 30; 16 with --quick"),
    };
    static char kinds[2048];
    snprintf(kinds, sizeof kinds,
             "kinds of models to compare, separated by commas: %s, each with or without -backward; "
             "relative, alibi, rotary, fire and random are transformers with these positions; default: "
             "without FILE, those up to transformer",
             lb_kind_list());
    const app_option compared[] = {
        APP_HEADING("Settings to compare, next to those with several values, such as --hidden 64,128"),
        APP_TEXT(0, "kinds", "LIST", &c->kinds, kinds, .usual = true),
    };
    static app_option of_train[APP_MOST_OPTIONS];
    const int count = app_train_list(&c->options, of_train);
    app_option *end = APP_ADD(options, task);
    c->task_options = (int)(end - options);
    end = APP_ADD(end, compared);
    for (int i = 0; i < count; i++) {
        app_option option = of_train[i];
        if (option.name && app_is_one_of(option.name, left_out)) continue;
        if (option.name && app_is_one_of(option.name, usual)) option.usual = true;
        if (option.name && app_is_one_of(option.name, unusual)) option.usual = false;
        if (option.name && strcmp(option.name, "seeds") == 0) {
            option.help =
                "train each with so many seeds, --seed and the numbers after it, and show means and "
                "their 95 % intervals";
            option.usual = true;
        }
        assert(end - options < APP_MOST_OPTIONS);
        *end++ = option;
    }
    return (int)(end - options);
}

static const app_example examples[] = {
    {"Compare kinds of attention on pairs, with three seeds each.",
     "lookback compare pairs.tsv --test dev=dev.tsv --kinds none,additive --seeds 3 \\\n"
     "      --hidden 16 --steps 20 --out out/kinds"},
    {"Compare widths, and both with copying and without.",
     "lookback compare pairs.tsv --hidden 8,16 --set copy=false,true --steps 20 --out out/widths"},
    {"Compare a model without attention with one that has it, on lists to sort, in seconds.",
     "lookback compare --quick --kinds none,additive --max-length 8 --steps 100"},
};

int compare_main(int argc, char **argv)
{
    static app_option options[APP_MOST_OPTIONS];
    lb_error error = {0};
    comparing c = {.error = &error};
    if (app_train_begin(&c.options, &error)) return app_fail(&error);
    c.options.task = (lb_sort_task){.max_value = -1, .min_length = -1, .max_length = -1};
    c.options.settings.out = "out/compare";
    const app_program program = {
        .name = "compare",
        .purpose =
            "Trains models that differ in some settings, side by side, on the pairs of texts in FILE, and "
            "compares them: in a table with means and intervals over seeds, and a chart. Without FILE, it "
            "trains each kind of attention to sort lists, and shows how each copes with longer ones. The "
            "same "
            "command, run again, resumes where it stopped.",
        .operands = "[FILE]",
        .max_operands = 1,
        .operand_of = "train",
        .options = options,
        .option_count = list_options(&c, options),
        .examples = examples,
        .example_count = sizeof examples / sizeof *examples,
        .lists = &c.lists,
        .config = &c.options.config,
    };
    const int count = argc;
    char **const words = argv;
    int status = app_options(&program, &argc, &argv);
    if (status == APP_RUN) status = train_and_show(&c, &program, count, words);
    lb_strings_free(&c.lists);
    app_json_file_close(&c.options.config.read);
    return status;
}
