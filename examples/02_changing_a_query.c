/* Lesson 2: a query that moves towards a key gives it more weight. The page is docs/lessons/02_changing_a_query.md. */
#include <lookback/lookback.h>

#include <math.h>
#include <stdio.h>

static const lb_real vectors[] = {1, 0, 0, 1, 1, 1};

static void print_rows(const char *title, const lb_tensor *matrix)
{
    const double *value = lb_doubles(matrix);
    printf("%s\n", title);
    for (int64_t i = 0; value && i < lb_count(matrix); i++)
        printf(" %8.4f%s", value[i], (i + 1) % lb_dim(matrix, -1) == 0 ? "\n" : "");
}

/* Attention of any number of queries to the three keys and values of lesson 1. */
static lb_tensor *attend(lb_tape *tape, lb_tensor *query)
{
    lb_tensor *key = lb_tensor_new(tape, LB_SHAPE(1, 3, 2), vectors);
    lb_tensor *value = lb_tensor_new(tape, LB_SHAPE(1, 3, 2), (const lb_real[]){1, 10, 10, 1, 5, 5});
    return lb_attend_dot(query, key, value, NULL, NULL, 1, 1 / sqrtf(2), 0);
}

/* The first query goes from (1, 0) to (0.1, 0.9); the others stay. */
static lb_status one_change(lb_tape *tape, const char *folder, lb_error *error)
{
    lb_tensor *before = attend(tape, lb_tensor_new(tape, LB_SHAPE(1, 3, 2), vectors));
    lb_tensor *after =
        attend(tape, lb_tensor_new(tape, LB_SHAPE(1, 3, 2), (const lb_real[]){0.1f, 0.9f, 0, 1, 1, 1}));
    print_rows("weights before", lb_op_output(before, 1));
    print_rows("output before", before);
    print_rows("weights after", lb_op_output(after, 1));
    print_rows("output after", after);

    static const char *const keys[] = {"(1, 0)", "(0, 1)", "(1, 1)"};
    static const char *const changed[] = {"(0.1, 0.9)", "(0, 1)", "(1, 1)"};
    lb_heatmap map = {.rows = 3, .columns = 3, .column_labels = keys, .x_label = "key", .y_label = "query"};
    map.bar_label = "attention weight";
    lb_heatmap maps[] = {map, map};
    maps[0].title = "Before";
    maps[0].values = lb_doubles(lb_op_output(before, 1));
    maps[0].row_labels = keys;
    maps[1].title = "After";
    maps[1].values = lb_doubles(lb_op_output(after, 1));
    maps[1].row_labels = changed;
    char path[512];
    snprintf(path, sizeof path, "%s/02_changing_a_query_weights.png", folder);
    return lb_heatmap_save_grid(maps, 2, 2, NULL, path, error);
}

/* The same path in small steps: eleven queries from (1, 0) to (0, 1), in one call. */
static lb_status many_steps(lb_tape *tape, const char *folder, lb_error *error)
{
    enum { STEPS = 11 };
    lb_real query[STEPS][2];
    double moved[STEPS];
    for (int i = 0; i < STEPS; i++) {
        moved[i] = i / 10.0;
        query[i][0] = (lb_real)(1 - moved[i]);
        query[i][1] = (lb_real)moved[i];
    }
    lb_tensor *output = attend(tape, lb_tensor_new(tape, LB_SHAPE(1, STEPS, 2), query[0]));
    lb_tensor *weights = lb_op_output(output, 1);
    print_rows("weights on the way", weights);

    /* A line per key: with the last two axes exchanged, its weights are next to each other. */
    const double *lines = lb_doubles(lb_permute(weights, 4, (const int[]){0, 1, 3, 2}));
    if (!lines) return lb_tape_status(tape);
    lb_series series[] = {{.name = "key (1, 0)"}, {.name = "key (0, 1)"}, {.name = "key (1, 1)"}};
    for (int key = 0; key < 3; key++) {
        series[key].x = moved;
        series[key].y = lines + (ptrdiff_t)key * STEPS;
        series[key].count = STEPS;
    }
    lb_chart chart = {.series = series,
                      .count = 3,
                      .title = "A Query on Its Way",
                      .x = {.label = "Share of the way from (1, 0) to (0, 1)"},
                      .left = {.label = "Attention weight"}};
    char path[512];
    snprintf(path, sizeof path, "%s/02_changing_a_query_way.png", folder);
    return lb_chart_save(&chart, path, error);
}

int main(int argc, char **argv)
{
    const char *folder = argc > 1 ? argv[1] : ".";
    lb_error error = {0};
    lb_tape *tape = lb_tape_new();
    lb_status status = one_change(tape, folder, &error);
    if (!status) status = many_steps(tape, folder, &error);
    if (status) fprintf(stderr, "%s\n", lb_tape_status(tape) ? lb_tape_error(tape) : error.message);
    lb_tape_free(tape);
    return status != LB_OK;
}
