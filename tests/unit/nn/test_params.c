/* The parameter store. This test runs in both precisions. */
#include "base/alloc.h"
#include "lookback/nn.h"
#include "nn/params.h"
#include "support/alloc.h"
#include "support/suite.h"

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const lb_init normal = {LB_INIT_NORMAL, 1};

/* Of the floats 3, 4 in "a.x" and 1, -2.5, 0.1 in "b.x", whatever the order of addition, the machine and the
 * precision. */
START_TEST(test_hash_is_of_little_endian_floats_in_the_order_of_names)
{
    static const double of_b[] = {1, -2.5, 0.1};
    lb_params *params = lb_params_new(1);
    lb_tensor *b = lb_params_add(params, "b", "x", LB_SHAPE(3), normal),
              *a = lb_params_add(params, "a", "x", LB_SHAPE(2), normal);
    for (int i = 0; i < 3; i++) b->data[i] = (lb_real)of_b[i];
    for (int i = 0; i < 2; i++) a->data[i] = (lb_real)(3 + i);
    ck_assert_uint_eq(lb_params_hash(params, ""), UINT64_C(0xea29fabeed95f5b6));
    ck_assert_uint_eq(lb_params_hash(params, "b."), UINT64_C(0x3cf8e613b8128996));
    ck_assert_uint_eq(lb_params_hash(params, "c."), UINT64_C(0xcbf29ce484222325));
    b->data[1] += (lb_real)1e-6;
    ck_assert_uint_ne(lb_params_hash(params, ""), UINT64_C(0xea29fabeed95f5b6));
    lb_params_free(params);
}
END_TEST

START_TEST(test_add_tensors_lie_in_one_slab_at_multiples_of_64_bytes)
{
    lb_params *params = lb_params_new(1);
    const lb_shape shapes[] = {LB_SHAPE(3), LB_SHAPE(5, 7), LB_SHAPE(1), LB_SHAPE(64), LB_SHAPE(2, 3, 11)};
    int64_t learned = 0;
    for (int i = 0; i < 5; i++) {
        char name[16];
        snprintf(name, sizeof name, "p%d", i);
        lb_params_add(params, "", name, shapes[i], normal);
        learned += lb_shape_count(shapes[i]);
    }
    ck_assert_int_eq(lb_params_count(params), 5);
    ck_assert_int_eq(lb_params_learned(params), learned);
    int64_t unit = LB_ALIGNMENT / (int64_t)sizeof(lb_real), end = 0;
    for (int i = 0; SUPPORT_ROW(i, shapes); i++) {
        const lb_tensor *p = lb_params_tensor(params, i);
        ck_assert_uint_eq((uintptr_t)p->data % LB_ALIGNMENT, 0);
        ck_assert_uint_eq((uintptr_t)p->grad % LB_ALIGNMENT, 0);
        ck_assert_int_eq(p->data - lb_params_values(params), end);
        ck_assert_int_eq(p->grad - lb_params_grads(params), end);
        ck_assert(lb_shape_equal(p->shape, shapes[i]));
        ck_assert(p->requires_grad && !p->tape && !p->node);
        end += lb_count(p);
        for (; end % unit; end++)
            ck_assert(lb_params_values(params)[end] == 0 && lb_params_grads(params)[end] == 0);
    }
    ck_assert_int_eq(lb_params_size(params), end);
    lb_params_free(params);
}
END_TEST

START_TEST(test_add_scoped_names_are_joined_by_dots)
{
    lb_params *params = lb_params_new(1);
    const char *inner = lb_params_scope(params, "model", "encoder");
    ck_assert_str_eq(inner, "model.encoder");
    ck_assert_str_eq(lb_params_scope(params, "", "model"), "model");
    lb_tensor *weight = lb_params_add(params, inner, "weight_ih_l0", LB_SHAPE(2), normal);
    lb_params_add(params, "", "scale", LB_SHAPE(1), normal);
    ck_assert_str_eq(lb_params_name(params, 0), "model.encoder.weight_ih_l0");
    ck_assert_str_eq(lb_params_name(params, 1), "scale");
    ck_assert_ptr_eq(lb_params_find(params, "model.encoder.weight_ih_l0"), weight);
    ck_assert_ptr_eq(lb_params_tensor(params, 0), weight);
    ck_assert_ptr_null(lb_params_find(params, "weight_ih_l0"));
    lb_params_free(params);
}
END_TEST

