/* The command line as a table. The variables hold the defaults; parsing changes those that are given:
 *
 *     int batch = 64;
 *     const app_option options[] = {
 *         APP_INT('b', "batch", "N", &batch, 1, 65536, "lists in a batch"),
 *     };
 *     static const app_example examples[] = {{"Sort numbers up to 9.", "lookback sort --max-number 9"}};
 *     const app_program program = {
 *         .name = "sort", .purpose = "Trains a model to sort numbers.",
 *         .options = options, .option_count = sizeof options / sizeof options[0],
 *         .examples = examples, .example_count = sizeof examples / sizeof examples[0],
 *     };
 *     int status = app_options(&program, &argc, &argv);
 *     if (status != APP_RUN) return status;
 */
#ifndef APP_OPTIONS_H
#define APP_OPTIONS_H

#include <lookback/base.h>

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

/** Another name of a choice. */
typedef struct app_alias {
    const char *name; /* NULL after the last */
    int choice;       /* its position */
} app_alias;

/** Texts of an option that may be given several times, in the order of the command line; they point into argv. Zero is
 *  empty. Release `text` with lb_release. */
typedef struct app_texts {
    const char **text; /* [count] */
    size_t count;
} app_texts;

/** One row of the table; use the macros below. */
typedef struct app_option {
    enum {
        APP_IS_HEADING,
        APP_IS_FLAG,
        APP_IS_INT,
        APP_IS_SEED,
        APP_IS_NUMBER,
        APP_IS_TEXT,
        APP_IS_TEXTS,
        APP_IS_CHOICE
    } kind;
    char letter;         /* the short form, or 0 */
    const char *name;    /* the long form, without dashes */
    const char *metavar; /* the placeholder of the value in --help */
    bool writes;      /* a text that names a file to be written: no other option or operand names it, too */
    bool optional;    /* a text that --no-NAME takes back, such as that of a --config */
    const char *help; /* the default is added automatically */
    union {
        bool *flag;
        int *integer;
        uint64_t *seed;
        double *number;
        const char **text;
        app_texts *texts;
    } value;
    double min, max;            /* inclusive; both 0: any */
    const char *const *choices; /* NULL after the last; for a text: the valid words, for --help */
    const app_alias *aliases;   /* of choices; NULL: none */
} app_option;

/** A heading in --help, above the options that follow. */
#define APP_HEADING(about)                                                                                   \
    {                                                                                                        \
        .kind = APP_IS_HEADING, .help = (about)                                                              \
    }

/** Takes no value, sets a bool to true; --no-NAME sets it to false. */
#define APP_FLAG(short_name, long_name, pointer, about)                                                      \
    {                                                                                                        \
        .kind = APP_IS_FLAG, .letter = (short_name), .name = (long_name), .help = (about),                   \
        .value.flag = (pointer)                                                                              \
    }

/** An int from `low` to `high`. An initial value outside means "not given", and is not shown as a default. */
#define APP_INT(short_name, long_name, meta, pointer, low, high, about)                                      \
    {                                                                                                        \
        .kind = APP_IS_INT, .letter = (short_name), .name = (long_name), .metavar = (meta), .help = (about), \
        .value.integer = (pointer), .min = (low), .max = (high)                                              \
    }

/** The threads that all programs have, for lb_set_threads. */
#define APP_THREADS(pointer)                                                                                 \
    APP_INT(0, "threads", "N", (pointer), 0, 1024,                                                           \
            "number of threads; 0: OMP_NUM_THREADS, or one per processor. Results do not depend on it")

/** The parts of a batch, for several processes: lb_training_config.shards. */
#define APP_SHARDS(pointer)                                                                                  \
    APP_INT(0, "shards", "N", (pointer), 0, 1024,                                                            \
            "parts of each batch for the processes of mpirun, a power of two; 0: as before, or as many as "  \
            "processes. Like "                                                                               \
            "--seed, it decides the bits of the result, whereas the number of processes does not")

/** Any uint64_t. */
#define APP_SEED(short_name, long_name, meta, pointer, about)                                                \
    {                                                                                                        \
        .kind = APP_IS_SEED, .letter = (short_name), .name = (long_name), .metavar = (meta),                 \
        .help = (about), .value.seed = (pointer)                                                             \
    }

/** A finite double from `low` to `high`. As for an int, an initial value outside means "not given". */
#define APP_NUMBER(short_name, long_name, meta, pointer, low, high, about)                                   \
    {                                                                                                        \
        .kind = APP_IS_NUMBER, .letter = (short_name), .name = (long_name), .metavar = (meta),               \
        .help = (about), .value.number = (pointer), .min = (low), .max = (high)                              \
    }

