/* The settings of a training, one row each. Options, files, checkpoints, messages and what a warm start decides are
 * derived from the rows: docs/adr/0022-one-table-of-options.md. */
#ifndef LB_SETTINGS_H
#define LB_SETTINGS_H

#include "base/buffer.h"
#include "lookback/kinds.h"
#include "lookback/translate.h"

/** The type of the field in lb_training_config. */
typedef enum lb_setting_type {
    LB_SETTING_FLAG,   /* bool; int if `zero_is_value` */
    LB_SETTING_INT,    /* int */
    LB_SETTING_SEED,   /* uint64_t */
    LB_SETTING_NUMBER, /* double */
    LB_SETTING_TEXT,   /* const char * */
    LB_SETTING_WORD,   /* const char *: one of `choices` */
    LB_SETTING_CHOICE, /* an enum: an index in `choices` */
    LB_SETTING_TESTS   /* lb_test [LB_MOST_TESTS], up to one without a name: NAME=FILE, repeatable */
} lb_setting_type;

/** The parts of a configuration, which are headings in --help. */
typedef enum lb_setting_part {
    LB_SETTING_DATA, /* only of pairs */
    LB_SETTING_MODEL,
    LB_SETTING_TRAINING,
    LB_SETTING_FILES
} lb_setting_part;

/** What is trained on, as bits. */
enum { LB_SETTING_OF_PAIRS = 1, LB_SETTING_OF_LISTS = 2 };

/** JSON that has some of the settings, in an order of its own. */
typedef enum lb_setting_list {
    LB_SETTINGS_IDENTITY, /* in a checkpoint: with other values it is another run */
    LB_SETTINGS_IN_FORCE, /* in the record of a model: what options may leave open */
    LB_SETTINGS_LISTS
} lb_setting_list;

/** Another name of a choice. */
typedef struct lb_alias {
    const char *name; /* NULL after the last */
    int choice;       /* its position */
} lb_alias;

/** One setting. */
typedef struct lb_setting {
    const char *name;     /* of the field, "kv_heads"; the option is --kv-heads; NULL after the last */
    const char *opposite; /* of a flag: the option is the opposite of the field, and has this name */
    const char *in_model; /* its name in the configuration of a model; NULL: `name` or `opposite` */
    size_t at;            /* in lb_training_config */
    lb_setting_type type;
    lb_setting_part part;
    int trainings;              /* that have it as an option: OF_PAIRS, OF_LISTS or both */
    double min, max;            /* of an option: inclusive; both 0: any */
    double min_of_lists;        /* if it is larger */
    const char *const *choices; /* ends with NULL; of a text: the valid words */
    const lb_alias *aliases;    /* of choices; NULL: none */
    double usual_value; /* the default where the recipe has one that depends on nothing; 0: it depends */
    bool
        zero_is_value; /* zero in the field, or no word, is the default: a negative number there means zero */
    bool of_rule;      /* how texts are read: decided by the model of a warm start */
    bool only_trains;  /* of the model, but its weights fit other values, too */
    bool of_session;   /* changes no weights: not in the record of a model */
    bool only_if_set;  /* left out of LB_SETTINGS_IDENTITY where it has its default */
    int together;      /* of those refused for another kind of model, rows with a number are named together */
    int place[LB_SETTINGS_LISTS]; /* in these lists, from 1; 0: not there */

    char letter;                      /* the short option, or 0 */
    const char *metavar;              /* the placeholder of its value */
    const char *help, *help_of_lists; /* the latter is NULL if there is no other */
    bool writes;                      /* names a file to be written */
    bool rare;                        /* no option of its own: --set NAME=VALUE */
    int usual;                        /* for these trainings, --help shows it without --all, too */
} lb_setting;

/** All settings, in the order of --help. */
extern const lb_setting lb_settings[];

/** Bytes of a name, and of an option as people type it. */
enum { LB_SETTING_NAME = 48, LB_SETTING_WORDS = 64 };

/** The setting with such a name, with dashes or underscores; NULL: there is none. */
const lb_setting *lb_setting_find(const char *name);

