/* One option: its row in the table of a program, and its value from text; and the words of a command line. */
#ifndef APP_OPTION_H
#define APP_OPTION_H

#include "base/buffer.h"
#include "base/format.h"
#include "base/instruction_set.h"
#include "console/console.h"
#include "settings/settings.h"
#include <lookback/base.h>

#include <stdbool.h>
#include <stdint.h>

/** One row of the table; use the macros below. Their last argument is the help; further fields may follow it:
 *
 *     APP_INT(0, "steps", "N", &steps, 1, 1 << 30, "steps to train", .usual = true)
 */
typedef struct app_option {
    enum app_option_kind { /* the types of settings, and others */
                           APP_IS_FLAG = LB_SETTING_FLAG,
                           APP_IS_INT = LB_SETTING_INT,
                           APP_IS_SEED = LB_SETTING_SEED,
                           APP_IS_NUMBER = LB_SETTING_NUMBER,
                           APP_IS_TEXT = LB_SETTING_TEXT,
                           APP_IS_ONE_OF = LB_SETTING_WORD, /* a text that is one of `choices` */
                           APP_IS_CHOICE = LB_SETTING_CHOICE,
                           APP_IS_TESTS = LB_SETTING_TESTS, /* NAME=FILE, repeatable */
                           APP_IS_TEXTS,
                           APP_IS_SET, /* NAME=VALUE: a setting by its name */
                           APP_IS_HEADING
    } kind;
    char letter;         /* the short form, or 0 */
    const char *name;    /* the long form, without dashes */
    const char *metavar; /* the placeholder of the value in --help */
    bool writes;   /* a text that names a file to be written: no other option or operand names it, too */
    bool optional; /* a text that --no-NAME takes back, such as that of a --config */
    bool usual;    /* one of the few that --help shows; --help --all shows the others, too */
    bool
        zero_is_value; /* a zero is a negative number in the variable, where zero is the default; a flag is an int */
    const char *help; /* the default is added automatically */
    union {
        bool *flag;
        int *integer;
        uint64_t *seed;
        double *number;
        const char **text;
        lb_strings *texts;
        lb_test *tests;
    } value;
    double min, max;            /* inclusive; both 0: any */
    const char *const *choices; /* NULL after the last */
    const lb_alias *aliases;    /* of choices; NULL: none */
    const lb_setting *setting;  /* of a training, whose field is the variable; NULL: it is none */
} app_option;

/** A heading in --help, above the options that follow. */
#define APP_HEADING(about)                                                                                   \
    {                                                                                                        \
        .kind = APP_IS_HEADING, .help = (about)                                                              \
    }

/** A row whose `field` of .value is the variable. What follows it is the help, and further fields. */
#define APP_ROW(of_kind, short_name, long_name, meta, field, pointer, ...)                                   \
    {                                                                                                        \
        .kind = (of_kind), .letter = (short_name), .name = (long_name), .metavar = (meta),                   \
        .value.field = (pointer), .help = __VA_ARGS__                                                        \
    }

/** Takes no value, sets a bool to true; --no-NAME sets it to false. */
#define APP_FLAG(short_name, long_name, pointer, ...)                                                        \
    APP_ROW(APP_IS_FLAG, short_name, long_name, NULL, flag, pointer, __VA_ARGS__)

/** An int from `low` to `high`. An initial value outside means "not given", and is not shown as a default. */
#define APP_INT(short_name, long_name, meta, pointer, low, high, ...)                                        \
    APP_ROW(APP_IS_INT, short_name, long_name, meta, integer, pointer, __VA_ARGS__, .min = (low),            \
            .max = (high))

/** The instruction set of --isa, and the number of --threads. */
extern int app_isa, app_threads;

/** What all programs that compute have: the threads, for lb_set_threads, and the instruction set. */
#define APP_THREADS                                                                                          \
    APP_CHOICE(0, "isa", "SET", &app_isa, lb_instruction_set_names,                                          \
               "instruction set of the kernels, also set by LOOKBACK_ISA; it decides the last bits"),        \
        APP_INT(0, "threads", "N", &app_threads, 0, 1024,                                                    \
                "number of threads, which leaves results as they are; 0: OMP_NUM_THREADS, or at most one "   \
                "per processor")

/** Leaves out notes and progress. */
#define APP_QUIET APP_FLAG('q', "quiet", &app_quiet, "print only warnings and errors on standard error")

/** --set NAME=VALUE: any of the table's rows of settings. */
#define APP_SET                                                                                              \
    {                                                                                                        \
        .kind = APP_IS_SET, .name = "set", .metavar = "NAME=VALUE",                                          \
        .help = "a setting by its name, also one that is no option; --help --all lists them"                 \
    }

/** Any uint64_t. */
#define APP_SEED(short_name, long_name, meta, pointer, ...)                                                  \
    APP_ROW(APP_IS_SEED, short_name, long_name, meta, seed, pointer, __VA_ARGS__)

