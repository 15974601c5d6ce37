/* The rooms of src/ and apps/: sources, headers and folders. None needs itself through others, no folder has too many
 * sources, and a file is worth opening. A source needs another if it names a function of it that no public header
 * declares. */
#include "support/sources.h"
#include "support/suite.h"
#include "support/tempdir.h"

#include <ctype.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

enum { MOST_ROOMS = 600, MOST_ARROWS = 6000, ROOM_NAME = 80, MOST_SOURCES = 25 };
enum { MOST_FUNCTIONS = 3000, MOST_FILES = 500, MOST_LINES = 400, FEW_LINES = 60, MOST_SHORT = 60 };

/* What needs what, by name. */
typedef struct plan {
    char name[MOST_ROOMS][ROOM_NAME];
    int count, arrow[MOST_ARROWS][2], arrows;
    int state[MOST_ROOMS]; /* of the search for a circle: 0 new, 1 on the way, 2 done */
} plan;

/* A function that is not static, and where it is defined; -1: a public header declares it. */
typedef struct function {
    char name[ROOM_NAME];
    int source;
} function;

static plan sources, headers, folders;
static function functions[MOST_FUNCTIONS];
static int function_count;
static const char *walked; /* the root, with a slash at its end */
static int files, short_sources;

static int room_of(plan *p, const char *name)
{
    for (int i = 0; i < p->count; i++)
        if (strcmp(p->name[i], name) == 0) return i;
    ck_assert_int_lt(p->count, MOST_ROOMS);
    ck_assert_int_lt(snprintf(p->name[p->count], ROOM_NAME, "%s", name), ROOM_NAME);
    return p->count++;
}

static void draw(plan *p, const char *from, const char *to)
{
    int a = room_of(p, from), b = room_of(p, to);
    if (a == b) return;
    ck_assert_int_lt(p->arrows, MOST_ARROWS);
    p->arrow[p->arrows][0] = a;
    p->arrow[p->arrows++][1] = b;
}

static void folder_of(const char *file, char name[ROOM_NAME])
{
    const char *slash = strrchr(file, '/');
    ck_assert_int_lt(snprintf(name, ROOM_NAME, "%.*s", slash ? (int)(slash - file) : 0, file), ROOM_NAME);
}

static bool is_source(const char *file)
{
    return strcmp(strrchr(file, '.'), ".c") == 0;
}

static size_t word_at(const char *text)
{
    size_t length = 0;
    while (isalnum((unsigned char)text[length]) || text[length] == '_') length++;
    return length;
}

static function *find_function(const char *name, size_t length)
{
    for (int i = 0; i < function_count; i++)
        if (strncmp(functions[i].name, name, length) == 0 && !functions[i].name[length]) return &functions[i];
    return NULL;
}

/* The first one wins, so public headers are read first. */
static void add_function(const char *paren, const char *begin, int source)
{
    const char *name = paren;
    while (name > begin && (isalnum((unsigned char)name[-1]) || name[-1] == '_')) name--;
    size_t length = (size_t)(paren - name);
    bool is_ours = strncmp(name, "lb_", 3) == 0 || strncmp(name, "app_", 4) == 0;
    if (!is_ours || length >= ROOM_NAME || find_function(name, length)) return;
    ck_assert_int_lt(function_count, MOST_FUNCTIONS);
    functions[function_count] = (function){.source = source};
    memcpy(functions[function_count++].name, name, length);
}

static void read_public(const char *file, char *text)
{
    (void)file;
    support_keep_code(text);
    for (const char *c = text; (c = strchr(c, '(')) != NULL; c++) add_function(c, text, -1);
}

/* A body begins with a brace in the first column, after the head that began in the first column. */
static void read_functions(const char *file, char *text)
{
    if (!is_source(file)) return;
    support_keep_code(text);
    for (const char *brace = text; (brace = strstr(brace, "\n{")) != NULL; brace++) {
        const char *head = brace;
        while (head > text && (head[-1] != '\n' || isspace((unsigned char)*head))) head--;
        const char *paren = memchr(head, '(', (size_t)(brace - head));
        if (paren && strncmp(head, "static ", 7) != 0) add_function(paren, head, room_of(&sources, file));
    }
}