/** A const char * that will point into argv. NULL: no default. What names a file, a folder, a model or a list cannot be
 *  empty. */
#define APP_TEXT(short_name, long_name, meta, pointer, about)                                                \
    {                                                                                                        \
        .kind = APP_IS_TEXT, .letter = (short_name), .name = (long_name), .metavar = (meta),                 \
        .help = (about), .value.text = (pointer)                                                             \
    }

/** The same for a file that the program writes. */
#define APP_OUTPUT(short_name, long_name, pointer, about)                                                    \
    {                                                                                                        \
        .kind = APP_IS_TEXT, .letter = (short_name), .name = (long_name), .metavar = "FILE",                 \
        .help = (about), .writes = true, .value.text = (pointer)                                             \
    }

/** As APP_TEXT; --no-NAME makes it NULL. */
#define APP_OPTIONAL_TEXT(long_name, meta, pointer, about)                                                   \
    {                                                                                                        \
        .kind = APP_IS_TEXT, .name = (long_name), .metavar = (meta), .help = (about), .optional = true,      \
        .value.text = (pointer)                                                                              \
    }

/** An app_texts: the option may be given several times. */
#define APP_TEXTS(short_name, long_name, meta, pointer, about)                                               \
    {                                                                                                        \
        .kind = APP_IS_TEXTS, .letter = (short_name), .name = (long_name), .metavar = (meta),                \
        .help = (about), .value.texts = (pointer)                                                            \
    }

/** A text that is one of the words (ending with NULL), which --help lists. The program must check it. */
#define APP_WORD(short_name, long_name, meta, pointer, words, about)                                         \
    {                                                                                                        \
        .kind = APP_IS_TEXT, .letter = (short_name), .name = (long_name), .metavar = (meta),                 \
        .help = (about), .value.text = (pointer), .choices = (words)                                         \
    }

/** One of several words (ending with NULL), which --help lists; sets an int to the index of the word. */
#define APP_CHOICE(short_name, long_name, meta, pointer, words, about)                                       \
    {                                                                                                        \
        .kind = APP_IS_CHOICE, .letter = (short_name), .name = (long_name), .metavar = (meta),               \
        .help = (about), .value.integer = (pointer), .choices = (words)                                      \
    }

/** A command line for --help and the manual. It must run as printed. */
typedef struct app_example {
    const char *about;   /* one sentence */
    const char *command; /* for a shell; long ones continue on the next line, after a backslash */
} app_example;

/** The description of a program for app_options. */
typedef struct app_program {
    const char *name;     /* as a command of lookback */
    const char *purpose;  /* begins with one sentence about what it does */
    const char *operands; /* the arguments after the options, such as "MODEL"; NULL: none */
    int min_operands, max_operands;
    const app_option *options;
    int option_count;
    const app_example *examples;
    int example_count;
    const char *kernel; /* for --version: the matrix kernel, "OpenBLAS 0.3.21 Cooperlake"; or NULL */
    const struct lb_group *
        *group;        /* receives the ranks of mpirun, as app_ranks_join; NULL: the program has none */
    const bool *alone; /* a flag with which it has none; NULL: no such flag */
} app_program;

/** What the command line asks for. */
typedef enum app_request { APP_REQUEST_RUN, APP_REQUEST_HELP, APP_REQUEST_VERSION } app_request;

/** The program should continue; any other value is an exit status. */
enum { APP_RUN = -1 };

/** Parses the command line by the program's table, after calling app_settle_threads and app_start. Afterwards *argc and
 *  *argv are the operands.
 *  Handles --help, --version and usage errors itself, and then returns the exit status: 0, 2, or 74 if the output could
 *  not be written. Without --help and --version, joins the ranks first, which may fail, too. Otherwise returns APP_RUN. */
LB_MUST_USE int app_options(const app_program *program, int *argc, char ***argv);

/** The parsing of app_options alone: prints nothing.
 *  Errors: LB_ERROR_ARGUMENT, with a message that names the option, what was expected and what was found. */
LB_MUST_USE lb_status app_options_parse(const app_program *program, int *argc, char ***argv,
                                        app_request *request, lb_error *error);

/** Prints the text of --help. */
void app_options_help(const app_program *program, FILE *out);

/** Prints examples as shell commands, each below a comment that describes it. */
void app_examples_print(const app_example *examples, int count, FILE *out);

/** Receives a program's table. */
typedef void app_table_reader(const app_program *program, void *context);

/** From now on, app_options only passes the program's table to the reader and returns 0, to generate manual pages and
 *  completions. */
void app_options_read_by(app_table_reader *reader, void *context);

#endif
