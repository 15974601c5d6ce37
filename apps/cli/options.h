/* The command line as a table. The variables hold the defaults; parsing changes those that are given:
 *
 *     int batch = 64;
 *     const app_option options[] = {
 *         APP_INT('b', "batch", "N", &batch, 1, 65536, "lists in a batch"),
 *     };
 *     static const app_example examples[] = {{"Sort numbers up to 9.", "lookback sort --max-number 9"}};
 *     const app_program program = {
 *         .name = "sort", .purpose = "Trains a model to sort numbers.",
 *         APP_TABLES(options, examples),
 *     };
 *     int status = app_options(&program, &argc, &argv);
 *     if (status != APP_RUN) return status;
 */
#ifndef APP_OPTIONS_H
#define APP_OPTIONS_H

#include "cli/option.h"

/** A command line for --help and the manual. It must run as printed. */
typedef struct app_example {
    const char *about;   /* one sentence */
    const char *command; /* for a shell; long ones continue on the next line, after a backslash */
} app_example;

enum { APP_MOST_OPTIONS = 128 }; /* of a program, headings included */

/** The description of a program for app_options. */
typedef struct app_program {
    const char *name;     /* as a command of lookback */
    const char *purpose;  /* begins with one sentence about what it does */
    const char *operands; /* the arguments after the options, such as "MODEL"; NULL: none */
    int min_operands, max_operands;
    const char *operand_of; /* the option that the operand sets, such as "train"; NULL: none */
    const app_option *options;
    int option_count;
    const app_example *examples;
    int example_count;
    struct app_config *config;     /* of APP_CONFIG_OPTIONS; NULL: it has none */
    const struct lb_group **group; /* receives the ranks of mpirun; NULL: they cannot share the work */
    const bool *alone;             /* a flag with which it has none; NULL: no such flag */
    /* Of a setting with one value, several with commas between, "attention=dot,none"; NULL: they are an error. */
    lb_strings *lists;
} app_program;

/** Both tables of a program, with their lengths. */
#define APP_TABLES(rows, lines)                                                                              \
    .options = (rows), .option_count = sizeof(rows) / sizeof *(rows), .examples = (lines),                   \
    .example_count = sizeof(lines) / sizeof *(lines)

typedef enum app_request {
    APP_REQUEST_RUN,
    APP_REQUEST_HELP,
    APP_REQUEST_HELP_ALL,
    APP_REQUEST_VERSION
} app_request;

/** The program should continue; any other value is an exit status. */
enum { APP_RUN = -1 };

/** The beginning of a program (program.c): app_let_threads_sleep, app_start, the command line by the program's table,
 *  app_ranks_join, app_ranks_set_threads, and the file of --config, whose options the command line overrides.
 *  Afterwards *argc and *argv are the operands. A program with a `group` ends with app_ranks_leave. Handles --help,
 *  --version, usage errors, and ranks that cannot share the work itself, and then returns the exit status: 0, 2, 65 or
 *  66 for an invalid file, 66 if MPI cannot be loaded, or 74 if the output could not be written. Otherwise returns
 *  APP_RUN. */
LB_MUST_USE int app_options(const app_program *program, int *argc, char ***argv);

/** The parsing of app_options alone: prints nothing.
 *  Errors: LB_ERROR_ARGUMENT, with a message that names the option, what was expected and what was found. */
LB_MUST_USE lb_status app_options_parse(const app_program *program, int *argc, char ***argv,
                                        app_request *request, lb_error *error);

/** Lists the usual options, or, with `all`, headings and options in the order of --help: rare ones come last, below
 *  a heading of their own. Returns how many there are. */
int app_options_list(const app_program *program, bool all, const app_option *listed[APP_MOST_OPTIONS + 1]);

/** The option with this name; NULL if the program has none. */
const app_option *app_options_find(const app_program *program, const char *name);

/** Prints the text of --help: the usual options, or all of them if none is marked as usual. With `all`, that of --help
 *  --all. */
void app_options_help(const app_program *program, bool all, FILE *out);

/** Prints examples as shell commands, each below a comment that describes it. */
void app_examples_print(const app_example *examples, int count, FILE *out);

typedef void app_table_reader(const app_program *program, void *context);

/** From now on, app_options only passes the program's table to the reader and returns 0, to generate manual pages and
 *  completions. */
void app_options_read_by(app_table_reader *reader, void *context);

/* ---- The settings of a training as options: setting_options.c. ---- */

struct cJSON;

/** The option for a setting of `config`; its help is that for these trainings, LB_SETTING_OF_PAIRS or OF_LISTS. */
app_option app_setting_option(const lb_setting *setting, lb_training_config *config, int trainings);

/** Puts a part of the settings that these trainings have behind `to`, below its heading. Returns the end. */
app_option *app_setting_options(app_option *to, lb_setting_part part, lb_training_config *config,
                                int trainings);

/** Puts a table of further options behind `to`. Returns the end. */
#define APP_ADD(to, rows) app_options_add((to), (rows), sizeof(rows) / sizeof *(rows))
app_option *app_options_add(app_option *to, const app_option *options, size_t count);

/** Resets what a model to start from decides and no option has set: with `words`, what is one of several words;
 *  without, all the rest. Does nothing if `config->from` is NULL. */
void app_settings_leave_open(lb_training_config *config, bool words);

/** Replaces the options in the record of a training, which are those of its command, by what was in force: by the
 *  record's "settings", which are removed, and by the configuration of the model. Options of another kind of model are
 *  removed. For an ensemble, it does so for each of the record's "members". Records without options, and parts of files
 *  that have another form, stay as they are.
 *  Config, kind: of the model; may be NULL.
 *  Errors: LB_ERROR_MEMORY. */
LB_MUST_USE lb_status app_put_options_in_force(struct cJSON *record, const struct cJSON *config,
                                               const char *kind, lb_error *error);

#endif
