/* visualize from the user's view: the picture, the line that reports it, and one clear line for each bad input. */
#include "plot/figure.h"
#include "support/picture.h"
#include "support/process.h"
#include "support/sort_model.h"
#include "support/suite.h"
#include "support/tempdir.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define VISUALIZE BIN_DIR "/visualize"

/* Made once, in main. */
static const char *model, *headed, *transformer, *beginner, *plain;

static support_result result;

/* Runs visualize in the test's folder. */
static void run(const char *const *flags)
{
    const char *argv[32] = {VISUALIZE};
    for (int i = 0; flags[i]; i++) argv[i + 1] = flags[i];
    support_run_as(&(support_command){.argv = argv, .directory = support_tempdir()}, &result);
    ck_assert_str_eq(result.output, "");
}

#define RUN(...) run((const char *const[]){__VA_ARGS__, NULL})

static void expect(int status, const char *error)
{
    ck_assert_str_eq(result.error, error);
    ck_assert_int_eq(result.status, status);
}

static void write_matrix(const char *name, lb_shape shape, const double *values)
{
    ck_assert_int_eq(lb_npy_write(values, shape, LB_DTYPE_F64, support_path(name), NULL), LB_OK);
}

static unsigned char *read_picture(const char *name, int *width, int *height)
{
    unsigned char *pixels = support_picture_read(support_path(name), width, height);
    ck_assert_msg(pixels != NULL, "%s is no picture", name);
    return pixels;
}

static bool same_pictures(const char *a, const char *b)
{
    int width_a, height_a, width_b, height_b;
    unsigned char *pixels_a = read_picture(a, &width_a, &height_a),
                  *pixels_b = read_picture(b, &width_b, &height_b);
    bool same = width_a == width_b && height_a == height_b &&
                memcmp(pixels_a, pixels_b, (size_t)width_a * (size_t)height_a * 3) == 0;
    free(pixels_a);
    free(pixels_b);
    return same;
}

static const double alignment[] = {0.02, 0.9, 0.05, 0.03, 0.1, 0.04, 0.06, 0.8, 0.62, 0.18, 0.2, 0};

START_TEST(test_visualize_matrix_is_drawn_as_in_the_reference)
{
    write_matrix("w.npy", LB_SHAPE(3, 4), alignment);
    RUN("--matrix", "w.npy", "--rows", "the  cat\tsleeps", "--columns", "El gato duerme aqu\xc3\xad", "-o",
        "w.png", "--title", "Gr\xc3\xb6\xc3\x9f\x65 \xe2\x80\x94 \xce\xb1 \xe2\x86\x92 \xce\xb2");
    expect(0, "visualize: wrote w.png (3 x 4)\n");
    support_picture_file_equals(support_path("w.png"), "visualize_matrix");
    ck_assert_uint_eq(support_file_count(), 2);
}
END_TEST

START_TEST(test_visualize_values_beyond_unit_interval_and_holes_are_drawn_as_in_the_reference)
{
    write_matrix("w.npy", LB_SHAPE(2, 3), (const double[]){-2, 0.5, NAN, INFINITY, 4, 1});
    RUN("--matrix", "w.npy", "--colormap", "Viridis", "--output=w.png");
    expect(
        0,
        "visualize: 2 of 6 values are not finite: grey, without a number\nvisualize: wrote w.png (2 x 3)\n");
    support_picture_file_equals(support_path("w.png"), "visualize_range");
}
END_TEST

START_TEST(test_visualize_rounding_beyond_one_keeps_the_scale_of_attention)
{
    write_matrix("a.npy", LB_SHAPE(1, 2), (const double[]){1.0000001, -1e-9});
    write_matrix("b.npy", LB_SHAPE(1, 2), (const double[]){1, 0});
    RUN("--matrix", "a.npy", "-o", "a.png");
    RUN("--matrix", "b.npy", "-o", "b.png");
    ck_assert(same_pictures("a.png", "b.png"));
}
END_TEST

