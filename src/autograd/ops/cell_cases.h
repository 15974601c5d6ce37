/* What the references and cases of a GRU and of an LSTM have in common. The file of an op includes it after defining
 *   SEQUENCE  the function of the op,
 *   GATES     the number of its gates,
 *   PARTS     and of the parts of its state, each `hidden` long, of which the first is the output,
 * and then defines reference_step. */
#include "autograd/fused/recurrence.h"
#include "autograd/op_cases.h"
#include "lookback/ops.h"

enum { X = LB_CELL_X, INITIAL, WEIGHT, BIAS };
enum { OUTPUTS = LB_CELL_OUTPUTS, FINAL };

/* What a gate has of the state: row `which` of W h + b. */
static double product(const lb_node *node, const double *h, int64_t which)
{
    int64_t hidden = lb_dim(node->in[WEIGHT], 1);
    double sum = (double)node->in[BIAS]->data[which];
    for (int64_t j = 0; j < hidden; j++) sum += (double)node->in[WEIGHT]->data[which * hidden + j] * h[j];
    return sum;
}

/* From the state to the next one, which takes its place, and to the output. */
static void reference_step(const lb_node *node, const lb_real *x, double *state, double *output);

/* The state is where it will be at the end. */
static void reference(const lb_node *node, double *const *out)
{
    lb_gru_input x = lb_gru_input_of(node, X);
    bool reverse = ((const lb_gru_attributes *)node->attributes)->reverse;
    int64_t width = PARTS * x.hidden;
    for (int64_t row = 0; row < x.batch; row++) {
        double *state = out[FINAL] + row * width;
        for (int64_t j = 0; j < width; j++)
            state[j] = node->in[INITIAL] ? (double)node->in[INITIAL]->data[row * width + j] : 0;
        int64_t length = lb_gru_input_length(&x, row);
        for (int64_t i = 0; i < length; i++) {
            int64_t at = row * x.steps + (reverse ? length - 1 - i : i);
            reference_step(node, lb_gru_input_row(&x, at), state, out[OUTPUTS] + at * x.hidden);
        }
    }
}

static const int32_t example_lengths[] = {2, 4, 0};

static lb_tensor *padded_case(lb_tensor *const *in)
{
    return SEQUENCE(in[X], NULL, in[INITIAL], in[WEIGHT], in[BIAS], example_lengths, false);
}

static lb_tensor *reverse_case(lb_tensor *const *in)
{
    return SEQUENCE(in[X], NULL, in[INITIAL], in[WEIGHT], in[BIAS], example_lengths, true);
}

static lb_tensor *full_case(lb_tensor *const *in)
{
    return SEQUENCE(in[0], NULL, NULL, in[1], in[2], NULL, false);
}

static lb_tensor *table_case(lb_tensor *const *in)
{
    static const int32_t id[] = {4, 1, 0, 0, 3, 1, 4, 4, 0, 0, 0, 0};
    lb_tokens tokens = {in[X]->tape, 3, 4, id, example_lengths};
    return SEQUENCE(in[X], &tokens, in[INITIAL], in[WEIGHT], in[BIAS], example_lengths, true);
}

/* The initial state of three rows and the parameters, for two units. */
#define TWO_UNITS LB_DIMS(3, 2 * PARTS), LB_DIMS(2 * GATES, 2), LB_DIMS(2 * GATES)

static const lb_op_case cases[] = {
    {"padded", 4, {LB_DIMS(3, 4, 2 * GATES), TWO_UNITS}, .apply = padded_case},
    {"padded, reverse", 4, {LB_DIMS(3, 4, 2 * GATES), TWO_UNITS}, .apply = reverse_case},
    {"no initial state",
     3,
     {LB_DIMS(2, 3, 3 * GATES), LB_DIMS(3 * GATES, 3), LB_DIMS(3 * GATES)},
     .apply = full_case},
    {"several tiles", 3, {LB_DIMS(19, 2, GATES), LB_DIMS(GATES, 1), LB_DIMS(GATES)}, .apply = full_case},
    {"a table", 4, {LB_DIMS(5, 2 * GATES), TWO_UNITS}, .apply = table_case},
};
