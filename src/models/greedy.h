/* Greedy decoding: the likeliest token, step by step. */
#ifndef LB_GREEDY_H
#define LB_GREEDY_H

#include "models/model.h"

/** The outputs of a whole batch; arrays on the tape. */
typedef struct lb_decoded {
    int64_t batch, length; /* of the longest output, its LB_EOS included if it came to that */
    int64_t source_length;
    int32_t *id;           /* [batch, length]; LB_PAD behind a row's end; without LB_EOS */
    int32_t *lengths;      /* [batch] tokens before LB_EOS */
    bool *finished;        /* [batch] did LB_EOS come within the limit? */
    int64_t layers, heads; /* of the attention; 0 without */
    /* [batch, layers, heads, length, source_length]: where each output looked; NULL without attention */
    lb_real *weights;
} lb_decoded;

/** The place of the largest of some logits, the first of equal ones: the token that greedy decoding takes. */
int32_t lb_likeliest(const lb_real *logits, int64_t classes);

/** Decodes all rows of a batch side by side, and stops when every row has ended or has `limit` tokens.
 *  The tape evaluates while this runs; its mode is restored.
 *  Errors: LB_ERROR_INDEX, LB_ERROR_MEMORY, LB_ERROR_ARGUMENT for a limit below 1: then `batch` of the result is 0. */
lb_decoded lb_greedy(const lb_model *model, lb_tokens source, int64_t limit);

#endif
