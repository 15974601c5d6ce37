/* ---- The model. ---- */

#if LSTM
/* One step of a cell (Hochreiter, Schmidhuber 1997; the forget gate: Gers, Schmidhuber, Cummins 2000). The state is [h;
 *     c]. i, f, o = sigmoid(W_i x + b_i + W_h h + b_h) g = tanh(W_i x + b_i + W_h h + b_h) c' = f c + i g h' = o
 *     tanh(c') */
#else
/* One step of a cell (Cho et al. 2014, arXiv:1406.1078), as PyTorch has it.
 *     r, z = sigmoid(W_i x + b_i + W_h h + b_h)       n = tanh(W_i x + b_i + r (W_h h + b_h))
 *     h' = (1 - z) n + z h */
#endif
static void step_cell(memory *m, const cell *c, const float *input, float *state)
{
    const float *x = m->gate_input, *h = m->gate_state;
    apply(&c->input, input, m->gate_input);
    apply(&c->state, state, m->gate_state);
    for (int k = 0; k < HIDDEN; k++) {
#if LSTM
        float i = sigmoid(x[k] + h[k]);
        float f = sigmoid(x[HIDDEN + k] + h[HIDDEN + k]);
        float g = hyperbolic_tangent(x[2 * HIDDEN + k] + h[2 * HIDDEN + k]);
        float o = sigmoid(x[3 * HIDDEN + k] + h[3 * HIDDEN + k]);
        float *remembered = &state[HIDDEN + k];
        *remembered = f * *remembered + i * g;
        state[k] = o * hyperbolic_tangent(*remembered);
#else
        float r = sigmoid(x[k] + h[k]);
        float z = sigmoid(x[HIDDEN + k] + h[HIDDEN + k]);
        float n = hyperbolic_tangent(x[2 * HIDDEN + k] + r * h[2 * HIDDEN + k]);
        state[k] = n + z * (state[k] - n);
#endif
    }
}

/* Runs a layer of the encoder in one direction: its states become the outputs of the layer, and the last one is the
 * result. */
static void run_layer(memory *m, int layer, int direction, float *state)
{
    const cell *c = &encoder[layer * DIRECTIONS + direction];
    float(*made)[OUTPUTS] = m->output[layer % BUFFERS];
    int first = direction * HIDDEN;
    memset(state, 0, STATE * sizeof *state);
    for (int step = 0; step < m->length; step++) {
        int j = direction == 0 ? step : m->length - 1 - step;
        const float *input = m->input;
        if (layer == 0)
            copy_row(&source_embedding, m->symbol[j], m->input);
        else
            input = m->output[(layer - 1) % BUFFERS][j];
        step_cell(m, c, input, state);
        memcpy(made[j] + first, state, HIDDEN * sizeof *state);
    }
}

#if ATTENDS
#    include "attention.h"
#endif
/* Reads a text. A layer of the decoder begins with tanh(W [the last states of that layer of the encoder] + b). */
static void encode(memory *m)
{
    for (int layer = 0; layer < LAYERS; layer++) {
        float last[DIRECTIONS][STATE], *state = m->state.layer[layer];
        for (int direction = 0; direction < DIRECTIONS; direction++)
            run_layer(m, layer, direction, last[direction]);
        apply(&bridge[layer], last[0], state);
        for (int i = 0; i < STATE; i++) state[i] = hyperbolic_tangent(state[i]);
    }
#if ATTENDS
    prepare(m);
#endif
    m->state.step = 0;
}

/* One step of the decoder, from the symbol before to m->logit. */
static void decode_step(memory *m, decoder_state *s, int before)
{
    const float *input = m->input;
    copy_row(&target_embedding, before, m->input);
#if ATTENDS_FIRST
    attend(m, s, s->layer[0], m->input + EMBED);
    memcpy(m->joined + HIDDEN, m->input + EMBED, CONTEXT * sizeof *m->joined);
#endif
    for (int layer = 0; layer < LAYERS; layer++) {
        step_cell(m, &decoder[layer], input, s->layer[layer]);
        input = s->layer[layer];
    }
    memcpy(m->joined, input, HIDDEN * sizeof *m->joined);
#if ATTENDS_LAST
    attend(m, s, input, m->joined + HIDDEN);
#endif
#if COMBINES
    apply(&combine, m->joined, m->combined);
#    if COMBINES_TANH
    for (int i = 0; i < COMBINED; i++) m->combined[i] = hyperbolic_tangent(m->combined[i]);
#    endif
    apply(&output, m->combined, m->logit);
#else
    apply(&output, m->joined, m->logit);
#endif
    s->step++;
}
