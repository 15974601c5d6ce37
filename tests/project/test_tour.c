/* docs/tour.md leads to files that exist, and to names that are in them. The calls that it lists are few, and real.
 * docs/adr/ has few decisions, and a list of them. */
#include "support/suite.h"
#include "support/tempdir.h"

#include <ctype.h>
#include <dirent.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { NAME = 200, MOST_FILES = 12, MOST_FAST = 8, MOST_CALLS = 11, MOST_DECISIONS = 30 };

static const char *const on_the_way[] = {"apps/training/sort.c",          "apps/training/train.c",
                                         "apps/training/training_view.c", "src/translate/run/train.c",
                                         "src/train/trainer.c",           "src/train/step.c",
                                         "src/translate/run/stepper.c"};

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
    int files = 0, fast = 0;
    char *page = support_read_file(SOURCE_DIR "/docs/tour.md", &size);
    for (char *row = strtok(page, "\n"); row; row = strtok(NULL, "\n")) {
        if (strncmp(row, "| ", 2) != 0 || row[2] == '|') continue;
        if (isdigit((unsigned char)row[2]))
            ck_assert_int_eq(atoi(row + 2), ++files);
        else
            ck_assert_int_eq(row[2], 'a' + fast++);
        ck_assert_msg(check_row(row) > 0, "no name: %s", row);
    }
    ck_assert_int_eq(files, MOST_FILES);
    ck_assert_int_eq(fast, MOST_FAST);
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

/* Whether `caller` is defined in this file, with a call of `callee`: by name, or by the pointer `loss` of the loop. */
static bool calls(const char *path, const char *caller, const char *callee)
{
    char full[SUPPORT_PATH], head[NAME + 4], call[NAME + 4];
    size_t size;
    snprintf(full, sizeof full, SOURCE_DIR "/%s", path);
    snprintf(head, sizeof head, " %s(", caller);
    snprintf(call, sizeof call, "%s(", strncmp(callee, "loss_", 5) == 0 ? "->loss" : callee);
    char *text = support_read_file(full, &size);
    bool found = false;
    for (char *at = strstr(text, head); at && !found; at = strstr(at + 1, head)) {
        char *body = strstr(at, ")\n{"), *end = strstr(at, "\n}\n"), *semicolon = strchr(at, ';');
        if (!body || !end || body > semicolon) continue; /* a declaration, or a call */
        char *inside = strstr(body, call);
        found = inside && inside < end;
    }
    free(text);
    return found;
}

START_TEST(test_tour_from_a_command_to_its_loss_are_few_calls)
{
    char *page, caller[NAME], callee[NAME];
    size_t size;
    int calls_found = 1;
    page = support_read_file(SOURCE_DIR "/docs/tour.md", &size);
    const char *at = strstr(page, "\n    sort_main > ");
    ck_assert_ptr_nonnull(at);
    copy_up_to(at + 5, " ", caller);
    for (at = strstr(at, " > "); at;
         at = strncmp(at + 3 + strlen(caller), " > ", 3) == 0 ? at + 3 + strlen(caller) : NULL) {
        bool real = false;
        copy_up_to(at + 3, " \n", callee);
        for (size_t i = 0; i < sizeof on_the_way / sizeof *on_the_way && !real; i++)
            real = calls(on_the_way[i], caller, callee);
        ck_assert_msg(real, "%s does not call %s", caller, callee);
        strcpy(caller, callee);
        calls_found++;
    }
    ck_assert_str_eq(caller, "loss_of_part");
    ck_assert_int_le(calls_found, MOST_CALLS);
    free(page);
}
END_TEST
