/* The likeliest symbols at each step of an output: their probabilities are those used to find the output.
 * It takes seconds. */
#include "support/alloc.h"
#include "support/pair_model.h"
#include "support/sort_model.h"
#include "support/suite.h"
#include "support/tempdir.h"
#include <lookback/translate.h>

#include <stdlib.h>
#include <string.h>

/* Made once, in main. */
static const char *model, *ensemble, *unsure, *beginner, *sorter, *layers;

static lb_error error;

/* One output and its alternatives. */
typedef struct subject {
    lb_translator *translator;
    lb_translations *all;
    lb_likeliest *likeliest;
} subject;

static subject take(const char *path, const char *text, lb_translate_config config, int64_t count)
{
    subject s = {.translator = lb_translator_open(path, &error)};
    ck_assert_msg(s.translator != NULL, "%s", error.message);
    s.all = lb_translate_all(s.translator, &text, 1, config, &error);
    ck_assert_msg(s.all != NULL, "%s", error.message);
    s.likeliest = lb_translate_likeliest(s.translator, s.all->text, s.all->text->output, count, &error);
    ck_assert_msg(s.likeliest != NULL, "%s", error.message);
    return s;
}

static void drop(subject *s)
{
    lb_likeliest_free(s->likeliest);
    lb_translations_free(s->all);
    lb_translator_close(s->translator);
}

/* The symbol written at a step. */
static const char *written(const subject *s, int64_t step)
{
    const lb_output *output = s->all->text->output;
    return step < output->length ? output->symbol[step] : "<eos>";
}

START_TEST(test_likeliest_multiply_to_the_probability_of_the_output)
{
    const char *const paths[] = {model, ensemble, unsure, sorter};
    for (int i = 0; SUPPORT_ROW(i, paths); i++) {
        subject s = take(paths[i], i == 3 ? "7 0 3" : "bad", (lb_translate_config){0}, 100);
        double product = 1;
        const lb_likeliest *l = s.likeliest;
        ck_assert_int_eq(l->steps, s.all->text->output->steps);
        for (int64_t step = 0; step < l->steps; step++) {
            double sum = 0, before = 1, found = -1;
            for (int64_t n = step * l->count; n < (step + 1) * l->count; n++) {
                ck_assert(l->probability[n] >= 0 && l->probability[n] <= before);
                before = l->probability[n];
                sum += before;
                if (strcmp(l->symbol[n], written(&s, step)) == 0) found = before;
                ck_assert_str_ne(l->symbol[n], "<pad>");
            }
            ck_assert_double_eq_tol(sum, 1, 0.05); /* except for symbols that are never written */
            ck_assert_double_ge(found, 0);
            product *= found;
        }
        ck_assert_double_eq_tol(product, s.all->text->output->probability, 1e-4 * product);
        drop(&s);
    }
}
END_TEST

START_TEST(test_likeliest_first_is_what_greedy_decoding_writes)
{
    subject s = take(unsure, "cab", (lb_translate_config){.beam = 1}, 3);
    ck_assert_int_eq(s.likeliest->count, 3);
    for (int64_t step = 0; step < s.likeliest->steps; step++)
        ck_assert_str_eq(s.likeliest->symbol[step * 3], written(&s, step));
    drop(&s);
}
END_TEST

START_TEST(test_likeliest_of_an_output_without_end_has_a_row_for_each_symbol)
{
    subject s = take(beginner, "a", (lb_translate_config){.limit = 3, .beam = 1}, 1);
    if (!s.all->text->output->finished) ck_assert_int_eq(s.likeliest->steps, 3);
    ck_assert_int_eq(s.likeliest->steps, s.all->text->output->steps);
    drop(&s);
}
END_TEST

START_TEST(test_likeliest_of_nothing_is_an_argument_error)
{
    subject s = take(model, "bad", (lb_translate_config){0}, 1);
    const lb_translation *text = s.all->text;
    lb_output none = {0};
    lb_translation empty = {0};
    error = (lb_error){0};
    ck_assert_ptr_null(lb_translate_likeliest(s.translator, text, text->output, 0, &error));
    ck_assert_int_eq(error.status, LB_ERROR_ARGUMENT);
    ck_assert_str_eq(error.message, "expected at least 1 symbol for each step, found 0");
    ck_assert_ptr_null(lb_translate_likeliest(s.translator, text, &none, 1, NULL));
    ck_assert_ptr_null(lb_translate_likeliest(s.translator, &empty, text->output, 1, NULL));
    drop(&s);
    lb_likeliest_free(NULL);
}
END_TEST

