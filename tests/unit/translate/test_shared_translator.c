/* One translator for several threads: each of them gets what one alone gets. A process for each test. */
#include "support/pair_model.h"
#include "support/suite.h"
#include "support/tempdir.h"
#include "translate/apply/translator.h"
#include <lookback/translate.h>

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

enum { THREADS = 6, ROUNDS = 4, TEXTS = 5, LONGEST = 6 };

static lb_translator *translator;
static pthread_barrier_t start;

/* What one thread asks for, and what it gets. */
typedef struct work {
    int number;
    char texts[TEXTS][LONGEST + 1];
    char *output[ROUNDS][TEXTS];
    double score[ROUNDS][TEXTS], given[ROUNDS][TEXTS], likeliest[ROUNDS];
    lb_real weight[ROUNDS];
    lb_status status;
} work;

static void make_texts(work *w)
{
    for (int i = 0; i < TEXTS; i++) {
        int length = 1 + (i + w->number) % LONGEST;
        for (int k = 0; k < length; k++) w->texts[i][k] = (char)('a' + (i * 3 + k * k + w->number) % 5);
    }
}

static lb_status ask(work *w, int round, const char *const *texts)
{
    lb_error error = {0};
    lb_translations *all = lb_translate_all(translator, texts, TEXTS,
                                            (lb_translate_config){.attention = true, .n_best = 2}, &error);
    for (int i = 0; all && i < TEXTS; i++) {
        w->output[round][i] = strdup(all->text[i].output->text);
        w->score[round][i] = all->text[i].output->score;
    }
    if (all) w->weight[round] = all->text[1].output->weights[0];
    lb_likeliest *likeliest =
        all ? lb_translate_likeliest(translator, all->text, all->text->output, 3, &error) : NULL;
    if (likeliest) w->likeliest[round] = likeliest->probability[1];
    lb_translations *scored =
        lb_translator_score(translator, texts, texts, TEXTS, (lb_score_config){0}, &error);
    for (int i = 0; scored && i < TEXTS; i++) w->given[round][i] = scored->text[i].output->score;
    lb_likeliest_free(likeliest);
    lb_translations_free(scored);
    lb_translations_free(all);
    return error.status;
}

static void *run(void *argument)
{
    work *w = argument;
    const char *texts[TEXTS];
    lb_set_threads(1 + w->number % 2);
    for (int i = 0; i < TEXTS; i++) texts[i] = w->texts[i];
    pthread_barrier_wait(&start);
    for (int round = 0; round < ROUNDS && !w->status; round++) w->status = ask(w, round, texts);
    return NULL;
}

static void assert_same(const work *a, const work *b)
{
    ck_assert_int_eq(a->status, LB_OK);
    ck_assert_int_eq(b->status, LB_OK);
    for (int round = 0; round < ROUNDS; round++) {
        for (int i = 0; i < TEXTS; i++) {
            ck_assert_str_eq(a->output[round][i], b->output[0][i]);
            ck_assert(a->score[round][i] == b->score[0][i] && a->given[round][i] == b->given[0][i]);
        }
        ck_assert(a->weight[round] == b->weight[0] && a->likeliest[round] == b->likeliest[0]);
    }
}

static void free_work(work *w)
{
    for (int i = 0; i < ROUNDS * TEXTS; i++) free(w->output[i / TEXTS][i % TEXTS]);
}

/* Alone in threads, too: this process stays out of OpenMP. */
static void run_alone(work *w)
{
    pthread_t thread;
    ck_assert_int_eq(pthread_barrier_init(&start, NULL, 1), 0);
    ck_assert_int_eq(pthread_create(&thread, NULL, run, w), 0);
    ck_assert_int_eq(pthread_join(thread, NULL), 0);
    pthread_barrier_destroy(&start);
}

START_TEST(test_shared_translator_gives_each_thread_what_it_gets_alone)
{
    static const int kinds[] = {LB_ATTENTION_ADDITIVE, LB_ATTENTION_MULTI_HEAD, SUPPORT_ENSEMBLE};
    const char *path;
    lb_error error = {0};
    for (size_t k = 0; SUPPORT_ROW(k, kinds); k++) {
        work alone[THREADS] = {0}, beside[THREADS] = {0};
        pthread_t thread[THREADS];
        path = support_train_pair_model("model.safetensors", 0, kinds[k]);
        translator = lb_translator_open(path, &error);
        ck_assert_msg(translator != NULL, "%s", error.message);
        for (int i = 0; i < THREADS; i++) {
            alone[i].number = beside[i].number = i;
            make_texts(&alone[i]);
            make_texts(&beside[i]);
            run_alone(&alone[i]);
        }
        ck_assert_int_eq(pthread_barrier_init(&start, NULL, THREADS), 0);
        for (int i = 0; SUPPORT_ROW(i, beside); i++)
            ck_assert_int_eq(pthread_create(&thread[i], NULL, run, &beside[i]), 0);
        for (int i = 0; i < THREADS; i++) ck_assert_int_eq(pthread_join(thread[i], NULL), 0);
        for (int i = 0; i < THREADS; i++) {
            assert_same(&beside[i], &alone[i]);
            free_work(&alone[i]);
            free_work(&beside[i]);
        }
        pthread_barrier_destroy(&start);
        lb_translator_close(translator);
    }
}
END_TEST

START_TEST(test_tapes_are_kept_up_to_a_number_and_without_errors)
{
    lb_tape *tape[LB_TAPES_KEPT + 1];
    lb_error error = {0};
    lb_tapes *tapes = lb_tapes_new();
    for (int i = 0; i <= LB_TAPES_KEPT; i++) {
        tape[i] = lb_tapes_take(tapes, &error);
        ck_assert_ptr_nonnull(tape[i]);
        for (int k = 0; k < i; k++) ck_assert_ptr_ne(tape[i], tape[k]);
    }
    lb_tensor_new(tape[0], LB_SHAPE(-1), NULL);
    ck_assert_int_eq(lb_tape_status(tape[0]), LB_ERROR_SHAPE);
    for (int i = 0; i <= LB_TAPES_KEPT; i++) lb_tapes_put(tapes, tape[i]);
    for (int i = 0; i < LB_TAPES_KEPT; i++) {
        tape[i] = lb_tapes_take(tapes, &error);
        ck_assert_int_eq(lb_tape_status(tape[i]), LB_OK);
    }
    for (int i = 0; i < LB_TAPES_KEPT; i++) lb_tapes_put(tapes, tape[i]);
    lb_tapes_put(tapes, NULL);
    lb_tapes_free(tapes);
    lb_tapes_free(NULL);
}
END_TEST
