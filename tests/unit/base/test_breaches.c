/* Each row breaks what a function takes for granted: a build with asserts stops in that function, before a wrong number
 * comes of it. Builds without asserts leave this unit out (tests/CMakeLists.txt). */
#include "autograd/cause.h"
#include "autograd/fused/recurrence.h"
#include "autograd/loops.h"
#include "autograd/tape.h"
#include "base/alloc.h"
#include "base/bytes.h"
#include "base/table.h"
#include "base/threads.h"
#include "data/text/heap.h"
#include "lookback/ops.h"
#include "nn/kv_cache.h"
#include "nn/layers.h"
#include "support/suite.h"
#include "tensor/arrays.h"
#include "tensor/attention_kernel.h"
#include "tensor/cell_kernel.h"
#include "tensor/panels.h"
#include "tensor/row_attention.h"
#include "tensor/softmax_row.h"

#include <math.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

enum { MANY = 1024, HALF = MANY / 2, SECONDS = 10 };

static _Alignas(LB_ALIGNMENT) lb_real x[MANY], y[MANY];

/* ---- base ---- */

static void *allocate_between(size_t bytes)
{
    return (char *)lb_default_allocator.allocate(bytes + 1) + 1;
}

static void take_misaligned_memory(void)
{
    lb_set_allocator(&(lb_allocator){allocate_between, lb_default_allocator.release});
    lb_release(lb_alloc(8));
}

static void keep_more_than_there_is(void)
{
    void *array = NULL;
    size_t capacity = 4;
    if (lb_alloc_more(&array, 5, &capacity, sizeof(int))) lb_release(array);
}

static void spare_more_than_there_is(void)
{
    lb_arena *arena = lb_arena_new();
    lb_arena_alloc(arena, 1);
    lb_arena_reset(arena, SIZE_MAX);
}

static const char *const words[] = {"one", "two", "three", "one"};

static lb_table_key key_of_word(const void *owner, int32_t number)
{
    (void)owner;
    return lb_table_string(words[number]);
}

static lb_table table = {.key_of = key_of_word};

static void add_a_number_beyond_the_table(void)
{
    (void)!lb_table_fill(&table, 2, 0, 2);
    lb_table_add(&table, 2);
}

static void do_nothing(const lb_team_thread *thread, void *context)
{
    (void)thread, (void)context;
}

static void share_with_a_place_too_many(void)
{
    int64_t first;
    lb_share(10, 2, 2, &first);
}

/* ---- data ---- */

static void take_from_an_empty_heap(void)
{
    size_t count = 0;
    lb_heap_take((uint64_t[]){1}, &count);
}

static void take_from_a_heap_out_of_order(void)
{
    size_t count = 3;
    lb_heap_take((uint64_t[]){5, 1, 7}, &count);
}

/* ---- tensor ---- */

static void broadcast_too_many_dims(void)
{
    lb_shape all;
    lb_shape_broadcast((lb_shape){.ndim = LB_MAX_DIMS + 1}, LB_SHAPE(1), &all);
}

static const lb_panels panels = {.from = {x, 40, false, NULL}, .depth = 8, .columns = 40, .packed = y};

/* ---- autograd ---- */

static void take_doubles_from_a_misaligned_block(void)
{
    lb_parts parts = {.block = (lb_real *)(void *)((char *)y + sizeof(double) / 2)};
    lb_parts_next_doubles(&parts, 1);
}

static void compute_with_what_a_reset_has_taken(void)
{
    lb_tape *tape = lb_tape_new();
    lb_tensor *before = lb_tensor_new(tape, LB_SHAPE(2), x);
    lb_tape_reset(tape);
    lb_relu(before);
}

static void compute_with_what_a_step_has_taken(void)
{
    lb_tape *tape = lb_tape_new();
    lb_tape_begin_step(tape, false);
    lb_tensor *before = lb_tensor_new(tape, LB_SHAPE(2), x);
    lb_tape_begin_step(tape, false);
    lb_tape_begin_step(tape, false);
    lb_relu(before);
}

static void apply_to_too_many_operands(void)
{
    lb_tensor *in[LB_MAX_INPUTS + 1] = {NULL};
    lb_op_apply(&(lb_op){.name = "many", .operands = "x..."}, in, LB_MAX_INPUTS + 1, NULL, 0);
}

