/* The pictures of visualize: the range of the colours, SVG and PDF, fonts and missing characters. */
#include "plot/figure.h"
#include "support/picture.h"
#include "support/process.h"
#include "support/suite.h"
#include "support/tempdir.h"

#include <lookback/io.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define VISUALIZE BIN_DIR "/visualize"

enum { ROWS = 2, COLUMNS = 3 };

static support_result result;

static void run(const char *const *argv)
{
    support_run_in_tempdir(argv, NULL, &result);
    ck_assert_str_eq(result.output, "");
}

#define RUN(...) run((const char *const[]){VISUALIZE, "--matrix", "w.npy", __VA_ARGS__, NULL})

static void expect(int status, const char *error)
{
    ck_assert_str_eq(result.error, error);
    ck_assert_int_eq(result.status, status);
}

static void write_matrix(const double *values)
{
    ck_assert_int_eq(lb_npy_write(values, LB_SHAPE(ROWS, COLUMNS), LB_DTYPE_F64, support_path("w.npy"), NULL),
                     LB_OK);
}

/* Asserts that the picture NAME shows the values in this range, and that its bar says so. */
static void shows(const char *name, const double *values, lb_heatmap range)
{
    lb_heatmap map = range;
    map.values = values;
    map.rows = ROWS;
    map.columns = COLUMNS;
    map.title = "Attention Weights";
    map.x_label = "input";
    map.y_label = "output";
    ck_assert_int_eq(lb_heatmap_save(&map, support_path("expected.png"), NULL), LB_OK);
    support_pictures_equal(support_path(name), support_path("expected.png"));
}

static const double small[] = {0.1, 0.2, 0.3, 0.05, 0.25, 0.49}, large[] = {0.1, 0.2, 0.3, 0.05, 0.25, 0.5},
                    same[] = {0.25, 0.25, 0.25, 0.25, 0.25, 0.25};

static const lb_heatmap unit = {.bar_label = "attention weight"},
                        data = {.range = LB_RANGE_DATA, .bar_label = "attention weight (data range)"},
                        given = {
                            .range = LB_RANGE_GIVEN, .min = -0.5, .max = 2, .bar_label = "attention weight"};

START_TEST(test_visualize_range_is_that_of_the_data_where_all_are_below_a_half)
{
    write_matrix(small);
    RUN("-o", "small.png");
    shows("small.png", small, data);
    write_matrix(large);
    RUN("-o", "large.png");
    shows("large.png", large, unit);
    write_matrix(same);
    RUN("-o", "same.png");
    shows("same.png", same, unit);
}
END_TEST

START_TEST(test_visualize_range_is_what_was_asked_for)
{
    write_matrix(small);
    RUN("-o", "unit.png", "--range", "0..1");
    shows("unit.png", small, unit);
    RUN("-o", "given.png", "--range=-0.5..2");
    shows("given.png", small, given);
    write_matrix(large);
    RUN("-o", "data.png", "--range", "data");
    shows("data.png", large, data);
}
END_TEST

START_TEST(test_visualize_range_that_is_none_is_wrong_usage)
{
    static const char *const wrong[] = {"",     "Data",  "0",    "0..",    "..1",      "1..0",
                                        "0..0", "0..1x", "a..b", "0..nan", "0...1.5.2"};
    write_matrix(small);
    for (size_t i = 0; SUPPORT_ROW(i, wrong); i++) {
        char message[200];
        snprintf(message, sizeof message,
                 "visualize: --range: expected data or LOW..HIGH, such as 0..1, found \"%s\"\n", wrong[i]);
        RUN("--range", wrong[i]);
        expect(2, message);
    }
    ck_assert_uint_eq(support_file_count(), 1);
}
END_TEST

static char *read_text(const char *name)
{
    size_t count;
    char *bytes = support_read_file(support_path(name), &count), *text = realloc(bytes, count + 1);
    ck_assert_ptr_nonnull(text);
    text[count] = '\0';
    return text;
}

static void has(const char *text, const char *part)
{
    ck_assert_msg(strstr(text, part) != NULL, "there is no %s in:\n%s", part, text);
}

#define LABELS "--rows", "\u0633\u0644\u0627\u0645 \uD55C", "--columns", "caf\u00e9 , <eos>"

