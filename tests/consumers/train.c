/* Trains a small model to sort, as README.md does, and fails unless it learns. */
#include <lookback/lookback.h>
#include <stdio.h>

enum { STEPS = 40 };

static lb_real train_step(const lb_seq2seq *model, lb_optimizer *adam, lb_tape *tape,
                          const lb_sort_task *task, int step)
{
    lb_tape_reset(tape);
    lb_batch batch = lb_sort_batch(task, tape, 16, step);
    lb_tensor *logits = lb_seq2seq_forward(model, batch.source, batch.target_in);
    lb_tensor *loss = lb_cross_entropy(logits, batch.target_out, LB_PAD);
    lb_error error = {0};
    if (lb_backward(loss, &error) == LB_OK && lb_optimizer_step(adam, &error) == LB_OK) return lb_item(loss);
    fprintf(stderr, "%s\n", error.message);
    return (lb_real)1e9;
}

int main(void)
{
    lb_params *params = lb_params_new(7);
    lb_tape *tape = lb_tape_new();
    lb_sort_task task = {.max_value = 9, .min_length = 2, .max_length = 4, .seed = 7};
    int32_t vocabulary = lb_sort_vocab(&task);
    lb_seq2seq model;
    lb_seq2seq_config config = {
        .source_vocab = vocabulary, .target_vocab = vocabulary, .embed = 16, .hidden = 32};
    if (lb_seq2seq_init(&model, params, "model", config) != LB_OK) return 1;
    lb_optimizer *adam = lb_optimizer_new(params, (lb_optimizer_config){.lr = (lb_real)1e-2});

    lb_real first = train_step(&model, adam, tape, &task, 0), last = first;
    for (int step = 1; step < STEPS; step++) last = train_step(&model, adam, tape, &task, step);
    printf("lookback %s: loss %.4f, after %d steps %.4f\n", lb_version(), (double)first, STEPS, (double)last);

    lb_optimizer_free(adam);
    lb_tape_free(tape);
    lb_params_free(params);
    return last < first / 2 ? 0 : 1;
}
