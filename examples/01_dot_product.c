/* Lesson 1: what attention computes, in three steps and in one. The page is docs/lessons/01_dot_product.md. */
#include <lookback/lookback.h>

#include <math.h>
#include <stdio.h>

static void print_rows(const char *title, const lb_tensor *matrix)
{
    const double *value = lb_doubles(matrix);
    printf("%s\n", title);
    for (int64_t i = 0; value && i < lb_count(matrix); i++)
        printf(" %8.4f%s", value[i], (i + 1) % lb_dim(matrix, -1) == 0 ? "\n" : "");
}

static lb_status draw(const lb_tensor *weights, const char *folder, lb_error *error)
{
    char path[512];
    snprintf(path, sizeof path, "%s/01_dot_product_weights.png", folder);
    lb_heatmap map = {.values = lb_doubles(weights),
                      .rows = 3,
                      .columns = 3,
                      .title = "Attention Weights",
                      .x_label = "Key",
                      .y_label = "Query",
                      .bar_label = "Attention Weight"};
    return lb_heatmap_save(&map, path, error);
}

int main(int argc, char **argv)
{
    lb_error error = {0};
    lb_tape *tape = lb_tape_new(); /* owns every tensor */

    /* Three queries, keys and values, as a batch of one. */
    lb_tensor *query = lb_tensor_new(tape, LB_SHAPE(1, 3, 2), (const lb_real[]){1, 0, 0, 1, 1, 1});
    lb_tensor *key = lb_tensor_new(tape, LB_SHAPE(1, 3, 2), (const lb_real[]){1, 0, 0, 1, 1, 1});
    lb_tensor *value = lb_tensor_new(tape, LB_SHAPE(1, 3, 2), (const lb_real[]){1, 10, 10, 1, 5, 5});
    lb_real scale = 1 / sqrtf(2);

    lb_tensor *scores = lb_scale(lb_matmul_transposed(query, false, key, true), scale);
    lb_tensor *weights = lb_softmax(scores);
    lb_tensor *output = lb_matmul(weights, value);
    print_rows("scores", scores);
    print_rows("weights", weights);
    print_rows("output", output);

    lb_tensor *fused = lb_attend_dot(query, key, value, NULL, NULL, 1, scale, 0);
    print_rows("output of lb_attend_dot", fused);

    lb_status status = lb_tape_status(tape); /* the first error of all that was computed */
    if (status)
        fprintf(stderr, "%s\n", lb_tape_error(tape));
    else if ((status = draw(weights, argc > 1 ? argv[1] : ".", &error)))
        fprintf(stderr, "%s\n", error.message);
    lb_tape_free(tape);
    return status != LB_OK;
}
