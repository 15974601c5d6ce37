/* Processes that train one model together: here threads, which give each other what they exchange. */
#include "lookback/train.h"
#include "support/group.h"
#include "support/suite.h"
#include "support/tempdir.h"
#include "train/exchange.h"
#include "train/group.h"

#include <math.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MOST = SUPPORT_MOST_THREADS };

static bool any_thread; /* of the group may exchange */

/* ---- Sums. ---- */

enum { NUMBERS = 13 };

typedef struct addition {
    support_member member; /* first, for run_group */
    lb_real value[NUMBERS];
    double total[3];
    lb_status status;
} addition;

static lb_real number_of(int rank, int i)
{
    return (lb_real)((rank + 1) * 0.1 + i * 1e-3);
}

static void *add(void *argument)
{
    addition *a = argument;
    lb_error error;
    lb_real room[NUMBERS];
    for (int i = 0; i < NUMBERS; i++) a->value[i] = number_of(a->member.group.rank, i);
    for (int i = 0; i < 3; i++) a->total[i] = 0.1 * (a->member.group.rank + 1) * (i + 1);
    a->status = lb_group_add(&a->member.group, a->value, NUMBERS, room, &error);
    if (!a->status) a->status = lb_group_add_doubles(&a->member.group, a->total, 3, &error);
    return NULL;
}

/* Neighbours first, and then neighbours of neighbours. */
static lb_real tree(int first, int count, int i)
{
    return count == 1 ? number_of(first, i)
                      : tree(first, count / 2, i) + tree(first + count / 2, count / 2, i);
}

START_TEST(test_group_adds_in_a_tree_and_all_get_the_same_bits)
{
    static addition all[MOST];
    for (int size = 1; size <= MOST; size *= 2) {
        support_run_group(size, add, all, sizeof *all);
        for (int rank = 0; rank < size; rank++) {
            ck_assert_int_eq(all[rank].status, LB_OK);
            for (int i = 0; i < NUMBERS; i++)
                ck_assert_msg(all[rank].value[i] == tree(0, size, i), "size %d, rank %d, %d", size, rank, i);
            ck_assert_mem_eq(all[rank].total, all[0].total, sizeof all[0].total);
        }
    }
}
END_TEST

START_TEST(test_without_a_group_a_sum_is_what_it_was)
{
    lb_real one = 7, room;
    lb_error error;
    ck_assert_int_eq(lb_group_add(NULL, &one, 1, &room, &error), LB_OK);
    ck_assert(one == 7);
    ck_assert(lb_group_leads(NULL));
    ck_assert_int_eq(lb_group_size(NULL), 1);
}
END_TEST

START_TEST(test_group_that_does_not_divide_the_shards_is_refused)
{
    static const struct {
        int shards, size;
        bool fits;
    } cases[] = {{1, 1, true},  {4, 4, true},  {8, 2, true},     {1024, 1, true}, {2, 4, false},
                 {3, 1, false}, {0, 1, false}, {2048, 1, false}, {8, 3, false},   {6, 2, false}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        lb_group group = {.size = cases[i].size};
        lb_error error;
        lb_status status = lb_group_check(&group, cases[i].shards, &error);
        ck_assert_int_eq(status, cases[i].fits ? LB_OK : LB_ERROR_ARGUMENT);
    }
    ck_assert_int_eq(lb_group_check(NULL, 4, NULL), LB_OK);
}
END_TEST

/* ---- Gradients of a step, in more than one chunk. ---- */

enum { PARAMETERS = 600000, PERIOD = 1000, OWN_SHARDS = 4 };

typedef struct gradient {
    support_member member;
    lb_real found[PARAMETERS];
    lb_shard_totals totals;
    lb_status status;
    lb_error error;
} gradient;

static lb_real gradient_of(int shard, int i)
{
    return (lb_real)((shard + 1) * 0.1 + i % PERIOD * 1e-3);
}

static lb_real tree_of_shards(int first, int count, int i)
{
    return count == 1 ? gradient_of(first, i)
                      : tree_of_shards(first, count / 2, i) + tree_of_shards(first + count / 2, count / 2, i);
}

/* Two steps, so that the second one begins with what the first one has left. The last part becomes final in three
 * pieces. */
static void *sum_gradients(void *argument)
{
    gradient *g = argument;
    lb_params *params = lb_params_new(1);
    lb_shards shards;
    g->member.group.any_thread = any_thread;
    lb_params_add(params, "", "weight", LB_SHAPE(PARAMETERS), (lb_init){LB_INIT_CONSTANT, 0});
    lb_real *grads = lb_params_grads(params);
    g->error = (lb_error){0};
    g->status = lb_shards_init(&shards, params, OWN_SHARDS, &g->error);
    lb_exchange *sum = lb_exchange_new(&g->member.group, &shards, params, &g->error);
    for (int step = 0; step < 2 && sum && !g->status; step++) {
        for (int part = 0; part < OWN_SHARDS; part++) {
            int shard = g->member.group.rank * OWN_SHARDS + part;
            for (int i = 0; i < PARAMETERS; i++) grads[i] = gradient_of(shard, i);
            if (part < OWN_SHARDS - 1) lb_shards_put_aside(&shards, (lb_shard_totals){shard, 1});
        }
        lb_exchange_begin(sum);
        lb_exchange_final(sum, PARAMETERS - 1);
        lb_exchange_final(sum, 200000);
        g->status = lb_exchange_finish(sum, &g->error);
        g->totals = lb_shards_end(&shards, (lb_shard_totals){0.5, 1});
    }
    memcpy(g->found, grads, sizeof g->found);
    lb_exchange_free(sum);
    lb_shards_free(&shards);
    lb_params_free(params);
    return NULL;
}

