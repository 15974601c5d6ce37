/* The checks of the exercises, run as a reader runs them: on the files as shipped, on solved ones and on the wrong
 * answers of wrong.txt. Their programs are too slow for sanitizers. */
#include "support/lesson.h"
#include "support/process.h"
#include "support/suite.h"
#include "support/tempdir.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define EXERCISES SOURCE_DIR "/exercises"
#define ANSWERS   SOURCE_DIR "/tests/exercises"

enum { WRITE = 1, MEND = 2 }; /* the parts that are right */

static support_names exercises; /* read once, in main */

static support_result result;

/* Only an answer that never ends is ended early: others may be slow under a sanitizer. */
static void run(const char *prefix, const char *name, bool brief)
{
    char answer[SUPPORT_PATH];
    const char *seconds = strstr(name, "_endless") ? "1" : "60";
    snprintf(answer, sizeof answer, "%s%s", prefix, name);
    support_result_free(&result);
    const char *const argv[] = {TEST_BIN_DIR "/exercise_answers", "--seconds",           seconds,
                                brief ? "--brief" : answer,       brief ? answer : NULL, NULL};
    ck_assert(support_run(argv, NULL, &result));
    ck_assert_str_eq(result.error, "");
}

/* The verdict on a part in the output: the rest of the line "write FUNCTION: VERDICT". */
static const char *verdict_of(const char *verb)
{
    char start[16];
    snprintf(start, sizeof start, "\n%s ", verb);
    const char *line = strstr(result.output, start);
    ck_assert_msg(line != NULL, "no part to %s: %s", verb, result.output);
    return strstr(line, ": ") + 2;
}

static void expect_verdict(const char *name, const char *verb, bool right, const char *otherwise)
{
    const char *expected = right ? "right (" : otherwise, *found = verdict_of(verb);
    ck_assert_msg(strncmp(found, expected, strlen(expected)) == 0, "%s: to %s is '%.20s', not '%s'", name,
                  verb, found, expected);
}

static void expect_parts(const char *name, int right)
{
    expect_verdict(name, "write", right & WRITE, "yours to write\n");
    expect_verdict(name, "mend", right & MEND, "wrong\n");
    ck_assert_int_eq(result.status, right == (WRITE | MEND) ? 0 : 1);
    ck_assert_int_eq(strstr(result.output, "\nBoth parts are right.\n") != NULL, right == (WRITE | MEND));
}

START_LOOP_TEST(test_exercise_as_shipped_fails_in_both_parts_with_a_hint, exercises.count)
{
    const char *name = exercises.name[_i];
    char program[SUPPORT_PATH];
    snprintf(program, sizeof program, BIN_DIR "/../exercises/check_%s", name);
    support_result_free(&result);
    const char *const argv[] = {program, "--seconds", "60", NULL};
    ck_assert(support_run(argv, NULL, &result));
    ck_assert_str_eq(result.error, "");
    expect_parts(name, 0);
    ck_assert_msg(strstr(strstr(result.output, "\nmend "), "\n    hint ") != NULL, "%s has no hint", name);
    ck_assert_ptr_null(strstr(result.output, "nan"));
}
END_TEST

START_LOOP_TEST(test_exercise_with_solved_parts_passes_in_these_alone, exercises.count)
{
    static const char *const prefixes[] = {"solved_1_", "solved_2_", "solved_3_"};
    for (int right = WRITE; right <= (WRITE | MEND); right++) {
        run(prefixes[right - 1], exercises.name[_i], false);
        expect_parts(exercises.name[_i], right);
    }
}
END_TEST

/* How often `part` is in `text`. */
static int count(const char *text, const char *part)
{
    int found = 0;
    for (const char *at = text; (at = strstr(at, part)) != NULL; at++) found++;
    return found;
}

