/* Uses each part of the interface that no program, example or document needs: ops, modules, readers, measures. Fails
 * unless every result is a number, and those that are known are right. */
#include <lookback/lookback.h>
#include <lookback/op.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

static int failed;

static void check(bool right, const char *what)
{
    if (!right) fprintf(stderr, "%s is wrong\n", what);
    failed += !right;
}

/* Finite numbers, with this sum unless it is NaN. */
static void check_sum(lb_tensor *x, double expected, const char *what)
{
    double sum = 0;
    for (int64_t i = 0; lb_is_sound(x) && i < lb_count(x); i++) sum += (double)x->data[i];
    if (!lb_is_sound(x)) fprintf(stderr, "%s: %s\n", what, lb_tensor_error(x));
    check(lb_is_sound(x) && isfinite(sum) && !(fabs(sum - expected) > 1e-3), what);
}

#define USE(expression)      check_sum((expression), NAN, #expression)
#define IS(expression, what) check_sum((expression), (what), #expression)

/* Numbers between 0.1 and 0.9. */
static lb_tensor *some(lb_tape *tape, lb_shape shape)
{
    lb_tensor *x = lb_tensor_new(tape, shape, NULL);
    for (int64_t i = 0; lb_is_sound(x) && i < lb_count(x); i++)
        x->data[i] = (lb_real)(0.1 + 0.1 * (double)lb_rng_below((lb_rng){.seed = 1}, (uint64_t)i, 9));
    return x;
}

static void use_elements(lb_tape *tape)
{
    lb_tensor *x = lb_tensor_new(tape, LB_SHAPE(2, 2), (const lb_real[]){1, 4, 9, 16}), *parts[2];
    IS(lb_abs(lb_scale(x, -1)), 30);
    IS(lb_sqrt(x), 10);
    IS(lb_log(x), log(576));
    IS(lb_div(x, x), 4);
    IS(lb_pow(x, lb_scale(lb_div(x, x), 2)), 354);
    IS(lb_relu(lb_scale(x, -1)), 0);
    IS(lb_sigmoid(lb_sub(x, x)), 2);
    IS(lb_softplus(lb_sub(x, x)), 4 * log(2));
    IS(lb_maximum(x, lb_scale(x, 2)), 60);
    IS(lb_minimum(x, lb_scale(x, 2)), 30);
    IS(lb_where(lb_sub(x, x), x, lb_scale(x, 3)), 90);
    IS(lb_cumsum(x, 1), 1 + 5 + 9 + 25);
    IS(lb_sum(x, 0), 30);
    IS(lb_reduce_max(x, 1), 20);
    IS(lb_stack((lb_tensor *[]){x, x}, 2, 0), 60);
    lb_split_axis(x, 1, (const int64_t[]){1, 1}, 2, parts);
    IS(parts[1], 20);
    IS(lb_standardize(x, lb_tensor_new(tape, LB_SHAPE(2), NULL), lb_tensor_new(tape, LB_SHAPE(2), NULL), 1),
       0);
    IS(lb_dropout(x, 0), 30);
    USE(lb_log_softmax(x));
    USE(lb_log_sum_exp(x, 1));
    check(lb_shape_dim(x->shape, -1) == 2 && lb_tape_mode(tape) == LB_MODE_TRAIN, "a shape or a mode");
}

static void use_losses(lb_tape *tape)
{
    lb_tensor *logits = some(tape, LB_SHAPE(2, 3, 4)), *wanted = lb_softmax(logits);
    lb_tokens tokens = lb_tokens_from(tape, (const int32_t[]){1, 2, 3, 0, 1, 2}, NULL, 2, 3);
    USE(lb_cross_entropy_smoothed(logits, tokens, LB_PAD, (lb_real)0.1));
    USE(lb_cross_entropy_weighted(logits, some(tape, LB_SHAPE(4)), tokens, LB_PAD, 0));
    USE(lb_cross_entropy_soft(logits, wanted, NULL, NULL, 0));
    USE(lb_entmax_loss(logits, tokens, LB_PAD, 0, LB_SPARSEMAX));
    IS(lb_mean_squared_error(logits, logits), 0);
    USE(lb_embedding_lookup(tokens, some(tape, LB_SHAPE(4, 5))));
    USE(lb_copy_mixture(logits, lb_softmax(some(tape, LB_SHAPE(2, 3, 3))), some(tape, LB_SHAPE(2, 3, 1)),
                        tokens));
}