/* The attention weights of a model, straight from the library: [heads, rows, count], to be freed. */
static double *attention(const char *path, const int32_t *list, int32_t count, int64_t heads, int64_t rows)
{
    lb_params *params = lb_params_new(0);
    lb_tape *tape = lb_tape_new();
    lb_safetensors *weights_file = lb_safetensors_open(path, NULL);
    ck_assert_ptr_nonnull(weights_file);
    const lb_model *sorter = lb_model_load(weights_file, params, NULL, NULL);
    ck_assert_ptr_nonnull(sorter);
    int32_t *id, *lengths;
    lb_tokens source = lb_tokens_new(tape, 1, count, &id, &lengths);
    for (int32_t i = 0; i < count; i++) id[i] = list[i] + LB_FIRST_TOKEN;
    lengths[0] = count;
    lb_decoded decoded = lb_greedy(sorter, source, 20);
    ck_assert_int_eq(decoded.heads, heads);
    ck_assert_int_eq(decoded.length, rows);
    double *values = malloc((size_t)(heads * rows * count) * sizeof *values);
    ck_assert_ptr_nonnull(values);
    for (int64_t i = 0; i < heads * rows * count; i++) values[i] = (double)decoded.weights[i];
    lb_tape_free(tape);
    lb_params_free(params);
    lb_safetensors_close(weights_file);
    return values;
}

START_TEST(test_visualize_model_rows_are_output_with_its_end_and_columns_are_input)
{
    RUN(model, "--input", "7 0 3", "-o", "model.png");
    expect(0, "visualize: wrote model.png (4 x 3)\n");
    double *weights = attention(model, (const int32_t[]){7, 0, 3}, 3, 1, 4);
    write_matrix("w.npy", LB_SHAPE(4, 3), weights);
    free(weights);
    RUN("--matrix", "w.npy", "--rows", "0 3 7 <eos>", "--columns", "7 0 3", "--title", "7 0 3", "-o",
        "matrix.png");
    expect(0, "visualize: wrote matrix.png (4 x 3)\n");
    ck_assert(same_pictures("model.png", "matrix.png"));
    RUN("--matrix", "w.npy", "--rows", "0 3 7 <eos>", "--columns", "7 0 8", "-o", "other.png");
    ck_assert(!same_pictures("model.png", "other.png"));
}
END_TEST

START_TEST(test_visualize_several_heads_have_a_panel_each)
{
    enum { HEADS = 4, ROWS = 4, COLUMNS = 3 };
    RUN(headed, "--input", "7 0 3", "-o", "model.png", "--title", "All");
    expect(0, "visualize: wrote model.png (4 x 3, 4 heads)\n");
    double *weights = attention(headed, (const int32_t[]){7, 0, 3}, COLUMNS, HEADS, ROWS);
    const char *const rows[] = {"0", "3", "7", "<eos>"}, *const columns[] = {"7", "0", "3"};
    const char *const titles[HEADS] = {"Head 0", "Head 1", "Head 2", "Head 3"};
    lb_color_bar bar = {.max = 1, .colormap = LB_COLORMAP_YLORRD, .label = "attention weight"};
    lb_heatmap maps[HEADS];
    lb_panel panels[HEADS];
    for (size_t head = 0; head < HEADS; head++) {
        maps[head] = (lb_heatmap){.values = weights + head * ROWS * COLUMNS,
                                  .rows = ROWS,
                                  .columns = COLUMNS,
                                  .row_labels = rows,
                                  .column_labels = columns,
                                  .title = titles[head],
                                  .x_label = "input",
                                  .y_label = "output",
                                  .hide_bar = true};
        panels[head] = lb_heatmap_panel(&maps[head]);
    }
    lb_figure figure = {.panels = panels, .count = HEADS, .columns = 2, .title = "All", .bar = &bar};
    ck_assert_int_eq(lb_figure_save(&figure, support_path("library.png"), NULL), LB_OK);
    free(weights);
    ck_assert(same_pictures("model.png", "library.png"));
}
END_TEST

