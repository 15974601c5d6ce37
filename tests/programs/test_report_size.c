/* report: how large the page of many long pairs is, and what it leaves out for that.
 * This is too slow for sanitizers, and belongs to verify. */
#include "support/pair_program.h"
#include "support/process.h"
#include "support/report_page.h"
#include "support/suite.h"
#include "support/tempdir.h"

#include <cJSON.h>
#include <lookback/tensor.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define REPORT BIN_DIR "/lookback", "report"

enum { LENGTH = 60 };

static support_result result;

static support_page report(const char *name, const char *flag)
{
    support_command command = {.argv = (const char *const[]){REPORT, "out", "long.tsv", "-o", name,
                                                             "--heads-off=0", "--threads=1", flag, NULL},
                               .directory = support_tempdir()};
    support_run_as(&command, &result);
    ck_assert_msg(result.status == 0, "%s", result.error);
    return support_open_page(name);
}

/* Pairs of random symbols, to copy. */
static void write_long_pairs(const char *name, int count)
{
    char *text = malloc((size_t)count * 3 * (LENGTH + 1)), *end = text;
    for (int i = 0; i < count; i++) {
        char *source = end;
        for (int k = 0; k < LENGTH; k++)
            *end++ = "abcdefghijklmnop"[lb_rng_below((lb_rng){.seed = (uint64_t)i}, (uint64_t)k, 16)];
        *end++ = '\t';
        for (int k = 0; k < LENGTH; k++, *end++ = k < LENGTH ? ' ' : '\n') *end++ = source[k];
    }
    support_write_file(support_path(name), text, (size_t)(end - text));
    free(text);
}

/* Pairs whose weights are the mean over the heads. */
static int count_means(const support_page *p)
{
    const cJSON *pair;
    int means = 0;
    cJSON_ArrayForEach(pair, support_at(p->data, "pairs")) means +=
        cJSON_IsTrue(cJSON_GetObjectItem(pair, "mean"));
    return means;
}

/* The last of them, and its path. */
static const cJSON *last_mean(const support_page *p, char path[32])
{
    const cJSON *pair;
    for (int i = 199;; i--) {
        snprintf(path, 32, "pairs.%d", i);
        pair = support_at(p->data, path);
        if (cJSON_HasObjectItem(pair, "mean")) return pair;
    }
}

static void assert_small(const support_page *p)
{
    const cJSON *pair, *output;
    double steps = 0;
    cJSON_ArrayForEach(pair, support_at(p->data, "pairs"))
    {
        cJSON_ArrayForEach(output, support_at(pair, "outputs"))
        {
            steps += support_count(output, "steps");
            ck_assert_double_ge(support_number(output, "weights"), 0);
        }
    }
    ck_assert_double_eq(support_number(p->data, "detailed"), 200);
    ck_assert_msg(steps / 1000 >= LENGTH, "%g steps on average", steps / 1000);
    ck_assert_msg(p->bytes < 1000000, "%zu bytes", p->bytes);
}

START_TEST(test_report_of_200_long_pairs_is_smaller_than_a_megabyte)
{
    write_long_pairs("long.tsv", 200);
    SUPPORT_TRAIN(SUPPORT_SMALL, "--train", "long.tsv", "--steps", "60", "--batch", "8");
    support_assert_trained();
    support_page p = report("page.html", NULL);
    assert_small(&p);
    ck_assert_int_eq(count_means(&p), 0);
    support_close_page(&p);
}
END_TEST

/* Where heads are kept apart and where they are not, the mean is the same. */
static void assert_mean(const support_page *small, const support_page *large, const char *path)
{
    const cJSON *merged = support_at(small->data, path), *apart = support_at(large->data, path);
    size_t cells = (size_t)support_count(apart, "outputs.0.steps") * LENGTH;
    const unsigned char *mean = small->blob + (size_t)support_number(merged, "outputs.0.weights"),
                        *head = large->blob + (size_t)support_number(apart, "outputs.0.weights");
    ck_assert(cJSON_IsTrue(support_at(merged, "mean")));
    for (size_t i = 0; i < cells; i++) {
        int sum = head[i] + head[cells + i] + head[2 * cells + i] + head[3 * cells + i];
        SUPPORT_CHECK(abs(4 * mean[i] - sum) <= 4, "cell %zu: %d, expected %g", i, mean[i], sum / 4.0);
    }
}

/* These heads have learned little, and look everywhere. */
START_TEST(test_report_of_200_long_pairs_with_four_heads_has_the_mean_where_it_lacks_room)
{
    write_long_pairs("long.tsv", 200);
    SUPPORT_TRAIN(SUPPORT_SMALL, "--train", "long.tsv", "--steps", "400", "--batch", "8", "--attention",
                  "multi-head");
    support_assert_trained();
    support_page small = report("mean.html", NULL);
    assert_small(&small);
    ck_assert(cJSON_IsObject(support_at(small.data, "pairs.0.why.erasure")));
    char last[32];
    const cJSON *pair = last_mean(&small, last);
    ck_assert(cJSON_IsNull(support_at(pair, "why.gradient")));
    ck_assert(!cJSON_HasObjectItem(support_at(small.data, "pairs.0"), "mean"));
    ck_assert_ptr_nonnull(strstr(result.error, "of 200 pairs show only the mean over their heads"));
    support_page large = report("all.html", "--all-heads");
    ck_assert_int_eq(count_means(&large), 0);
    ck_assert(cJSON_IsObject(support_at(support_at(large.data, last), "why.gradient")));
    ck_assert_double_eq(support_number(pair, "why.tau"),
                        support_number(support_at(large.data, last), "why.tau"));
    assert_mean(&small, &large, last);
    support_close_page(&small);
    support_close_page(&large);
}
END_TEST
