/* The GRU and the LSTM, as cells and over padded batches, against PyTorch. This test runs in both precisions. */
#include "lookback/nn.h"
#include "support/fixture.h"
#include "support/suite.h"

typedef lb_tensor *step_function(const lb_gru_cell *cell, lb_tensor *x, lb_tensor *state);

static void check_cell(const char *name, step_function *step)
{
    support_fixture *fixture = support_fixture_open(name);
    lb_params *params = lb_params_new(3);
    lb_tape *tape = lb_tape_new();
    lb_gru_cell cell;
    ck_assert_int_eq(lb_gru_cell_init(&cell, params, "", "", 4, 6), LB_OK);
    support_fixture_fill(fixture, params);
    lb_tensor *x = support_fixture_input(fixture, tape, "x"), *h = support_fixture_input(fixture, tape, "h");
    lb_tensor *loss = support_fixture_output(fixture, "h", step(&cell, x, h), NULL);
    support_fixture_backward(fixture, loss, params);
    lb_tape_free(tape);
    lb_params_free(params);
    support_fixture_close(fixture);
}

START_TEST(test_gru_cell_forward_and_gradients_equal_pytorch)
{
    check_cell("gru_cell", lb_gru_cell_forward);
}
END_TEST

START_TEST(test_gru_cell_that_resets_first_equals_the_definition_of_onnx)
{
    check_cell("onnx_gru_reset_first", lb_gru_cell_forward_reset_first);
}
END_TEST

/* Layer by layer and direction by direction, the slices of an initial state [layers * directions, batch, size]. */
static void slice_initial(lb_tensor *h, lb_tensor **initial)
{
    for (int64_t i = 0; i < lb_dim(h, 0); i++)
        initial[i] = lb_reshape(lb_slice(h, 0, i, 1), LB_SHAPE(lb_dim(h, 1), lb_dim(h, 2)));
}

static void check_gru(const char *name)
{
    support_fixture *fixture = support_fixture_open(name);
    lb_params *params = lb_params_new(3);
    lb_tape *tape = lb_tape_new();
    lb_gru gru;
    lb_gru_config config = {.input = 4, .hidden = 6};
    config.layers = (int)support_fixture_number(fixture, "num_layers");
    config.bidirectional = support_fixture_number(fixture, "bidirectional") != 0;
    ck_assert_int_eq(lb_gru_init(&gru, params, "", config), LB_OK);
    support_fixture_fill(fixture, params);
    bool padded = support_fixture_number(fixture, "lengths") != 0;
    const int32_t *lengths = padded ? support_fixture_ids(fixture, "input.lengths") : NULL;
    lb_tensor *x = support_fixture_input(fixture, tape, "x"), *initial[4];
    bool given = support_fixture_number(fixture, "initial_state") != 0;
    if (given) slice_initial(support_fixture_input(fixture, tape, "h_0"), initial);
    lb_gru_result result = lb_gru_forward(&gru, x, given ? initial : NULL, lengths);
    ck_assert_msg(lb_is_sound(result.outputs), "%s: %s", name, lb_tape_error(tape));
    lb_tensor *final = lb_stack(result.final, (int)(config.layers * gru.directions), 0);
    lb_tensor *loss = support_fixture_output(fixture, "h_n", final, NULL);
    loss = support_fixture_output(fixture, "y", result.outputs, loss);
    support_fixture_backward(fixture, loss, params);
    lb_tape_free(tape);
    lb_params_free(params);
    support_fixture_close(fixture);
}

START_TEST(test_gru_forward_without_lengths_equals_pytorch)
{
    check_gru("gru_plain");
}
END_TEST

START_TEST(test_gru_forward_padded_with_initial_state_equals_pytorch)
{
    check_gru("gru_unidirectional");
}
END_TEST

START_TEST(test_gru_forward_bidirectional_equals_pytorch)
{
    check_gru("gru_bidirectional");
}
END_TEST

START_TEST(test_gru_forward_two_bidirectional_layers_equals_pytorch)
{
    check_gru("gru_bidirectional_2_layers");
}
END_TEST

START_TEST(test_lstm_cell_forward_and_gradients_equal_pytorch)
{
    support_fixture *fixture = support_fixture_open("lstm_cell");
    lb_params *params = lb_params_new(3);
    lb_tape *tape = lb_tape_new();
    lb_lstm_cell cell;
    ck_assert_int_eq(lb_lstm_cell_init(&cell, params, "", "", 4, 6), LB_OK);
    support_fixture_fill(fixture, params);
    lb_tensor *x = support_fixture_input(fixture, tape, "x"),
              *state = support_fixture_input(fixture, tape, "state");
    lb_tensor *loss = support_fixture_output(fixture, "state", lb_lstm_cell_forward(&cell, x, state), NULL);
    support_fixture_backward(fixture, loss, params);
    lb_tape_free(tape);
    lb_params_free(params);
    support_fixture_close(fixture);
}
END_TEST

static void check_lstm(const char *name)
{
    support_fixture *fixture = support_fixture_open(name);
    lb_params *params = lb_params_new(3);
    lb_tape *tape = lb_tape_new();
    lb_lstm lstm;
    lb_lstm_config config = {.input = 4, .hidden = 6};
    config.layers = (int)support_fixture_number(fixture, "num_layers");
    config.bidirectional = support_fixture_number(fixture, "bidirectional") != 0;
    ck_assert_int_eq(lb_lstm_init(&lstm, params, "", config), LB_OK);
    support_fixture_fill(fixture, params);
    bool padded = support_fixture_number(fixture, "lengths") != 0;
    const int32_t *lengths = padded ? support_fixture_ids(fixture, "input.lengths") : NULL;
    lb_tensor *x = support_fixture_input(fixture, tape, "x"), *initial[4];
    bool given = support_fixture_number(fixture, "initial_state") != 0;
    if (given) slice_initial(support_fixture_input(fixture, tape, "state_0"), initial);
    lb_lstm_result result = lb_lstm_forward(&lstm, x, given ? initial : NULL, lengths);
    ck_assert_msg(lb_is_sound(result.outputs), "%s: %s", name, lb_tape_error(tape));
    lb_tensor *final = lb_stack(result.final, (int)(config.layers * lstm.directions), 0);
    lb_tensor *loss = support_fixture_output(fixture, "state_n", final, NULL);
    loss = support_fixture_output(fixture, "y", result.outputs, loss);
    support_fixture_backward(fixture, loss, params);
    lb_tape_free(tape);
    lb_params_free(params);
    support_fixture_close(fixture);
}

START_TEST(test_lstm_forward_without_lengths_equals_pytorch)
{
    check_lstm("lstm_plain");
}
END_TEST

START_TEST(test_lstm_forward_padded_with_initial_state_equals_pytorch)
{
    check_lstm("lstm_unidirectional");
}
END_TEST

START_TEST(test_lstm_forward_bidirectional_equals_pytorch)
{
    check_lstm("lstm_bidirectional");
}
END_TEST

START_TEST(test_lstm_forward_two_bidirectional_layers_equals_pytorch)
{
    check_lstm("lstm_bidirectional_2_layers");
}
END_TEST