START_TEST(test_visualize_layers_and_heads_are_those_of_the_array)
{
    double values[2][3][2][4];
    for (int i = 0; i < 48; i++) (&values[0][0][0][0])[i] = (i % 13) / 13.0;
    write_matrix("all.npy", LB_SHAPE(2, 3, 2, 4), &values[0][0][0][0]);
    write_matrix("layer.npy", LB_SHAPE(3, 2, 4), &values[1][0][0][0]);
    write_matrix("map.npy", LB_SHAPE(2, 4), &values[1][2][0][0]);
    RUN("--matrix", "all.npy", "-o", "all.png");
    expect(0, "visualize: wrote all.png (2 x 4, 2 layers of 3 heads)\n");
    RUN("--matrix", "all.npy", "--layer", "1", "-o", "a.png");
    expect(0, "visualize: wrote a.png (2 x 4, 3 heads)\n");
    RUN("--matrix", "layer.npy", "-o", "b.png", "--all-heads");
    ck_assert(same_pictures("a.png", "b.png"));
    RUN("--matrix", "all.npy", "--layer", "1", "--head", "2", "-o", "c.png");
    expect(0, "visualize: wrote c.png (2 x 4)\n");
    RUN("--matrix", "map.npy", "-o", "d.png");
    ck_assert(same_pictures("c.png", "d.png"));
    RUN("--matrix", "all.npy", "--head", "0", "-o", "e.png");
    expect(0, "visualize: wrote e.png (2 x 4, 2 layers of 1 head)\n");
    RUN("--matrix", "all.npy", "--layer", "2");
    expect(2, "visualize: --layer: expected 0 to 1, since all.npy has 2, found 2\n");
    RUN("--matrix", "all.npy", "--head", "7");
    expect(2, "visualize: --head: expected 0 to 2, since all.npy has 3, found 7\n");
}
END_TEST

START_TEST(test_visualize_transformer_has_a_panel_for_each_layer_and_head)
{
    RUN(transformer, "--input", "7 0 3", "-o", "all.png");
    ck_assert_int_eq(result.status, 0);
    ck_assert_ptr_nonnull(strstr(result.error, " x 3, 2 layers of 2 heads)\n"));
    RUN(transformer, "--input", "7 0 3", "--layer", "1", "--head", "1", "-o", "one.png");
    ck_assert_ptr_nonnull(strstr(result.error, " x 3)\n"));
}
END_TEST

/* The text of an SVG picture, to be freed. */
static char *read_svg(const char *name)
{
    size_t size;
    char *bytes = support_read_file(support_path(name), &size), *svg = calloc(size + 1, 1);
    ck_assert(bytes && svg);
    memcpy(svg, bytes, size);
    free(bytes);
    return svg;
}

START_TEST(test_visualize_compare_names_kinds_and_paths_only_where_kinds_are_equal)
{
    RUN(model, "--input", "7 0 3", "--compare", headed, transformer, "-o", "kinds.svg");
    char *svg = read_svg("kinds.svg");
    static const char *const expected[] = {">7 0 3</text>", ">additive</text>",
                                           ">multi-head, mean of 4 heads</text>",
                                           ">transformer, mean of 2 heads</text>"};
    for (int i = 0; i < 4; i++)
        ck_assert_msg(strstr(svg, expected[i]) != NULL, "no %s in %s", expected[i], svg);
    free(svg);
    ck_assert_int_eq(link(model, support_path("other.safetensors")), 0);
    RUN(model, "--input", "7 0 3", "--compare", support_path("other.safetensors"), "-o", "paths.svg");
    svg = read_svg("paths.svg");
    ck_assert_ptr_null(strstr(svg, ">additive</text>"));
    ck_assert_ptr_nonnull(strstr(svg, "/other</text>"));
    free(svg);
}
END_TEST

START_TEST(test_visualize_compare_shows_models_side_by_side)
{
    int one[2], three[2], heads[2];
    RUN(model, "--input", "7 0 3", "-o", "one.png");
    free(read_picture("one.png", &one[0], &one[1]));
    RUN(model, "--input", "7 0 3", "--compare", headed, transformer, "-o", "three.png");
    ck_assert_ptr_nonnull(strstr(result.error, "wrote three.png (4 x 3, 3 models)\n"));
    free(read_picture("three.png", &three[0], &three[1]));
    ck_assert_int_gt(three[0], one[0] + one[0] / 2); /* two side by side, the third below */
    ck_assert_int_gt(three[1], one[1] + one[1] / 2);
    RUN(headed, "--input", "7 0 3", "--compare", headed, "--all-heads", "-o", "heads.png");
    free(read_picture("heads.png", &heads[0], &heads[1]));
    ck_assert_int_gt(heads[0], 3 * one[0]);
    RUN(headed, "--input", "7 0 3", "--compare", plain);
    ck_assert_int_eq(result.status, 65);
    RUN(headed, "--input", "7 0 3", "--compare", model, "--head", "3");
    ck_assert_int_eq(result.status, 2);
    ck_assert_ptr_nonnull(strstr(result.error, "--head: expected 0, since "));
    static const char *const head[] = {"0", "3"};
    for (int i = 0; i < 2; i++) {
        RUN(headed, "--input", "7 0 3", "--all-heads", "--head", head[i]);
        expect(2, "visualize: expected --head or --all-heads, found both; see visualize --help\n");
    }
}
END_TEST