static void use_attention(lb_tape *tape)
{
    lb_tensor *q = some(tape, LB_SHAPE(2, 3, 4)), *weights = lb_softmax(some(tape, LB_SHAPE(2, 3, 3)));
    lb_tensor *classes = some(tape, LB_SHAPE(2, 3, 3, 5)), *scores = some(tape, LB_SHAPE(2, 3, 3));
    lb_tokens tokens = lb_tokens_from(tape, (const int32_t[]){1, 2, 3, 0, 1, 2}, NULL, 2, 3);
    USE(lb_attend_dot_by(q, q, q, NULL, NULL, 2, 1, 0, LB_SPARSEMAX));
    USE(lb_attend_additive_by(q, q, q, some(tape, LB_SHAPE(4)), NULL, LB_ENTMAX));
    USE(lb_attend_hard(classes, scores, NULL, NULL));
    USE(lb_attend_monotonic(classes, scores, NULL, NULL, NULL, tokens));
    USE(lb_gaussian_window(weights, some(tape, LB_SHAPE(2, 3, 1)), 1));
    USE(lb_convolve(some(tape, LB_SHAPE(2, 6)), some(tape, LB_SHAPE(3, 1, 5))));
    USE(lb_pair_affine(q, q, some(tape, LB_SHAPE(5, 4)), NULL));
    USE(lb_relative_bias(some(tape, LB_SHAPE(32, 2)), (lb_relative_options){.queries = 3, .keys = 3}));
    USE(lb_alibi_bias(tape, 2, 3, 3, 0));
    lb_tensor *hh = some(tape, LB_SHAPE(12, 4)), *bias = some(tape, LB_SHAPE(12));
    USE(lb_gru_sequence(some(tape, LB_SHAPE(2, 3, 12)), NULL, NULL, hh, bias, NULL, false));
    USE(lb_lstm_sequence(some(tape, LB_SHAPE(2, 3, 16)), NULL, NULL, some(tape, LB_SHAPE(16, 4)),
                         some(tape, LB_SHAPE(16)), NULL, true));
    const lb_attention_gru_operands operands = {.x = some(tape, LB_SHAPE(2, 3, 12)),
                                                .initial = some(tape, LB_SHAPE(2, 4)),
                                                .keys = q,
                                                .values = q,
                                                .weight_query = some(tape, LB_SHAPE(4, 4)),
                                                .v = some(tape, LB_SHAPE(1, 4)),
                                                .weight_context = hh,
                                                .weight_hh = hh,
                                                .bias_hh = bias};
    USE(lb_attention_gru_sequence(&operands));
}

static void use_modules(lb_params *params, lb_tape *tape)
{
    lb_tensor *x = some(tape, LB_SHAPE(2, 3, 4)), *first = some(tape, LB_SHAPE(2, 4));
    lb_tokens tokens = lb_tokens_from(tape, (const int32_t[]){1, 2, 3, 0, 1, 2}, NULL, 2, 3);
    lb_gru_cell gru;
    lb_lstm_cell cell;
    lb_lstm lstm;
    lb_recurrent layers;
    lb_layer_norm norm;
    lb_embedding embedding;
    lb_positional positional;
    lb_transformer_layer layer;
    lb_transformer_stack stack;
    const lb_transformer_layer_config of_layer = {.width = 4, .heads = 2};
    lb_gru_cell_init(&gru, params, "gru", "", 4, 4);
    lb_lstm_cell_init(&cell, params, "cell", "", 4, 4);
    lb_lstm_init(&lstm, params, "lstm", (lb_lstm_config){.input = 4, .hidden = 5});
    lb_recurrent_init(&layers, params, "layers", (lb_recurrent_config){.input = 4, .hidden = 5, .layers = 2});
    lb_layer_norm_init(&norm, params, "norm", 4, 0);
    lb_embedding_init(&embedding, params, "embedding", 4, 4, 0);
    lb_positional_init(&positional, params, "positions",
                       (lb_positional_config){.kind = LB_POSITIONAL_ALIBI, .heads = 2});
    lb_transformer_layer_init(&layer, params, "layer", false, of_layer);
    lb_transformer_stack_init(&stack, params, "stack", false, 2, of_layer);
    USE(lb_gru_cell_forward(&gru, first, first));
    USE(lb_gru_cell_forward_reset_first(&gru, first, first));
    USE(lb_lstm_cell_forward(&cell, first, some(tape, LB_SHAPE(2, 8))));
    USE(lb_lstm_forward(&lstm, x, NULL, NULL).outputs);
    USE(lb_lstm_forward_tokens(&lstm, &embedding, tokens, NULL).outputs);
    USE(lb_recurrent_forward(&layers, x, NULL, NULL).outputs);
    USE(lb_layer_norm_forward(&norm, x));
    USE(lb_positional_bias(&positional, tape, 0, 3));
    USE(lb_transformer_layer_forward(&layer, x, &(lb_transformer_context){0}, 0));
    USE(lb_transformer_stack_forward(&stack, x, &(lb_transformer_context){0}));
    check(lb_params_freeze(params, "gru") == 4 && strcmp(lb_params_name(params, 0), "gru.weight_ih") == 0 &&
              !lb_params_tensor(params, 0)->requires_grad,
          "a frozen parameter");
}

