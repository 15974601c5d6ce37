/* Lesson 1: what attention computes, in three steps and in one, for three vectors and for a sentence.
 * The page is docs/lessons/01_dot_product.md. */
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

static lb_status save(const lb_heatmap *map, const char *folder, const char *what, lb_error *error)
{
    char path[512];
    snprintf(path, sizeof path, "%s/01_dot_product_%s.png", folder, what);
    return lb_heatmap_save(map, path, error);
}

/* Three queries, keys and values of width two: a batch of one. */
static lb_status three_vectors(lb_tape *tape, const char *folder, lb_error *error)
{
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

    lb_heatmap map = {.values = lb_doubles(weights),
                      .rows = 3,
                      .columns = 3,
                      .row_labels = (const char *const[]){"(1, 0)", "(0, 1)", "(1, 1)"},
                      .column_labels = (const char *const[]){"(1, 0)", "(0, 1)", "(1, 1)"},
                      .title = "Three Queries",
                      .x_label = "key",
                      .y_label = "query",
                      .bar_label = "attention weight"};
    return save(&map, folder, "weights", error);
}

/* Six words, each with a query, a key and a value of width 64, drawn at random. */
static lb_status sentence(lb_tape *tape, const char *folder, lb_error *error)
{
    static const char *const words[] = {"The", "cat", "sat", "on", "the", "mat"};
    lb_safetensors *file = lb_safetensors_open(LESSON_DATA "/vectors.safetensors", error);
    if (!file) return error->status;
    lb_tensor *query = lb_checkpoint_tensor(tape, file, "query"); /* [1, 6, 64] */
    lb_tensor *key = lb_checkpoint_tensor(tape, file, "key");
    lb_tensor *value = lb_checkpoint_tensor(tape, file, "value");
    lb_safetensors_close(file);

    lb_tensor *output = lb_attend_dot(query, key, value, NULL, NULL, 1, (lb_real)1 / 64, 0);
    lb_tensor *weights = lb_op_output(output, 1); /* the other result of the same op */
    print_rows("weights of the sentence", weights);

    lb_heatmap map = {.values = lb_doubles(weights),
                      .rows = 6,
                      .columns = 6,
                      .row_labels = words,
                      .column_labels = words,
                      .title = "Self-Attention over a Sentence - Head 0",
                      .x_label = "Input Tokens (Keys)",
                      .y_label = "Output Tokens (Queries)",
                      .bar_label = "Attention Weight"};
    return save(&map, folder, "sentence", error);
}

int main(int argc, char **argv)
{
    const char *folder = argc > 1 ? argv[1] : ".";
    lb_error error = {0};
    lb_tape *tape = lb_tape_new(); /* owns all tensors, and keeps the first error */
    lb_status status = three_vectors(tape, folder, &error);
    if (!status) status = sentence(tape, folder, &error);
    if (status) fprintf(stderr, "%s\n", lb_tape_status(tape) ? lb_tape_error(tape) : error.message);
    lb_tape_free(tape);
    return status != LB_OK;
}
