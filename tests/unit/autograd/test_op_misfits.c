/* What each op says about an operand that does not fit: op_misfits.txt has its answers to the examples of the registry
 * with one axis of one operand shorter by one, or with the last axis missing. If an op has changed, the test leaves the
 * new answers in the folder of the test programs: read them, and copy them over the old ones if they are better. */
#include "base/buffer.h"
#include "lookback/ops.h"
#include "support/leaf.h"
#include "support/op_trials.h"
#include "support/suite.h"
#include "support/tempdir.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define ANSWERS SOURCE_DIR "/tests/unit/autograd/op_misfits.txt"
#define FOUND   TEST_OUTPUT "/op_misfits.txt"

/* The shape of an operand with the axis shorter by one, or for axis -1 without its last axis. False: there is none. */
static bool change(lb_shape *shape, int axis)
{
    if (axis < 0) return shape->ndim-- > 0;
    return --shape->dim[axis] > 0;
}

/* The message of an op without its name and the shapes. */
static void print_message(lb_buffer *line, const char *message)
{
    const char *colon = strstr(message, ": "), *begin = colon ? colon + 2 : message,
               *end = strstr(begin, ": ");
    lb_buffer_print(line, "%.*s\n", (int)(end ? (size_t)(end - begin) : strlen(begin)), begin);
}

/* The answer as a line, to be freed with lb_release. */
static char *answer_to(const lb_op *op, const lb_op_case *example, int operand, int axis, lb_shape shape)
{
    lb_buffer line = {0};
    char changed[24] = "last axis missing";
    lb_tape *tape = lb_tape_new();
    lb_tensor *leaf[LB_MAX_INPUTS], *in[LB_MAX_INPUTS];
    for (int i = 0; i < example->inputs; i++) {
        leaf[i] = support_leaf(i == operand ? shape : example->shape[i], 1, 1, (uint64_t)i);
        in[i] = lb_on_tape(tape, leaf[i]);
    }
    const lb_tensor *result = example->apply(in);
    if (axis >= 0) snprintf(changed, sizeof changed, "axis %d shorter", axis);
    lb_buffer_print(&line, "%s, operand %d, %s: ", op->name, operand, changed);
    print_message(&line, lb_is_sound(result) ? "fits" : lb_tape_error(tape));
    for (int i = 0; i < example->inputs; i++) support_leaf_free(leaf[i]);
    lb_tape_free(tape);
    return line.text;
}

/* Each answer once: many examples of an op have the same. */
static void print_answers(lb_buffer *text, const lb_op *op, const lb_op_case *example)
{
    for (int i = 0; i < example->inputs; i++)
        for (int axis = -1; axis < example->shape[i].ndim; axis++) {
            lb_shape shape = example->shape[i];
            if (!change(&shape, axis)) continue;
            char *line = answer_to(op, example, i, axis, shape);
            if (!text->text || !strstr(text->text, line)) lb_buffer_print(text, "%s", line);
            lb_release(line);
        }
}

START_TEST(test_op_says_what_does_not_fit)
{
    int trials;
    size_t count;
    lb_buffer text = {0};
    const support_trial *trial = support_trials(&trials);
    for (int t = 0; t < trials; t++) print_answers(&text, trial[t].op, trial[t].example);
    ck_assert_ptr_nonnull(text.text);
    char *expected = support_read_file(ANSWERS, &count);
    bool same = strcmp(expected, text.text) == 0;
    if (!same) support_write_file(FOUND, text.text, strlen(text.text));
    ck_assert_msg(same, "answers differ: read diff %s %s; if that is meant: cp %s %s", ANSWERS, FOUND, FOUND,
                  ANSWERS);
    free(expected);
    lb_release(text.text);
}
END_TEST
