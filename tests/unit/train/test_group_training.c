/* Processes that train one model together: here threads, which give each other what they exchange. */
#include "lookback/train.h"
#include "support/group.h"
#include "support/suite.h"
#include "support/tempdir.h"

#include <string.h>

enum { MOST = SUPPORT_MOST_THREADS };

enum { SHARDS = 8, EXAMPLES = 32, STEPS = 30 };

typedef struct lesson {
    support_member member;
    int shards;
    int stop_at; /* steps after which the last process asks to stop; 0: never */
    bool plain;  /* no dropout, and no part without examples */
    const char *checkpoint;
    int64_t steps;
    lb_real weight[4];
    double loss;
    int evaluated;
    lb_status status;
    lb_error error;
    lb_params *params;
} lesson;

/* Fits a line to a part of the examples. The last part has none. */
static lb_tensor *line_loss(void *context, lb_tape *tape, int64_t part, int64_t *tokens)
{
    lesson *l = context;
    int64_t step = part / l->shards, shard = part % l->shards, per = EXAMPLES / l->shards;
    int64_t first = shard * per, count = !l->plain && shard == l->shards - 1 ? 0 : per;
    l->steps = step + 1;
    if (count == 0) return NULL;
    lb_rng rng = {.seed = 5, .step = (uint32_t)step};
    lb_tensor *x = lb_tensor_new(tape, LB_SHAPE(count, 4), NULL),
              *y = lb_tensor_new(tape, LB_SHAPE(count, 1), NULL);
    for (int64_t i = 0; i < count; i++) {
        for (int64_t k = 0; k < 4; k++)
            x->data[4 * i + k] = (lb_real)lb_rng_normal(rng, (uint64_t)(4 * (first + i) + k));
        y->data[i] = x->data[4 * i] - 2 * x->data[4 * i + 1] + (lb_real)0.5;
    }
    lb_tensor *weight = lb_on_tape(tape, lb_params_find(l->params, "weight"));
    lb_tensor *wrong = lb_sub(lb_matmul(lb_dropout(x, (lb_real)(l->plain ? 0 : 0.1)), weight), y);
    *tokens += count;
    return lb_mean_all(lb_mul(wrong, wrong));
}

static lb_status judge(void *context, lb_tape *tape, lb_evaluation *found)
{
    (void)context;
    found->exact_match = 0.5;
    return lb_tape_status(tape);
}

static lb_status note_evaluated(void *context, const lb_event *event, lb_error *error)
{
    lesson *l = context;
    (void)error;
    l->evaluated += event->kind == LB_EVENT_EVALUATED;
    return LB_OK;
}

static bool stops(void *context)
{
    const lesson *l = context;
    return l->stop_at > 0 && l->member.group.rank == l->member.group.size - 1 && l->steps >= l->stop_at;
}

static void *learn(void *argument)
{
    lesson *l = argument;
    lb_train_history history;
    bool alone = l->member.group.size == 1;
    l->params = lb_params_new(3);
    lb_params_add(l->params, "", "weight", LB_SHAPE(4, 1), (lb_init){LB_INIT_NORMAL, 1});
    lb_trainer_config config = {
        .params = l->params,
        .context = l,
        .loss = line_loss,
        .evaluate = judge,
        .tell = note_evaluated,
        .stop = stops,
        .steps = STEPS,
        .evaluate_every = 10,
        .schedule = {.lr = 0.05},
        .average = 0.9,
        .shards = l->shards,
        .group = alone ? NULL : &l->member.group,
        .checkpoint = l->checkpoint,
        .run = "line",
    };
    l->error = (lb_error){0};
    l->steps = l->evaluated = 0;
    l->status = lb_train(config, &history, &l->error);
    if (history.count > 0) l->loss = history.points[history.count - 1].loss;
    memcpy(l->weight, lb_params_values(l->params), sizeof l->weight);
    lb_release(history.points);
    lb_params_free(l->params);
    return NULL;
}

static lesson lessons[MOST];

static void run_lessons(int size, int shards, int stop_at, const char *checkpoint)
{
    for (int i = 0; i < size; i++) {
        lessons[i].shards = shards;
        lessons[i].stop_at = stop_at;
        lessons[i].checkpoint = checkpoint;
    }
    support_run_group(size, learn, lessons, sizeof *lessons);
}

START_TEST(test_train_in_a_group_of_any_size_gives_the_same_bits)
{
    lb_real expected[4];
    run_lessons(1, SHARDS, 0, NULL);
    ck_assert_msg(lessons[0].status == LB_OK, "%s", lessons[0].error.message);
    memcpy(expected, lessons[0].weight, sizeof expected);
    double loss = lessons[0].loss;
    ck_assert_double_gt(loss, 0);
    for (int size = 2; size <= 8; size *= 2) {
        run_lessons(size, SHARDS, 0, NULL);
        for (int rank = 0; rank < size; rank++) {
            ck_assert_msg(lessons[rank].status == LB_OK, "%s", lessons[rank].error.message);
            ck_assert_mem_eq(lessons[rank].weight, expected, sizeof expected);
            ck_assert(lessons[rank].loss == loss);
            ck_assert_int_eq(lessons[rank].evaluated, rank == 0 ? STEPS / 10 : 0);
        }
    }
}
END_TEST

START_TEST(test_train_with_shards_minimises_the_mean_over_all_examples)
{
    lb_real whole[4];
    lessons[0].plain = true;
    run_lessons(1, 1, 0, NULL);
    ck_assert_msg(lessons[0].status == LB_OK, "%s", lessons[0].error.message);
    memcpy(whole, lessons[0].weight, sizeof whole);
    double loss = lessons[0].loss;
    lessons[0].plain = true;
    run_lessons(1, 4, 0, NULL);
    for (int i = 0; i < 4; i++) ck_assert_double_eq_tol((double)lessons[0].weight[i], (double)whole[i], 1e-4);
    ck_assert_double_eq_tol(lessons[0].loss, loss, 1e-5);
}
END_TEST

START_TEST(test_train_stopped_by_one_of_a_group_resumes_with_another_size)
{
    lb_real expected[4];
    run_lessons(1, SHARDS, 0, NULL);
    memcpy(expected, lessons[0].weight, sizeof expected);
    static const int sizes[] = {4, 2, 8, 1};
    for (int i = 0; SUPPORT_ROW(i, sizes); i++) {
        int size = sizes[i], stop_at = 7 * (i + 1);
        run_lessons(size, SHARDS, stop_at, support_path("checkpoint"));
        for (int rank = 0; rank < size; rank++) {
            ck_assert_msg(lessons[rank].status == LB_ERROR_INTERRUPTED, "size %d, rank %d: %s", size, rank,
                          lessons[rank].error.message);
            ck_assert_ptr_nonnull(strstr(lessons[rank].error.message, "interrupted at step"));
        }
    }
    run_lessons(2, SHARDS, 0, support_path("checkpoint"));
    for (int rank = 0; rank < 2; rank++) {
        ck_assert_msg(lessons[rank].status == LB_OK, "%s", lessons[rank].error.message);
        ck_assert_mem_eq(lessons[rank].weight, expected, sizeof expected);
    }
}
END_TEST