static void draw_calls(const char *file, char *text)
{
    if (!is_source(file)) return;
    support_keep_code(text);
    int from = room_of(&sources, file);
    for (const char *c = text; *c;) {
        size_t length = word_at(c);
        const function *called = length > 3 ? find_function(c, length) : NULL;
        if (called && called->source >= 0) draw(&sources, sources.name[from], sources.name[called->source]);
        c += length ? length : 1;
    }
}

/* The arrows of a file to others below the same root; apps/ has its own names for what is in src/. */
static void draw_includes(const char *file, char *text)
{
    char from[ROOM_NAME], to[ROOM_NAME];
    folder_of(file, from);
    room_of(&folders, from);
    for (char *line = strtok(text, "\n"); line; line = strtok(NULL, "\n")) {
        char included[SUPPORT_PATH], path[SUPPORT_PATH];
        struct stat info;
        if (sscanf(line, " # include \"%511[^\"]", included) != 1) continue;
        ck_assert_int_lt(snprintf(path, sizeof path, "%s%s", walked, included), SUPPORT_PATH);
        if (stat(path, &info) != 0) continue;
        folder_of(included, to);
        draw(&folders, from, to);
        if (!is_source(file)) draw(&headers, file, included);
    }
}

/* Whether a walk from this room along the arrows comes back to a room on its way. */
static bool comes_back(plan *p, int room)
{
    p->state[room] = 1;
    for (int i = 0; i < p->arrows; i++) {
        int next = p->arrow[i][1];
        if (p->arrow[i][0] != room || p->state[next] == 2) continue;
        if (p->state[next] == 1 || comes_back(p, next)) {
            fprintf(stderr, "%s needs %s\n", p->name[room], p->name[next]);
            return true;
        }
    }
    p->state[room] = 2;
    return false;
}

static bool has_circle(plan *p)
{
    memset(p->state, 0, sizeof p->state);
    for (int i = 0; i < p->count; i++)
        if (p->state[i] == 0 && comes_back(p, i)) return true;
    return false;
}

static void read_root(const char *root)
{
    memset(&sources, 0, sizeof sources);
    memset(&headers, 0, sizeof headers);
    memset(&folders, 0, sizeof folders);
    function_count = 0;
    walked = root;
    support_walk_sources(SOURCE_DIR "/include/", "", read_public);
    support_walk_sources(root, "", read_functions);
    support_walk_sources(root, "", draw_calls);
    ck_assert_int_gt(support_walk_sources(root, "", draw_includes), 0);
}

START_TEST(test_rooms_have_no_circle)
{
    static const char *const roots[] = {SOURCE_DIR "/src/", SOURCE_DIR "/apps/"};
    for (size_t i = 0; SUPPORT_ROW(i, roots); i++) {
        read_root(roots[i]);
        ck_assert(!has_circle(&sources));
        ck_assert(!has_circle(&headers));
        ck_assert(!has_circle(&folders));
        ck_assert_int_gt(sources.arrows, 100);
        ck_assert_int_gt(folders.arrows, 10);
        /* Each operation is a file, so their folder is as large as their number. */
        for (int folder = 0; folder < folders.count; folder++) {
            int found = 0;
            for (int source = 0; source < sources.count; source++) {
                char of[ROOM_NAME];
                folder_of(sources.name[source], of);
                found += strcmp(of, folders.name[folder]) == 0;
            }
            ck_assert_msg(found <= MOST_SOURCES || strcmp(folders.name[folder], "autograd/ops") == 0,
                          "%s%s has %d sources", walked, folders.name[folder], found);
        }
    }
}
END_TEST

START_TEST(test_rooms_circle_is_found)
{
    memset(&headers, 0, sizeof headers);
    draw(&headers, "a/tape.h", "a/op.h");
    draw(&headers, "a/model.h", "a/tape.h");
    ck_assert(!has_circle(&headers));
    draw(&headers, "a/op.h", "a/model.h");
    ck_assert(has_circle(&headers));
}
END_TEST

