/* Lesson 9: one vector for a whole list loses what attention keeps. The page is docs/lessons/09_bottleneck.md. */
#include <lookback/lookback.h>

#include <stdio.h>

enum {
    SHORTEST = 2,
    LONGEST = 12,
    LENGTHS = LONGEST - SHORTEST + 1,
    STEPS = 2000,
    BATCH = 32,
    HELD_OUT = 500
};

/* Lists of this many numbers from 0 to 19. */
static lb_sort_task lists_of(int length)
{
    return (lb_sort_task){.max_value = 19, .min_length = length, .max_length = length, .seed = 1};
}

/* The output of the encoder for the decoder. */
static void print_memory(const lb_seq2seq *model, lb_tape *tape, int length)
{
    char text[LB_SHAPE_TEXT];
    lb_sort_task task = lists_of(length);
    lb_tape_reset(tape);
    lb_seq2seq_encoded encoded = lb_seq2seq_encode(model, lb_sort_batch(&task, tape, 1, 0).source);
    printf("  of %2d numbers the decoder gets %s", length, lb_shape_format(encoded.initial[0]->shape, text));
    if (encoded.memory.keys) printf(" and %s", lb_shape_format(encoded.memory.values->shape, text));
    printf("\n");
}

/* Trains a model on lists of all lengths, then measures the share of lists of each length that it sorts. */
static lb_status learn(lb_attention_kind attention, double exact_match[LENGTHS], lb_error *error)
{
    lb_params *params = lb_params_new(1);
    lb_tape *tape = lb_tape_new();
    lb_sort_task task = lists_of(LONGEST);
    lb_seq2seq model;
    lb_seq2seq_config config = {.source_vocab = lb_sort_vocab(&task),
                                .target_vocab = lb_sort_vocab(&task),
                                .embed = 16,
                                .hidden = 32,
                                .attention = attention};
    lb_seq2seq_init(&model, params, "", config);
    printf("attention: %s, %d weights\n", lb_attention_names[attention], (int)lb_params_learned(params));
    print_memory(&model, tape, SHORTEST);
    print_memory(&model, tape, LONGEST);

    lb_optimizer *adam = lb_optimizer_new(params, (lb_optimizer_config){.clip_norm = 1});
    lb_schedule schedule = {.kind = LB_SCHEDULE_COSINE, .lr = 1e-2, .period = STEPS};
    lb_status status = LB_OK;
    for (int step = 0; step < STEPS && !status; step++) {
        lb_tape_reset(tape);
        task = lists_of(SHORTEST + step % LENGTHS);
        lb_batch batch = lb_sort_batch(&task, tape, BATCH, step);
        lb_tensor *logits = lb_seq2seq_forward(&model, batch.source, batch.target_in);
        status = lb_backward(lb_cross_entropy(logits, batch.target_out, LB_PAD), error);
        lb_optimizer_set_lr(adam, (lb_real)lb_schedule_lr(&schedule, step));
        if (!status) status = lb_optimizer_step(adam, error);
    }
    for (int i = 0; i < LENGTHS && !status; i++) {
        task = lists_of(SHORTEST + i);
        status = lb_sort_evaluate(&model.base, &task, tape, HELD_OUT, &exact_match[i]);
        if (status) lb_error_set(error, status, "%s", lb_tape_error(tape));
    }
    lb_optimizer_free(adam);
    lb_tape_free(tape);
    lb_params_free(params);
    return status;
}

/* The idea: everything through one vector, or every output to every input. */
static lb_status draw_idea(const char *folder, lb_error *error)
{
    enum { INPUTS = 5, OUTPUTS = 3 };
    char path[512];
    double weights[OUTPUTS * INPUTS];
    for (int i = 0; i < OUTPUTS * INPUTS; i++) weights[i] = 0.6;
    lb_diagram without = {.sources = INPUTS, .targets = OUTPUTS, .title = "Without Attention (Bottleneck)"};
    lb_diagram with = {.sources = INPUTS,
                       .targets = OUTPUTS,
                       .title = "With Attention (Dynamic Context)",
                       .weights = weights};
    lb_panel panels[] = {lb_diagram_panel(&without), lb_diagram_panel(&with)};
    snprintf(path, sizeof path, "%s/09_bottleneck_idea.png", folder);
    return lb_figure_save(&(lb_figure){.panels = panels, .count = 2}, path, error);
}

static lb_status draw_measured(const double *without, const double *with, const char *folder, lb_error *error)
{
    char path[512];
    double length[LENGTHS], percent[2][LENGTHS];
    for (int i = 0; i < LENGTHS; i++) {
        length[i] = SHORTEST + i;
        percent[0][i] = 100 * without[i];
        percent[1][i] = 100 * with[i];
    }
    lb_series series[] = {{.name = "without attention", .x = length, .y = percent[0], .count = LENGTHS},
                          {.name = "with attention", .x = length, .y = percent[1], .count = LENGTHS}};
    lb_chart chart = {.series = series,
                      .count = 2,
                      .x = {.label = "Numbers in the list"},
                      .left = {.label = "Lists sorted without a mistake, %", .min = 0, .max = 100}};
    snprintf(path, sizeof path, "%s/09_bottleneck_measured.png", folder);
    return lb_chart_save(&chart, path, error);
}

int main(int argc, char **argv)
{
    const char *folder = argc > 1 ? argv[1] : ".";
    double without[LENGTHS], with[LENGTHS];
    lb_error error = {0};
    lb_status status = learn(LB_ATTENTION_NONE, without, &error);
    if (!status) status = learn(LB_ATTENTION_ADDITIVE, with, &error);
    for (int i = 0; i < LENGTHS && !status; i++)
        printf("measured: %2d numbers  without %.3f  with %.3f\n", SHORTEST + i, without[i], with[i]);
    if (!status) status = draw_idea(folder, &error);
    if (!status) status = draw_measured(without, with, folder, &error);
    if (status) fprintf(stderr, "%s\n", error.message);
    return status != LB_OK;
}
