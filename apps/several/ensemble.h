/* Ensembles: one training for each member, as many in parallel as there are processors; then they are joined. */
#ifndef APP_ENSEMBLE_H
#define APP_ENSEMBLE_H

#include "console/console.h"
#include "several/side_by_side.h"

#include <lookback/translate.h>

/* ---- The members as a list on the command line: "additive:3,backward:2,transformer:2" (ensemble_list.c). ---- */

enum { APP_KIND = 64 };

/** One member. */
typedef struct app_member {
    char kind[APP_KIND];   /* as in the list; "model" in a list that is only a number */
    const char *model;     /* "seq2seq", "transformer"; NULL: as the options say */
    const char *attention; /* its name in files; NULL: as the options say */
    const char *direction; /* "forward", "backward"; NULL: as the options say */
    bool copy;             /* false: as the options say */
} app_member;

/** The members of a list. */
typedef struct app_members {
    app_member member[LB_JOIN_MOST];
    int count;
} app_members;

/** Reads a list of KIND or KIND:COUNT, with commas between. A kind is a name of lb_attention_names, "copy", which is
 *  additive attention and copying, or "transformer", with "-backward" behind it for a model that writes from the end;
 *  or "forward" or "backward", for the attention that the options name. A number alone is that many models as the
 *  options say.
 *  Errors: LB_ERROR_ARGUMENT for anything else, or more than LB_JOIN_MOST members. */
LB_MUST_USE lb_status app_members_read(app_members *members, const char *list, lb_error *error);

/* ---- The trainings (ensemble.c). ---- */

/** --ensemble LIST. */
#define APP_ENSEMBLE(pointer)                                                                                \
    APP_OPTIONAL_TEXT(                                                                                       \
        "ensemble", "LIST", (pointer),                                                                       \
        "train different models and let them vote, such as additive:3,backward:2,transformer:2: kinds "      \
        "of attention, transformer, forward or backward; additive-backward writes from the end; a number "   \
        "alone: that many with different seeds; auto: kinds and number by the pairs; --no-ensemble "         \
        "overrides "                                                                                         \
        "--config",                                                                                          \
        .usual = true)

/** How many models `auto` trains for so few pairs that a vote of many is worth its time; 0: there are more pairs. */
int app_ensemble_of_few(int64_t pairs);

/** Trains the members of `list`, each in a folder named by its kind and seed, with `repeated->seed` and the numbers
 *  after it, joins them, prints what they are good for, and writes that as ensemble.tsv. Running the same again resumes
 *  interrupted trainings and repeats none. Returns the exit status.
 *  Data:  the settings of the training; their strings must outlive the call.
 *  Usual: those without options, which members have for what is of another kind. */
int app_ensemble_run(const char *list, const app_repeated *repeated, const lb_training_config *data,
                     const lb_training_config *usual);

/* ---- What `train` and `join` say about the model that they have made (joined.c). ---- */

/** What evaluations count: "pairs", or "sources" if any target is right. */
const char *app_judged(const lb_training_config *config);

/** Prints a line for each test, and says of one that the model was chosen by that it is spent. `search` found the
 *  outputs. */
void app_print_tests(const lb_training_config *config, const char *search, const lb_evaluation *found,
                     const int64_t *pairs);

/** Shows how far a join is: an lb_tell_fn. `progress` is an app_progress that is zero at first. */
lb_status app_count_joined(void *progress, const lb_event *event, lb_error *error);

/** Prints a table of the members to standard output: weights, and measures if there are any. */
void app_show_joined(const lb_join_result *result);

/** Writes the table, with measures, as a file with tabs. Errors: LB_ERROR_WRITE, LB_ERROR_MEMORY. */
LB_MUST_USE lb_status app_write_joined(const lb_join_result *result, const char *path, lb_error *error);

#endif
