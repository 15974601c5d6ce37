/* The built-in types of attention. Each is defined in the file of its kind. */
#include "models/attention/decoder_attention.h"

/* kind, id */
#define BUILT_IN(X)                                                                                          \
    X(LB_ATTENTION_ADDITIVE, additive)                                                                       \
    X(LB_ATTENTION_NONE, none)                                                                               \
    X(LB_ATTENTION_DOT, dot)                                                                                 \
    X(LB_ATTENTION_GENERAL, general)                                                                         \
    X(LB_ATTENTION_SCALED_DOT, scaled_dot)                                                                   \
    X(LB_ATTENTION_MULTI_HEAD, multi_head)                                                                   \
    X(LB_ATTENTION_HARD, hard)                                                                               \
    X(LB_ATTENTION_MONOTONIC, monotonic)                                                                     \
    X(LB_ATTENTION_MONOTONIC_1, monotonic_1)                                                                 \
    X(LB_ATTENTION_LOCAL_M, local_m)                                                                         \
    X(LB_ATTENTION_LOCAL_P, local_p)                                                                         \
    X(LB_ATTENTION_COVERAGE, coverage)                                                                       \
    X(LB_ATTENTION_LOCATION, location)

#define DECLARE(kind, id)                                                                                    \
    extern const lb_built_in_attention lb_attention_##id;                                                    \
    extern const char lb_attention_name_##id[];
BUILT_IN(DECLARE)

#define TYPE(kind, id) [kind] = &lb_attention_##id,
const lb_built_in_attention *const lb_built_in_attentions[] = {BUILT_IN(TYPE) NULL};

#define NAME(kind, id) [kind] = lb_attention_name_##id,
const char *const lb_attention_names[] = {BUILT_IN(NAME) NULL};