START_TEST(test_add_taken_name_is_an_error_that_stays)
{
    lb_params *params = lb_params_new(1);
    lb_params_add(params, "a", "b", LB_SHAPE(2), normal);
    lb_tensor *second = lb_params_add(params, "", "a.b", LB_SHAPE(2), normal);
    ck_assert(!lb_is_sound(second));
    ck_assert_int_eq(lb_params_status(params), LB_ERROR_ARGUMENT);
    ck_assert_str_eq(lb_params_error(params), "parameter a.b already exists");
    ck_assert(!lb_is_sound(lb_params_add(params, "", "c", LB_SHAPE(2), normal)));
    ck_assert_str_eq(lb_params_error(params), "parameter a.b already exists");
    ck_assert_int_eq(lb_params_count(params), 1);
    lb_params_free(params);
}
END_TEST

START_TEST(test_add_impossible_shape_is_an_error)
{
    const lb_shape bad[] = {LB_SHAPE(3, 0), LB_SHAPE(-2), LB_SHAPE(INT64_MAX, 4)};
    for (int i = 0; SUPPORT_ROW(i, bad); i++) {
        lb_params *params = lb_params_new(1);
        ck_assert(!lb_is_sound(lb_params_add(params, "m", "w", bad[i], normal)));
        ck_assert_int_eq(lb_params_status(params), LB_ERROR_SHAPE);
        ck_assert_int_eq(lb_params_count(params), 0);
        lb_params_free(params);
    }
}
END_TEST

START_TEST(test_fail_keeps_the_first_error)
{
    lb_params *params = lb_params_new(1);
    ck_assert_int_eq(lb_params_fail(params, LB_ERROR_ARGUMENT, "%d layers", -3), LB_ERROR_ARGUMENT);
    ck_assert_int_eq(lb_params_fail(params, LB_ERROR_SHAPE, "later"), LB_ERROR_SHAPE);
    ck_assert_int_eq(lb_params_status(params), LB_ERROR_ARGUMENT);
    ck_assert_str_eq(lb_params_error(params), "-3 layers");
    lb_params_free(params);
    ck_assert_int_eq(lb_params_fail(NULL, LB_ERROR_SHAPE, "later"), LB_ERROR_MEMORY);
}
END_TEST

START_TEST(test_add_order_does_not_change_how_parameters_start)
{
    lb_params *one = lb_params_new(5), *other = lb_params_new(5), *seeded = lb_params_new(6);
    lb_tensor *a = lb_params_add(one, "m", "a", LB_SHAPE(4, 5), normal),
              *b = lb_params_add(one, "m", "b", LB_SHAPE(4, 5), normal);
    lb_tensor *b2 = lb_params_add(other, "m", "b", LB_SHAPE(4, 5), normal);
    lb_params_add(other, "x", "a", LB_SHAPE(100), normal);
    lb_tensor *a2 = lb_params_add(other, "m", "a", LB_SHAPE(4, 5), normal);
    lb_tensor *a3 = lb_params_add(seeded, "m", "a", LB_SHAPE(4, 5), normal);
    ck_assert_mem_eq(a->data, a2->data, 20 * sizeof *a->data);
    ck_assert_mem_eq(b->data, b2->data, 20 * sizeof *a->data);
    ck_assert_mem_ne(a->data, b->data, 20 * sizeof *a->data);
    ck_assert_mem_ne(a->data, a3->data, 20 * sizeof *a->data);
    lb_params_free(one);
    lb_params_free(other);
    lb_params_free(seeded);
}
END_TEST

