/* Lesson 4: why the scores are divided by the root of the width. The page is docs/lessons/04_scaling.md. */
#include <lookback/lookback.h>

#include <math.h>
#include <stdio.h>

enum { WORDS = 6, WIDTHS = 7 }; /* 1, 2, 4 ... 64 */

static void print_rows(const char *title, const lb_tensor *matrix)
{
    const double *value = lb_doubles(matrix);
    printf("%s\n", title);
    for (int64_t i = 0; value && i < lb_count(matrix); i++)
        printf(" %8.4f%s", value[i], (i + 1) % lb_dim(matrix, -1) == 0 ? "\n" : "");
}

static lb_status draw(lb_tensor *const weights[3], const char *folder, lb_error *error)
{
    static const char *const words[] = {"The", "cat", "sat", "on", "the", "mat"};
    static const char *const titles[] = {"Not Divided", "Divided by 8", "Divided by 64"};
    lb_heatmap maps[3];
    for (int i = 0; i < 3; i++)
        maps[i] = (lb_heatmap){.values = lb_doubles(weights[i]),
                               .rows = WORDS,
                               .columns = WORDS,
                               .row_labels = words,
                               .column_labels = words,
                               .title = titles[i],
                               .bar_label = "attention weight"};
    char path[512];
    snprintf(path, sizeof path, "%s/04_scaling_weights.png", folder);
    return lb_heatmap_save_grid(maps, 3, 2, NULL, path, error);
}

/* Three vectors of width two: the division by sqrt(2) makes little difference. */
static void two_wide(lb_tape *tape)
{
    const lb_real vectors[] = {1, 0, 0, 1, 1, 1}, values[] = {1, 10, 10, 1, 5, 5};
    lb_tensor *query = lb_tensor_new(tape, LB_SHAPE(1, 3, 2), vectors);
    lb_tensor *key = lb_tensor_new(tape, LB_SHAPE(1, 3, 2), vectors);
    lb_tensor *value = lb_tensor_new(tape, LB_SHAPE(1, 3, 2), values);
    lb_tensor *scaled = lb_attend_dot(query, key, value, NULL, NULL, 1, 1 / sqrtf(2), 0);
    lb_tensor *unscaled = lb_attend_dot(query, key, value, NULL, NULL, 1, 1, 0);
    print_rows("scaled weights", lb_op_output(scaled, 1));
    print_rows("scaled output", scaled);
    print_rows("unscaled weights", lb_op_output(unscaled, 1));
    print_rows("unscaled output", unscaled);
}

/* How sure a query is of one key: the mean of the largest weight of each row. */
static double certainty(const lb_tensor *weights)
{
    const double *weight = lb_doubles(weights);
    double sum = 0;
    for (int row = 0; weight && row < WORDS; row++) {
        double largest = 0;
        for (int i = 0; i < WORDS; i++) largest = fmax(largest, weight[row * WORDS + i]);
        sum += largest;
    }
    return sum / WORDS;
}

/* Compares only the first 1, 2, 4 ... 64 columns of the words of lesson 1. */
static lb_status growing(lb_tape *tape, const char *folder, lb_error *error)
{
    lb_safetensors *file = lb_safetensors_open(LESSON_DATA "/vectors.safetensors", error);
    if (!file) return error->status;
    lb_tensor *query = lb_checkpoint_tensor(tape, file, "query"); /* [1, 6, 64] */
    lb_tensor *key = lb_checkpoint_tensor(tape, file, "key");
    lb_safetensors_close(file);

    double widths[WIDTHS], sure[3][WIDTHS];
    lb_tensor *weights[3];
    for (int i = 0; i < WIDTHS; i++) {
        int64_t width = (int64_t)1 << i;
        lb_tensor *scores =
            lb_matmul_transposed(lb_slice(query, 2, 0, width), false, lb_slice(key, 2, 0, width), true);
        weights[0] = lb_softmax(scores);
        weights[1] = lb_softmax(lb_scale(scores, 1 / sqrtf((float)width)));
        weights[2] = lb_softmax(lb_scale(scores, 1 / (lb_real)width));
        widths[i] = (double)width;
        for (int k = 0; k < 3; k++) sure[k][i] = certainty(weights[k]);
        printf("width %2d  largest weight: %.4f, %.4f scaled, %.4f by the width\n", (int)width, sure[0][i],
               sure[1][i], sure[2][i]);
    }

    const lb_series series[] = {{.name = "not divided", .x = widths, .y = sure[0], .count = WIDTHS},
                                {.name = "by the root", .x = widths, .y = sure[1], .count = WIDTHS},
                                {.name = "by the width", .x = widths, .y = sure[2], .count = WIDTHS}};
    lb_chart chart = {.series = series,
                      .count = 3,
                      .title = "How Sure a Query Is",
                      .x = {.label = "Width", .log = true},
                      .left = {.label = "Largest weight", .min = 0, .max = 1}};
    char path[512];
    snprintf(path, sizeof path, "%s/04_scaling_width.png", folder);
    lb_status status = lb_chart_save(&chart, path, error);
    return status ? status : draw(weights, folder, error); /* of the full width */
}

int main(int argc, char **argv)
{
    lb_error error = {0};
    lb_tape *tape = lb_tape_new();
    two_wide(tape);
    lb_status status = growing(tape, argc > 1 ? argv[1] : ".", &error);
    if (status) fprintf(stderr, "%s\n", lb_tape_status(tape) ? lb_tape_error(tape) : error.message);
    lb_tape_free(tape);
    return status != LB_OK;
}