/** A finite double from `low` to `high`. As for an int, an initial value outside means "not given". */
#define APP_NUMBER(short_name, long_name, meta, pointer, low, high, ...)                                     \
    APP_ROW(APP_IS_NUMBER, short_name, long_name, meta, number, pointer, __VA_ARGS__, .min = (low),          \
            .max = (high))

/** A const char * that will point into argv. NULL: no default. What names a file, a folder, a model or a list cannot be
 *  empty. */
#define APP_TEXT(short_name, long_name, meta, pointer, ...)                                                  \
    APP_ROW(APP_IS_TEXT, short_name, long_name, meta, text, pointer, __VA_ARGS__)

/** The same for a file that the program writes. */
#define APP_OUTPUT(short_name, long_name, pointer, ...)                                                      \
    APP_TEXT(short_name, long_name, "FILE", pointer, __VA_ARGS__, .writes = true)

/** As APP_TEXT; --no-NAME makes it NULL. */
#define APP_OPTIONAL_TEXT(long_name, meta, pointer, ...)                                                     \
    APP_TEXT(0, long_name, meta, pointer, __VA_ARGS__, .optional = true)

/** An lb_strings, in the order of the command line: the option may be given several times. */
#define APP_TEXTS(short_name, long_name, meta, pointer, ...)                                                 \
    APP_ROW(APP_IS_TEXTS, short_name, long_name, meta, texts, pointer, __VA_ARGS__)

/** A text that is one of the words (ending with NULL), which --help lists. Capitals count as small letters, and the
 *  variable receives the word of the list. */
#define APP_WORD(short_name, long_name, meta, pointer, words, ...)                                           \
    APP_ROW(APP_IS_ONE_OF, short_name, long_name, meta, text, pointer, __VA_ARGS__, .choices = (words))

/** One of several words (ending with NULL), which --help lists; sets an int to the index of the word. */
#define APP_CHOICE(short_name, long_name, meta, pointer, words, ...)                                         \
    APP_ROW(APP_IS_CHOICE, short_name, long_name, meta, integer, pointer, __VA_ARGS__, .choices = (words))

/* ---- Words: words.c. ---- */

/** The search for the word that was probably meant by a misspelt one. Initialise it with the word only. */
typedef struct app_nearest {
    const char *word;
    const char *name; /* the closest so far, the first one in a tie; NULL before the first */
    int64_t distance; /* edits between the two */
} app_nearest;

/** Compares the word with a valid name, which must outlive the search; without memory for it, it is not close. A word
 *  that is a prefix of the name counts as a single edit, and a capital as its small letter. */
void app_nearest_try(app_nearest *nearest, const char *name);

enum { APP_HINT = 80 };

/** Writes " (did you mean NAME?)", with `before` in front of the closest name, if the edits are few enough for a typo;
 *  otherwise "". Returns `hint`. */
const char *app_nearest_hint(const app_nearest *nearest, const char *before, char hint[APP_HINT]);

/** Whether a word is one of the words, which end with NULL; there may be none at all, NULL. */
bool app_is_one_of(const char *word, const char *const *words);

/* ---- The option of a row, and its value: option.c. ---- */

/** Sets the option's variable from the text, a flag from "true" or "false". A text option will point to it.
 *  Returns false, and sets nothing, if the value is invalid. */
LB_MUST_USE bool app_option_set(const app_option *option, const char *text);

/** Whether app_option_set has been called for an option of this variable: its value was then given, default or not. */
bool app_option_was_set(const void *variable);

/** Notes that the variable was given in another way. */
void app_option_note_set(const void *variable);

/** The value of its variable as text, a number in `number`; NULL if it has none, or one that means "not given". */
enum { APP_OPTION_NUMBER = LB_NUMBER };
const char *app_option_value(const app_option *option, char number[APP_OPTION_NUMBER]);

/** Writes it as people type it: "--hidden", or "--set softcap". */
const char *app_option_words(const app_option *option, char words[LB_SETTING_WORDS]);

/** Whether it has no name of its own on the command line: --set NAME=VALUE. */
bool app_option_is_rare(const app_option *option);

/** Writes what the option expects, such as "a whole number from 1 to 65536". */
void app_option_expects(const app_option *option, char *text, size_t size);

/** Writes " (did you mean NAME?)" if the text is nearly the name of a choice, otherwise "". */
void app_option_hint(const app_option *option, const char *text, char hint[APP_HINT]);

/** Whether its text names a file, a folder or a model. */
bool app_option_is_path(const app_option *option);

/** Whether it is a flag that is on. */
bool app_option_is_on(const app_option *option);

/** Checks that no file to be written is also named by another option or an operand, or is standard input. What is no
 *  regular file, such as /dev/null, can be named twice.
 *  Errors: LB_ERROR_ARGUMENT with both. */
LB_MUST_USE lb_status app_option_files_check(const app_option *options, int option_count,
                                             char *const *operands, int operand_count, lb_error *error);

/* ---- Its help: options_help.c. ---- */

/** Writes the text of the option in --help: its purpose, its choices and its default. */
void app_option_describe(const app_option *option, char *text, size_t size);

/** The options that every program has. */
extern const app_option app_option_help, app_option_version;

#endif