static lb_tensor three = {.shape = {1, {3}}, .data = x, .grad = y, .requires_grad = true};
static lb_node node_of_three = {.in = {&three}, .inputs = 1};

static void visit_a_row_too_many(void)
{
    int64_t at[LB_BROADCAST];
    lb_broadcast_row(&(lb_broadcast){.rows = 2}, 2, at);
}

static void transpose_rows_that_are_missing(void)
{
    lb_matrix made;
    const lb_tensor weight = {.shape = {2, {8, 4}}, .data = x};
    lb_node node = {.tape = lb_tape_new()};
    lb_op_transposed_weight(&node, &weight, 4, 8, 0, 4, 1, &made);
}

static void name_a_place_outside(void)
{
    char text[LB_PLACE_TEXT];
    lb_bad_place(three.shape, x, 3, text);
}

static void divide_a_weight_unevenly(void)
{
    lb_panels gates[3];
    lb_tensor weight = {.shape = {2, {8, 4}}, .data = x};
    lb_recurrence_panels(&node_of_three, &(lb_gru_input){.steps = 1}, &weight, 0, 4, 3, gates);
}

/* ---- nn ---- */

static void select_a_row_outside_of_the_cache(void)
{
    lb_real *entry[2] = {x, x};
    const lb_kv_cache cache = {.batch = 2, .length = 1, .layers = 1, .width = 4, .entry = entry};
    lb_kv_cache_select(lb_tape_new(), &cache, (const int64_t[]){2}, 1);
}

static void write_keys(int64_t layer, int64_t columns)
{
    lb_real *entry[1] = {y};
    const lb_tensor keys = {.shape = {3, {1, 1, columns}}, .data = x};
    lb_kv_cache_write(&(lb_kv_cache){.batch = 1, .length = 1, .layers = 1, .width = 4, .entry = entry}, layer,
                      &keys);
}

/* ---- All of them: what is wrong, the function that stops it, and the call. ---- */

