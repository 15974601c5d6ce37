/* The tape after loss = lb_sum(lb_add(lb_mul(x, w), b)). The arrows from node to node are `previous`; x, w and b are
 * leaves, which have no node:
 *
 *     tape->last
 *         |
 *         v
 *     +-------+          +-------+          +-------+
 *     |  sum  |--------->|  add  |--------->|  mul  |----> NULL
 *     +-------+          +-------+          +-------+
 *      in[0]: s           in[0]: p           in[0]: x
 *      out[0]: loss       in[1]: b           in[1]: w
 *                         out[0]: s          out[0]: p      p->node, s->node and loss->node lead back to these nodes
 *
 * lb_backward goes from the left to the right. An op is recorded only if backward may need it: with an operand that
 * requires a gradient, but not in LB_MODE_EVALUATE. All memory lies in the arena (base/alloc.c), one piece after the
 * other, until lb_tape_reset. Each op has its node, a copy of its attributes, its result with its numbers, and what
 * forward keeps:
 *
 *     | mul | attributes | p | data of p | add | attributes | s | data of s | sum ... | gradients and work of backward
 *
 * From lb_tape_begin_step to lb_tape_end_steps, while a decoder runs, memory comes from two more arenas in turn. Each
 * is emptied when its next step begins, so that a step can read what the one before has computed:
 *
 *     step          none     1          2          3          4
 *     memory from   arena    work[1]    work[0]    work[1]    work[0] */
#include "autograd/tape.h"

#include "autograd/tape_internal.h"
#include "base/alloc.h"
#include "base/format.h"
#include "tensor/kernel.h"
#include "tensor/shape.h"

#include <math.h>
#include <stdarg.h>
#include <string.h>

lb_tape *lb_tape_new(void)
{
    lb_tape *tape = lb_alloc_zero(sizeof *tape);
    if (!tape) return NULL;
    tape->arena = lb_arena_new();
    if (!tape->arena) {
        lb_release(tape);
        return NULL;
    }
    tape->place.layer = LB_NO_LAYER;
    tape->poison.tape = tape;
    tape->poison.error = &tape->error;
    if (lb_instruction_set_check(LB_SET_VARIABLE, &tape->error))
        return tape; /* nothing is computed with it */
    return tape;
}

void lb_tape_free(lb_tape *tape)
{
    if (!tape) return;
    lb_tape_free(tape->scratch);
    lb_sinusoids_free(tape->sinusoids);
    for (int i = 0; i < LB_LENGTH(tape->work); i++) lb_arena_free(tape->work[i]);
    lb_arena_free(tape->arena);
    lb_release(tape->pairs.memory);
    lb_release(tape);
}

lb_tape *lb_tape_scratch(lb_tape *tape)
{
    if (!tape) return NULL;
    if (!tape->scratch) tape->scratch = lb_tape_new();
    if (!tape->scratch) lb_tape_fail(tape, LB_ERROR_MEMORY, "out of memory for a tape");
    lb_tape_reset(tape->scratch);
    lb_tape_clear_error(tape->scratch);
    lb_tape_set_mode(tape->scratch, tape->mode);
    if (tape->scratch) tape->scratch->watcher = tape->watcher;
    return tape->scratch;
}

void lb_tape_reset(lb_tape *tape)
{
    if (!tape) return;
    lb_tape_end_steps(tape);
    lb_arena_reset(tape->arena, 0);
    tape->last = NULL;
    tape->loss = NULL;
    tape->kept = NULL;
    tape->scope = NULL;
    tape->place = (lb_model_place){.layer = LB_NO_LAYER};
    tape->backward_ran = false;
    tape->spends = false;
    tape->random_ops = 0;
    tape->step++;
}

void lb_tape_set_mode(lb_tape *tape, lb_mode mode)
{
    if (!tape) return;
    tape->mode = mode;
    tape->kept = NULL;
}

const char *const lb_precision_names[] = {[LB_FLOAT32] = "float32", [LB_BFLOAT16] = "bfloat16", NULL};

lb_status lb_tape_set_precision(lb_tape *tape, lb_precision precision, lb_error *error)
{
    lb_status status = precision == LB_BFLOAT16 ? lb_bfloat16_check(error) : LB_OK;
    if (tape && !status) tape->precision = precision;
    return status;
}

void lb_tape_spend(lb_tape *tape)
{
    if (tape) tape->spends = true;
}

lb_mode lb_tape_mode(const lb_tape *tape)
{
    return tape ? tape->mode : LB_MODE_TRAIN;
}

void lb_tape_seed(lb_tape *tape, uint64_t seed, uint32_t step)
{
    if (!tape) return;
    tape->seed = seed;
    tape->step = step;
}

static lb_tensor *poison_of(lb_tape *tape)
{
    return tape ? &tape->poison : lb_poison_no_memory();
}

static const lb_error *error_of(const lb_tape *tape)
{
    return tape ? &tape->error : lb_error_no_memory();
}

lb_status lb_tape_status(const lb_tape *tape)
{
    return error_of(tape)->status;
}

const char *lb_tape_error(const lb_tape *tape)
{
    return error_of(tape)->message;
}

void lb_tape_clear_error(lb_tape *tape)
{
    if (tape) tape->error = (lb_error){0};
}

lb_tensor *lb_tape_fail(lb_tape *tape, lb_status status, const char *format, ...)
{
    if (!tape) return poison_of(tape);
    char message[LB_MESSAGE_LENGTH];
    va_list arguments;
    va_start(arguments, format);
    lb_vsnprintf(message, sizeof message, format, arguments);
    va_end(arguments);
    const char *scope = tape->scope ? tape->scope : ""; /* "" is a model that has no name */
    lb_error_set(&tape->error, status, "%s%s%s", scope, *scope ? ": " : "", message);
    return &tape->poison;
}

