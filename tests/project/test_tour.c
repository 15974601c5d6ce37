/* docs/tour.md leads to files that exist, and to names that are in them. docs/adr/ has few decisions, and a list of
 * them. */
#include "support/suite.h"
#include "support/tempdir.h"

#include <ctype.h>
#include <dirent.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { NAME = 200, MOST_FILES = 12, MOST_DECISIONS = 30 };

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

/* A decision begins with its number and title, and one line with its status and date; the table has a row for it. */
static void check_decision(const char *name, const char *table)
{
    char path[SUPPORT_PATH], row[NAME], status[NAME] = "";
    size_t size;
    int number = 0;
    snprintf(path, sizeof path, SOURCE_DIR "/docs/adr/%s", name);
    char *text = support_read_file(path, &size);
    sscanf(text, "# %d. %*[^\n] Status: %199[^\n]", &number, status);
    ck_assert_msg(number == atoi(name), "%s: expected its number in the title", name);
    ck_assert_msg(strstr(status, "Date: 20"), "%s: expected \"Status: ... Date: ...\" after the title", name);
    snprintf(row, sizeof row, "\n| [%d](%s) | ", number, name);
    ck_assert_msg(strstr(table, row), "docs/adr/README.md has no row for %s", name);
    free(text);
}

START_TEST(test_decisions_are_few_and_have_status_and_date)
{
    size_t size;
    int count = 0;
    char *table = support_read_file(SOURCE_DIR "/docs/adr/README.md", &size);
    DIR *folder = opendir(SOURCE_DIR "/docs/adr");
    ck_assert_ptr_nonnull(folder);
    for (const struct dirent *entry; (entry = readdir(folder)) != NULL;) {
        if (!isdigit((unsigned char)entry->d_name[0])) continue;
        check_decision(entry->d_name, table);
        count++;
    }
    ck_assert_int_gt(count, 0);
    ck_assert_int_le(count, MOST_DECISIONS);
    closedir(folder);
    free(table);
}
END_TEST

int main(void)
{
    return support_run_tests("tour", SUPPORT_TESTS(test_tour_leads_to_what_it_says,
                                                   test_decisions_are_few_and_have_status_and_date));
}
