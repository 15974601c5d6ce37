/* The maps and curves of docs/images are what is drawn today from docs/images/data, which has what models and
 * measurements gave; docs/images/README.md has the commands. `UPDATE_PICTURES=1 ./run test -R test_pictures` draws them
 * anew: look at each of them. It takes seconds. */
#include "base/alloc.h"
#include "figures/maps.h"
#include "support/picture.h"
#include "support/process.h"
#include "support/suite.h"
#include "support/tempdir.h"

#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define IMAGES SOURCE_DIR "/docs/images"

enum { MOST = 4, SIDE = 32 };

/* Where the picture is drawn: over the present one, or beside it, to be compared. */
static const char *place(const char *name, bool dark)
{
    static char path[SUPPORT_PATH];
    snprintf(path, sizeof path, "%s/%s%s.png", getenv("UPDATE_PICTURES") ? IMAGES : support_tempdir(), name,
             dark ? "_dark" : "");
    return path;
}

static void compare(const char *name, bool dark)
{
    char reviewed[SUPPORT_PATH];
    snprintf(reviewed, sizeof reviewed, IMAGES "/%s%s.png", name, dark ? "_dark" : "");
    support_pictures_equal(place(name, dark), reviewed);
}

static char *read_data(const char *name)
{
    char path[SUPPORT_PATH];
    size_t length;
    snprintf(path, sizeof path, IMAGES "/data/%s.tsv", name);
    return support_read_file(path, &length);
}

/* ---- Maps. ---- */

static const struct {
    const char *name, *title, *unit;
    bool dark; /* it has a twin for dark pages */
    bool no_values;
} maps[] = {
    {"attention", "Each number looks at itself", .dark = true},
    {"attention_heads", "Four heads sort 42 7 99 13", .dark = true},
    {"erasure", "Each number needs itself, 13 also 7", "log-probability lost", .dark = true},
    {"sentence", "Attention: most words look at their translation", .dark = true},
    {"sentence_erasure", "Erasure: nouns, adjectives and verbs need their own word", "log-probability lost",
     .dark = true},
    {"dates", "It reads the year at the end, then the month, then the day", .dark = true, .no_values = true},
    {"pronunciation", "Each sound looks at the letters that it is written with", .no_values = true},
    {"hard_attention", "brei\u00f0ur: soft attention spreads, hard attention decides", .no_values = true},
    {"attention_with_a_past", "l\u00e6knissko\u00f0un: coverage and location find both s", .no_values = true},
};

/* Matrices, one after the other: '#' with a name and the columns, then a line for each row, with tabs. */
typedef struct shown {
    app_matrix matrices[MOST];
    char names[MOST][APP_MODEL_NAME];
    size_t count;
} shown;

static void add_label(lb_strings *labels, const char *text)
{
    ck_assert_int_eq(lb_strings_add(labels, lb_alloc_string(text), NULL), LB_OK);
}

static void add_line(shown *s, const char *name, char *fields)
{
    const bool begins = *name == '#';
    if (begins) {
        ck_assert_uint_lt(s->count, MOST);
        snprintf(s->names[s->count], APP_MODEL_NAME, "%s", name + 1);
        s->matrices[s->count++] = (app_matrix){
            .layers = 1, .heads = 1, .values = lb_alloc_zero(SIDE * SIDE * sizeof *s->matrices->values)};
    }
    app_matrix *m = &s->matrices[s->count - 1];
    size_t columns = 0;
    for (char *field = strtok(fields, "\t"); field; field = strtok(NULL, "\t"), columns++)
        if (begins)
            add_label(&m->labels[APP_COLUMNS], field);
        else
            m->values[m->rows * m->columns + columns] = strtod(field, NULL);
    if (begins) {
        m->columns = columns;
        return;
    }
    ck_assert_msg(columns == m->columns && m->rows < SIDE, "%s: found %zu columns", name, columns);
    add_label(&m->labels[APP_ROWS], name);
    m->rows++;
}

static shown read_maps(const char *name)
{
    shown s = {.count = 0};
    char *text = read_data(name);
    for (char *line = text, *end; *line; line = end + 1) {
        char *tab = strchr(line, '\t');
        end = strchr(line, '\n');
        ck_assert(tab && end && tab < end);
        *tab = *end = '\0';
        add_line(&s, line, tab + 1);
    }
    free(text);
    return s;
}