/* An answer of wrong.txt, from its line `at`: "EXERCISE NAME: VERDICT", a hint, and edits of `solution`. */
static void expect_wrong_answer(const support_lines *table, int at, const char *solution)
{
    char *name = table->line[at], *end = strstr(name, ": ");
    const char *hint = table->line[at + 1];
    ck_assert_msg(end != NULL, "line %d of wrong.txt has no verdict", at + 1);
    *end = '\0', *strchr(name, ' ') = '_';
    for (at += 2; at < table->count && table->line[at][0] == '-'; at += 2)
        ck_assert_msg(count(solution, table->line[at] + 2) == 1, "%s: '%s' is not in the solution once", name,
                      table->line[at] + 2);
    run("wrong_", name, false);
    ck_assert_msg(result.status == 1, "%s is not wrong: %s", name, result.output);
    const char *found = strstr(result.output, end + 2);
    ck_assert_msg(found != NULL, "%s: '%s' is not in: %s", name, end + 2, result.output);
    ck_assert_msg(strstr(found, hint) != NULL, "%s: '%s' is not in: %s", name, hint, result.output);
}

START_LOOP_TEST(test_exercise_with_a_wrong_answer_prints_what_helps, exercises.count)
{
    const char *exercise = exercises.name[_i];
    char path[SUPPORT_PATH];
    size_t length, letters = strlen(exercise);
    snprintf(path, sizeof path, ANSWERS "/solved/%s.c", exercise);
    char *solution = support_read_file(path, &length);
    char *text = support_read_file(ANSWERS "/wrong.txt", &length);
    support_lines table = support_cut_lines(text);
    int answers = 0;
    for (int i = 0; i < table.count; i++)
        if (strncmp(table.line[i], exercise, letters) == 0 && table.line[i][letters] == ' ') {
            expect_wrong_answer(&table, i, solution);
            answers++;
        }
    ck_assert_msg(answers > 0, "%s has no wrong answers", exercise);
    free(solution);
    free(text);
}
END_TEST

START_TEST(test_exercise_in_brief_is_one_line_of_the_list)
{
    run("wrong_", "03_masking_endless", true);
    ck_assert_str_eq(result.output, " 3  masking             write: to do          mend: does not end\n");
    run("wrong_", "03_masking_crash", true);
    ck_assert_str_eq(result.output, " 3  masking             write: crashes        mend: wrong\n");
    run("solved_3_", "03_masking", true);
    ck_assert_str_eq(result.output, " 3  masking             write: right          mend: right\n");
    ck_assert_int_eq(result.status, 0);
}
END_TEST

START_TEST(test_exercise_of_every_lesson_is_on_its_page)
{
    support_names lessons = support_lesson_files(SOURCE_DIR "/examples", ".c");
    ck_assert_int_eq(exercises.count, lessons.count);
    for (int i = 0; i < exercises.count; i++) {
        const char *name = exercises.name[i];
        char path[SUPPORT_PATH], command[32], file[SUPPORT_PATH];
        size_t length;
        ck_assert_msg(support_names_hold(&lessons, name), "no lesson for the exercise %s", name);
        snprintf(path, sizeof path, SOURCE_DIR "/docs/lessons/%s.md", name);
        snprintf(command, sizeof command, "    ./run check %ld\n", strtol(name, NULL, 10));
        snprintf(file, sizeof file, "(../../exercises/%s.c)", name);
        char *page = support_read_file(path, &length);
        const char *section = strstr(page, "\n## Exercise\n");
        ck_assert_msg(section != NULL && strstr(section, command) != NULL && strstr(section, file) != NULL,
                      "%s.md has no exercise", name);
        free(page);
    }
}
END_TEST

/* A reader works in the file alone: it has to be short, and says how to go on. */
START_LOOP_TEST(test_exercise_file_is_short_and_names_its_command, exercises.count)
{
    char path[SUPPORT_PATH], text[SUPPORT_PATH];
    size_t length;
    const char *name = exercises.name[_i];
    snprintf(path, sizeof path, EXERCISES "/%s.c", name);
    char *source = support_read_file(path, &length);
    const char *const wanted[] = {"/* Yours to write: ", "/* To mend: ", "`./run check ",
                                  "`git checkout exercises/"};
    for (size_t i = 0; SUPPORT_ROW(i, wanted); i++)
        ck_assert_msg(strstr(source, wanted[i]) != NULL, "%s does not say '%s'", name, wanted[i]);
    snprintf(text, sizeof text, "`./run check %ld`", strtol(name, NULL, 10));
    ck_assert_ptr_nonnull(strstr(source, text));
    int lines = 0;
    for (const char *at = source; *at; at++) lines += *at == '\n';
    ck_assert_int_le(lines, 80);
    free(source);
}
END_TEST

int main(void)
{
    exercises = support_lesson_files(EXERCISES, ".c");
    return support_run_tests();
}
