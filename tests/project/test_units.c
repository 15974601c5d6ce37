/* Whoever looks for the tests of a source finds them by its name, or in tests/unit/units.txt, which says nothing that
 * is no longer so. */
#include "support/sources.h"
#include "support/suite.h"
#include "support/tempdir.h"

#include <ctype.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define ROOT SOURCE_DIR "/"

enum { FILES = 800, PATH = 100, ENTRIES = 400 };

/* Paths from the root of the project. */
typedef struct paths {
    char path[FILES][PATH];
    int count;
} paths;

/* What is before the colon of a line, and one word behind it. */
typedef struct entry {
    const char *of, *by;
} entry;

static paths sources, units;
static entry entries[ENTRIES];
static int entry_count;

static void add(paths *to, const char *folder, const char *file)
{
    ck_assert_int_lt(to->count, FILES);
    ck_assert_int_lt(snprintf(to->path[to->count++], PATH, "%s%s", folder, file), PATH);
}

static void add_source(const char *file, char *text)
{
    (void)text;
    if (strncmp(file, "os/windows/", 11) != 0) add(&sources, "src/", file); /* tests/windows/test_os.c */
}

static void add_unit(const char *file, char *text)
{
    (void)text;
    add(&units, "tests/unit/", file);
}

static void add_ranks(const char *file, char *text)
{
    (void)text;
    add(&units, "tests/ranks/", file);
}

static void setup(void)
{
    size_t length;
    char *rest, *text = support_read_file(ROOT "tests/unit/units.txt", &length);
    support_walk_sources(ROOT "src/", "", add_source);
    support_walk_sources(ROOT "tests/unit/", "", add_unit);
    support_walk_sources(ROOT "tests/ranks/", "", add_ranks);
    for (char *line = strtok_r(text, "\n", &rest); line; line = strtok_r(NULL, "\n", &rest)) {
        char *colon = strstr(line, ": "), *next;
        if (*line == '#') continue;
        ck_assert_msg(colon != NULL, "units.txt: '%s' has no colon", line);
        *colon = '\0';
        for (char *by = strtok_r(colon + 2, " ", &next); by; by = strtok_r(NULL, " ", &next)) {
            ck_assert_int_lt(entry_count, ENTRIES);
            entries[entry_count++] = (entry){line, by};
        }
    }
}

/* The second folder of src/nn/layers.c, the third of tests/unit/nn/test_layers.c, and how long its name is. */
static const char *room_of(const char *path, size_t *length)
{
    const char *slash = strchr(path, '/'), *room = slash ? slash + 1 : path;
    if (strncmp(path, "tests/unit/", 11) == 0) room = path + 11;
    *length = strcspn(room, "/");
    return room;
}

/* The name of a source, or of what a unit should test by its name: "layers". */
static const char *name_of(const char *path, size_t *length)
{
    const char *slash = strrchr(path, '/'), *name = slash ? slash + 1 : path;
    if (strncmp(name, "test_", 5) == 0) name += 5;
    *length = strcspn(name, ".");
    return name;
}

static bool equal_parts(const char *(*part)(const char *, size_t *), const char *a, const char *b)
{
    size_t of_a, of_b;
    const char *in_a = part(a, &of_a), *in_b = part(b, &of_b);
    return of_a == of_b && strncmp(in_a, in_b, of_a) == 0;
}

/* The path of the same name, in the same room if that is asked, or NULL. */
static const char *find(const paths *among, const char *like, bool in_its_room)
{
    for (int i = 0; i < among->count; i++)
        if (equal_parts(name_of, among->path[i], like) &&
            (!in_its_room || equal_parts(room_of, among->path[i], like)))
            return among->path[i];
    return NULL;
}

static bool is_unit(const char *by)
{
    return strncmp(by, "test_", 5) == 0;
}

START_TEST(test_units_are_named_after_a_source_of_their_room_or_listed)
{
    for (int i = 0; i < units.count; i++) {
        bool known = find(&sources, units.path[i], true) || strncmp(units.path[i], "tests/ranks/", 12) == 0;
        for (int k = 0; k < entry_count; k++)
            known = known || (is_unit(entries[k].by) && equal_parts(name_of, entries[k].by, units.path[i]));
        ck_assert_msg(known, "%s: no source of its room has this name, and units.txt has no line for it",
                      units.path[i]);
    }
}
END_TEST