START_TEST(test_add_growth_keeps_tensors_values_and_gradients)
{
    enum { MANY = 200 };
    lb_params *params = lb_params_new(9);
    lb_tensor *tensor[MANY];
    for (int i = 0; i < MANY; i++) {
        char name[16];
        snprintf(name, sizeof name, "p%d", i);
        tensor[i] =
            lb_params_add(params, "", name, LB_SHAPE(1 + i % 37), (lb_init){LB_INIT_CONSTANT, i + 0.5});
        for (int64_t j = 0; j < lb_count(tensor[i]); j++) tensor[i]->grad[j] = (lb_real)(-i);
    }
    ck_assert_int_eq(lb_params_status(params), LB_OK);
    for (int i = 0; i < MANY; i++) {
        ck_assert_ptr_eq(lb_params_tensor(params, i), tensor[i]);
        ck_assert(tensor[i]->data >= lb_params_values(params));
        ck_assert(tensor[i]->data + lb_count(tensor[i]) <= lb_params_values(params) + lb_params_size(params));
        for (int64_t j = 0; j < lb_count(tensor[i]); j++) {
            ck_assert(tensor[i]->data[j] == (lb_real)(i + 0.5));
            ck_assert(tensor[i]->grad[j] == (lb_real)(-i));
        }
    }
    lb_params_zero_grads(params);
    for (int64_t j = 0; j < lb_params_size(params); j++) ck_assert(lb_params_grads(params)[j] == 0);
    ck_assert(tensor[7]->data[0] == (lb_real)7.5);
    lb_params_free(params);
}
END_TEST

START_TEST(test_alloc_is_zero_and_aligned)
{
    lb_params *params = lb_params_new(9);
    const unsigned char *memory = lb_params_alloc(params, 300);
    ck_assert_uint_eq((uintptr_t)memory % LB_ALIGNMENT, 0);
    for (int i = 0; i < 300; i++) ck_assert_uint_eq(memory[i], 0);
    lb_params_free(params);
    lb_params_free(NULL);
}
END_TEST

START_TEST(test_tensor_and_name_of_an_index_that_is_not_there_are_null)
{
    lb_params *params = lb_params_new(9);
    lb_tensor *only = lb_params_add(params, "", "only", LB_SHAPE(2), normal);
    ck_assert_ptr_eq(lb_params_tensor(params, 0), only);
    const int none[] = {7, 1, -1};
    for (int i = 0; SUPPORT_ROW(i, none); i++) {
        ck_assert_ptr_null(lb_params_name(params, none[i]));
        ck_assert_ptr_null(lb_params_tensor(params, none[i]));
    }
    lb_params_free(params);
}
END_TEST

/* Returns the status after adding two parameters, the second of which makes the slabs grow. */
static lb_status add_two(void)
{
    lb_params *params = lb_params_new(1);
    if (!params) return LB_ERROR_MEMORY;
    const lb_tensor *first = lb_params_add(params, "", "a", LB_SHAPE(10), (lb_init){LB_INIT_CONSTANT, 3});
    const lb_tensor *second = lb_params_add(params, "", "b", LB_SHAPE(70000), normal);
    lb_status status = lb_params_status(params);
    if (lb_is_sound(first)) ck_assert(first->data[9] == 3);
    ck_assert_int_eq(lb_is_sound(first) && lb_is_sound(second), status == LB_OK);
    lb_params_free(params);
    return status;
}

