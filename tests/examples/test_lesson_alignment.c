/* The results of lesson 11 vary slightly between processors. What its page says of them does not: every sentence is
 * translated, adjective and noun cross, and an article is read from its noun.
 * This test is too slow for sanitizers, and belongs to verify: it trains four models. */
#include "support/process.h"
#include "support/suite.h"
#include "support/tempdir.h"

#include <stdio.h>
#include <string.h>

/* One row of its table: shares from 0 to 1. */
typedef struct row {
    char name[32];
    double exact, aligned, article, to_noun, noun, adjective, no, esta, verb, preposition;
} row;

enum { ROWS = 5 };

static support_result run(void)
{
    const support_command command = {.argv = (const char *const[]){BIN_DIR "/11_alignment", NULL},
                                     .directory = support_tempdir()};
    support_result result;
    ck_assert(support_run_command(&command, &result));
    ck_assert_msg(result.status == 0, "%s", result.error);
    return result;
}

static void read_rows(const char *text, row rows[ROWS])
{
    int count = 0;
    for (const char *at = text; (at = strstr(at, "measured: ")) != NULL; at++, count++) {
        ck_assert_int_lt(count, ROWS);
        row *r = &rows[count];
        int found = sscanf(at, "measured: %31[a-z 2-] %lf %lf %lf %lf %lf %lf %lf %lf %lf %lf", r->name,
                           &r->exact, &r->aligned, &r->article, &r->to_noun, &r->noun, &r->adjective, &r->no,
                           &r->esta, &r->verb, &r->preposition);
        ck_assert_msg(found == 11, "%.100s", at);
    }
    ck_assert_int_eq(count, ROWS);
}

/* What the page says of additive attention, with any seed. */
static void check_additive(const row *r)
{
    ck_assert_double_ge(r->exact, 0.98);
    ck_assert_double_ge(r->noun, 0.9);
    ck_assert_double_ge(r->adjective, 0.95);
    ck_assert_double_ge(r->no, 0.95);
    ck_assert_double_ge(r->verb, 0.95);
    ck_assert_double_ge(r->preposition, 0.95);
    ck_assert_double_le(r->article, 0.1);
    ck_assert_double_ge(r->to_noun, 0.9);
    ck_assert_double_ge(r->aligned, 0.6);
    ck_assert_double_le(r->aligned, 0.85);
}

START_TEST(test_lesson_alignment_is_learned)
{
    row rows[ROWS];
    support_result result = run();
    read_rows(result.output, rows);
    ck_assert_str_eq(rows[0].name, "untrained    ");
    ck_assert_double_eq(rows[0].exact, 0);
    ck_assert_double_le(rows[0].aligned, 0.2);
    check_additive(&rows[1]);
    check_additive(&rows[2]);
    for (int i = 3; i < ROWS; i++) {
        ck_assert_double_ge(rows[i].exact, 0.95);
        ck_assert_double_ge(rows[i].adjective, 0.9);
    }
    ck_assert_double_lt(rows[3].noun, rows[1].noun);
    support_result_free(&result);
}
END_TEST
