/* The commands of docs/when_it_does_not_work.md show the causes that the page names.
 * Takes seconds; too slow for sanitizers. */
#include "support/pair_program.h"
#include "support/suite.h"
#include "support/tempdir.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define PAGE "/docs/when_it_does_not_work.md"
#define CLONE                                                                                                \
    "mkdir -p build/release out && ln -s " BIN_DIR " build/release/bin && ln -s " SOURCE_DIR                 \
    "/examples examples\n"

enum { SHOWN = 16 };

static char *page, *script, *shown[SHOWN]; /* the commands as a script, and the lines of output in the page */
static int shown_count;

/* A training of two steps, instead of one that learns, has the same words in its output. */
static void shorten(char *line)
{
    char *steps = strstr(line, "--steps 1200");
    if (steps) memcpy(steps, "--steps 2   ", 12);
}

static void read_page(void)
{
    size_t count;
    page = support_read_file(SOURCE_DIR PAGE, &count);
    script = calloc(1, sizeof CLONE + count);
    strcpy(script, CLONE);
    bool output = false;
    for (char *line = strtok(page, "\n"); line; line = strtok(NULL, "\n"))
        if (strncmp(line, "```", 3) == 0) {
            output = !output;
        } else if (output) {
            ck_assert_int_lt(shown_count, SHOWN);
            shown[shown_count++] = line;
        } else if (strncmp(line, "    ", 4) == 0) {
            shorten(line);
            strcat(strcat(script, line), "\n");
        }
}

/* Numbers as #, because they depend on the training and the machine, and blanks, which fill columns, as one. A line of
 * the page ends at its dots. */
static char *mask(char *text)
{
    char *to = text;
    for (const char *at = text; *at; at++) {
        char c = *at;
        if (isdigit((unsigned char)c)) c = '#';
        if ((c == '#' || c == ' ') && to > text && to[-1] == c) continue;
        *to++ = c;
    }
    *to = '\0';
    return text;
}

START_TEST(test_each_command_shows_what_the_page_says)
{
    read_page();
    SUPPORT_RUN(&support_ran, NULL, "/bin/sh", "-c", "exec 2>&1; eval \"$0\"", script);
    char *found = mask(support_ran.output);
    ck_assert_msg(strstr(found, "--help") == NULL && strstr(found, "not found") == NULL, "%s", found);
    ck_assert_int_ge(shown_count, 10);
    for (int i = 0; i < shown_count; i++) {
        char *dots = strstr(shown[i], "...");
        if (dots) *dots = '\0';
        char *at = strstr(found, mask(shown[i]));
        ck_assert_msg(at != NULL, "no command prints, in its turn:\n%s\n%s", shown[i], found);
        found = at;
    }
    free(page);
    free(script);
}
END_TEST