START_TEST(test_trained_runs_leave_out_what_is_frozen)
{
    enum { PADDED = 32 }; /* of 30 numbers, in either precision */
    static const char *const names[] = {"a.x", "a.y", "b.x", "c.x", "c.y"};
    lb_params *params = lb_params_new(1);
    int64_t end = -1;
    ck_assert_int_eq(lb_params_trained(params, 0, &end), 0);
    for (int i = 0; i < 5; i++) lb_params_add(params, "", names[i], LB_SHAPE(30), (lb_init){0});
    ck_assert_int_eq(lb_params_trained(params, 0, &end), 0);
    ck_assert_int_eq(end, 5 * PADDED);
    ck_assert_int_eq(lb_params_freeze(params, "a"), 2);
    ck_assert_int_eq(lb_params_freeze(params, "c.x"), 1);
    ck_assert_int_eq(lb_params_trained(params, 0, &end), 2 * PADDED);
    ck_assert_int_eq(end, 3 * PADDED);
    ck_assert_int_eq(lb_params_trained(params, 2 * PADDED + 7, &end), 2 * PADDED + 7);
    ck_assert_int_eq(lb_params_trained(params, end, &end), 4 * PADDED);
    ck_assert_int_eq(end, 5 * PADDED);
    ck_assert_int_eq(lb_params_trained(params, end, &end), 5 * PADDED);
    lb_params_freeze(params, "b");
    lb_params_freeze(params, "c");
    ck_assert_int_eq(lb_params_trained(params, 0, &end), 5 * PADDED);
    lb_params_free(params);
}
END_TEST

/* The store of a file has no more memory than its parameters need. */
START_TEST(test_alloc_beyond_the_room_of_a_source_is_an_error)
{
    const lb_params_source source = {.room = 10000};
    lb_params *params = lb_params_new(1);
    lb_params_take_from(params, &source);
    ck_assert_ptr_nonnull(lb_params_alloc(params, 6000));
    ck_assert_ptr_null(lb_params_alloc(params, 6000));
    ck_assert_int_eq(lb_params_status(params), LB_ERROR_FORMAT);
    lb_params_free(params);
}
END_TEST

/* A sanitizer's calloc clears at once. */
static bool calloc_touches(size_t bytes)
{
    void *memory = calloc(1, bytes);
    ck_assert_ptr_nonnull(memory);
    bool touches = support_touched_pages(memory, bytes) > 0;
    free(memory);
    return touches;
}

static lb_status take_any(const void *context, const char *name, lb_shape shape, lb_error *error)
{
    (void)context, (void)name, (void)shape, (void)error;
    return LB_OK;
}

START_TEST(test_add_from_a_source_reserves_once_and_touches_no_gradient)
{
    enum { COUNT = 20, NUMBERS = 1 << 15 };
    const lb_params_source source = {.check = take_any, .room = SIZE_MAX, .size = (int64_t)COUNT * NUMBERS};
    lb_params *params = lb_params_new(1);
    lb_params_take_from(params, &source);
    const lb_real *first = NULL;
    for (int i = 0; i < COUNT; i++) {
        char name[16];
        snprintf(name, sizeof name, "p%d", i);
        lb_tensor *p = lb_params_add(params, "", name, LB_SHAPE(NUMBERS), normal);
        ck_assert_msg(lb_is_sound(p), "%s", lb_params_error(params));
        for (int64_t j = 0; j < NUMBERS; j++) p->data[j] = 1;
        if (i == 0) first = p->data;
    }
    ck_assert_ptr_eq(lb_params_values(params), first);
    size_t bytes = (size_t)COUNT * NUMBERS * sizeof(lb_real);
    lb_real *grads = lb_params_grads(params);
    if (!calloc_touches(bytes)) ck_assert_uint_eq(support_touched_pages(grads, bytes), 0);
    int64_t zeros = 0;
    for (int64_t i = 0; i < (int64_t)COUNT * NUMBERS; i++) zeros += grads[i] == 0;
    ck_assert_int_eq(zeros, (int64_t)COUNT * NUMBERS);
    lb_params_free(params);
}
END_TEST

static void *allocate_little(size_t bytes)
{
    return bytes <= 1 << 20 ? malloc(bytes) : NULL;
}

/* The size of a source is what it says: where there is no memory for all of it, what is added may still fit. */
START_TEST(test_add_from_a_source_without_memory_for_all_takes_what_it_needs)
{
    const lb_params_source source = {.check = take_any, .room = SIZE_MAX, .size = 1 << 20};
    lb_set_allocator(&(lb_allocator){allocate_little, free});
    lb_params *params = lb_params_new(1);
    lb_params_take_from(params, &source);
    ck_assert(lb_is_sound(lb_params_add(params, "", "a", LB_SHAPE(3), normal)));
    ck_assert(lb_is_sound(lb_params_add(params, "", "b", LB_SHAPE(70000), normal)));
    lb_params_free(params);
    lb_set_allocator(NULL);
}
END_TEST

