#include "exercises.h"
#include "report.h"

#include <stddef.h>

enum { MOST = 4, NUMBERS = 64, INPUT = 2 };

typedef struct lists {
    int batch, time, hidden;
    int32_t lengths[MOST];
} lists;

static const lists batches[] = {
    {1, 3, 2, {3}}, {2, 4, 2, {2, 4}}, {3, 3, 3, {1, 3, 2}}, {2, 2, 2, {0, 2}}, {1, 1, 4, {1}},
};

/* What is in the array after the end of a list: no state of any list. */
static const double AFTER_THE_END = 99;

/* The states of a GRU of the library with random weights, and its final states. */
static void run_encoder(const lists *l, double *state, double *final)
{
    lb_tape *tape = lb_tape_new();
    lb_params *params = lb_params_new(1);
    lb_gru gru;
    lb_status status =
        lb_gru_init(&gru, params, "encoder", (lb_gru_config){.input = INPUT, .hidden = l->hidden});
    lb_tensor *x = report_random_tensor(tape, LB_SHAPE(l->batch, l->time, INPUT));
    lb_gru_result result = lb_gru_forward(&gru, x, NULL, l->lengths);
    const double *states = lb_doubles(result.outputs), *finals = status ? NULL : lb_doubles(result.final[0]);
    for (int i = 0; states && i < l->batch * l->time * l->hidden; i++) {
        int t = i / l->hidden % l->time, row = i / l->hidden / l->time;
        state[i] = t < l->lengths[row] ? states[i] : AFTER_THE_END;
    }
    for (int i = 0; finals && i < l->batch * l->hidden; i++) final[i] = finals[i];
    lb_params_free(params);
    lb_tape_free(tape);
}

static void hint_last_states(const lists *l, const double *state, const double *found)
{
    for (int b = 0; b < l->batch; b++) {
        const double *own = found + (ptrdiff_t)(b * l->hidden);
        const double *states = state + (ptrdiff_t)(b * l->time * l->hidden);
        if (l->lengths[b] == 0 && own[0] != 0)
            report_hint("List %d is empty: there is no state of its own in the array.", b);
        else if (own[0] == AFTER_THE_END)
            report_hint("List %d has %d numbers. 99 is what is in the array after its end.", b,
                        (int)l->lengths[b]);
        else if (l->lengths[b] > 1 && report_is(own, states, l->hidden))
            report_hint("List %d: this is the state after its first number.", b);
    }
    report_hint("The state after n numbers is at t = n - 1.");
}

static void check_last_states(void)
{
    for (size_t n = 0; n < sizeof batches / sizeof *batches; n++) {
        const lists *l = &batches[n];
        double state[NUMBERS] = {0}, expected[NUMBERS] = {0}, *found = report_room();
        int lengths[MOST];
        for (int b = 0; b < l->batch; b++) lengths[b] = l->lengths[b];
        run_encoder(l, state, expected);
        report_asked("%d lists, time %d, %d numbers per state, lengths %s", l->batch, l->time, l->hidden,
                     report_int_list(lengths, l->batch));
        last_states(state, lengths, l->batch, l->time, l->hidden, found);
        if (report_same(found, expected, l->batch, l->hidden)) continue;
        hint_last_states(l, state, found);
        return;
    }
}

enum { STEPS = 3, WEIGHTS = 3, ROWS = 4 };

static const lb_real RATE = (lb_real)0.1;

typedef struct regression {
    double x[STEPS][ROWS * WEIGHTS], y[STEPS][ROWS];
} regression;

/* The mean squared error of a linear model on batch `step`. */
static lb_tensor *loss_of(lb_tape *tape, lb_params *params, const regression *data, int step)
{
    lb_tensor *weight = lb_on_tape(tape, lb_params_find(params, "weight"));
    lb_tensor *output = lb_matmul(report_tensor(tape, LB_SHAPE(ROWS, WEIGHTS), data->x[step]), weight);
    lb_tensor *error = lb_sub(output, report_tensor(tape, LB_SHAPE(ROWS, 1), data->y[step]));
    return lb_mean_all(lb_mul(error, error));
}

static lb_params *new_weights(void)
{
    lb_params *params = lb_params_new(1);
    lb_params_add(params, "", "weight", LB_SHAPE(WEIGHTS, 1), (lb_init){LB_INIT_NORMAL, 1});
    return params;
}

/* Steps as they should be, or with the gradients of all steps so far. */
static void descend_by_hand(lb_params *params, lb_tensor *loss, bool keep)
{
    lb_error error = {0};
    if (!keep) lb_params_zero_grads(params);
    if (lb_backward(loss, &error)) return;
    for (int64_t i = 0; i < lb_params_size(params); i++)
        lb_params_values(params)[i] -= RATE * lb_params_grads(params)[i];
}

static void copy_weights(const lb_params *params, double values[WEIGHTS])
{
    for (int i = 0; i < WEIGHTS; i++) values[i] = (double)lb_params_values(params)[i];
}

static bool check_step(lb_params *const models[3], const regression *data, int step)
{
    double found[WEIGHTS], expected[WEIGHTS], kept[WEIGHTS];
    lb_tape *tape = lb_tape_new();
    lb_error error = {0};
    descend_by_hand(models[1], loss_of(tape, models[1], data, step), false);
    lb_tape_reset(tape);
    descend_by_hand(models[2], loss_of(tape, models[2], data, step), true);
    lb_tape_reset(tape);
    report_asked("step %d of %d at a rate of 0.1; the weights after it", step + 1, STEPS);
    lb_status status = descend(models[0], loss_of(tape, models[0], data, step), RATE, &error);
    lb_tape_free(tape);
    copy_weights(models[0], found);
    copy_weights(models[1], expected);
    copy_weights(models[2], kept);
    if (report_same(found, expected, 1, WEIGHTS)) return true;
    if (status)
        report_hint("descend returns an error: %s", error.message);
    else if (step > 0 && report_is(found, kept, WEIGHTS))
        report_hint(
            "Step 1 was right. This one also goes along the gradient of step 1: why is that still there?");
    else
        report_hint("Step %d does not go along the gradient of its own batch alone.", step + 1);
    return false;
}

static void check_descend(void)
{
    regression data = {0};
    lb_params *const models[] = {new_weights(), new_weights(), new_weights()};
    for (int step = 0; step < STEPS; step++) {
        report_random(data.x[step], ROWS * WEIGHTS);
        report_random(data.y[step], ROWS);
    }
    for (int step = 0; step < STEPS; step++)
        if (!check_step(models, &data, step)) break;
    for (int i = 0; i < 3; i++) lb_params_free(models[i]);
}

const check_exercise exercise = {
    9,
    "bottleneck",
    "exercises/09_bottleneck.c",
    {{"write", "last_states", check_last_states}, {"mend", "descend", check_descend}}};
