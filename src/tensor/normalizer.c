#include "lookback/tensor.h"

#include <stddef.h>

const char *const lb_normalizer_names[] = {
    [LB_SOFTMAX] = "softmax", [LB_SPARSEMAX] = "sparsemax", [LB_ENTMAX] = "entmax", NULL};
