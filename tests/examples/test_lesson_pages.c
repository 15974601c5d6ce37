/* Compares the pages of the lessons with their programs: the code on a page is from the program, the numbers are those
 * of PyTorch, the pictures exist, and nothing is missing or left over. */
#include "support/lesson.h"
#include "support/suite.h"
#include "support/tempdir.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define PROGRAMS     SOURCE_DIR "/examples"
#define PAGES        SOURCE_DIR "/docs/lessons"
#define PICTURES     SOURCE_DIR "/docs/images/lessons"
#define PRINTED      SOURCE_DIR "/tests/data/fixtures/lessons"
#define PICTURE_LINK "](../images/lessons/"

static bool same_text(const char *a, const char *b)
{
    return strcmp(a, b) == 0;
}

static char *read_lesson_file(const char *folder, const char *lesson, const char *suffix)
{
    char path[SUPPORT_PATH];
    size_t length;
    snprintf(path, sizeof path, "%s/%s%s", folder, lesson, suffix);
    return support_read_file(path, &length);
}

/* Calls `check` for the page of each lesson. */
static void each_page(void (*check)(const char *lesson, char *page))
{
    support_names pages = support_lesson_files(PAGES, ".md");
    ck_assert_int_gt(pages.count, 0);
    for (int i = 0; i < pages.count; i++) {
        char *page = read_lesson_file(PAGES, pages.name[i], ".md");
        check(pages.name[i], page);
        free(page);
    }
}

static void same_names(const support_names *names, const char *folder, const support_names *others,
                       const char *there)
{
    for (int i = 0; i < names->count; i++)
        ck_assert_msg(support_names_hold(others, names->name[i]), "%s is in %s and not in %s", names->name[i],
                      folder, there);
}

START_TEST(test_every_lesson_has_program_page_and_printed_numbers)
{
    support_names programs = support_lesson_files(PROGRAMS, ".c"), pages = support_lesson_files(PAGES, ".md"),
                  printed = support_lesson_files(PRINTED, ".txt");
    ck_assert_int_gt(programs.count, 0);
    same_names(&programs, PROGRAMS, &pages, PAGES);
    same_names(&pages, PAGES, &printed, PRINTED);
    same_names(&printed, PRINTED, &programs, PROGRAMS);
}
END_TEST

static void check_code(const char *lesson, char *page)
{
    char *code = read_lesson_file(PROGRAMS, lesson, ".c");
    support_lines program = support_cut_lines(code), lines = support_cut_lines(page);
    ck_assert_msg(support_count_blocks(lesson, &lines, "```c", &program, same_text) > 0, "%s.md has no code",
                  lesson);
    free(code);
}

START_TEST(test_code_of_every_page_is_the_program_s)
{
    each_page(check_code);
}
END_TEST

static void check_numbers(const char *lesson, char *page)
{
    char *text = read_lesson_file(PRINTED, lesson, ".txt");
    support_lines printed = support_cut_lines(text), lines = support_cut_lines(page);
    ck_assert_msg(support_count_blocks(lesson, &lines, "```text", &printed, support_same_line) > 0,
                  "%s.md has no numbers", lesson);
    free(text);
}

START_TEST(test_numbers_of_every_page_are_those_of_pytorch)
{
    each_page(check_numbers);
}
END_TEST

static void check_pictures(const char *lesson, char *page)
{
    support_names pictures = support_lesson_files(PICTURES, ".png");
    int shown = 0, own = 0;
    for (const char *at = page; (at = strstr(at, PICTURE_LINK)) != NULL; shown++) {
        char name[SUPPORT_LESSON_NAME];
        at += strlen(PICTURE_LINK);
        snprintf(name, sizeof name, "%.*s", (int)strcspn(at, ".)"), at);
        ck_assert_msg(support_names_hold(&pictures, name), "%s.md shows %s, which is not there", lesson,
                      name);
    }
    for (int i = 0; i < pictures.count; i++) {
        char link[SUPPORT_PATH];
        if (strncmp(pictures.name[i], lesson, strlen(lesson)) != 0) continue;
        snprintf(link, sizeof link, PICTURE_LINK "%s.png)", pictures.name[i]);
        ck_assert_msg(strstr(page, link) != NULL, "%s.md does not show %s.png", lesson, pictures.name[i]);
        own++;
    }
    ck_assert_msg(shown > 0 && own > 0, "%s.md shows no picture of its own", lesson);
}

START_TEST(test_pictures_of_every_page_exist_and_are_shown)
{
    each_page(check_pictures);
}
END_TEST

START_TEST(test_every_picture_belongs_to_a_lesson)
{
    support_names pictures = support_lesson_files(PICTURES, ".png"),
                  lessons = support_lesson_files(PAGES, ".md");
    for (int i = 0; i < pictures.count; i++) {
        bool owned = false;
        for (int k = 0; k < lessons.count; k++)
            owned = owned || strncmp(pictures.name[i], lessons.name[k], strlen(lessons.name[k])) == 0;
        ck_assert_msg(owned, "%s.png belongs to no lesson", pictures.name[i]);
    }
}
END_TEST

START_TEST(test_every_page_is_in_the_index)
{
    support_names pages = support_lesson_files(PAGES, ".md");
    char *contents = read_lesson_file(PAGES, "README", ".md");
    for (int i = 0; i < pages.count; i++) {
        char link[SUPPORT_PATH];
        snprintf(link, sizeof link, "(%s.md)", pages.name[i]);
        ck_assert_msg(strstr(contents, link) != NULL, "docs/lessons/README.md does not name %s",
                      pages.name[i]);
    }
    free(contents);
}
END_TEST