START_TEST(test_visualize_svg_has_every_label_as_text)
{
    write_matrix(small);
    RUN("-o", "map.SVG", LABELS, "--title", "\u6f22");
    expect(0, "visualize: wrote map.SVG (2 x 3)\n");
    char *svg = read_text("map.SVG");
    ck_assert_int_eq(strncmp(svg, "<svg ", 5), 0);
    has(svg, ">\u0633\u0644\u0627\u0645</text>");
    has(svg, ">\uD55C</text>");
    has(svg, ">caf\u00e9</text>");
    has(svg, ">&lt;eos&gt;</text>");
    has(svg, ">\u6f22</text>");
    has(svg, ">0.49</text>");
    has(svg, ">attention weight (data range)</text>");
    free(svg);
}
END_TEST

START_TEST(test_visualize_pdf_has_labels_that_can_be_searched)
{
    write_matrix(small);
    RUN("-o", "map.pdf", "--rows", "\u05e9\u05dc\u05d5\u05dd office", "--columns", "a b c", "--title",
        "Na\u00efve");
    expect(0, "visualize: wrote map.pdf (2 x 3)\n");
    support_result words = {0};
    const char *const argv[] = {"/usr/bin/env", "pdftotext", "map.pdf", "-", NULL};
    ck_assert(support_run_command(&(support_command){.argv = argv, .directory = support_tempdir()}, &words));
    ck_assert_int_eq(words.status, 0);
    has(words.output, "\u05e9\u05dc\u05d5\u05dd");
    has(words.output, "office"); /* with "ffi" as a ligature */
    has(words.output, "Na\u00efve");
    has(words.output, "0.49");
    has(words.output, "output"); /* sideways */
    support_result_free(&words);
}
END_TEST

START_TEST(test_visualize_characters_that_no_font_has_are_listed)
{
    const char *const said = "visualize: no font has \u6f22 (U+6F22), \uD55C (U+D55C); --font FILE adds a "
                             "font, and an .svg shows what its "
                             "viewer has\n";
    char message[300];
    write_matrix(small);
    for (int i = 0; i < 2; i++) {
        const char *name = i ? "map.pdf" : "map.png";
        RUN("-o", name, LABELS, "--title", "\u6f22 \uD55C \u6f22");
        snprintf(message, sizeof message, "%svisualize: wrote %s (2 x 3)\n", said, name);
        expect(0, message);
    }
}
END_TEST

START_TEST(test_visualize_font_is_helped_out_by_dejavu)
{
    write_matrix(small);
    RUN("-o", "mono.png", "--rows", "a \u05d0", "--font", TEST_FONTS "/DejaVuSansMono.ttf");
    expect(0, "visualize: wrote mono.png (2 x 3)\n");
}
END_TEST

START_TEST(test_visualize_dark_is_a_figure_of_the_library_that_is_dark)
{
    lb_heatmap map = {.values = small,
                      .rows = ROWS,
                      .columns = COLUMNS,
                      .title = "Attention Weights",
                      .x_label = "input",
                      .y_label = "output",
                      .range = LB_RANGE_DATA,
                      .bar_label = "attention weight (data range)"};
    lb_panel panel = lb_heatmap_panel(&map);
    write_matrix(small);
    RUN("-o", "dark.png", "--dark");
    ck_assert_int_eq(lb_figure_save(&(lb_figure){.panels = &panel, .count = 1, .dark = true},
                                    support_path("expected.png"), NULL),
                     LB_OK);
    support_pictures_equal(support_path("dark.png"), support_path("expected.png"));
}
END_TEST

START_TEST(test_visualize_transparent_has_nothing_behind_it)
{
    int width, height;
    write_matrix(small);
    RUN("-o", "white.png");
    RUN("-o", "clear.png", "--transparent");
    unsigned char *clear = support_picture_read_rgba(support_path("clear.png"), &width, &height);
    unsigned char *white = support_picture_read_rgba(support_path("white.png"), &width, &height);
    ck_assert(clear && white);
    size_t middle = 4 * ((size_t)height / 2 * (size_t)width + (size_t)width / 2);
    ck_assert_int_eq(clear[3], 0); /* a corner */
    ck_assert_int_eq(white[3], 255);
    ck_assert_int_eq(clear[middle + 3], 255); /* a cell */
    free(clear);
    free(white);
    RUN("-o", "white.svg");
    RUN("-o", "clear.svg", "--transparent");
    char *with = read_text("white.svg"), *without = read_text("clear.svg");
    ck_assert_uint_gt(strlen(with), strlen(without));
    free(with);
    free(without);
}
END_TEST
