/* The names of operands, and which of them an op can use: for lb_op_apply, modules and messages. */
#include "autograd/op.h"

#include "autograd/tape.h"
#include "autograd/tape_internal.h"

#include <assert.h>
#include <stdio.h>
#include <string.h>

/* One word of a list of operands. */
typedef struct word {
    const char *name;
    int length; /* of the name; 0: no such operand */
    bool optional, repeated;
    int number; /* among the operands of the word */
} word;

static word find_word(const char *operands, int i)
{
    for (int at = 0;; at++) {
        word w = {.name = operands, .length = (int)strcspn(operands, " ?."), .number = i - at + 1};
        const char *mark = operands + w.length, *end = mark + strcspn(mark, " ");
        w.optional = *mark == '?';
        w.repeated = *mark == '.';
        if (at == i || w.repeated || w.length == 0) return w;
        operands = end + strspn(end, " ");
    }
}

char *lb_operand_name(const char *operands, int i, char text[LB_OPERAND_TEXT])
{
    word w = find_word(operands, i);
    int used = snprintf(text, LB_OPERAND_TEXT, "%.*s", w.length, w.name);
    if (w.repeated && used < LB_OPERAND_TEXT)
        snprintf(text + used, (size_t)(LB_OPERAND_TEXT - used), "_%d", w.number);
    return text;
}

bool lb_operand_optional(const char *operands, int i)
{
    return find_word(operands, i).optional;
}

lb_tape *lb_operands_tape(lb_tensor *const *in, int inputs)
{
    for (int i = 0; i < inputs; i++)
        if (in[i] && in[i]->tape) return in[i]->tape;
    return NULL;
}

/* The first required operand that is missing; -1 if there is none. An op needs at least one operand. */
static int find_missing(const char *operands, lb_tensor *const *in, int inputs)
{
    for (int i = 0; i < inputs; i++)
        if (!in[i] && !lb_operand_optional(operands, i)) return i;
    return inputs > 0 ? -1 : 0;
}

/* "x is a parameter", "x, weight and bias are parameters" */
static void list_parameters(const char *operands, lb_tensor *const *in, int inputs,
                            char text[LB_MESSAGE_LENGTH])
{
    int count = 0, named = 0, used = 0;
    for (int i = 0; i < inputs; i++) count += in[i] != NULL;
    for (int i = 0; i < inputs && used < LB_MESSAGE_LENGTH; i++) {
        char name[LB_OPERAND_TEXT];
        if (!in[i]) continue;
        const char *before = named == 0 ? "" : named == count - 1 ? " and " : ", ";
        used += snprintf(text + used, (size_t)(LB_MESSAGE_LENGTH - used), "%s%s", before,
                         lb_operand_name(operands, i, name));
        named++;
    }
    if (used < LB_MESSAGE_LENGTH)
        snprintf(text + used, (size_t)(LB_MESSAGE_LENGTH - used), "%s",
                 count == 1 ? " is a parameter" : " are parameters");
}

static lb_tensor *check_without_tape(const char *name, const char *operands, lb_tensor *const *in, int inputs)
{
    char text[LB_MESSAGE_LENGTH];
    int missing = find_missing(operands, in, inputs);
    for (int i = 0; i < inputs; i++)
        if (in[i] && !lb_is_sound(in[i])) return in[i]; /* it has its own error */
    if (missing >= 0)
        return lb_poison_stray(LB_ERROR_ARGUMENT, "lb_%s: operand %s is missing", name,
                               lb_operand_name(operands, missing, text));
    list_parameters(operands, in, inputs, text);
    return lb_poison_stray(LB_ERROR_ARGUMENT, "lb_%s: no operand is on a tape: %s; see lb_on_tape", name,
                           text);
}

lb_tensor *lb_check_operands(const char *name, const char *operands, lb_tensor *const *in, int inputs)
{
    for (int i = 0; i < inputs; i++) /* no reset has taken it */
        assert(!in[i] || (uintptr_t)in[i]->tape != (uintptr_t)-1);
    lb_tape *tape = lb_operands_tape(in, inputs);
    if (!tape) return check_without_tape(name, operands, in, inputs);
    if (tape->error.status) return &tape->poison;
    char text[LB_OPERAND_TEXT];
    int missing = find_missing(operands, in, inputs);
    if (missing >= 0)
        return lb_tape_fail(tape, LB_ERROR_ARGUMENT, "lb_%s: operand %s is missing", name,
                            lb_operand_name(operands, missing, text));
    for (int i = 0; i < inputs; i++) {
        if (!in[i]) continue;
        if (in[i]->tape && in[i]->tape != tape)
            return lb_tape_fail(tape, LB_ERROR_ARGUMENT, "lb_%s: operand %s is on another tape", name,
                                lb_operand_name(operands, i, text));
        if (!lb_is_sound(in[i]))
            return lb_tape_fail(tape, lb_tensor_status(in[i]), "lb_%s: operand %s is poison: %s", name,
                                lb_operand_name(operands, i, text), lb_tensor_error(in[i]));
        /* Neither a reset nor a later step has taken it. */
        assert(!in[i]->tape || lb_arena_holds(tape->arena, in[i]) || !lb_tape_lasts(tape, in[i]));
    }
    return NULL;
}