START_TEST(test_likeliest_out_of_memory_leaks_nothing)
{
    support_watch_allocations();
    subject s = take(model, "bad", (lb_translate_config){0}, 5);
    long needed = 0, live = 0;
    for (int i = 0; i < 3; i++) { /* until the tape has grown */
        long before = support_allocation_count();
        live = support_live_allocations();
        lb_likeliest *again =
            lb_translate_likeliest(s.translator, s.all->text, s.all->text->output, 5, &error);
        ck_assert_ptr_nonnull(again);
        lb_likeliest_free(again);
        needed = support_allocation_count() - before;
    }
    ck_assert_int_gt(needed, 1);
    for (long n = 1; n <= needed; n++) {
        error = (lb_error){0};
        support_fail_allocation(n);
        lb_likeliest *got = lb_translate_likeliest(s.translator, s.all->text, s.all->text->output, 5, &error);
        ck_assert(n > 1 || !got); /* those of a large block and in the reset of the tape may fail */
        ck_assert_int_eq(error.status, got ? LB_OK : LB_ERROR_MEMORY);
        lb_likeliest_free(got);
        ck_assert_int_eq(support_live_allocations(), live);
    }
    drop(&s);
    ck_assert_int_eq(support_live_allocations(), 0);
}
END_TEST

START_TEST(test_self_attention_of_a_transformer_has_rows_that_sum_to_one)
{
    subject s = take(layers, "7 0 3", (lb_translate_config){0}, 1);
    const lb_translation *text = s.all->text;
    lb_text_attention *a = lb_translate_self_attention(s.translator, text, text->output, &error);
    ck_assert_msg(a != NULL, "%s", error.message);
    ck_assert(a->layers == 2 && a->heads >= 1 && a->length == 3 && a->steps == text->output->steps);
    for (int64_t row = 0; row < a->layers * a->heads * a->length; row++) {
        double sum = 0;
        for (int64_t k = 0; k < a->length; k++) sum += (double)a->encoder[row * a->length + k];
        ck_assert_double_eq_tol(sum, 1, 1e-5);
    }
    for (int64_t row = 0; row < a->layers * a->heads * a->steps; row++) {
        double sum = 0;
        for (int64_t k = 0; k <= row % a->steps; k++) sum += (double)a->decoder[row * a->steps + k];
        ck_assert_double_eq_tol(sum, 1, 1e-5);
    }
    lb_text_attention_free(a);
    ck_assert_ptr_null(lb_translate_self_attention(s.translator, text, &(lb_output){0}, &error));
    ck_assert_int_eq(error.status, LB_ERROR_ARGUMENT);
    drop(&s);
}
END_TEST

START_TEST(test_self_attention_of_other_models_is_none)
{
    const char *const paths[] = {model, ensemble};
    for (int i = 0; SUPPORT_ROW(i, paths); i++) {
        subject s = take(paths[i], "bad", (lb_translate_config){0}, 1);
        lb_text_attention *a =
            lb_translate_self_attention(s.translator, s.all->text, s.all->text->output, &error);
        ck_assert_msg(a != NULL, "%s", error.message);
        ck_assert(a->layers == 0 && a->heads == 0 && !a->encoder && !a->decoder);
        lb_text_attention_free(a);
        drop(&s);
    }
    lb_text_attention_free(NULL);
}
END_TEST

START_TEST(test_self_attention_out_of_memory_leaks_nothing)
{
    support_watch_allocations();
    subject s = take(layers, "7 0 3", (lb_translate_config){0}, 1);
    const lb_translation *text = s.all->text;
    lb_text_attention_free(lb_translate_self_attention(s.translator, text, text->output, NULL));
    long live = support_live_allocations(), n = 1;
    for (lb_text_attention *a = NULL; !a && n < 50; n++) {
        support_fail_allocation(n);
        a = lb_translate_self_attention(s.translator, text, text->output, &error);
        support_fail_allocation(0);
        if (!a) ck_assert_int_eq(error.status, LB_ERROR_MEMORY);
        if (a) lb_text_attention_free(a);
        ck_assert_int_le(support_live_allocations(), live);
        if (a) break;
    }
    ck_assert_int_gt(n, 1);
    drop(&s);
}
END_TEST

/* In a translator that has not written anything, the tape has no memory yet. */
START_TEST(test_self_attention_without_memory_for_the_tape_is_an_error)
{
    subject s = take(layers, "7 0 3", (lb_translate_config){0}, 1);
    const lb_translation *text = s.all->text;
    bool done = false;
    for (long n = 1; !done; n++) {
        lb_translator *unused = lb_translator_open(layers, &error);
        ck_assert_msg(unused != NULL, "%s", error.message);
        support_watch_allocations();
        support_fail_from_allocation(n);
        lb_text_attention *a = lb_translate_self_attention(unused, text, text->output, &error);
        support_fail_from_allocation(0);
        done = a != NULL;
        ck_assert(done ? a->layers == 2 : error.status == LB_ERROR_MEMORY);
        ck_assert(n > 2 || !done);
        lb_text_attention_free(a);
        lb_translator_close(unused);
    }
    drop(&s);
}
END_TEST

int main(void)
{
    model = support_train_pair_model("model.safetensors", 600, LB_ATTENTION_ADDITIVE);
    ensemble = support_train_pair_model("ensemble.safetensors", 600, SUPPORT_ENSEMBLE);
    unsure = support_train_pair_model("unsure.safetensors", 60, LB_ATTENTION_ADDITIVE);
    beginner = support_train_pair_model("beginner.safetensors", 0, LB_ATTENTION_ADDITIVE);
    sorter = support_train_model("sort.safetensors", 500, LB_ATTENTION_ADDITIVE);
    layers = support_train_model("layers.safetensors", 100, SUPPORT_TRANSFORMER);
    return support_run_tests();
}