START_TEST(test_exchange_sums_the_gradients_of_all_shards_in_one_tree)
{
    static gradient all[4];
    for (int run = 0; run < 6; run++) {
        int size = 1 << run % 3;
        lb_real expected[PERIOD];
        for (int i = 0; i < PERIOD; i++) expected[i] = tree_of_shards(0, size * OWN_SHARDS, i);
        any_thread = run >= 3;
        support_run_group(size, sum_gradients, all, sizeof *all);
        for (int rank = 0; rank < size; rank++) {
            ck_assert_msg(all[rank].status == LB_OK, "%s", all[rank].error.message);
            ck_assert_double_eq(all[rank].totals.tokens, OWN_SHARDS);
            int same = 0;
            while (same < PARAMETERS && all[rank].found[same] == expected[same % PERIOD]) same++;
            ck_assert_msg(same == PARAMETERS, "size %d, rank %d, number %d", size, rank, same);
        }
    }
}
END_TEST

/* As after a backward that failed. */
START_TEST(test_exchange_need_not_be_finished)
{
    lb_group alone = {.size = 1, .any_thread = true};
    lb_params *params = lb_params_new(1);
    lb_params_add(params, "", "weight", LB_SHAPE(4), (lb_init){LB_INIT_CONSTANT, 0});
    lb_shards shards;
    lb_error error = {0};
    ck_assert_int_eq(lb_shards_init(&shards, params, 1, &error), LB_OK);
    lb_exchange *sum = lb_exchange_new(&alone, &shards, params, &error);
    ck_assert_ptr_nonnull(sum);
    lb_exchange_begin(sum);
    lb_exchange_free(sum);
    lb_exchange_free(NULL);
    lb_shards_free(&shards);
    lb_params_free(params);
}
END_TEST

static lb_status lose(void *context, int partner, const void *send, size_t send_bytes, void *receive,
                      size_t receive_bytes, lb_error *error)
{
    (void)context, (void)partner, (void)send, (void)send_bytes, (void)receive, (void)receive_bytes;
    return lb_error_set(error, LB_ERROR_BUSY, "rank 1 has not answered");
}

START_TEST(test_exchange_that_fails_says_why)
{
    lb_group group = {.size = 2, .exchange = lose};
    lb_params *params = lb_params_new(1);
    lb_params_add(params, "", "weight", LB_SHAPE(4), (lb_init){LB_INIT_CONSTANT, 0});
    lb_shards shards;
    for (int with = 0; with < 2; with++) {
        lb_error error = {0};
        group.any_thread = with;
        ck_assert_int_eq(lb_shards_init(&shards, params, 1, &error), LB_OK);
        lb_exchange *sum = lb_exchange_new(&group, &shards, params, &error);
        lb_exchange_begin(sum);
        ck_assert_int_eq(lb_exchange_finish(sum, &error), LB_ERROR_BUSY);
        ck_assert_str_eq(error.message, "rank 1 has not answered");
        lb_exchange_free(sum);
        lb_shards_free(&shards);
    }
    lb_params_free(params);
}
END_TEST

/* ---- Meeting and agreement. ---- */

typedef struct guest {
    support_member member;
    int met; /* processes that had come when this one went on */
    lb_status status;
} guest;

static pthread_mutex_t at_the_door = PTHREAD_MUTEX_INITIALIZER;

static void *meet(void *argument)
{
    static int arrived;
    guest *g = argument;
    lb_error error;
    pthread_mutex_lock(&at_the_door);
    arrived++;
    pthread_mutex_unlock(&at_the_door);
    g->status = lb_group_meet(&g->member.group, &error);
    pthread_mutex_lock(&at_the_door);
    g->met = arrived;
    pthread_mutex_unlock(&at_the_door);
    return NULL;
}

START_TEST(test_group_of_any_size_meets)
{
    static guest all[MOST];
    int before = 0;
    for (int size = 1; size <= MOST; size++) {
        support_run_group(size, meet, all, sizeof *all);
        before += size;
        for (int rank = 0; rank < size; rank++) {
            ck_assert_int_eq(all[rank].status, LB_OK);
            ck_assert_int_eq(all[rank].met, before);
        }
    }
}
END_TEST

typedef struct listener {
    support_member member;
    char word[8];
    lb_status status;
} listener;

