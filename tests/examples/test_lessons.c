/* Runs each lesson as a reader would, and compares its output with PyTorch and its pictures with those of its page.
 * It belongs to verify. */
#include "support/lesson.h"
#include "support/picture.h"
#include "support/process.h"
#include "support/suite.h"
#include "support/tempdir.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#define PICTURES SOURCE_DIR "/docs/images/lessons"
#define PRINTED  SOURCE_DIR "/tests/data/fixtures/lessons"

static support_names lessons; /* read once, in main */

static support_result run(const char *lesson, const char *folder)
{
    char program[SUPPORT_PATH];
    support_result result;
    snprintf(program, sizeof program, BIN_DIR "/%s", lesson);
    const support_command command = {.argv = (const char *const[]){program, folder, NULL},
                                     .directory = support_tempdir()};
    ck_assert(support_run_command(&command, &result));
    return result;
}

static void compare_text(const char *lesson, char *printed)
{
    char path[SUPPORT_PATH];
    size_t length;
    snprintf(path, sizeof path, PRINTED "/%s.txt", lesson);
    char *text = support_read_file(path, &length);
    support_lines expected = support_cut_lines(text), found = support_cut_lines(printed);
    for (int i = 0; i < expected.count && i < found.count; i++)
        ck_assert_msg(support_same_line(expected.line[i], found.line[i]), "%s, line %d: '%s', not '%s'",
                      lesson, i + 1, found.line[i], expected.line[i]);
    ck_assert_msg(expected.count == found.count, "%s prints %d lines, not %d", lesson, found.count,
                  expected.count);
    free(text);
}

/* Compares the pictures in `folder` with those of the page. A picture of a measurement differs each time. */
static void compare_pictures(const char *lesson, const char *folder)
{
    support_names drawn = support_lesson_files(folder, ".png"),
                  shown = support_lesson_files(PICTURES, ".png");
    for (int i = 0; i < drawn.count; i++)
        ck_assert_msg(support_names_hold(&shown, drawn.name[i]), "%s draws %s.png, which is not in %s",
                      lesson, drawn.name[i], PICTURES);
    for (int i = 0; i < shown.count; i++) {
        char path[SUPPORT_PATH], reviewed[SUPPORT_PATH];
        const char *name = shown.name[i], *end = strrchr(name, '_');
        if (strncmp(name, lesson, strlen(lesson)) != 0 || name[strlen(lesson)] != '_') continue;
        ck_assert_msg(support_names_hold(&drawn, name), "%s does not draw %s.png", lesson, name);
        snprintf(path, sizeof path, "%s/%s.png", folder, name);
        snprintf(reviewed, sizeof reviewed, PICTURES "/%s.png", name);
        if (strcmp(end, "_measured") != 0) support_pictures_equal(path, reviewed);
    }
}

START_LOOP_TEST(test_lesson_prints_what_pytorch_computed_and_draws_what_was_reviewed, lessons.count)
{
    const char *lesson = lessons.name[_i];
    const char *folder = support_path("figures");
    ck_assert_int_eq(mkdir(folder, 0777), 0);
    support_result result = run(lesson, "figures");
    ck_assert_msg(result.status == 0, "%s ends with %d: %s", lesson, result.status, result.error);
    ck_assert_str_eq(result.error, "");
    compare_text(lesson, result.output);
    compare_pictures(lesson, folder);
    ck_assert_uint_eq(support_file_count(), 1); /* nothing but the folder */
    support_result_free(&result);
}
END_TEST

START_TEST(test_lesson_without_folder_draws_into_the_current_one)
{
    support_result result = run(lessons.name[0], NULL);
    ck_assert_int_eq(result.status, 0);
    compare_pictures(lessons.name[0], support_tempdir());
    support_result_free(&result);
}
END_TEST

START_TEST(test_lesson_with_no_place_to_draw_fails_and_names_it)
{
    support_result result = run(lessons.name[0], "missing");
    ck_assert_int_eq(result.status, 1);
    ck_assert_msg(strstr(result.error, "missing/01_") != NULL, "says '%s'", result.error);
    support_result_free(&result);
}
END_TEST

START_TEST(test_same_line_tells_what_differs_from_what_is_rounding)
{
    ck_assert(support_same_line("head 0   0.40 -1.25", "head 0 0.41   -1.26"));
    ck_assert(support_same_line("x (0.5, 12%)", "x (0.4, 12%)"));
    ck_assert(support_same_line("-0.00 1.5e-07", "0.00 1.4e-07"));
    ck_assert(!support_same_line("0.40", "0.42"));
    ck_assert(!support_same_line("0.40", "0.400"));
    ck_assert(!support_same_line("0.40", "-0.40"));
    ck_assert(!support_same_line("0.40 x", "0.40"));
    ck_assert(!support_same_line("0.40", "0.40 0.40"));
    ck_assert(!support_same_line("1.5e-07", "1.5e-06"));
    ck_assert(!support_same_line("head 0", "head 1"));
    ck_assert(!support_same_line("head 1", "head 10"));
    ck_assert(!support_same_line("head1.png", "head2.png"));
    ck_assert(!support_same_line("0.40 0.40", "0.400.40"));
    ck_assert(!support_same_line("0.40", "nan"));
    ck_assert(support_same_line("measured 12 ms, 0.4 s", "measured 7 ms, 31.25 s"));
    ck_assert(!support_same_line("measured 12 ms", "measured 12 s"));
    ck_assert(!support_same_line("measured 12 ms", "measured ms"));
}
END_TEST

int main(void)
{
    lessons = support_lesson_files(PRINTED, ".txt");
    return support_run_tests();
}
