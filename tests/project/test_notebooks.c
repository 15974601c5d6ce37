/* Checks the tables of docs/notebooks.md: no cell is empty, and all names in them exist. */
#define _XOPEN_SOURCE 700

#include "support/suite.h"
#include "support/tempdir.h"

#include <ctype.h>
#include <ftw.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { CELLS = 4, NAME = 128, OPEN_FOLDERS = 16 };

/* The text of the public headers, and of the tests with their file names. */
static char *headers, *tests;

static void append(char **text, const char *more)
{
    size_t old = *text ? strlen(*text) : 0, added = strlen(more);
    *text = realloc(*text, old + added + 2);
    ck_assert_ptr_nonnull(*text);
    memcpy(*text + old, more, added);
    memcpy(*text + old + added, "\n", 2);
}

static int collect(const char *path, const struct stat *status, int type, struct FTW *place)
{
    (void)status;
    size_t length = strlen(path), unused;
    if (type != FTW_F || length < 2) return 0;
    bool test = strstr(path + strlen(SOURCE_DIR), "/tests/") != NULL;
    if (strcmp(path + length - 2, test ? ".c" : ".h") != 0) return 0;
    char *content = support_read_file(path, &unused);
    if (test) append(&tests, path + place->base);
    append(test ? &tests : &headers, content);
    free(content);
    return 0;
}

static bool is_name(char letter)
{
    return isalnum((unsigned char)letter) || letter == '_';
}

/* Whether the text contains the word, as a whole word. */
static bool holds_word(const char *text, const char *word)
{
    size_t length = strlen(word);
    for (const char *at = strstr(text, word); at; at = strstr(at + 1, word))
        if ((at == text || !is_name(at[-1])) && !is_name(at[length])) return true;
    return false;
}

/* Names of the library must be in the headers, names of tests in the tests. */
static void check_name(const char *name)
{
    bool library = strncmp(name, "lb_", 3) == 0 || strncmp(name, "LB_", 3) == 0;
    if (library) ck_assert_msg(holds_word(headers, name), "no header knows %s", name);
    if (strncmp(name, "test_", 5) == 0) ck_assert_msg(holds_word(tests, name), "no test is called %s", name);
}

static void check_names(const char *cell)
{
    while (*cell) {
        char name[NAME];
        size_t length = 0;
        while (length < NAME - 1 && is_name(cell[length])) length++;
        if (length == 0) {
            cell++;
            continue;
        }
        memcpy(name, cell, length);
        name[length] = '\0';
        check_name(name);
        cell += length;
    }
}

/* Checks that link targets exist in docs/. Returns the number of links. */
static int check_links(const char *cell)
{
    int count = 0;
    for (const char *link = strstr(cell, "]("); link; link = strstr(link + 1, "](")) {
        char path[512];
        snprintf(path, sizeof path, SOURCE_DIR "/docs/%.*s", (int)strcspn(link + 2, ")"), link + 2);
        ck_assert_msg(access(path, R_OK) == 0, "%s is not there", path);
        count++;
    }
    return count;
}

static void check_row(const char *line)
{
    char cell[CELLS][1024] = {""};
    int count = 0;
    for (const char *at = line + 1; *at && count < CELLS; count++) {
        size_t length = strcspn(at, "|");
        snprintf(cell[count], sizeof cell[count], "%.*s", (int)length, at);
        at += length + (at[length] == '|');
    }
    ck_assert_msg(count == CELLS, "not %d cells: %s", CELLS, line);
    for (int i = 0; i < CELLS; i++) {
        ck_assert_msg(strspn(cell[i], " ") < strlen(cell[i]), "an empty cell: %s", line);
        check_names(cell[i]);
    }
    ck_assert_msg(check_links(cell[CELLS - 1]) > 0, "no picture: %s", line);
}

/* Cuts the next line off; NULL at the end. */
static char *next_line(char **rest)
{
    char *line = *rest;
    if (!line || !*line) return NULL;
    char *end = strchr(line, '\n');
    *rest = end ? end + 1 : NULL;
    if (end) *end = '\0';
    return line;
}

START_TEST(test_notebooks_every_row_names_what_is_there)
{
    ck_assert_int_eq(nftw(SOURCE_DIR "/include", collect, OPEN_FOLDERS, 0), 0);
    ck_assert_int_eq(nftw(SOURCE_DIR "/src", collect, OPEN_FOLDERS, 0), 0);
    ck_assert_int_eq(nftw(SOURCE_DIR "/tests", collect, OPEN_FOLDERS, 0), 0);
    append(&headers, "");
    size_t length;
    char *page = support_read_file(SOURCE_DIR "/docs/notebooks.md", &length), *rest = page, *line;
    char *ops = support_read_file(SOURCE_DIR "/docs/ops.md", &length);
    append(&headers, ops);
    free(ops);
    int rows = 0;
    while ((line = next_line(&rest))) {
        if (line[0] != '|' || strncmp(line, "| what |", 8) == 0 || strncmp(line, "|---", 4) == 0) continue;
        check_row(line);
        rows++;
    }
    ck_assert_int_gt(rows, 10);
    free(page);
    free(headers);
    free(tests);
}
END_TEST