/** The name of a setting's option, with underscores, for that in the configuration of a model: "hidden" for "width".
 *  Any other name stays as it is. */
const char *lb_setting_field(const char *name);

/** Writes its option as people type it: "--hidden", or "--set kv-heads" if it is rare. */
char *lb_setting_words(const lb_setting *setting, char words[LB_SETTING_WORDS]);

/** The name of its option, without dashes before it. */
char *lb_setting_option(const lb_setting *setting, char name[LB_SETTING_NAME]);

/** The position of a choice with this name or alias; -1: there is none. */
int lb_setting_choice(const lb_setting *setting, const char *name);

/** "none, nfc or nfd". Returns `text`. */
char *lb_choices_text(const char *const *choices, char *text, size_t size);

/** Adds a test, or replaces that of the same name. False, and nothing is set, if the name is invalid, the file is "",
 *  or there are too many. `file` must outlive the tests. */
LB_MUST_USE bool lb_setting_add_test(lb_test *tests, const char *name, size_t length, const char *file);

/** Where a configuration has it. */
static inline void *lb_setting_place(const lb_setting *setting, lb_training_config *config)
{
    return (char *)config + setting->at;
}

/** Sets a flag, a number or a choice. */
void lb_setting_put(const lb_setting *setting, lb_training_config *config, double value);

/** Copies a setting from another configuration. */
void lb_setting_take(const lb_setting *setting, lb_training_config *config, const lb_training_config *from);

/** Whether a setting has its default. */
bool lb_setting_is_open(const lb_setting *setting, const lb_training_config *config);

/** Sets a setting to its default. */
void lb_setting_reset(const lb_setting *setting, lb_training_config *config);

/** Sets what is open to its `usual_value`, and a word to the first of its choices. */
void lb_settings_fill_in(lb_training_config *config);

/** Whether a part of the settings has any that is not the default. */
bool lb_settings_are_set(const lb_training_config *config, lb_setting_part part);

/** Checks the range of each setting. Errors: LB_ERROR_ARGUMENT with the first that is out of it. */
LB_MUST_USE lb_status lb_settings_check(const lb_training_config *config, lb_error *error);

/** Refuses settings that the kind of model lacks, unless they are as in `usual`, and sets them to zero.
 *  Options: whether the message names them as options or as fields.
 *  Errors: LB_ERROR_ARGUMENT. */
LB_MUST_USE lb_status lb_settings_fit_kind(lb_training_config *config, const lb_training_config *usual,
                                           bool options, lb_error *error);

/** Whether a model of this kind, "transformer", has something like it. Every kind has what none has in its
 *  configuration. */
bool lb_setting_is_of(const lb_setting *setting, const char *kind);

enum { LB_SETTINGS_END = 99 };

/** Prints the members of a list from one place in it to another, at most to its end. A negative number is printed as
 *  0. */
void lb_settings_print(lb_buffer *json, const lb_training_config *config, lb_setting_list list, int from,
                       int to);

struct cJSON;

/** Reads {"long": "long.tsv"}. False for anything else. */
LB_MUST_USE bool lb_setting_read_tests(lb_test *tests, const struct cJSON *object);

/** Reads what decides a training, and is still open, from a JSON object, by the names of options or fields: what is of
 *  no session and, except for LB_SETTINGS_LISTS, in this list. Texts live as long as the object. A value that is not of
 *  its setting is left out. */
void lb_settings_read(lb_training_config *config, const struct cJSON *object, lb_setting_list list);

/** The value of an option in the record of a training; of a vote, in that of its first member. NULL: there is none. */
const struct cJSON *lb_settings_recorded(const struct cJSON *record, const char *name);

/** Copies settings to the fields of the configuration of a model that have their name. */
void lb_settings_to_model(const lb_training_config *config, const lb_config_field *fields, void *model);

/** Copies those that are zero from the fields of the configuration of a model. */
void lb_settings_from_model(lb_training_config *config, const lb_config_field *fields, const void *model);

#endif
