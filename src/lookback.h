/* Lookback: sequence-to-sequence models with attention, trained on a CPU. The only header a user needs. */
#ifndef LOOKBACK_H
#define LOOKBACK_H

#include "autograd/gradcheck.h"
#include "autograd/ops.h"
#include "autograd/tape.h"
#include "tensor/gemm.h"
#include "tensor/rng.h"
#include "tensor/threads.h"

#endif
