/* Kinds of models by a word, as settings of a training. */
#ifndef LB_TRAINING_KINDS_H
#define LB_TRAINING_KINDS_H

#include "settings/settings.h"

enum { LB_KIND = 64 };

/** A kind: "additive", "rotary", "transformer-backward". */
typedef struct lb_kind {
    char name[LB_KIND];    /* an attention has its own name, not an alias */
    const char *model;     /* "seq2seq", "transformer"; NULL: as the settings say */
    int attention;         /* its number; negative: as the settings say */
    const char *direction; /* "forward", "backward"; NULL: as the settings say */
    const char *more;      /* one setting more, "cell"; NULL: none */
    int value;             /* of it */
} lb_kind;

/** Reads a word, as lb_training_config_set_kind says. False: there is no such kind. */
LB_MUST_USE bool lb_kind_read(lb_kind *kind, const char *word);

/** Sets the settings of a kind, and takes back what models of it do not have, as in `usual`. */
void lb_kind_apply(const lb_kind *kind, const lb_training_config *usual, lb_training_config *config);

/** All kinds, without -backward: the usual ones first, then kinds of attention, and other models. NULL follows the
 *  last. */
const char *const *lb_kind_names(void);

/** The same as text, with commas between. */
const char *lb_kind_list(void);

/** Cuts -backward off. */
bool lb_kind_cut_direction(char *name);

/** How many of the first names are usual ones. */
enum { LB_USUAL_KINDS = 9 };

#endif
