/* Processes that translate together, here threads: all of a result comes back, whoever has it, and all of its errors. */
#include "support/alloc.h"
#include "support/group.h"
#include "support/pair_model.h"
#include "support/suite.h"
#include "support/tempdir.h"
#include "translate/workers.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { TEXTS = 9, BATCHES = 3 };

/* Made once, in main. */
static char model[SUPPORT_PATH], ensemble[SUPPORT_PATH];

static const char *const texts[TEXTS] = {"bad", "ec\xc3\xa9", "axe", "",  "abcabcabc",
                                         "xyz", "\xff",       "e",   "dd"};
static const size_t sizes[BATCHES] = {4, 3, 2};

typedef struct worker {
    support_member member; /* first, for support_run_group */
    const char *path;
    lb_translate_config config;
    lb_translations *found; /* of process 0 */
    lb_status status;
    lb_error error;
} worker;

static lb_status lead(worker *w, lb_workers *workers)
{
    lb_status status = lb_workers_hold(workers, &w->error);
    if (status) return status;
    lb_text_batches batches = {texts, sizes, BATCHES};
    w->found = lb_workers_translate(workers, batches, w->config, &w->error);
    return w->found ? LB_OK : w->error.status;
}

static void *work(void *argument)
{
    worker *w = argument;
    const lb_group *group = &w->member.group;
    lb_workers workers;
    w->error = (lb_error){0};
    w->found = NULL;
    lb_translator *translator = lb_translator_open(w->path, &w->error);
    w->status = translator ? lb_workers_begin(&workers, group, translator, &w->error) : w->error.status;
    if (!w->status && group->rank == 0)
        w->status = lb_workers_end(&workers, lead(w, &workers), &w->error);
    else if (!w->status)
        w->status = lb_workers_serve(&workers, &w->error);
    lb_translator_free(translator);
    return NULL;
}

static worker all[SUPPORT_MOST_THREADS];

static void run(int size, const char *path, lb_translate_config config)
{
    for (int i = 0; i < size; i++) {
        all[i].path = path;
        all[i].config = config;
    }
    support_run_group(size, work, all, sizeof *all);
}

static void check_symbols(const char *const *a, const char *const *b, int64_t count)
{
    for (int64_t i = 0; i < count; i++) ck_assert_str_eq(a[i], b[i]);
}

static void check_output(const lb_output *a, const lb_output *b, int64_t weights)
{
    ck_assert_str_eq(a->text, b->text);
    ck_assert_int_eq(a->length, b->length);
    check_symbols(a->symbol, b->symbol, b->length);
    ck_assert_int_eq(a->copied != NULL, b->copied != NULL);
    if (b->copied) ck_assert_mem_eq(a->copied, b->copied, (size_t)b->length * sizeof *b->copied);
    ck_assert_int_eq(a->finished, b->finished);
    ck_assert_int_eq(a->steps, b->steps);
    ck_assert(a->score == b->score && a->probability == b->probability);
    ck_assert_mem_eq(a->symbol_probability, b->symbol_probability,
                     (size_t)b->steps * sizeof *b->symbol_probability);
    ck_assert_int_eq(a->weights != NULL, b->weights != NULL);
    if (b->weights) ck_assert_mem_eq(a->weights, b->weights, (size_t)weights * sizeof *b->weights);
}

static void check_text(const lb_translation *a, const lb_translation *b, int64_t maps)
{
    ck_assert_int_eq(a->length, b->length);
    check_symbols(a->symbol, b->symbol, b->length);
    ck_assert_int_eq(a->unknown_count, b->unknown_count);
    check_symbols(a->unknown, b->unknown, b->unknown_count);
    ck_assert_int_eq(a->error != NULL, b->error != NULL);
    if (b->error) ck_assert_str_eq(a->error, b->error);
    ck_assert_int_eq(a->count, b->count);
    for (int64_t i = 0; i < b->count; i++)
        check_output(&a->output[i], &b->output[i], maps * b->output[i].steps * b->length);
}

