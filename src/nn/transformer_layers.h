/* Transformer layers and stacks of them, with PyTorch's equations and names. */
#ifndef LB_TRANSFORMER_LAYERS_H
#define LB_TRANSFORMER_LAYERS_H

#include "nn/multi_head.h"

/** Zero means the default in brackets. */
typedef struct lb_transformer_layer_config {
    int64_t width;        /* of the model */
    int64_t heads;        /* [1] */
    int64_t feed_forward; /* width between the two linear maps [4 width] */
    lb_real dropout;      /* [0] on the weights, after each part, and within the feed-forward part */
    bool pre_norm;        /* normalise before each part instead of after it: nn's norm_first */
    lb_real epsilon;      /* of the layer norms [1e-5] */
} lb_transformer_layer_config;

/** One layer: attention to itself, attention to the encoder's output in a decoder, and a feed-forward part, each with
 *  a residual connection and a layer norm. */
typedef struct lb_transformer_layer {
    lb_transformer_layer_config config;
    bool crosses;              /* a decoder's layer */
    lb_multi_head self, cross; /* NAME.self_attn, NAME.multihead_attn */
    lb_linear inner, outer;    /* NAME.linear1, NAME.linear2; relu between them */
    lb_layer_norm norm[3];     /* NAME.norm1 and so on */
} lb_transformer_layer;

/** Adds the parameters of nn.TransformerEncoderLayer, or with `crosses` of nn.TransformerDecoderLayer, below NAME.
 *  Errors: LB_ERROR_ARGUMENT if the heads do not divide the width; those of lb_params_add. Recorded in `params`. */
lb_status lb_transformer_layer_init(lb_transformer_layer *layer, lb_params *params, const char *name,
                                    bool crosses, lb_transformer_layer_config config);

/** What a layer attends to, and what it saw. Arrays have an entry for each layer of a stack. */
typedef struct lb_transformer_context {
    lb_tensor *self_mask; /* broadcasts to [batch, heads, length, past + length]; NULL: none */
    lb_key_values
        *past;         /* of the positions before x, NULL tensors if there are none: those of x are appended.
                               NULL: x begins the sequence */
    lb_tensor *memory; /* the encoder's output [batch, S, width]; decoder only */
    const lb_key_values
        *memory_projected;  /* instead of `memory`: lb_transformer_stack_project made them of it */
    lb_tensor *memory_mask; /* broadcasts to [batch, heads, length, S]; NULL: none */
    lb_tensor **self_weights, **cross_weights; /* stored where these are not NULL */
} lb_transformer_context;

/** Shapes: x [batch, length, width] -> the same. Errors: LB_ERROR_SHAPE. `index` says which weights are stored where. */
lb_tensor *lb_transformer_layer_forward(const lb_transformer_layer *layer, lb_tensor *x,
                                        const lb_transformer_context *context, int index);

/** A stack: NAME.layers.0, NAME.layers.1, ... and NAME.norm, as in nn.Transformer. */
typedef struct lb_transformer_stack {
    int layers;
    lb_transformer_layer *layer; /* [layers] */
    lb_layer_norm norm;
} lb_transformer_stack;

/** Errors: as lb_transformer_layer_init; LB_ERROR_ARGUMENT for less than one layer. */
lb_status lb_transformer_stack_init(lb_transformer_stack *stack, lb_params *params, const char *name,
                                    bool crosses, int layers, lb_transformer_layer_config config);

/** What every layer of a decoder makes of the encoder's output: once for a sequence that is decoded step by step.
 *  Shapes: memory [batch, S, width] -> `projected` [layers]. */
void lb_transformer_stack_project(const lb_transformer_stack *stack, lb_tensor *memory,
                                  lb_key_values *projected);

/** Shapes: x [batch, length, width] -> the same. Errors: LB_ERROR_SHAPE.
 *  Source: Vaswani et al. 2017, arXiv:1706.03762. Differs: a norm behind the last layer, as nn.Transformer has it. */
lb_tensor *lb_transformer_stack_forward(const lb_transformer_stack *stack, lb_tensor *x,
                                        const lb_transformer_context *context);

#endif
