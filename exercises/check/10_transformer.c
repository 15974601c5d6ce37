#include "exercises.h"
#include "report.h"

#include <math.h>
#include <stddef.h>
#include <string.h>

enum { MOST = 16 };

/* The encoding of the library: what it adds to zeros. */
static void encode_by_library(int position, int width, double *encoding)
{
    lb_tape *tape = lb_tape_new();
    lb_params *params = lb_params_new(0);
    lb_positional positional;
    lb_status status =
        lb_positional_init(&positional, params, "position", (lb_positional_config){.width = width});
    lb_tensor *zeros = lb_tensor_new(tape, LB_SHAPE(1, 1, width), NULL);
    const double *values = status ? NULL : lb_doubles(lb_positional_forward(&positional, zeros, position));
    for (int i = 0; values && i < width; i++) encoding[i] = values[i];
    lb_params_free(params);
    lb_tape_free(tape);
}

static double angle_of(int position, int column, int width)
{
    return position / pow(10000, (double)column / width);
}

static void hint_encode_position(const double *found, int position, int width)
{
    double exchanged[MOST], halves[MOST], single[MOST], next[MOST];
    int pairs = (width + 1) / 2;
    for (int i = 0; i < width; i++) {
        double angle = angle_of(position, i - i % 2, width);
        exchanged[i] = i % 2 ? sin(angle) : cos(angle);
        angle = angle_of(position, 2 * (i % pairs), width);
        halves[i] = i < pairs ? sin(angle) : cos(angle);
        single[i] = i % 2 ? cos(angle_of(position, i, width)) : sin(angle_of(position, i, width));
        next[i] = i % 2 ? cos(angle_of(position, i / 2, width)) : sin(angle_of(position, i / 2, width));
    }
    if (report_is(found, exchanged, width))
        report_hint("Sine and cosine are exchanged: encoding[0] is a sine.");
    else if (report_is(found, halves, width))
        report_hint("All sines come first here. They take turns: sine, cosine, sine, cosine ...");
    else if (report_is(found, single, width))
        report_hint(
            "The sine and the cosine of a pair have the same angle: the exponent is 2 i / width for both.");
    else if (report_is(found, next, width))
        report_hint("The exponent is 2 i / width, and i counts pairs.");
    else
        report_hint("Column %d belongs to pair %d. Is its exponent a fraction, not a whole number?",
                    width - 1, (width - 1) / 2);
}

static void check_encode_position(void)
{
    static const struct {
        int position, width;
    } sizes[] = {{1, 6}, {0, 4}, {5, 8}, {100, 2}, {3, 5}, {7, 1}};
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
        int position = sizes[i].position, width = sizes[i].width;
        double expected[MOST] = {0}, *found = report_room();
        encode_by_library(position, width, expected);
        report_asked("position %d, width %d", position, width);
        encode_position(position, width, found);
        if (report_same(found, expected, 1, width)) continue;
        hint_encode_position(found, position, width);
        return;
    }
}

/* A sorted list of the lesson's task as tokens, and what the library makes of it. */
static void make_list(int count, int *token, int *input, int *answer)
{
    lb_tape *tape = lb_tape_new();
    lb_sort_task task = {.max_value = 9, .min_length = count, .max_length = count, .seed = 1};
    lb_batch batch = lb_sort_batch(&task, tape, 1, 0);
    for (int64_t i = 0; i < batch.target_in.length; i++) {
        input[i] = batch.target_in.id[i];
        answer[i] = batch.target_out.id[i];
        if (i < count) token[i] = answer[i];
    }
    lb_tape_free(tape);
}

static void hint_teach(const int *token, int count, const int *found, const int *input, bool about_input)
{
    bool copied = memcmp(found, token, sizeof *token * (size_t)count) == 0;
    if (about_input && copied && count > 0)
        report_hint(
            "This is the input. At position 0 the decoder reads %d and is asked for %d: it has to copy, not "
            "to sort.",
            found[0], token[0]);
    else if (about_input)
        report_hint("This is the input. At position 0 the decoder has written nothing: it reads LB_BOS.");
    else if (memcmp(found, input, sizeof *input * ((size_t)count + 1)) == 0)
        report_hint(
            "This is the answer. It is the input again: at each position the decoder is asked for what it "
            "reads.");
    else
        report_hint("This is the answer: what comes after each of the inputs.");
}

static void check_teach(void)
{
    static const int counts[] = {3, 1, 5};
    for (size_t i = 0; i < sizeof counts / sizeof *counts; i++) {
        int count = counts[i], token[MOST] = {0}, input[MOST] = {0}, answer[MOST] = {0}, other[MOST] = {0};
        make_list(count, token, input, answer);
        for (int about_input = 1; about_input >= 0; about_input--) {
            int *found = report_int_room();
            report_asked("token %s (LB_BOS is %d, LB_EOS is %d)", report_int_list(token, count), LB_BOS,
                         LB_EOS);
            teach(token, count, about_input ? found : other, about_input ? other : found);
            if (report_same_ints(found, about_input ? input : answer, count + 1)) continue;
            hint_teach(token, count, found, input, about_input);
            return;
        }
    }
}

const check_exercise exercise = {
    10,
    "transformer",
    "exercises/10_transformer.c",
    {{"write", "encode_position", check_encode_position}, {"mend", "teach", check_teach}}};