/* Batch by batch, the numbers of its texts continued. */
static void check_all(const char *path, lb_translate_config config, const lb_translations *found)
{
    size_t first = 0;
    lb_translator *translator = lb_translator_open(path, NULL);
    ck_assert_uint_eq(found->count, TEXTS);
    for (int i = 0; i < BATCHES; first += sizes[i++]) {
        config.first_text = first;
        lb_translations *alone = lb_translate_all(translator, texts + first, sizes[i], config, NULL);
        ck_assert_ptr_nonnull(alone);
        ck_assert_int_eq(found->layers, alone->layers);
        ck_assert_int_eq(found->heads, alone->heads);
        for (size_t k = 0; k < sizes[i]; k++)
            check_text(&found->text[first + k], &alone->text[k], alone->layers * alone->heads);
        lb_translations_free(alone);
    }
    lb_translator_free(translator);
}

START_TEST(test_workers_return_all_of_each_result)
{
    static const lb_translate_config configs[] = {
        {.skip_bad_texts = true},
        {.skip_bad_texts = true, .n_best = 3, .attention = true, .copy_unknown = true},
        {.skip_bad_texts = true, .sample = true, .seed = 7, .n_best = 2},
    };
    const char *const paths[] = {model, ensemble};
    for (int p = 0; p < 2; p++) {
        for (size_t c = 0; c < sizeof configs / sizeof *configs; c++) {
            run(BATCHES + 1, paths[p], configs[c]); /* the last one has nothing to do */
            for (int i = 0; i <= BATCHES; i++)
                ck_assert_msg(all[i].status == LB_OK, "%d: %s", i, all[i].error.message);
            check_all(paths[p], configs[c], all->found);
            lb_translations_free(all->found);
        }
    }
}
END_TEST

START_TEST(test_workers_error_of_a_text_is_that_of_one_process)
{
    run(BATCHES, model,
        (lb_translate_config){0}); /* texts 4 and 7 are bad: the fourth of the first batch comes first */
    ck_assert_str_eq(all[0].error.message, "text 4: found an empty text");
    for (int i = 0; i < BATCHES; i++) ck_assert_int_eq(all[i].status, LB_ERROR_FORMAT);
}
END_TEST

START_TEST(test_workers_with_another_model_are_named)
{
    for (int i = 0; i < BATCHES; i++) all[i].path = i == 2 ? ensemble : model;
    support_run_group(BATCHES, work, all, sizeof *all);
    for (int i = 0; i < BATCHES; i++) {
        ck_assert_int_eq(all[i].status, LB_ERROR_ARGUMENT);
        ck_assert_ptr_nonnull(
            strstr(all[i].error.message, "rank 2 on a thread: found the hash of the model "));
    }
}
END_TEST

/* Both allocations come before anything is shared out. */
START_TEST(test_workers_without_memory_for_the_results_say_so)
{
    lb_workers workers;
    lb_error error = {0};
    lb_translator *translator = lb_translator_open(model, &error);
    ck_assert_ptr_nonnull(translator);
    ck_assert_int_eq(lb_workers_begin(&workers, NULL, translator, &error), LB_OK);
    support_watch_allocations();
    for (long n = 1; n <= 2; n++) {
        support_fail_allocation(n);
        error = (lb_error){0};
        lb_text_batches batches = {texts, sizes, BATCHES};
        ck_assert_ptr_null(lb_workers_translate(&workers, batches, (lb_translate_config){0}, &error));
        ck_assert_int_eq(error.status, LB_ERROR_MEMORY);
        ck_assert_ptr_nonnull(strstr(error.message, "out of memory for 9 texts"));
        ck_assert_int_eq(support_live_allocations(), 0);
    }
    support_fail_allocation(0);
    lb_translator_free(translator);
}
END_TEST

int main(void)
{
    support_train_pair_model(support_path(model, "model.safetensors"), 60, LB_ATTENTION_ADDITIVE);
    support_train_pair_model(support_path(ensemble, "ensemble.safetensors"), 600, SUPPORT_ENSEMBLE);
    return support_run_tests("workers", SUPPORT_TESTS(test_workers_return_all_of_each_result,
                                                      test_workers_error_of_a_text_is_that_of_one_process,
                                                      test_workers_with_another_model_are_named,
                                                      test_workers_without_memory_for_the_results_say_so));
}