/* Whether an entry is for a source, or for all sources of its folder. */
static bool is_for(const char *of, const char *source)
{
    size_t folder = (size_t)(strrchr(source, '/') - source) + 1;
    return strcmp(of, source) == 0 || (strncmp(of, source, folder) == 0 && strcmp(of + folder, "*") == 0);
}

START_TEST(test_units_are_there_for_every_source)
{
    for (int i = 0; i < sources.count; i++) {
        bool known = strstr(sources.path[i], ".h") || find(&units, sources.path[i], true);
        for (int k = 0; k < entry_count; k++) known = known || is_for(entries[k].of, sources.path[i]);
        ck_assert_msg(known, "%s: no unit of its room has this name, and units.txt has no line for it",
                      sources.path[i]);
    }
}
END_TEST

static bool is_word(char c)
{
    return isalnum((unsigned char)c) || c == '_';
}

static bool holds_word(const char *text, const char *word, size_t length)
{
    for (const char *at = text; (at = strstr(at, word)) != NULL; at++)
        if ((at == text || !is_word(at[-1])) && !is_word(at[length])) return true;
    return false;
}

/* Whether a file names a function or an object that a source defines, or the source if macros define all of it. */
static bool names(const char *file, const char *source)
{
    char path[SUPPORT_PATH], name[PATH];
    size_t length;
    bool any = false, found = false;
    snprintf(path, sizeof path, ROOT "%s", file);
    char *text = support_read_file(path, &length);
    snprintf(path, sizeof path, ROOT "%s", source);
    char *rest, *code = support_read_file(path, &length);
    support_keep_code(code);
    for (char *line = strtok_r(code, "\n", &rest); line; line = strtok_r(NULL, "\n", &rest)) {
        const char *end = line + strcspn(line, "([=;"), *begin;
        while (end > line && end[-1] == ' ') end--;
        for (begin = end; begin > line && is_word(begin[-1]);) begin--;
        if (!isalpha((unsigned char)*line) || begin == line || strncmp(line, "static", 6) == 0 ||
            strncmp(line, "typedef", 7) == 0)
            continue;
        snprintf(name, sizeof name, "%.*s", (int)(end - begin), begin);
        any = true;
        found = found || holds_word(text, name, strlen(name));
    }
    if (!any) {
        const char *begin = name_of(source, &length);
        snprintf(name, sizeof name, "%.*s", (int)length, begin);
        found = strstr(text, name) != NULL;
    }
    free(code);
    free(text);
    return found;
}

/* A line for a room or a folder has units of its own; one for a source has a unit that names what the source defines,
 * or another source that does, and without this line they would not be found. */
START_TEST(test_units_list_says_what_is_so)
{
    for (int i = 0; i < entry_count; i++) {
        const char *of = entries[i].of, *by = entries[i].by,
                   *unit = is_unit(by) ? find(&units, by, false) : by;
        char path[SUPPORT_PATH];
        snprintf(path, sizeof path, ROOT "%.*s", (int)strcspn(of, "*"), of);
        ck_assert_msg(access(path, F_OK) == 0, "units.txt: there is no %s", of);
        snprintf(path, sizeof path, ROOT "%s", unit ? unit : by);
        ck_assert_msg(unit && access(path, F_OK) == 0, "units.txt: %s: there is no %s", of, by);
        bool of_source = strstr(of, ".c"), of_folder = strchr(of, '*');
        bool needed = (is_unit(by) && !find(&sources, unit, true)) || of_folder ||
                      (of_source && !find(&units, of, true));
        ck_assert_msg(needed, "units.txt: %s: %s is found by its name", of, by);
        ck_assert_msg(of_source || of_folder || equal_parts(room_of, of, unit),
                      "units.txt: %s is not in the room %s", by, of);
        bool runs_programs = strncmp(unit, "tests/unit/", 11) != 0 && is_unit(by);
        ck_assert_msg(!of_source || runs_programs || names(unit, of),
                      "units.txt: %s defines nothing that %s names", of, by);
    }
}
END_TEST

int main(void)
{
    return support_run_tests_between(setup, NULL);
}
