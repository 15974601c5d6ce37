/* Points that a module announces, without a model around them. This test runs in both precisions. */
#include "autograd/tape.h"
#include "lookback/op.h"
#include "support/suite.h"
#include "tensor/shape.h"

#include <stdio.h>
#include <string.h>

enum { ROWS = 2, HEADS = 200, WIDTH = 3, BEFORE = 2, AFTER = 4, COLUMNS = BEFORE + HEADS * WIDTH + AFTER };

typedef struct watched {
    char name[LB_POINT_NAME]; /* of the last point */
    int64_t layer;
    int met;
    int64_t replaced; /* this head, -1: none, HEADS: each one */
} watched;

static lb_tensor *watch(void *context, const lb_watch_point *point, lb_tensor *value)
{
    watched *w = context;
    snprintf(w->name, sizeof w->name, "%s", point->name);
    w->layer = point->layer;
    w->met++;
    if (w->replaced != HEADS && w->replaced != point->head) return NULL;
    lb_tensor *other = lb_tensor_new(value->tape, value->shape, value->data);
    for (int64_t i = 0; i < lb_count(other); i++) other->data[i] += 1000;
    return other;
}

/* One head, each one, or none is replaced, with and without columns beside them. There are more heads than the least
 * room that an arena gives has pointers. */
START_TEST(test_announce_columns_replaces_the_heads_that_it_is_told_to)
{
    static lb_real values[ROWS * COLUMNS];
    for (int i = 0; i < ROWS * COLUMNS; i++) values[i] = (lb_real)i;
    for (int64_t replaced = -1; replaced <= HEADS; replaced += (HEADS + 1) / 3)
        for (int alone = 0; alone < 2; alone++) {
            watched w = {.replaced = replaced};
            lb_tape *tape = lb_tape_new();
            lb_watch(tape, (lb_watcher){watch, &w});
            int64_t columns = alone ? HEADS * WIDTH : COLUMNS, first = alone ? 0 : BEFORE;
            lb_tensor *x = lb_tensor_new(tape, LB_SHAPE(ROWS, columns), values),
                      *found = lb_announce_columns(x, "keys", first, HEADS, WIDTH);
            ck_assert_int_eq(w.met, HEADS);
            ck_assert_msg(lb_is_sound(found), "%s", lb_tape_error(tape));
            ck_assert(lb_shape_equal(found->shape, x->shape));
            for (int64_t i = 0; i < ROWS * columns; i++) {
                int64_t at = i % columns - first, head = at < 0 || at >= HEADS * WIDTH ? -1 : at / WIDTH;
                bool other = head >= 0 && (replaced == HEADS || head == replaced);
                SUPPORT_CHECK(found->data[i] == values[i] + (other ? 1000 : 0), "replaced %d, element %d: %g",
                              (int)replaced, (int)i, (double)found->data[i]);
            }
            lb_tape_free(tape);
        }
}
END_TEST

static void expect_point(lb_tensor *x, const watched *w, const char *name, int64_t layer)
{
    lb_announce(x, "x", -1);
    ck_assert_str_eq(w->name, name);
    ck_assert_int_eq(w->layer, layer);
}

START_TEST(test_announce_at_a_place_returns_to_the_one_outside)
{
    watched w = {.replaced = -2};
    lb_tape *tape = lb_tape_new();
    lb_watch(tape, (lb_watcher){watch, &w});
    lb_tensor *x = lb_tensor_new(tape, LB_SHAPE(1, 2), NULL);
    expect_point(x, &w, "x", LB_NO_LAYER);
    lb_model_place outer = lb_tape_enter_place(tape, (lb_model_place){.part = "encoder", .layer = 3});
    expect_point(x, &w, "encoder.x", 3);
    lb_announce_at(x, "self", 4, "y");
    ck_assert_str_eq(w.name, "self.y");
    ck_assert_int_eq(w.layer, 4);
    expect_point(x, &w, "encoder.x", 3);
    lb_model_place within = lb_tape_enter_place(tape, (lb_model_place){.layer = LB_NO_LAYER});
    expect_point(x, &w, "encoder.x", LB_NO_LAYER);
    lb_tape_leave_place(tape, within);
    expect_point(x, &w, "encoder.x", 3);
    lb_tape_leave_place(tape, outer);
    expect_point(x, &w, "x", LB_NO_LAYER);
    lb_tape_free(tape);
}
END_TEST

START_TEST(test_announce_fixed_refuses_another_value)
{
    watched w = {.replaced = -2};
    lb_tape *tape = lb_tape_new();
    lb_watch(tape, (lb_watcher){watch, &w});
    lb_tensor *x = lb_tensor_new(tape, LB_SHAPE(1, 2), NULL);
    ck_assert_ptr_eq(lb_announce_fixed(x, "x", 0), x);
    w.replaced = 0;
    ck_assert(!lb_is_sound(lb_announce_fixed(x, "x", 0)));
    ck_assert_str_eq(lb_tape_error(tape), "the point x can only be read, not replaced");
    lb_tape_free(tape);
}
END_TEST
