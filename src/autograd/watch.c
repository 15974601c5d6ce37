/* Named points of a model, which a watcher of the tape reads or replaces. A module announces each point where it
 * computes it, and models say where on the way through them the tape is: lb_model_place. */
#include "autograd/tape.h"

#include "autograd/tape_internal.h"
#include "base/format.h"

void lb_watch(lb_tape *tape, lb_watcher watcher)
{
    if (tape) tape->watcher = watcher;
}

#ifndef LB_PREDICT
bool lb_is_watched(const lb_tape *tape)
{
    return tape && tape->watcher.watch;
}
#endif

lb_model_place lb_tape_enter_place(lb_tape *tape, lb_model_place place)
{
    if (!tape) return place;
    lb_model_place outer = tape->place;
    if (!place.model) place.model = outer.model;
    if (!place.part) place.part = outer.part;
    tape->place = place;
    return outer;
}

void lb_tape_leave_place(lb_tape *tape, lb_model_place outer)
{
    if (tape) tape->place = outer;
}

/* What the watcher puts in the place of a value, of the same shape and on the same tape. */
static lb_tensor *check_replacement(const lb_watch_point *point, const lb_tensor *value,
                                    lb_tensor *replacement)
{
    char wanted[LB_SHAPE_TEXT], found[LB_SHAPE_TEXT];
    if (!lb_is_sound(replacement)) return replacement;
    if (replacement->tape == value->tape && lb_shape_equal(replacement->shape, value->shape))
        return replacement;
    return lb_tape_fail(
        value->tape, LB_ERROR_SHAPE, "the point %s was replaced by %s%s, expected %s on its tape",
        point->name, lb_shape_format(replacement->shape, found),
        replacement->tape == value->tape ? "" : " elsewhere", lb_shape_format(value->shape, wanted));
}

static lb_tensor *announce(lb_tensor *value, const char *name, int64_t head, bool fixed)
{
    if (!lb_is_sound(value) || !lb_is_watched(value->tape)) return value;
    lb_tape *tape = value->tape;
    lb_watch_point point = {.model = tape->place.model,
                            .layer = tape->place.layer,
                            .head = head,
                            .fixed = fixed,
                            .step = tape->place.step + (tape->steps > 0 ? tape->steps - 1 : 0)};
    const char *part = tape->place.part ? tape->place.part : "";
    lb_snprintf(point.name, sizeof point.name, "%s%s%s", part, *part ? "." : "", name);
    lb_tensor *replacement = tape->watcher.watch(tape->watcher.context, &point, value);
    if (!replacement || replacement == value) return value;
    if (fixed)
        return lb_tape_fail(tape, LB_ERROR_ARGUMENT, "the point %s can only be read, not replaced",
                            point.name);
    return check_replacement(&point, value, replacement);
}

lb_tensor *lb_announce(lb_tensor *value, const char *name, int64_t head)
{
    return announce(value, name, head, false);
}

lb_tensor *lb_announce_fixed(lb_tensor *value, const char *name, int64_t head)
{
    return announce(value, name, head, true);
}

lb_tensor *lb_announce_at(lb_tensor *value, const char *part, int64_t layer, const char *name)
{
    if (!lb_is_sound(value) || !lb_is_watched(value->tape)) return value;
    lb_model_place place = {.part = part, .layer = layer, .step = value->tape->place.step};
    lb_model_place outer = lb_tape_enter_place(value->tape, place);
    lb_tensor *result = lb_announce(value, name, -1);
    lb_tape_leave_place(value->tape, outer);
    return result;
}

lb_tensor *lb_announce_columns(lb_tensor *x, const char *name, int64_t first, int64_t heads, int64_t width)
{
    enum { BEFORE_AND_AFTER = 2 };
    if (!lb_is_sound(x) || !lb_is_watched(x->tape)) return x;
    lb_tensor **part = lb_tape_alloc(x->tape, (size_t)(heads + BEFORE_AND_AFTER) * sizeof *part);
    int64_t end = first + heads * width, columns = lb_dim(x, -1);
    int count = 0, axis = x->shape.ndim - 1;
    bool replaced = false;
    if (!part) return &x->tape->poison;
    if (first > 0) part[count++] = lb_slice(x, axis, 0, first);
    for (int64_t head = 0; head < heads; head++) {
        lb_tensor *own = lb_slice(x, axis, first + head * width, width);
        part[count] = lb_announce(own, name, head);
        replaced = part[count++] != own || replaced;
    }
    if (end < columns) part[count++] = lb_slice(x, axis, end, columns - end);
    return replaced ? lb_concat(part, count, axis) : x;
}
