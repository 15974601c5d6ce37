/* The members of an ensemble as a list on the command line: "additive:3,backward:2,transformer:2". */
#ifndef APP_ENSEMBLE_LIST_H
#define APP_ENSEMBLE_LIST_H

#include <lookback/translate.h>

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

#endif