static void *allocate(lb_tape *tape, lb_arena *arena, size_t bytes)
{
    void *memory = lb_arena_alloc(arena, bytes);
    if (!memory) lb_tape_fail(tape, LB_ERROR_MEMORY, "out of memory: cannot allocate %zu bytes", bytes);
    return memory;
}

void *lb_tape_alloc(lb_tape *tape, size_t bytes)
{
    if (!tape) return NULL;
    return allocate(tape, tape->steps > 0 ? tape->work[tape->steps % 2] : tape->arena, bytes);
}

void *lb_tape_alloc_zero(lb_tape *tape, int64_t count, size_t size)
{
    if (tape && (uint64_t)count > SIZE_MAX / size) {
        lb_tape_fail(tape, LB_ERROR_MEMORY, "out of memory for %lld elements", (long long)count);
        return NULL;
    }
    void *memory = lb_tape_alloc(tape, (size_t)count * size);
    if (memory) memset(memory, 0, (size_t)count * size);
    return memory;
}

void *lb_tape_alloc_lasting(lb_tape *tape, size_t bytes)
{
    return tape ? allocate(tape, tape->arena, bytes) : NULL;
}

void lb_tape_begin_step(lb_tape *tape, bool shares)
{
    if (!tape) return;
    lb_arena **next = &tape->work[(tape->steps + 1) % 2];
    if (!*next) *next = lb_arena_new();
    if (!*next) {
        lb_tape_fail(tape, LB_ERROR_MEMORY, "out of memory for a step");
        return;
    }
    lb_arena_reset(*next, lb_arena_used(*next) / 4); /* a longer output needs a little more */
    tape->steps++;
    tape->shares = shares;
}

void lb_tape_end_steps(lb_tape *tape)
{
    if (!tape) return;
    tape->steps = 0;
    tape->shares = false;
}

bool lb_tape_shares(const lb_tape *tape)
{
    return tape && tape->shares;
}

bool lb_tape_lasts(const lb_tape *tape, const void *memory)
{
    for (int i = 0; tape && i < LB_LENGTH(tape->work); i++)
        if (tape->work[i] && lb_arena_holds(tape->work[i], memory)) return false;
    return true;
}

const char *lb_tape_enter(lb_tape *tape, const char *name)
{
    if (!tape) return NULL;
    const char *outer = tape->scope;
    tape->scope = name;
    return outer;
}

void lb_tape_leave(lb_tape *tape, const char *outer)
{
    if (tape) tape->scope = outer;
}

lb_tensor *lb_tensor_uninitialised(lb_tape *tape, lb_shape shape)
{
    if (!lb_shape_valid(shape)) {
        char text[LB_SHAPE_TEXT];
        return lb_tape_fail(tape, LB_ERROR_SHAPE, "invalid shape %s", lb_shape_format(shape, text));
    }
    lb_tensor *tensor = lb_tape_alloc(tape, sizeof *tensor);
    lb_real *data = tensor ? lb_tape_alloc(tape, (size_t)lb_shape_count(shape) * sizeof *data) : NULL;
    if (!data) return poison_of(tape);
    *tensor = (lb_tensor){.shape = shape, .data = data, .tape = tape};
    return tensor;
}

lb_tensor *lb_tensor_new(lb_tape *tape, lb_shape shape, const lb_real *values)
{
    lb_tensor *tensor = lb_tensor_uninitialised(tape, shape);
    if (!lb_is_sound(tensor)) return tensor;
    size_t bytes = (size_t)lb_count(tensor) * sizeof *values;
    if (values)
        memcpy(tensor->data, values, bytes);
    else
        memset(tensor->data, 0, bytes);
    return tensor;
}

lb_tensor *lb_length_mask(lb_tape *tape, const int32_t *lengths, int64_t batch, int64_t width)
{
    lb_tensor *mask = lb_tensor_new(tape, LB_SHAPE(batch, width), NULL);
    if (!lb_is_sound(mask)) return mask;
    for (int64_t row = 0; row < batch; row++)
        for (int64_t i = 0; i < width && i < lengths[row]; i++) mask->data[row * width + i] = 1;
    return mask;
}

lb_tensor *lb_causal_mask(lb_tape *tape, int64_t length)
{
    lb_tensor *mask = lb_tensor_new(tape, LB_SHAPE(length, length), NULL);
    if (!lb_is_sound(mask)) return mask;
    for (int64_t row = 0; row < length; row++)
        for (int64_t i = 0; i <= row; i++) mask->data[row * length + i] = 1;
    return mask;
}

lb_tensor *lb_on_tape(lb_tape *tape, const lb_tensor *parameter)
{
    if (!lb_is_sound(parameter))
        return lb_tape_fail(tape, lb_tensor_status(parameter), "lb_on_tape: %s", lb_tensor_error(parameter));
    lb_tensor *alias = lb_tape_alloc(tape, sizeof *alias);
    if (!alias) return poison_of(tape);
    *alias = *parameter;
    alias->tape = tape;
    alias->node = NULL;
    if (tape->mode == LB_MODE_EXPLAIN) alias->requires_grad = false;
    return alias;
}

lb_real lb_item(const lb_tensor *tensor)
{
    return lb_is_sound(tensor) && lb_count(tensor) == 1 ? tensor->data[0] : (lb_real)NAN;
}

double *lb_doubles(const lb_tensor *tensor)
{
    if (!lb_is_sound(tensor)) return NULL;
    double *values = lb_tape_alloc(tensor->tape, (size_t)lb_count(tensor) * sizeof *values);
    for (int64_t i = 0; values && i < lb_count(tensor); i++) values[i] = (double)tensor->data[i];
    return values;
}