START_TEST(test_visualize_output_is_attention_png_unless_said)
{
    RUN(model, "-i", "7 0");
    expect(0, "visualize: wrote attention.png (3 x 2)\n");
    RUN(model, "-i", "7 0", "--threads=1", "-o", "one.PNG");
    ck_assert(same_pictures("attention.png", "one.PNG"));
    ck_assert_uint_eq(support_file_count(), 2);
}
END_TEST

START_TEST(test_visualize_dpi_values_and_font_change_the_picture)
{
    RUN(model, "-i", "7 0", "-o", "a.png");
    int width, height, fine_width, fine_height;
    RUN(model, "-i", "7 0", "-o", "fine.png", "--dpi", "200");
    free(read_picture("a.png", &width, &height));
    free(read_picture("fine.png", &fine_width, &fine_height));
    ck_assert_int_le(abs(fine_width - 2 * width), 12);
    ck_assert_int_le(abs(fine_height - 2 * height), 12);
    RUN(model, "-i", "7 0", "-o", "b.png", "--no-values");
    ck_assert(!same_pictures("a.png", "b.png"));
    const char *const bold = TEST_FONTS "/DejaVuSans-Bold.ttf";
    RUN(model, "-i", "7 0", "-o", "b.png", "--font", bold);
    expect(0, "visualize: wrote b.png (3 x 2)\n");
    ck_assert(!same_pictures("a.png", "b.png"));
}
END_TEST

START_TEST(test_visualize_output_without_end_is_told)
{
    RUN(beginner, "--input", "7 0");
    expect(0,
           "visualize: no end-of-sequence symbol; cut off after 16 numbers\nvisualize: wrote attention.png "
           "(16 x 2)\n");
}
END_TEST

START_TEST(test_visualize_bad_input_is_status_65)
{
    RUN(model, "--input", "1 10");
    expect(65, "visualize: --input: 10 is not a number from 0 to 9\n");
    RUN(model, "--input", "");
    expect(65, "visualize: --input: found no number, expected numbers from 0 to 9, separated by spaces\n");
    char many[100], *end = many;
    for (int i = 0; i < 41; i++) end = stpcpy(end, "1 ");
    RUN(model, "--input", many);
    expect(65, "visualize: --input: found a list of 41 numbers, expected at most 40\n");
    ck_assert_uint_eq(support_file_count(), 0);
}
END_TEST

START_TEST(test_visualize_unusable_model_is_refused)
{
    char message[2 * SUPPORT_PATH];
    snprintf(message, sizeof message, "visualize: %s: the model has no attention to draw\n", plain);
    RUN(plain, "--input", "1 2");
    expect(65, message);
    RUN("nowhere", "--input", "1 2");
    expect(66, "visualize: nowhere: cannot read: No such file or directory\n");
    size_t count;
    char *bytes = support_read_file(model, &count);
    support_write_file(support_path("cut"), bytes, count / 2);
    bytes[count / 2] ^= 1;
    support_write_file(support_path("flipped"), bytes, count);
    free(bytes);
    RUN("cut", "--input", "1 2");
    ck_assert_int_eq(result.status, 65);
    ck_assert_int_eq(strncmp(result.error, "visualize: cut: ", 16), 0);
    RUN("flipped", "--input", "1 2");
    ck_assert_int_eq(result.status, 65);
    ck_assert_int_eq(strncmp(result.error, "visualize: flipped: ", 20), 0);
    ck_assert_uint_eq(support_file_count(), 2);
}
END_TEST

START_TEST(test_visualize_labels_that_do_not_fit_are_refused)
{
    write_matrix("w.npy", LB_SHAPE(3, 4), alignment);
    RUN("--matrix", "w.npy", "--rows", "a b");
    expect(65, "visualize: w.npy: there are 2 names for 3 rows\n");
    RUN("--matrix", "w.npy", "--rows", " a b c ", "--columns", "a b c d e");
    expect(65, "visualize: w.npy: there are 5 names for 4 columns\n");
    RUN("--matrix", "w.npy", "--rows", "");
    expect(65, "visualize: w.npy: there are 0 names for 3 rows\n");
}
END_TEST

