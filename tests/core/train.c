/* The core without any other library: a GRU learns which number of a list came first. Exit status 0 if it succeeds. */
#include <lookback/lookback.h>

#include <math.h>
#include <stdio.h>

enum { SYMBOLS = 12, BATCH = 64, LENGTH = 6, WIDTH = 24, HIDDEN = 48, STEPS = 200 };

typedef struct learner {
    lb_embedding embedding;
    lb_gru gru;
    lb_linear output;
} learner;

static lb_status learner_init(learner *l, lb_params *params)
{
    lb_embedding_init(&l->embedding, params, "embedding", SYMBOLS, WIDTH, 0);
    lb_gru_init(&l->gru, params, "gru", (lb_gru_config){.input = WIDTH, .hidden = HIDDEN});
    return lb_linear_init(&l->output, params, "output",
                          (lb_linear_config){.inputs = HIDDEN, .outputs = SYMBOLS});
}

/* The loss on the lists of step `step`. */
static lb_tensor *loss_of(const learner *l, lb_tape *tape, int step)
{
    int32_t *id, *lengths, *first, *one;
    lb_tokens lists = lb_tokens_new(tape, BATCH, LENGTH, &id, &lengths);
    lb_tokens targets = lb_tokens_new(tape, BATCH, 1, &first, &one);
    for (int row = 0; row < BATCH; row++) {
        lengths[row] = LENGTH;
        one[row] = 1;
        for (int i = 0; i < LENGTH; i++) {
            uint64_t index = (uint64_t)row * LENGTH + (uint64_t)i;
            id[row * LENGTH + i] =
                (int32_t)(SYMBOLS * lb_rng_uniform((lb_rng){.seed = 3, .step = (uint32_t)step}, index));
        }
        first[row] = id[row * LENGTH];
    }
    lb_gru_result read = lb_gru_forward_tokens(&l->gru, &l->embedding, lists, NULL);
    lb_tensor *logits = lb_linear_forward(&l->output, read.final[0]);
    return lb_cross_entropy(lb_reshape(logits, LB_SHAPE(BATCH, 1, SYMBOLS)), targets, -1);
}

int main(void)
{
    lb_params *params = lb_params_new(7);
    lb_tape *tape = lb_tape_new();
    learner l;
    if (!params || !tape || learner_init(&l, params)) return 1;
    lb_optimizer *adam = lb_optimizer_new(params, (lb_optimizer_config){.lr = (lb_real)1e-2, .clip_norm = 1});
    lb_real begin = 0, end = 0;
    for (int step = 0; step < STEPS; step++) {
        lb_tape_reset(tape);
        lb_tensor *loss = loss_of(&l, tape, step);
        lb_error error = {0};
        if (lb_backward(loss, &error) || lb_optimizer_step(adam, &error)) {
            fprintf(stderr, "%s\n", error.message);
            return 1;
        }
        end = lb_item(loss);
        if (step == 0) begin = end;
    }
    printf("%s, threads: %d. loss %.4f at first, %.4f after %d steps\n", lb_kernel_name(), lb_threads(),
           (double)begin, (double)end, STEPS);
    lb_optimizer_free(adam);
    lb_tape_free(tape);
    lb_params_free(params);
    /* Guessing has a loss of ln 12 = 2.48. */
    return !(begin > (lb_real)2 && end < (lb_real)0.2);
}
