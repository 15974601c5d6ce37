/* The kinds of models that lookback compare can train. */
#ifndef APP_COMPARED_KINDS_H
#define APP_COMPARED_KINDS_H

#include <lookback/models.h>

/** One kind. */
typedef struct app_compared_kind {
    const char *name;
    double lr;
    bool transformer;
    lb_attention_kind attention; /* for a GRU model */
    lb_normalizer weights;       /* of the attention */
    lb_cell_kind cell;
    lb_positional_kind positions; /* for a transformer */
    bool copy;
} app_compared_kind;

enum { APP_COMPARED_KINDS = 21 };

/** In the order of the columns and of the legend. */
extern const app_compared_kind app_compared_kinds[APP_COMPARED_KINDS];

/** The default: soft attention, and none. */
#define APP_USUAL_KINDS "none,additive,dot,general,scaled-dot,multi-head,sparsemax,entmax,transformer"

/** Marks the kinds of a list of names with commas between them.
 *  Errors: LB_ERROR_ARGUMENT for an unknown name. */
LB_MUST_USE lb_status app_compared_kinds_read(const char *list, bool wanted[APP_COMPARED_KINDS],
                                              lb_error *error);

#endif
