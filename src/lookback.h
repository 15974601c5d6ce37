/* Lookback: sequence-to-sequence models with attention, trained on a CPU. The only header a user needs. */
#ifndef LOOKBACK_H
#define LOOKBACK_H

#include "autograd/gradcheck.h"
#include "autograd/op.h"
#include "autograd/ops.h"
#include "data/sort_task.h"
#include "data/sort_task_json.h"
#include "io/npy.h"
#include "models/beam.h"
#include "models/greedy.h"
#include "models/model_file.h"
#include "models/seq2seq.h"
#include "models/transformer.h"
#include "nn/attention.h"
#include "nn/layer_norm.h"
#include "nn/multi_head.h"
#include "nn/plain.h"
#include "nn/positional.h"
#include "nn/transformer_layers.h"
#include "plot/chart.h"
#include "plot/heatmap.h"
#include "tensor/alloc.h"
#include "tensor/gemm.h"
#include "tensor/rng.h"
#include "tensor/threads.h"
#include "train/batch.h"
#include "train/evaluate.h"
#include "train/optimizer.h"
#include "train/schedule.h"
#include "train/trainer.h"

#endif