START_TEST(test_visualize_unusable_matrix_is_refused)
{
    RUN("--matrix", "nowhere.npy");
    expect(66, "visualize: nowhere.npy: cannot read: No such file or directory\n");
    RUN("--matrix", model);
    ck_assert_int_eq(result.status, 65);
    write_matrix("row.npy", LB_SHAPE(12), alignment);
    RUN("--matrix", "row.npy");
    expect(65, "visualize: row.npy: expected a matrix, [rows,columns], with heads and layers before them "
               "if there are such; found an array of shape [12]\n");
    write_matrix("none.npy", LB_SHAPE(0, 4), alignment);
    RUN("--matrix", "none.npy");
    expect(65, "visualize: none.npy: expected a matrix, [rows,columns], with heads and layers before them "
               "if there are such; found an array of shape [0,4]\n");
    double *wide = calloc(40000, sizeof *wide);
    write_matrix("wide.npy", LB_SHAPE(1, 40000), wide);
    free(wide);
    RUN("--matrix", "wide.npy");
    expect(65, "visualize: wide.npy: heat map: found more rows or columns than a picture has pixels\n");
    ck_assert_uint_eq(support_file_count(), 3);
}
END_TEST

START_TEST(test_visualize_wrong_usage_is_status_2)
{
    RUN("--output=a.png");
    expect(2, "visualize: expected a MODEL or --matrix; see visualize --help\n");
    RUN(model, "--matrix", "w.npy");
    expect(2, "visualize: expected a MODEL or --matrix, found both; see visualize --help\n");
    RUN(model);
    expect(2, "visualize: --input: found nothing, expected a list such as \"42 7 99 13\", or a text; see "
              "visualize --help\n");
    RUN(model, "--input", "1", "--rows", "a");
    expect(2, "visualize: --rows and --columns need --matrix; see visualize --help\n");
    RUN("--matrix", "w.npy", "--input", "1");
    expect(2, "visualize: --input belongs to a MODEL, not to --matrix; see visualize --help\n");
    RUN(model, "--input", "1", "-o", "a.jpg");
    expect(2, "visualize: --output: expected a name that ends in .png, .svg or .pdf, found \"a.jpg\"\n");
    RUN(model, "--input", "1", "--colormap", "jet");
    ck_assert_int_eq(result.status, 2);
    ck_assert_ptr_nonnull(strstr(result.error, "viridis"));
    ck_assert_uint_eq(support_file_count(), 0);
}
END_TEST

START_TEST(test_visualize_unusable_font_is_refused)
{
    RUN(model, "-i", "7 0", "--font", "nowhere.ttf");
    expect(66, "visualize: nowhere.ttf: No such file or directory\n");
    support_write_file(support_path("broken.ttf"), "no font", 7);
    RUN(model, "-i", "7 0", "--font", "broken.ttf");
    ck_assert_int_eq(result.status, 65);
    ck_assert_int_eq(strncmp(result.error, "visualize: broken.ttf: ", 23), 0);
}
END_TEST

START_TEST(test_visualize_unwritable_output_is_status_74)
{
    RUN(model, "-i", "7 0", "-o", "nowhere/a.png");
    expect(74, "visualize: nowhere/a.png: cannot write: No such file or directory\n");
    ck_assert_int_eq(mkdir(support_path("folder.png"), 0777), 0);
    RUN(model, "-i", "7 0", "-o", "folder.png");
    ck_assert_int_eq(result.status, 74);
    ck_assert_int_eq(strncmp(result.error, "visualize: folder.png: ", 23), 0);
    ck_assert_uint_eq(support_file_count(), 1);
}
END_TEST

static void free_result(void)
{
    support_result_free(&result);
}

int main(void)
{
    model = support_train_model("model.safetensors", 500, LB_ATTENTION_ADDITIVE);
    headed = support_train_model("headed.safetensors", 500, LB_ATTENTION_MULTI_HEAD);
    transformer = support_train_model("transformer.safetensors", 0, SUPPORT_TRANSFORMER);
    plain = support_train_model("plain.safetensors", 0, LB_ATTENTION_NONE);
    beginner = support_train_model("beginner.safetensors", 0, LB_ATTENTION_ADDITIVE);
    return support_run_tests_between(NULL, free_result);
}