#define BREACHES(ROW)                                                                                        \
    ROW(take_misaligned_memory, lb_alloc, take_misaligned_memory())                                          \
    ROW(shrink_memory, lb_alloc_grow, lb_release(lb_alloc_grow(lb_alloc(8), 8, 4)))                          \
    ROW(keep_more_than_there_is, lb_alloc_room, keep_more_than_there_is())                                   \
    ROW(align_the_whole_address_space, lb_align_up, y[0] = (lb_real)lb_align_up(SIZE_MAX))                   \
    ROW(spare_more_than_there_is, lb_arena_reset, spare_more_than_there_is())                                \
    ROW(cast_what_does_not_fit, lb_narrow, y[0] = (lb_real)lb_narrow(INT64_C(1) << 31))                      \
    ROW(find_in_an_unfilled_table, lb_table_find, lb_table_find(&table, lb_table_string("one")))             \
    ROW(fill_a_table_with_a_row_missing, lb_table_fill, (void)!lb_table_fill(&table, 2, 0, 3))               \
    ROW(add_a_number_beyond_the_table, lb_table_add, add_a_number_beyond_the_table())                        \
    ROW(add_a_key_twice, lb_table_add, (void)!lb_table_fill(&table, 4, 0, 4))                                \
    ROW(run_a_team_of_nobody, lb_team_run, lb_team_run((lb_grid){2, 0}, do_nothing, NULL))                   \
    ROW(wait_outside_of_the_grid, lb_team_barrier,                                                           \
        lb_team_barrier(&(lb_team_thread){.grid = {1, 1}, .place = 1}))                                      \
    ROW(share_with_a_place_too_many, lb_share, share_with_a_place_too_many())                                \
    ROW(divide_into_chunks_of_nothing, lb_chunk_for_threads, lb_chunk_for_threads(10, 0, 10))                \
    ROW(draw_from_nothing, lb_rng_below, lb_rng_below((lb_rng){0}, 0, 0))                                    \
    ROW(take_from_an_empty_heap, lb_heap_take, take_from_an_empty_heap())                                    \
    ROW(take_from_a_heap_out_of_order, lb_heap_take, take_from_a_heap_out_of_order())                        \
    ROW(look_at_an_axis_too_many, lb_shape_dim, lb_shape_dim(LB_SHAPE(2, 3), 2))                             \
    ROW(stride_over_an_axis_too_many, lb_shape_stride, lb_shape_stride(LB_SHAPE(2, 3), -3))                  \
    ROW(broadcast_too_many_dims, lb_shape_broadcast, broadcast_too_many_dims())                              \
    ROW(add_fewer_than_none, in_chunks, lb_add_to(-1, x, y))                                                 \
    ROW(add_rows_that_overlap, add_rows, lb_add_rows_to(2, 8, x, 7, y))                                      \
    ROW(drop_everything, lb_dropout_mask, lb_dropout_mask((lb_rng){0}, 1, 0, 8, y))                          \
    ROW(multiply_into_rows_that_overlap, lb_gemm_tiled,                                                      \
        lb_gemm(8, 8, 8, lb_plain(x, 8), lb_plain(x, 8), 0, y, 7))                                           \
    ROW(multiply_transposed_with_a_small_stride, lb_gemm_own,                                                \
        lb_gemm_own(8, 8, 16, lb_plain(x, 16), lb_transposed(x, 8), 0, y, 8))                                \
    ROW(give_a_kernel_a_transposed_matrix, lb_gemm_base,                                                     \
        lb_gemm_base(8, 8, 8, lb_plain(x, 8), lb_transposed(x, 8), 0, y, 8))                                 \
    ROW(transpose_into_rows_that_overlap, lb_transpose_strip, lb_transpose_strip(8, 4, x, 4, y, 7))          \
    ROW(pack_a_panel_too_many, lb_panels_pack, lb_panels_pack(&panels, 0, 3))                                \
    ROW(multiply_deeper_than_the_panels, lb_panels_multiply,                                                 \
        lb_panels_multiply(&panels, 1, 2, 4, 8, 1, lb_plain(x, 8), 0, y + HALF, 40))                         \
    ROW(pass_more_units_than_hidden, lb_gru_gates_inline, lb_gru_gates(8, 9, x, x, x, y, y + 64, y + HALF))  \
    ROW(go_back_through_more_units_than_hidden, lb_gru_gates_backward_inline,                                \
        lb_gru_gates_backward(8, 9, y, x, y + 64, y + HALF))                                                 \
    ROW(pass_more_units_of_an_lstm, lb_lstm_gates_inline, lb_lstm_gates(8, 9, x, x, x, y, y + 64, y + HALF)) \
    ROW(go_back_through_more_units_of_an_lstm, lb_lstm_gates_backward_inline,                                \
        lb_lstm_gates_backward(8, 9, y, x, y + 64, y + HALF))                                                \
    ROW(attend_without_room_for_powers, make_exp2q,                                                          \
        lb_attend(&(lb_attended){.count = 1, .width = 8, .keys = x, .v = x, .exp2k = x}, x, y, y))           \
    ROW(attend_back_without_keys, lb_attend_backward,                                                        \
        lb_attend_backward(&(lb_attended){.width = 8}, x, x, x, x,                                           \
                           (lb_attended_grad){.v = y, .query = y, .scores = y}))                             \
    ROW(share_keys_unevenly, lb_attend_row_inline,                                                           \
        lb_attend_row(&(lb_attended_row){.heads = 3, .kv_heads = 2}, x, y, y))                               \
    ROW(make_softmax_sparse, lb_sparse_row_inline, lb_sparse_row(LB_SOFTMAX, 8, y))                          \
    ROW(take_doubles_from_a_misaligned_block, lb_parts_next_doubles, take_doubles_from_a_misaligned_block()) \
    ROW(compute_with_what_a_reset_has_taken, lb_check_operands, compute_with_what_a_reset_has_taken())       \
    ROW(compute_with_what_a_step_has_taken, lb_check_operands, compute_with_what_a_step_has_taken())         \
    ROW(apply_to_too_many_operands, lb_op_apply, apply_to_too_many_operands())                               \
    ROW(begin_a_gradient_outside, lb_op_begin_grad, lb_op_begin_grad(&node_of_three, 0, 2, 2))               \
    ROW(go_along_no_axis, lb_axis_of, lb_axis_of(&node_of_three, 1))                                         \
    ROW(broadcast_four, lb_broadcast_new,                                                                    \
        lb_broadcast_new((const lb_shape[LB_BROADCAST + 1]){{0}}, LB_BROADCAST + 1))                         \
    ROW(visit_a_row_too_many, lb_broadcast_row, visit_a_row_too_many())                                      \
    ROW(transpose_rows_that_are_missing, lb_op_transposed_weight, transpose_rows_that_are_missing())         \
    ROW(name_a_place_outside, lb_bad_place, name_a_place_outside())                                          \
    ROW(find_sinusoids_before_the_first, lb_tape_sinusoids,                                                  \
        lb_tape_sinusoids(lb_tape_new(), 10000, 8, -1, 1))                                                   \
    ROW(divide_a_weight_unevenly, lb_recurrence_panels, divide_a_weight_unevenly())                          \
    ROW(select_a_row_outside_of_the_cache, lb_kv_cache_select, select_a_row_outside_of_the_cache())          \
    ROW(write_columns_that_are_missing, lb_kv_cache_write, write_keys(0, 4))                                 \
    ROW(write_a_layer_too_many, row_of, write_keys(1, 8))                                                    \
    ROW(project_keys_by_a_name_of_queries, lb_multi_head_project_queries,                                    \
        lb_multi_head_project_queries(&(lb_multi_head){.config.names = words}, &three, 0, true))             \
    ROW(add_positions_that_are_a_bias, lb_positional_forward_at,                                             \
        lb_positional_forward_at(&(lb_positional){.config.kind = LB_POSITIONAL_ALIBI}, &three,               \
                                 (lb_tokens){0}))