/* Doubles: an op as a program of its own would write one. */
static lb_status same_shape(const lb_node *node, lb_shape *out)
{
    *out = node->in[0]->shape;
    return out->ndim ? LB_OK : lb_op_fail(node, LB_ERROR_SHAPE, "expected an axis");
}

static lb_status double_forward(lb_node *node)
{
    lb_real *noise = lb_op_zeros(node, 1);
    if (noise) noise[0] = 0 * (lb_real)lb_rng_uniform(lb_op_rng(node), 0);
    for (int64_t i = 0; noise && i < lb_count(node->in[0]); i++)
        node->out[0]->data[i] = 2 * node->in[0]->data[i] + noise[0];
    return noise ? LB_OK : LB_ERROR_MEMORY;
}

static void double_backward(lb_node *node)
{
    int64_t count = lb_count(node->in[0]);
    if (!lb_wants_grad(node->in[0])) return;
    lb_op_give_grad(node, 0, node->out[0]->grad);
    lb_op_add_grad(node->in[0], node->out[0]->grad);
    for (int64_t i = 0; i < count; i++) *lb_op_begin_grad(node, 0, i, 1) += 0;
}

static const lb_op double_op = {.name = "double",
                                .operands = "x",
                                .shape = same_shape,
                                .forward = double_forward,
                                .backward = double_backward};

static void use_op(lb_params *params, lb_tape *tape)
{
    lb_tensor *weight = lb_params_add(params, "", "w", LB_SHAPE(3), (lb_init){LB_INIT_CONSTANT, 1});
    lb_tape_seed(tape, 3, 0);
    lb_tensor *twice = lb_op_apply(&double_op, LB_INPUTS(lb_on_tape(tape, weight)), NULL, 0);
    IS(twice, 6);
    check(lb_backward(lb_sum_all(twice), NULL) == LB_OK && weight->grad[1] == 2, "the gradient of an op");
}

static void use_readers(void)
{
    static const char text[] = "a b\tA\nc\tB\nd\tC\ne\tD\nf\tE\n";
    const lb_real numbers[] = {1, 2, 3};
    lb_error error = {0};
    FILE *file = fopen("parts.tsv", "w");
    if (file) fputs(text, file);
    if (file) fclose(file);
    lb_pairs *pairs = lb_pairs_open("parts.tsv", (lb_pair_format){0}, &error);
    check(pairs && lb_pairs_count(pairs) == 5 && lb_pairs_source_length(pairs, 0) == 3 &&
              lb_pairs_target_length(pairs, 0) == 1,
          "a file of pairs");
    lb_pairs_close(pairs);
    const lb_safetensors_tensor tensor = {"x", LB_DTYPE_REAL, LB_SHAPE(3), numbers};
    check(!lb_safetensors_write(&tensor, 1, NULL, 0, "parts.safetensors", &error), "writing an array");
    lb_safetensors *arrays = lb_safetensors_open("parts.safetensors", &error);
    check(arrays && lb_safetensors_count(arrays) == 1, "reading an array");
    lb_safetensors_close(arrays);
}

static void use_models(lb_params *params, lb_tape *tape)
{
    lb_seq2seq model;
    lb_seq2seq_init(&model, params, "model",
                    (lb_seq2seq_config){.source_vocab = 9, .target_vocab = 9, .embed = 4, .hidden = 6});
    lb_tokens tokens = lb_tokens_from(tape, (const int32_t[]){4, 5, 6, 7}, NULL, 2, 2);
    lb_batch batch = lb_tokens_batch(tokens, tokens);
    lb_tensor *logits = lb_seq2seq_forward(&model, batch.source, batch.target_in);
    USE(logits);
    lb_optimizer *adam = lb_optimizer_new(params, (lb_optimizer_config){0});
    check(lb_optimizer_about(adam).steps == 0, "an optimiser");
    lb_optimizer_free(adam);
}

int main(void)
{
    lb_params *params = lb_params_new(1);
    lb_tape *tape = lb_tape_new();
    use_elements(tape);
    use_losses(tape);
    use_attention(tape);
    use_modules(params, tape);
    use_models(params, tape);
    lb_tape_reset(tape);
    use_op(params, tape);
    use_readers();
    lb_tape_free(tape);
    lb_params_free(params);
    return failed ? 1 : 0;
}