static void draw_map(int index, bool dark)
{
    lb_error error = {0};
    lb_font *font = lb_font_builtin(LB_FONT_REGULAR, NULL);
    shown s = read_maps(maps[index].name);
    app_maps_style style = {.title = maps[index].title,
                            .colormap = dark ? LB_COLORMAP_VIRIDIS : LB_COLORMAP_YLORRD,
                            .no_values = maps[index].no_values,
                            .figure.dark = dark,
                            .font = font,
                            .names = s.count > 1 ? s.names : NULL};
    for (size_t i = 0; i < s.count; i++) s.matrices[i].unit = maps[index].unit;
    lb_status status =
        app_maps_save(&style, s.matrices, s.count, maps[index].name, place(maps[index].name, dark), &error);
    ck_assert_msg(status == LB_OK, "%s", error.message);
    for (size_t i = 0; i < s.count; i++) app_matrix_free(&s.matrices[i]);
    lb_font_close(font);
    compare(maps[index].name, dark);
}

START_LOOP_TEST(test_pictures_of_maps_are_those_of_today, sizeof maps / sizeof *maps)
{
    draw_map(_i, false);
    if (maps[_i].dark) draw_map(_i, true);
}
END_TEST

/* ---- Curves. ---- */

static const struct {
    const char *name, *title, *x, *y;
    bool linear;
} curves[] = {
    {"bottleneck", "Without attention, a model loses long lists", "Numbers in the list",
     "Lists sorted without a mistake, %", true},
    {"sizes", "More pairs, fewer errors", "Training pairs", "Words wrong, %", false},
    {"lengths_positions", "Trained on ten digits, FIRE copies fifteen", "Digits of the list",
     "Exact match, %", true},
    {"lengths_attention", "Trained on ten digits, location-sensitive attention copies fifty",
     "Digits of the list", "Exact match, %", true},
};

START_LOOP_TEST(test_pictures_of_curves_are_those_of_today, sizeof curves / sizeof *curves)
{
    support_result result = {0};
    char *text = read_data(curves[_i].name);
    const char *const path = place(curves[_i].name, false);
    const char *const argv[] = {BIN_DIR "/bench_curves",
                                "-o",
                                path,
                                "--title",
                                curves[_i].title,
                                "--x",
                                curves[_i].x,
                                "--y",
                                curves[_i].y,
                                curves[_i].linear ? "--linear" : NULL,
                                NULL};
    ck_assert(support_run(argv, text, &result));
    ck_assert_msg(result.status == 0, "%s", result.error);
    support_result_free(&result);
    free(text);
    compare(curves[_i].name, false);
}
END_TEST

/* A model of several machines, by the figures of docs/scaling.md. */
START_TEST(test_pictures_of_scaling_are_those_of_today)
{
    support_result result = {0};
    const char *const argv[] = {BIN_DIR "/bench_scaling", IMAGES "/data/scaling.json", "-o",
                                place("scaling", false), NULL};
    ck_assert(support_run(argv, NULL, &result));
    ck_assert_msg(result.status == 0, "%s", result.error);
    support_result_free(&result);
    compare("scaling", false);
}
END_TEST

/* ---- The list of all of them. ---- */

/* A width of 1048 pixels becomes the 830 that GitHub shows, and numbers of 13.9 pixels become 11. */
START_TEST(test_pictures_are_all_on_the_page_with_their_commands)
{
    char path[SUPPORT_PATH];
    size_t length;
    int count = 0;
    char *page = support_read_file(IMAGES "/README.md", &length);
    DIR *folder = opendir(IMAGES);
    ck_assert_ptr_nonnull(folder);
    for (struct dirent *file; (file = readdir(folder)) != NULL;) {
        char name[SUPPORT_PATH];
        snprintf(name, sizeof name, "`%.*s`", (int)strcspn(file->d_name, "."), file->d_name);
        if (!strstr(file->d_name, ".png") || strstr(file->d_name, "_dark.png")) continue;
        ck_assert_msg(strstr(page, name) != NULL, "docs/images/README.md does not name %s", name);
        count++;
    }
    closedir(folder);
    free(page);
    ck_assert_int_ge(count, 20);
    for (int i = 0; SUPPORT_ROW(i, maps); i++) {
        int width, height;
        snprintf(path, sizeof path, IMAGES "/%s.png", maps[i].name);
        free(support_picture_read(path, &width, &height));
        if (!maps[i].no_values) ck_assert_msg(width <= 1048, "%s is %d pixels wide", maps[i].name, width);
    }
}
END_TEST