#define COMMIT(what, in, call)                                                                               \
    static void commit_##what(void)                                                                          \
    {                                                                                                        \
        call;                                                                                                \
    }
BREACHES(COMMIT)

static const struct breach {
    const char *name, *function; /* of the breach; that stops it */
    void (*commit)(void);
} breaches[] = {
#define LISTED(what, in, call) {#what, #in, commit_##what},
    BREACHES(LISTED)};

/* Commits it in a child. Returns its status, as waitpid has it, and the beginning of what it said. */
static int commit_apart(const struct breach *breach, char *said, size_t size)
{
    int ends[2], status = 0;
    ck_assert_int_eq(pipe(ends), 0);
    pid_t child = fork();
    ck_assert_int_ge(child, 0);
    if (child == 0) {
        setrlimit(RLIMIT_CORE, &(struct rlimit){0, 0});
        setrlimit(RLIMIT_CPU,
                  &(struct rlimit){SECONDS, SECONDS}); /* what is not stopped may go on for ever */
        dup2(ends[1], STDERR_FILENO);
        breach->commit();
        _exit(0);
    }
    close(ends[1]);
    FILE *from = fdopen(ends[0], "r");
    said[fread(said, 1, size - 1, from)] = '\0';
    fclose(from);
    ck_assert_int_eq(waitpid(child, &status, 0), child);
    return status;
}

START_TEST(test_numbers_that_a_reset_has_taken_are_no_numbers)
{
    lb_tape *tape = lb_tape_new();
    const lb_real *before = lb_tensor_new(tape, LB_SHAPE(2), x)->data;
    lb_tape_reset(tape);
    ck_assert(isnan(before[0]) && isnan(before[1]));
    lb_tape_free(tape);
}
END_TEST

START_LOOP_TEST(test_breach_stops_in_the_function_that_relied_on_it, sizeof breaches / sizeof *breaches)
{
    char said[2048], expected[128];
    snprintf(expected, sizeof expected, ": %s: Assertion", breaches[_i].function);
    int status = commit_apart(&breaches[_i], said, sizeof said);
    ck_assert_msg(WIFSIGNALED(status) && WTERMSIG(status) == SIGABRT && strstr(said, expected),
                  "%s: expected \"%s\", found status %#x and \"%s\"", breaches[_i].name, expected,
                  (unsigned)status, said);
}
END_TEST