static void *hear(void *argument)
{
    listener *l = argument;
    lb_error error;
    snprintf(l->word, sizeof l->word, "rank %d", l->member.group.rank);
    l->status = lb_group_tell(&l->member.group, l->word, sizeof l->word, &error);
    return NULL;
}

START_TEST(test_group_of_any_size_hears_the_first)
{
    static listener all[MOST];
    char alone[] = "alone";
    for (int size = 1; size <= MOST; size++) {
        support_run_group(size, hear, all, sizeof *all);
        for (int rank = 0; rank < size; rank++) {
            ck_assert_int_eq(all[rank].status, LB_OK);
            ck_assert_str_eq(all[rank].word, "rank 0");
        }
    }
    ck_assert_int_eq(lb_group_tell(NULL, alone, sizeof alone, NULL), LB_OK);
    ck_assert_str_eq(alone, "alone");
}
END_TEST

typedef struct opinion {
    support_member member;
    lb_status status;
    lb_error error;
} opinion;

static int stranger; /* the rank with another text; -1: none */

static void *agree(void *argument)
{
    opinion *o = argument;
    const char *text = o->member.group.rank == stranger ? "AVX2" : "AVX-512";
    o->error = (lb_error){0};
    o->status = lb_group_agree(&o->member.group, "kernel", text, &o->error);
    return NULL;
}

START_TEST(test_group_agrees_or_names_who_does_not)
{
    static opinion all[MOST];
    for (int size = 1; size <= MOST; size++) {
        for (stranger = -1; stranger < size; stranger++) {
            support_run_group(size, agree, all, sizeof *all);
            for (int rank = 0; rank < size; rank++) {
                /* All others differ from rank 0, if that is the stranger. */
                bool fine = stranger < 0 || size == 1;
                ck_assert_int_eq(all[rank].status, fine ? LB_OK : LB_ERROR_ARGUMENT);
                if (fine) continue;
                char expected[128];
                snprintf(expected, sizeof expected,
                         "rank %d on a thread: found the kernel %s, expected %s as in rank 0",
                         stranger ? stranger : 1, stranger ? "AVX2" : "AVX-512",
                         stranger ? "AVX-512" : "AVX2");
                ck_assert_str_eq(all[rank].error.message, expected);
            }
        }
    }
}
END_TEST

/* ---- Training. ---- */

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

static lb_status note_evaluated(void *context, const lb_train_history *history, lb_error *error)
{
    lesson *l = context;
    (void)history;
    (void)error;
    l->evaluated++;
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
    l->member.group.any_thread = any_thread;
    l->params = lb_params_new(3);
    lb_params_add(l->params, "", "weight", LB_SHAPE(4, 1), (lb_init){LB_INIT_NORMAL, 1});
    lb_trainer_config config = {
        .params = l->params,
        .context = l,
        .loss = line_loss,
        .evaluate = judge,
        .evaluated = note_evaluated,
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
    l->status = lb_train(&config, &history, &l->error);
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
    for (int run = 0; run < 6; run++) {
        int size = 2 << run % 3;
        any_thread = run >= 3;
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
    char path[SUPPORT_PATH];
    lb_real expected[4];
    run_lessons(1, SHARDS, 0, NULL);
    memcpy(expected, lessons[0].weight, sizeof expected);
    static const int sizes[] = {4, 2, 8, 1};
    support_path(path, "checkpoint");
    for (int i = 0; i < 4; i++) {
        int size = sizes[i], stop_at = 7 * (i + 1);
        run_lessons(size, SHARDS, stop_at, path);
        for (int rank = 0; rank < size; rank++) {
            ck_assert_msg(lessons[rank].status == LB_ERROR_INTERRUPTED, "size %d, rank %d: %s", size, rank,
                          lessons[rank].error.message);
            ck_assert_ptr_nonnull(strstr(lessons[rank].error.message, "interrupted at step"));
        }
    }
    run_lessons(2, SHARDS, 0, path);
    for (int rank = 0; rank < 2; rank++) {
        ck_assert_msg(lessons[rank].status == LB_OK, "%s", lessons[rank].error.message);
        ck_assert_mem_eq(lessons[rank].weight, expected, sizeof expected);
    }
}
END_TEST

int main(void)
{
    return support_run_tests(
        "group", SUPPORT_TESTS(test_group_adds_in_a_tree_and_all_get_the_same_bits,
                               test_without_a_group_a_sum_is_what_it_was,
                               test_group_that_does_not_divide_the_shards_is_refused,
                               test_exchange_sums_the_gradients_of_all_shards_in_one_tree,
                               test_exchange_need_not_be_finished, test_exchange_that_fails_says_why,
                               test_group_of_any_size_meets, test_group_of_any_size_hears_the_first,
                               test_group_agrees_or_names_who_does_not,
                               test_train_in_a_group_of_any_size_gives_the_same_bits,
                               test_train_with_shards_minimises_the_mean_over_all_examples,
                               test_train_stopped_by_one_of_a_group_resumes_with_another_size));
}
