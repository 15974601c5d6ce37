/* The interface: how many functions it has, who uses each of them, and that public documents name nothing else. What
 * the built libraries export is compared with the list by the test exported_symbols. */
#define _XOPEN_SOURCE 700

#include "support/sources.h"
#include "support/suite.h"
#include "support/tempdir.h"

#include <ctype.h>
#include <ftw.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { MOST = 313, OPEN_FOLDERS = 16, WORD = 128, ROOM = 4000 };

/* Words, sorted, and which of them were met. */
typedef struct words {
    char *word[ROOM];
    bool met[ROOM];
    size_t count;
} words;

static words exported, declared;

static int compare(const void *a, const void *b)
{
    return strcmp(*(char *const *)a, *(char *const *)b);
}

static bool find(words *set, const char *word, size_t *at)
{
    char *const *found = bsearch(&word, set->word, set->count, sizeof *set->word, compare);
    if (found) *at = (size_t)(found - set->word);
    return found != NULL;
}

static void add(words *set, const char *word)
{
    ck_assert_uint_lt(set->count, ROOM);
    set->word[set->count++] = strdup(word);
}

static bool is_of_word(char c)
{
    return isalnum((unsigned char)c) || c == '_';
}

/* The next word of the text that begins with lb_; NULL if there is none. */
static const char *next_name(const char *text, char name[WORD])
{
    for (const char *at = text; (at = strstr(at, "lb_")) != NULL;) {
        size_t length = 0;
        while (is_of_word(at[length])) length++;
        bool begins = at == text || !is_of_word(at[-1]);
        if (begins && length < WORD) {
            memcpy(name, at, length);
            name[length] = '\0';
            return at + length;
        }
        at += length;
    }
    return NULL;
}

static bool ends_with(const char *path, const char *end)
{
    size_t length = strlen(path), wanted = strlen(end);
    return length >= wanted && strcmp(path + length - wanted, end) == 0;
}

/* docs/ops.md is generated, and has all ops; a decision tells what was. */
static bool is_user(const char *path)
{
    static const char *const ends[] = {".c", ".h", ".cpp", ".md", ".py"};
    if (strstr(path, "/docs/adr/") || ends_with(path, "/docs/ops.md")) return false;
    for (size_t i = 0; i < sizeof ends / sizeof *ends; i++)
        if (ends_with(path, ends[i])) return true;
    return false;
}

static int note_users(const char *path, const struct stat *status, int type, struct FTW *place)
{
    (void)status, (void)place;
    size_t size, at;
    char name[WORD];
    if (type != FTW_F || !is_user(path)) return 0;
    char *text = support_read_file(path, &size);
    for (const char *rest = text; (rest = next_name(rest, name)) != NULL;)
        if (find(&exported, name, &at)) exported.met[at] = true;
    free(text);
    return 0;
}

static void read_exported(void)
{
    size_t size;
    char *text = support_read_file(SOURCE_DIR "/cmake/exported_symbols.txt", &size);
    for (char *name = strtok(text, "\n"); name; name = strtok(NULL, "\n")) add(&exported, name);
    qsort(exported.word, exported.count, sizeof *exported.word, compare);
    free(text);
}

START_TEST(test_exports_are_few)
{
    read_exported();
    ck_assert_msg(exported.count <= MOST, "%zu functions and tables are exported, expected at most %d",
                  exported.count, MOST);
}
END_TEST

START_TEST(test_exports_have_users)
{
    static const char *const places[] = {
        "apps",   "docs",      "examples",   "exercises",      "tests/consumers",
        "python", "README.md", "web/engine", "CONTRIBUTING.md"};
    read_exported();
    for (size_t i = 0; SUPPORT_ROW(i, places); i++) {
        char path[SUPPORT_PATH];
        ck_assert_int_lt(snprintf(path, sizeof path, SOURCE_DIR "/%s", places[i]), SUPPORT_PATH);
        if (access(path, R_OK) == 0) ck_assert_int_eq(nftw(path, note_users, OPEN_FOLDERS, FTW_PHYS), 0);
    }
    for (size_t i = 0; i < exported.count; i++)
        ck_assert_msg(exported.met[i],
                      "%s is exported, and used by no program, example, document or consumer",
                      exported.word[i]);
}
END_TEST

static int declare(const char *path, const struct stat *status, int type, struct FTW *place)
{
    (void)status, (void)place;
    size_t size;
    char name[WORD];
    if (type != FTW_F || !ends_with(path, ".h")) return 0;
    char *text = support_read_file(path, &size);
    support_keep_code(text);
    for (const char *rest = text; (rest = next_name(rest, name)) != NULL;) add(&declared, name);
    free(text);
    return 0;
}

