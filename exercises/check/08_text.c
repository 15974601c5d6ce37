#include "exercises.h"
#include "report.h"

#include <math.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

enum { MOST = 8, NUMBERS = 48, SYMBOLS = 6 };

static const char *const vocabulary[SYMBOLS] = {"<pad>", "<unk>", "the", "is", "film", "good"};

typedef struct review {
    int words, length;
    const char *word[MOST];
} review;

static const review reviews[] = {
    {4, 6, {"the", "film", "is", "good"}},
    {4, 4, {"good", "is", "the", "film"}},
    {3, 5, {"the", "plot", "is"}},
    {6, 3, {"is", "the", "film", "the", "good", "film"}},
    {0, 3, {NULL}},
    {1, 2, {"films"}}, /* not the beginning of a word, either */
};

/* By the vocabulary of the library. */
static int encode_by_library(const review *r, int *id)
{
    lb_error error = {0};
    int32_t ids[MOST] = {0}, count = -1;
    lb_vocabulary *known = lb_vocabulary_new(vocabulary, 2, 1, &error);
    if (known && !lb_vocabulary_add(known, vocabulary + 2, SYMBOLS - 2, &error))
        count = lb_vocabulary_encode(known, r->word, r->words, ids, r->length);
    for (int i = 0; i < r->length; i++) id[i] = ids[i];
    lb_vocabulary_free(known);
    return count;
}

static void hint_encode(const review *r, const int *found, const int *expected)
{
    for (int i = 0; i < r->length; i++) {
        if (found[i] == expected[i]) continue;
        if (i >= r->words)
            report_hint("The review has %d words: id %d is padding.", r->words, i);
        else if (expected[i] == 1)
            report_hint("'%s' is not in the vocabulary.", r->word[i]);
        else
            report_hint("'%s' is number %d in the vocabulary.", r->word[i], expected[i]);
        return;
    }
}

static void check_encode(void)
{
    for (size_t n = 0; n < sizeof reviews / sizeof *reviews; n++) {
        const review *r = &reviews[n];
        char text[NUMBERS] = "";
        int expected[MOST] = {0}, *found = report_int_room(), at = 0;
        for (int i = 0; i < r->words; i++)
            at += snprintf(text + at, sizeof text - (size_t)at, "%s%s", i ? " " : "", r->word[i]);
        int count = encode_by_library(r, expected);
        report_asked("'%s' in %d ids; the vocabulary is <pad> <unk> the is film good", text, r->length);
        int returned = encode(r->word, r->words, vocabulary, SYMBOLS, found, r->length);
        if (!report_same_ints(found, expected, r->length)) {
            hint_encode(r, found, expected);
            return;
        }
        if (!report_same_ints(&returned, &count, 1)) {
            report_hint(
                "The ids are right. This is what the function returns: the number of ids without padding.");
            return;
        }
    }
}

typedef struct review_sizes {
    int reviews, length, width;
    int words[MOST];
} review_sizes;

static const review_sizes batches[] = {
    {2, 3, 2, {2, 3}},
    {1, 2, 3, {2}},
    {3, 4, 2, {1, 4, 2}},
    {2, 3, 2, {0, 3}},
};

/* The mean of the first `words` vectors of a review, by the library; zeros for none. */
static void mean_by_library(const double *vector, int words, int width, double *mean)
{
    lb_tape *tape = lb_tape_new();
    const double *values =
        lb_doubles(lb_mean(report_tensor(tape, LB_SHAPE(words ? words : 1, width), vector), 0));
    for (int i = 0; i < width; i++) mean[i] = words && values ? values[i] : 0;
    lb_tape_free(tape);
}

static void hint_mean_of_words(const review_sizes *b, const double *vector, const double *found)
{
    double all[NUMBERS] = {0}, short_of[NUMBERS] = {0};
    int part = 0;
    for (int r = 0; r < b->reviews; r++) {
        const double *own = vector + (ptrdiff_t)(r * b->length * b->width);
        mean_by_library(own, b->length, b->width, all + (ptrdiff_t)(r * b->width));
        mean_by_library(own, b->words[r], b->width, short_of + (ptrdiff_t)(r * b->width));
        for (int i = 0; i < b->width; i++) short_of[r * b->width + i] *= (double)b->words[r] / b->length;
        if (b->words[r] < b->length && b->words[part] == b->length) part = r;
    }
    if (report_is(found, short_of, b->reviews * b->width))
        report_hint("Review %d is %d/%d of what it should be. The sum has %d vectors: by what is it divided?",
                    part, b->words[part], b->length, b->words[part]);
    else if (report_is(found, all, b->reviews * b->width))
        report_hint("These are the means of all %d vectors of each review, with those of the padding.",
                    b->length);
    else if (isnan(found[0]))
        report_hint("Review 0 has %d words, and 0 divided by 0 is NaN.", b->words[0]);
    else
        report_hint("Review r has words[r] words. Does each sum have these, and only these?");
}

static void check_mean_of_words(void)
{
    for (size_t n = 0; n < sizeof batches / sizeof *batches; n++) {
        const review_sizes *b = &batches[n];
        double vector[NUMBERS] = {0}, expected[NUMBERS] = {0}, *found = report_room();
        report_random(vector, b->reviews * b->length * b->width);
        for (int r = 0; r < b->reviews; r++)
            mean_by_library(vector + (ptrdiff_t)(r * b->length * b->width), b->words[r], b->width,
                            expected + (ptrdiff_t)(r * b->width));
        report_asked("%d reviews of length %d, words %s", b->reviews, b->length,
                     report_int_list(b->words, b->reviews));
        mean_of_words(vector, b->words, b->reviews, b->length, b->width, found);
        if (report_same(found, expected, b->reviews, b->width)) continue;
        hint_mean_of_words(b, vector, found);
        return;
    }
}

const check_exercise exercise = {
    8,
    "text",
    "exercises/08_text.c",
    {{"write", "encode", check_encode}, {"mend", "mean_of_words", check_mean_of_words}}};
