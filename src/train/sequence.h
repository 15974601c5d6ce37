/* A sequence of symbols, as the measures see outputs and references. */
#ifndef LB_SEQUENCE_H
#define LB_SEQUENCE_H

#include <stdint.h>

/** Symbols by their ids, 0 or more, without any that stands for a beginning, an end or padding. */
typedef struct lb_sequence {
    const int32_t *id; /* [length] */
    int64_t length;
} lb_sequence;

#endif