/* "lb_x_new" stands for any name, and "lb_" for none; the double library has names of its own. */
static bool is_no_name(const char *name)
{
    return strncmp(name, "lb_x_", 5) == 0 || strcmp(name, "lb_") == 0 || strncmp(name, "lb_NAME", 7) == 0 ||
           ends_with(name, "_f64");
}

/* The tour leads through the source, decisions are about it, and the last part of docs/extending.md adds to it. */
static int check_names(const char *path, const struct stat *status, int type, struct FTW *place)
{
    (void)status, (void)place;
    size_t size, at;
    char name[WORD];
    bool inside = strstr(path, "/docs/adr/") || ends_with(path, "/docs/tour.md");
    if (type != FTW_F || inside || (!ends_with(path, ".md") && !ends_with(path, ".h"))) return 0;
    char *text = support_read_file(path, &size), *library = strstr(text, "\n## An op in ten minutes\n");
    if (library) *library = '\0';
    for (const char *rest = text; (rest = next_name(rest, name)) != NULL;)
        ck_assert_msg(is_no_name(name) || find(&declared, name, &at), "%s names %s, which is not public",
                      path, name);
    free(text);
    return 0;
}

START_TEST(test_public_documents_name_no_private_symbol)
{
    static const char *const headers[] = {SOURCE_DIR "/include/lookback", GENERATED_DIR "/include/lookback"},
                             *const documents[] = {SOURCE_DIR "/docs", SOURCE_DIR "/README.md",
                                                   SOURCE_DIR "/include/lookback"};
    for (int i = 0; SUPPORT_ROW(i, headers); i++)
        ck_assert_int_eq(nftw(headers[i], declare, OPEN_FOLDERS, FTW_PHYS), 0);
    qsort(declared.word, declared.count, sizeof *declared.word, compare);
    for (int i = 0; SUPPORT_ROW(i, documents); i++)
        ck_assert_int_eq(nftw(documents[i], check_names, OPEN_FOLDERS, FTW_PHYS), 0);
}
END_TEST

/* Notes which exports the code of a public header declares. */
static void note_declared(const char *header)
{
    size_t size, at;
    char path[SUPPORT_PATH], name[WORD];
    snprintf(path, sizeof path, SOURCE_DIR "/include/lookback/%s", header);
    if (access(path, R_OK) != 0) snprintf(path, sizeof path, GENERATED_DIR "/include/lookback/%s", header);
    char *text = support_read_file(path, &size);
    support_keep_code(text);
    for (const char *rest = text; (rest = next_name(rest, name)) != NULL;)
        if (find(&exported, name, &at)) exported.met[at] = true;
    free(text);
}

/* The headers that engine.h includes, and op.h. */
static void read_engine(void)
{
    size_t size;
    char header[WORD];
    char *text = support_read_file(SOURCE_DIR "/include/lookback/engine.h", &size);
    for (char *line = strtok(text, "\n"); line; line = strtok(NULL, "\n"))
        if (sscanf(line, "#include \"lookback/%127[^\"]", header) == 1) note_declared(header);
    note_declared("op.h");
    free(text);
}

/* Where the ops of a row of the page are in their header: ascending. */
static void check_order(const char *ops, const char *name, const char **last)
{
    char declared_as[WORD + 2];
    snprintf(declared_as, sizeof declared_as, "*%s(", name);
    const char *at = strstr(ops, declared_as);
    if (!at) return;
    ck_assert_msg(at > *last, "docs/engine.md has %s too late: ops are in the order of docs/ops.md", name);
    *last = at;
}

START_TEST(test_page_of_the_engine_has_each_of_its_functions_once)
{
    enum { LINES = 300 };
    static int times[ROOM];
    size_t size, at, lines = 0;
    char name[WORD];
    read_exported();
    read_engine();
    char *page = support_read_file(SOURCE_DIR "/docs/engine.md", &size),
         *ops = support_read_file(GENERATED_DIR "/include/lookback/ops.h", &size);
    const char *last = ops;
    for (const char *c = page; *c; c++) lines += *c == '\n';
    ck_assert_uint_le(lines, LINES);
    for (char *line = strtok(page, "\n"); line; line = strtok(NULL, "\n")) {
        char *end = strncmp(line, "| `lb_", 6) == 0 ? strstr(line, "` | ") : NULL;
        if (!end) continue;
        *end = '\0';
        for (const char *rest = line; (rest = next_name(rest, name)) != NULL;) {
            ck_assert_msg(find(&exported, name, &at) && exported.met[at],
                          "docs/engine.md lists %s, which the headers of the engine do not export", name);
            times[at]++;
            check_order(ops, name, &last);
        }
    }
    for (at = 0; at < exported.count; at++)
        ck_assert_msg(times[at] == exported.met[at], "docs/engine.md lists %s %d times, expected %d",
                      exported.word[at], times[at], exported.met[at]);
    free(ops);
    free(page);
}
END_TEST
