/* What lb_attention_gru_sequence (ops/attention_gru.c) reads, by name. */
#ifndef LB_ATTENTION_GRU_H
#define LB_ATTENTION_GRU_H

#include "autograd/tokens.h"

/** The operands of lb_attention_gru_sequence and of its plain twin. */
typedef struct lb_attention_gru_operands {
    lb_tensor *x; /* [batch, time, 3 hidden] = W_ih input + b_ih without the context's part */
    const lb_tokens
        *tokens; /* NULL; or [batch, time]: each reads its row of x in place, a table [rows, 3 hidden] */
    const int32_t *lengths;  /* [batch], alive until lb_tape_reset; NULL: all rows are full */
    lb_tensor *initial;      /* [batch, hidden] */
    lb_tensor *keys;         /* [batch, K, width], projected */
    lb_tensor *values;       /* [batch, K, depth] */
    lb_tensor *mask;         /* [batch, K], as lb_attend_additive takes it; NULL hides nothing */
    lb_tensor *weight_query; /* [width, hidden] */
    lb_tensor *v;            /* [1, width] */
    lb_tensor
        *weight_context; /* [3 hidden, depth or more]: the last `depth` columns count, so weight_ih will do */
    lb_tensor *weight_hh; /* [3 hidden, hidden] */
    lb_tensor *bias_hh;   /* [3 hidden] */
} lb_attention_gru_operands;

#endif
