#include "support/exported.h"

#include "base/buffer.h"
#include "support/pair_program.h"
#include "support/suite.h"
#include "support/tempdir.h"

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define LOOKBACK BIN_DIR "/lookback"

const char *const support_compiler = TEST_CC;

enum { TEXTS = 150, OPTIONS = 20 };

static support_result result;

static void expect_done(void)
{
    ck_assert_msg(result.status == 0, "%s", result.error);
}

void support_write_texts(const char *const *symbols, size_t count)
{
    lb_buffer text = {0};
    uint32_t random = 7;
    for (int i = 0; i < TEXTS; i++) {
        for (int letters = 1 + i % 8; letters > 0; letters--) {
            random = random * 1664525 + 1013904223;
            lb_buffer_print(&text, "%s", symbols[(random >> 16) % count]);
        }
        lb_buffer_print(&text, "\n");
    }
    ck_assert(!text.failed);
    support_write_text("texts.txt", text.text);
    lb_release(text.text);
}

void support_compile_exported(const char *model, const char *const *options, const char *program,
                              const char *flag)
{
    const char *argv[OPTIONS] = {LOOKBACK, "export", model, "-o", "g2p.c"};
    for (int i = 0; options[i]; i++) argv[5 + i] = options[i];
    support_run_in_tempdir(argv, NULL, &result);
    expect_done();
    char path[SUPPORT_PATH];
    snprintf(path, sizeof path, SOURCE_DIR "/tests/export/%s.c", program);
    SUPPORT_RUN(&result, NULL, support_compiler, SUPPORT_WARNINGS, flag, "-I.", path, "g2p.c", "-lm", "-o",
                program);
    expect_done();
    ck_assert_str_eq(result.error, "");
}

/* What a program of that folder writes for texts.txt, to be freed. */
static char *answers(const char *const *argv)
{
    support_result found = {0};
    support_command command = {
        .argv = argv, .directory = support_tempdir(), .input_path = support_path("texts.txt")};
    ck_assert(support_run_command(&command, &found));
    ck_assert_msg(found.status == 0, "%s", found.error);
    char *output = strdup(found.output);
    support_result_free(&found);
    return output;
}

/* The lines in which two outputs differ. */
static int count_different(const char *a, const char *b)
{
    int different = 0;
    while (*a && *b) {
        size_t in_a = strcspn(a, "\n"), in_b = strcspn(b, "\n");
        different += in_a != in_b || memcmp(a, b, in_a) != 0;
        a += in_a + 1;
        b += in_b + 1;
    }
    ck_assert(!*a && !*b);
    return different;
}

int support_compare_exported(const char *model, const char *beam, const char *type)
{
    support_compile_exported(model,
                             (const char *const[]){"--type", type, "--beam", beam, "--longest", "80", NULL},
                             "lines", "-O1");
    char *exported = answers((const char *const[]){"./lines", NULL});
    char *predicted = answers(
        (const char *const[]){LOOKBACK, "predict", model, "--beam", beam, "--only-outputs", "--quiet", NULL});
    int different = count_different(exported, predicted);
    size_t distinct = 0;
    for (const char *line = predicted; *line; line += strcspn(line, "\n") + 1)
        distinct += line == predicted || strncmp(line, predicted, strcspn(line, "\n") + 1) != 0;
    ck_assert_uint_gt(distinct, TEXTS / 10);
    free(exported);
    free(predicted);
    return different;
}
