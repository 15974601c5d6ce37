/* Lookback: sequence-to-sequence models with attention, trained on a CPU. The only header a user needs. */
#ifndef LOOKBACK_H
#define LOOKBACK_H

#include "lookback/autograd.h"
#include "lookback/base.h"
#include "lookback/data.h"
#include "lookback/io.h"
#include "lookback/kinds.h"
#include "lookback/metrics.h"
#include "lookback/models.h"
#include "lookback/nn.h"
#include "lookback/ops.h"
#include "lookback/plot.h"
#include "lookback/tensor.h"
#include "lookback/train.h"
#include "lookback/translate.h"

#endif
