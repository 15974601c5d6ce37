/* The kinds of models that lookback compare can train. */
#ifndef APP_COMPARED_KINDS_H
#define APP_COMPARED_KINDS_H

#include <lookback/models.h>

/** One kind. */
typedef struct app_compared_kind {
    const char *name;
    lb_attention_kind attention; /* of a recurrent model */
    lb_normalizer weights;       /* of the attention */
    lb_cell_kind cell;
    bool copy, transformer;
    lb_positional_kind positions; /* of a transformer */
} app_compared_kind;

enum { APP_COMPARED_KINDS = 32 }; /* room for all of them */

/** The default: soft attention, and none. */
#define APP_USUAL_KINDS "none,additive,dot,general,scaled-dot,multi-head,sparsemax,entmax,transformer"

/** The help of a list of kinds. */
const char *app_compared_kinds_help(void);

/** Reads a list of names with commas between them into kinds, in the order of the columns and of the legend: the usual
 *  ones first, then other kinds of attention and other models. Returns their number; 0 after an error.
 *  Errors: LB_ERROR_ARGUMENT for an unknown name. */
int app_compared_kinds_read(const char *list, app_compared_kind kinds[APP_COMPARED_KINDS], lb_error *error);

#endif