START_TEST(test_rooms_call_is_found)
{
    char model[] = "/* it's */\nint lb_model(const char *a,\n             int b)\n{\n    return 1;\n}\n";
    char text[] = "static int own(void)\n{\n    return 'x' + \"lb_model\"[0]; // lb_model\n}\n"
                  "int lb_text(void)\n{\n    return lb_model(\"\\\"\", own());\n}\n";
    char again[sizeof text];
    memcpy(again, text, sizeof text);
    memset(&sources, 0, sizeof sources);
    function_count = 0;
    read_functions("a/model.c", model);
    read_functions("a/text.c", text);
    ck_assert_int_eq(function_count, 2);
    draw_calls("a/text.c", again);
    ck_assert_int_eq(sources.arrows, 1);
    ck_assert(!has_circle(&sources));
    char calls[] = "int lb_model(void)\n{\n    return lb_text();\n}\n";
    draw_calls("a/model.c", calls);
    ck_assert(has_circle(&sources));
}
END_TEST

static void count_lines(const char *file, char *text)
{
    int lines = 0;
    for (const char *c = text; (c = strchr(c, '\n')) != NULL; c++) lines++;
    bool is_op = strncmp(file, "autograd/ops/", 13) == 0;
    ck_assert_msg(lines <= MOST_LINES, "%s%s has %d lines, expected at most %d", walked, file, lines,
                  MOST_LINES);
    short_sources += strstr(walked, "/src/") && is_source(file) && !is_op && lines < FEW_LINES;
    /* Of two implementations, one counts. */
    files += strncmp(file, "os/windows/", 11) != 0 && strcmp(file, "figures/not_drawn.c") != 0;
}

START_TEST(test_rooms_files_are_worth_opening)
{
    files = short_sources = 0;
    static const char *const roots[] = {SOURCE_DIR "/src/", SOURCE_DIR "/apps/"};
    for (size_t i = 0; SUPPORT_ROW(i, roots); i++) support_walk_sources(walked = roots[i], "", count_lines);
    walked = SOURCE_DIR "/include/";
    ck_assert_int_le(files += support_walk_sources(walked, "", read_public), MOST_FILES);
    ck_assert_int_le(short_sources, MOST_SHORT);
}
END_TEST

static const char *const vague[] = {"train", "evaluate", "run",  "begin",   "choose",
                                    "check", "settle",   "find", "measure", "prepare"};
enum { VAGUE = sizeof vague / sizeof *vague };
static int named[VAGUE]; /* files with a static function of this name */

static void count_vague(const char *file, char *text)
{
    (void)file;
    bool met[VAGUE] = {false};
    support_keep_code(text);
    for (const char *line = text; (line = strstr(line, "\nstatic ")) != NULL; line++) {
        const char *paren = line + 1 + strcspn(line + 1, "(=;\n"), *name = paren;
        while (isalnum((unsigned char)name[-1]) || name[-1] == '_') name--;
        for (size_t i = 0; *paren == '(' && i < VAGUE; i++)
            met[i] |=
                strlen(vague[i]) == (size_t)(paren - name) && strncmp(name, vague[i], strlen(vague[i])) == 0;
    }
    for (size_t i = 0; i < VAGUE; i++) named[i] += met[i];
}

/* A reader who meets `train` in a backtrace, or searches for it, should find one. */
START_TEST(test_rooms_functions_are_named_after_what_they_do)
{
    static const char *const roots[] = {SOURCE_DIR "/src/", SOURCE_DIR "/apps/"};
    memset(named, 0, sizeof named);
    for (size_t i = 0; SUPPORT_ROW(i, roots); i++) support_walk_sources(roots[i], "", count_vague);
    for (size_t i = 0; i < VAGUE; i++)
        ck_assert_msg(named[i] <= 2, "%d files have a function %s", named[i], vague[i]);
}
END_TEST
