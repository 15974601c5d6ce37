/* docs/tour.md leads to files that exist, and to names that are in them. */
#include "support/suite.h"
#include "support/tempdir.h"

#include <ctype.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { NAME = 200, MOST_FILES = 12 };

/* Copies what follows `at` up to one of `ends`. */
static void copy_up_to(const char *at, const char *ends, char name[NAME])
{
    ck_assert_int_lt(snprintf(name, NAME, "%.*s", (int)strcspn(at, ends), at), NAME);
}

static bool is_identifier(const char *name)
{
    size_t length = strspn(name, "abcdefghijklmnopqrstuvwxyz0123456789_");
    return length > 0 && name[length] == '\0';
}

/* A row is: number, a link to a file, and a text with names in backquotes. Returns how many names the text has. */
static int check_row(const char *row)
{
    char path[NAME], name[NAME], full[SUPPORT_PATH];
    size_t size;
    int names = 0;
    const char *link = strstr(row, "](../");
    copy_up_to(link + 5, ")", path);
    snprintf(full, sizeof full, SOURCE_DIR "/%s", path);
    char *text = support_read_file(full, &size);
    for (const char *at = strchr(strstr(link, "|"), '`'); at; at = strchr(at + strlen(name) + 2, '`')) {
        copy_up_to(at + 1, "`", name);
        if (!is_identifier(name)) continue;
        ck_assert_msg(strstr(text, name), "%s has no %s", path, name);
        names++;
    }
    free(text);
    return names;
}

START_TEST(test_tour_leads_to_what_it_says)
{
    size_t size;
    int files = 0;
    char *page = support_read_file(SOURCE_DIR "/docs/tour.md", &size);
    for (char *row = strtok(page, "\n"); row; row = strtok(NULL, "\n")) {
        if (row[0] != '|' || !isdigit((unsigned char)row[2])) continue;
        ck_assert_int_eq(atoi(row + 2), ++files);
        ck_assert_msg(check_row(row) > 0, "no name: %s", row);
    }
    ck_assert_int_eq(files, MOST_FILES);
    free(page);
}
END_TEST

int main(void)
{
    return support_run_tests("tour", SUPPORT_TESTS(test_tour_leads_to_what_it_says));
}
