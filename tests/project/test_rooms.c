/* The rooms of src/ and apps/: units, each a source with its header and what is `_internal` to it, and folders. None
 * includes itself through others, and no folder has too many units. */
#include "support/sources.h"
#include "support/suite.h"
#include "support/tempdir.h"

#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

enum { MOST_ROOMS = 600, MOST_ARROWS = 4000, ROOM_NAME = 80, MOST_UNITS = 25 };

/* What includes what, by name: folders or units of src/ and apps/. */
typedef struct plan {
    char name[MOST_ROOMS][ROOM_NAME];
    int count, arrow[MOST_ARROWS][2], arrows;
    int state[MOST_ROOMS]; /* of the search for a circle: 0 new, 1 on the way, 2 done */
} plan;

static plan units, folders;
static const char *walked; /* the root, with a slash at its end */

static int room_of(plan *p, const char *name)
{
    for (int i = 0; i < p->count; i++)
        if (strcmp(p->name[i], name) == 0) return i;
    ck_assert_int_lt(p->count, MOST_ROOMS);
    ck_assert_int_lt(snprintf(p->name[p->count], ROOM_NAME, "%s", name), ROOM_NAME);
    return p->count++;
}

static void unit_of(const char *file, char name[ROOM_NAME])
{
    ck_assert_int_lt(snprintf(name, ROOM_NAME, "%.*s", (int)strcspn(file, "."), file), ROOM_NAME);
    char *internal = strstr(name, "_internal");
    if (internal) *internal = '\0';
}

static void folder_of(const char *file, char name[ROOM_NAME])
{
    const char *slash = strrchr(file, '/');
    ck_assert_int_lt(snprintf(name, ROOM_NAME, "%.*s", slash ? (int)(slash - file) : 0, file), ROOM_NAME);
}

static void draw(plan *p, void (*name_of)(const char *, char *), const char *file, const char *included)
{
    char from[ROOM_NAME], to[ROOM_NAME];
    name_of(file, from);
    name_of(included, to);
    int a = room_of(p, from), b = room_of(p, to);
    if (a == b) return;
    ck_assert_int_lt(p->arrows, MOST_ARROWS);
    p->arrow[p->arrows][0] = a;
    p->arrow[p->arrows++][1] = b;
}

/* The arrows of a file to others below the same root; apps/ has its own names for what is in src/. */
static void draw_file(const char *file, char *text)
{
    draw(&units, unit_of, file, file);
    draw(&folders, folder_of, file, file);
    for (char *line = strtok(text, "\n"); line; line = strtok(NULL, "\n")) {
        char included[SUPPORT_PATH], path[SUPPORT_PATH];
        struct stat info;
        if (sscanf(line, " # include \"%511[^\"]", included) != 1) continue;
        ck_assert_int_lt(snprintf(path, sizeof path, "%s%s", walked, included), SUPPORT_PATH);
        if (stat(path, &info) != 0) continue;
        draw(&units, unit_of, file, included);
        draw(&folders, folder_of, file, included);
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
            fprintf(stderr, "%s includes %s\n", p->name[room], p->name[next]);
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

START_TEST(test_rooms_have_no_circle_of_includes)
{
    static const char *const roots[] = {SOURCE_DIR "/src/", SOURCE_DIR "/apps/"};
    for (size_t i = 0; i < sizeof roots / sizeof *roots; i++) {
        memset(&units, 0, sizeof units);
        memset(&folders, 0, sizeof folders);
        walked = roots[i];
        ck_assert_int_gt(support_walk_sources(walked, "", draw_file), 0);
        ck_assert(!has_circle(&units));
        ck_assert(!has_circle(&folders));
        ck_assert_int_gt(folders.arrows, 10);
        /* Each operation is a file, so their folder is as large as their number. */
        for (int folder = 0; folder < folders.count; folder++) {
            int found = 0;
            for (int unit = 0; unit < units.count; unit++) {
                char of[ROOM_NAME];
                folder_of(units.name[unit], of);
                found += strcmp(of, folders.name[folder]) == 0;
            }
            ck_assert_msg(found <= MOST_UNITS || strcmp(folders.name[folder], "autograd/ops") == 0,
                          "%s%s has %d units", walked, folders.name[folder], found);
        }
    }
}
END_TEST

START_TEST(test_rooms_circle_is_found)
{
    memset(&units, 0, sizeof units);
    draw(&units, unit_of, "a/tape.c", "a/tape_internal.h");
    draw(&units, unit_of, "a/tape_internal.h", "a/op.h");
    ck_assert(!has_circle(&units));
    draw(&units, unit_of, "a/op.c", "b/model.h");
    ck_assert(!has_circle(&units));
    draw(&units, unit_of, "b/model.c", "a/tape.h");
    ck_assert(has_circle(&units));
}
END_TEST

int main(void)
{
    return support_run_tests(
        "rooms", SUPPORT_TESTS(test_rooms_have_no_circle_of_includes, test_rooms_circle_is_found));
}
