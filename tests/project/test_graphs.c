/* The campaign of random programs makes every public op: a new one needs a maker in tests/proof/graph_FAMILY.c. */
#include "support/suite.h"
#include "support/tempdir.h"

#include <ctype.h>
#include <glob.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { NAME = 64, FEWEST_OPS = 60 };

static char *sources[32];
static int source_count;

static void read_sources(void)
{
    glob_t found;
    ck_assert_int_eq(glob(SOURCE_DIR "/tests/proof/graph_*.c", 0, NULL, &found), 0);
    ck_assert_int_le((int)found.gl_pathc, (int)(sizeof sources / sizeof *sources));
    for (size_t i = 0; i < found.gl_pathc; i++) {
        size_t length;
        sources[source_count++] = support_read_file(found.gl_pathv[i], &length);
    }
    globfree(&found);
}

static bool is_word(char c)
{
    return isalnum((unsigned char)c) || c == '_';
}

/* Whether a source calls the op, or passes it on as a function. A name in a comment or a message has neither a bracket
 * nor a comma nor a brace after it. */
static bool is_made(const char *name)
{
    size_t length = strlen(name);
    for (int i = 0; i < source_count; i++)
        for (const char *at = sources[i]; (at = strstr(at, name)) != NULL; at++)
            if (!is_word(at[-1]) && at[length] && strchr("(,}", at[length])) return true;
    return false;
}

/* Copies the name of the function that the line declares. */
static bool read_name(const char *line, char name[NAME])
{
    size_t bracket = strcspn(line, "(\n"), begin = bracket;
    if (!isalpha((unsigned char)*line) || line[bracket] != '(') return false;
    while (begin > 0 && is_word(line[begin - 1])) begin--;
    snprintf(name, NAME, "%.*s", (int)(bracket - begin), line + begin);
    return strncmp(name, "lb_", 3) == 0;
}

START_TEST(test_every_public_op_has_a_maker)
{
    size_t length;
    char *header = support_read_file(GENERATED_DIR "/include/lookback/ops.h", &length), *rest = header, *line,
         name[NAME];
    int ops = 0;
    read_sources();
    while ((line = strsep(&rest, "\n")) != NULL)
        if (read_name(line, name)) {
            ops++;
            ck_assert_msg(is_made(name), "no maker in tests/proof/graph_*.c makes %s", name);
        }
    ck_assert_int_ge(ops, FEWEST_OPS);
    free(header);
    while (source_count > 0) free(sources[--source_count]);
}
END_TEST
