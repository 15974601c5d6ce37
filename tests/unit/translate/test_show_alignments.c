/* Outputs shown with their alignment, as reports and pictures show them. It takes seconds. */
#include "support/alloc.h"
#include "support/pair_model.h"
#include "support/suite.h"
#include "support/tempdir.h"
#include "translate/apply/translator.h"

#include <stdlib.h>
#include <string.h>

/* Made once, in main. */
static const char *monotonic, *soft;

static lb_error error;

static const char *const words[] = {"cab", "bd", "c"};
enum { WORDS = sizeof words / sizeof *words };

static lb_translations *translate(lb_translator *translator)
{
    lb_translate_config config = {.attention = true, .n_best = 2};
    lb_translations *all = lb_translate_all(translator, words, WORDS, config, &error);
    ck_assert_msg(all != NULL, "%s", error.message);
    return all;
}

START_TEST(test_show_alignments_has_one_position_per_step_and_never_goes_left)
{
    lb_translator *translator = lb_translator_open(monotonic, &error);
    ck_assert_msg(translator != NULL, "%s", error.message);
    lb_translations *all = translate(translator);
    ck_assert_msg(lb_translate_show_alignments(translator, all, &error) == LB_OK, "%s", error.message);
    for (int i = 0; i < WORDS; i++)
        for (int64_t k = 0; k < all->text[i].count; k++) {
            const lb_output *output = &all->text[i].output[k];
            int64_t length = all->text[i].length, before = 0;
            for (int64_t step = 0; step < output->steps; step++) {
                int64_t at = -1, ones = 0;
                for (int64_t j = 0; j < length; j++) {
                    lb_real w = output->weights[step * length + j];
                    ck_assert(w == 0 || w == 1);
                    if (w == 1) at = j;
                    ones += w == 1;
                }
                ck_assert_int_eq(ones, 1);
                ck_assert_int_ge(at, before);
                before = at;
            }
        }
    /* The model copies. */
    const lb_output *best = all->text[0].output;
    ck_assert_int_eq(best->length, 3);
    ck_assert_int_eq(best->steps, 4);
    lb_translations_free(all);
    lb_translator_close(translator);
}
END_TEST

/* Shows them on a new tape, whose n-th allocation fails; 0: none. Returns how many there were. */
static long show_without_allocation(long n, lb_status *status)
{
    lb_error found = {0};
    lb_translator *translator = lb_translator_open(monotonic, &error);
    lb_translations *all = translate(translator);
    lb_tapes_free(translator->tapes);
    translator->tapes = lb_tapes_new();
    long before = support_allocation_count();
    support_fail_from_allocation(n);
    *status = lb_translate_show_alignments(translator, all, &found);
    support_fail_from_allocation(0);
    long count = support_allocation_count() - before;
    ck_assert_int_eq(*status, found.status);
    lb_translations_free(all);
    lb_translator_close(translator);
    return count;
}

START_TEST(test_show_alignments_without_memory_is_an_error)
{
    lb_status status;
    support_watch_allocations();
    long count = show_without_allocation(0, &status);
    ck_assert_int_eq(status, LB_OK);
    ck_assert_int_gt(count, 1);
    for (long n = 1; n <= count; n++) {
        show_without_allocation(n, &status);
        ck_assert_int_eq(status, LB_ERROR_MEMORY);
    }
    ck_assert_int_eq(support_live_allocations(), 0);
}
END_TEST

START_TEST(test_show_alignments_leaves_soft_attention_alone)
{
    lb_translator *translator = lb_translator_open(soft, &error);
    lb_translations *all = translate(translator);
    const lb_output *output = all->text[0].output;
    size_t bytes = (size_t)(output->steps * all->text[0].length) * sizeof(lb_real);
    lb_real *before = malloc(bytes);
    memcpy(before, output->weights, bytes);
    ck_assert_int_eq(lb_translate_show_alignments(translator, all, &error), LB_OK);
    ck_assert_mem_eq(before, output->weights, bytes);
    free(before);
    lb_translations_free(all);
    lb_translator_close(translator);
}
END_TEST

int main(void)
{
    monotonic = support_train_pair_model("monotonic.safetensors", 400, LB_ATTENTION_MONOTONIC);
    soft = support_train_pair_model("soft.safetensors", 50, LB_ATTENTION_ADDITIVE);
    return support_run_tests();
}
