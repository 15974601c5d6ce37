/* BLEU and chrF2 of texts, against values from their definitions in Python: tests/data/text/make_translations.py. */
#include "lookback/metrics.h"

#include "data/text/symbols.h"
#include "support/alloc.h"
#include "support/suite.h"
#include "support/tempdir.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { REFERENCES = 4 };

static lb_measures measures_of(const lb_statistics *sum)
{
    return lb_measure(sum, (lb_bleu_config){0});
}

/* "\n" becomes the end of a line. */
static void unescape(char *text)
{
    char *to = text;
    for (; *text; text++) {
        bool escape = text[0] == '\\' && text[1] == 'n';
        *to++ = escape ? '\n' : *text;
        text += escape;
    }
    *to = '\0';
}

/* Cuts off the text before the tab, or all of it; `*line` is NULL behind the last one. */
static char *next_field(char **line)
{
    char *field = *line, *tab = strchr(field, '\t');
    *line = tab ? tab + 1 : NULL;
    if (tab) *tab = '\0';
    return field;
}

typedef struct corpus {
    char name[64];
    bool lower;
    double bleu, chrf;
    lb_statistics sum;
} corpus;

static void begin(corpus *c, char *line)
{
    *c = (corpus){.bleu = 0};
    snprintf(c->name, sizeof c->name, "%s", next_field(&line));
    c->lower = strcmp(next_field(&line), "lower") == 0;
    c->bleu = strtod(next_field(&line), NULL);
    c->chrf = strtod(line, NULL);
}

static void add(corpus *c, char *line)
{
    const char *references[REFERENCES], *output = next_field(&line);
    int64_t count = 0;
    for (; line; count++) {
        ck_assert_int_lt(count, REFERENCES);
        references[count] = next_field(&line);
        unescape((char *)references[count]);
    }
    unescape((char *)output);
    lb_statistics one = {.outputs = 1};
    ck_assert_int_eq(lb_statistics_count_text(output, references, count, c->lower, &one, NULL), LB_OK);
    lb_statistics_add(&c->sum, &one);
}

static void check(const corpus *c)
{
    const lb_measures found = measures_of(&c->sum);
    SUPPORT_CHECK(fabs(fmax(found.bleu_13a, 0) - c->bleu) < 1e-8, "%s: BLEU %.10f, not %.10f", c->name,
                  found.bleu_13a, c->bleu);
    SUPPORT_CHECK(fabs(found.chrf2 - c->chrf) < 1e-8, "%s: chrF2 %.10f, not %.10f", c->name, found.chrf2,
                  c->chrf);
}

START_TEST(test_bleu_and_chrf_of_small_corpora_are_those_of_their_definitions)
{
    size_t length;
    int corpora = 0;
    corpus now;
    char *file = support_read_file(TEST_DATA "/text/translations.txt", &length);
    for (char *line = file, *end; (end = strchr(line, '\n')) != NULL; line = end + 1) {
        *end = '\0';
        if (strncmp(line, "= ", 2) != 0) {
            add(&now, line);
            continue;
        }
        if (corpora++ > 0) check(&now);
        begin(&now, line + 2);
    }
    check(&now);
    ck_assert_int_ge(corpora, 24);
    free(file);
}
END_TEST

static const char *const one_reference[] = {"The cat sat on the mat."};

START_TEST(test_bleu_and_chrf_by_hand)
{
    lb_statistics right = {.outputs = 1}, half = {.outputs = 1};
    ck_assert_int_eq(lb_statistics_count_text(one_reference[0], one_reference, 1, false, &right, NULL),
                     LB_OK);
    ck_assert_int_eq(right.bleu_13a.output_length, 7); /* with the full stop */
    ck_assert_int_eq(right.chrf2.references[5], 13);   /* of 18 characters */
    ck_assert_double_eq_tol(measures_of(&right).bleu_13a, 100, 1e-10);
    ck_assert_double_eq_tol(measures_of(&right).chrf2, 100, 1e-10);
    /* "ab" has two of the three characters, and one of the two pairs, of "abc". */
    const char *const abc[] = {"a bc"};
    ck_assert_int_eq(lb_statistics_count_text("ab", abc, 1, false, &half, NULL), LB_OK);
    double recall = (2 / 3.0 + 1 / 2.0) / 2;
    ck_assert_double_eq_tol(measures_of(&half).chrf2, 100 * 5 * recall / (4 + recall), 1e-10);
    ck_assert_double_eq(measures_of(&half).bleu_13a, 0);
}
END_TEST

START_TEST(test_text_without_reference_or_not_utf8_is_an_error)
{
    lb_error error = {0};
    lb_statistics found = {0};
    const char *const latin[] = {"caf\xe9"};
    ck_assert_int_eq(lb_statistics_count_text("a", NULL, 0, false, &found, &error), LB_ERROR_ARGUMENT);
    for (int lower = 0; lower < 2; lower++)
        ck_assert_int_eq(lb_statistics_count_text("a", latin, 1, lower, &found, &error), LB_ERROR_FORMAT);
}
END_TEST

START_TEST(test_text_without_memory_is_an_error)
{
    static const char *const references[] = {"The mat.", "A CAT sat there."};
    lb_statistics found = {0};
    lb_status status = LB_ERROR_MEMORY;
    long n = 0;
    support_watch_allocations();
    for (; status; n++) {
        support_fail_allocation(n + 1);
        status = lb_statistics_count_text("The cat sat.", references, 2, true, &found, NULL);
        ck_assert(status == LB_OK || status == LB_ERROR_MEMORY);
        ck_assert_int_eq(support_live_allocations(), 0);
    }
    ck_assert_int_gt(n, 20);
}
END_TEST