START_TEST(test_add_failing_allocation_is_an_error_and_leaks_nothing)
{
    support_watch_allocations();
    ck_assert_int_eq(add_two(), LB_OK);
    long all = support_allocation_count();
    int failed = 0;
    ck_assert_int_ge(all, 7);
    for (long n = 1; n <= all; n++) {
        support_fail_allocation(n);
        lb_status status = add_two();
        ck_assert(status == LB_ERROR_MEMORY || status == LB_OK);
        failed += status == LB_ERROR_MEMORY;
        ck_assert_int_eq(support_live_allocations(), 0);
    }
    ck_assert_int_ge(failed, 6); /* all but an arena's generous block */
}
END_TEST

START_TEST(test_recurrent_layers_without_memory_are_poison_in_use)
{
    lb_gru gru;
    ck_assert_int_eq(lb_recurrent_init(&gru, NULL, "gru", (lb_gru_config){.input = 3, .hidden = 4}),
                     LB_ERROR_MEMORY);
    lb_tape *tape = lb_tape_new();
    lb_tensor *x = lb_tensor_new(tape, LB_SHAPE(2, 5, 3), NULL);
    lb_gru_result result = lb_recurrent_forward(&gru, x, NULL, NULL);
    ck_assert(!lb_is_sound(result.outputs) && !result.final);
    ck_assert_int_eq(lb_tape_status(tape), LB_ERROR_MEMORY);
    ck_assert(!lb_is_sound(lb_recurrent_forward(&gru, NULL, NULL, NULL).outputs));
    lb_tape_free(tape);
}
END_TEST

/* Modules with their sizes, of which number `i` is left out. */
static const char *add_module_without(int i, lb_params *params)
{
    lb_linear linear;
    lb_gru gru;
    lb_layer_norm norm;
    lb_embedding embedding;
    lb_multi_head heads;
    lb_positional positional;
    lb_additive_attention additive;
    lb_transformer_layer layer;
    switch (i) {
    case 0:
        lb_gru_init(&gru, params, "m", (lb_gru_config){.input = 5});
        return "hidden";
    case 1:
        lb_gru_init(&gru, params, "m", (lb_gru_config){.hidden = 5});
        return "input";
    case 2:
        lb_linear_init(&linear, params, "m", (lb_linear_config){.inputs = 5});
        return "outputs";
    case 3:
        lb_linear_init(&linear, params, "m", (lb_linear_config){.outputs = 5});
        return "inputs";
    case 4:
        lb_layer_norm_init(&norm, params, "m", 0, 0);
        return "width";
    case 5:
        lb_embedding_init(&embedding, params, "m", 0, 4, 0);
        return "vocabulary";
    case 6:
        lb_multi_head_init(&heads, params, "m", (lb_multi_head_config){.heads = 2});
        return "embed";
    case 7:
        lb_positional_init(&positional, params, "m",
                           (lb_positional_config){.kind = LB_POSITIONAL_LEARNED, .width = 4});
        return "max_length";
    case 8:
        lb_additive_attention_init(&additive, params, "m", (lb_additive_attention_config){.query = 4});
        return "key";
    default:
        lb_transformer_layer_init(&layer, params, "m", false, (lb_transformer_layer_config){.heads = 2});
        return "width";
    }
}

START_TEST(test_size_of_a_module_that_was_forgotten_is_named)
{
    for (int i = 0; i < 10; i++) {
        char expected[200];
        lb_params *params = lb_params_new(1);
        const char *field = add_module_without(i, params);
        snprintf(expected, sizeof expected, "m: %s is 0, expected at least 1; a field that is not set is 0",
                 field);
        ck_assert_str_eq(lb_params_error(params), expected);
        ck_assert_int_eq(lb_params_status(params), LB_ERROR_ARGUMENT);
        lb_params_free(params);
    }
}
END_TEST
