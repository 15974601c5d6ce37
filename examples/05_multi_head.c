/* Lesson 5: several heads look at the same words in several ways. The page is docs/lessons/05_multi_head.md. */
#include <lookback/lookback.h>

#include <stdio.h>

/* Four vectors of width eight for two heads, and the six words of lesson 1 for four. */
typedef struct heads {
    lb_multi_head two;
    lb_multi_head_block four;
} heads;

static void print_shape(const char *title, const lb_tensor *tensor)
{
    char text[LB_SHAPE_TEXT];
    printf("%s %s\n", title, lb_shape_format(tensor->shape, text));
}

static void print_rows(const char *title, const lb_tensor *matrix)
{
    const double *value = lb_doubles(matrix);
    printf("%s\n", title);
    for (int64_t i = 0; value && i < lb_count(matrix); i++)
        printf(" %8.4f%s", value[i], (i + 1) % lb_dim(matrix, -1) == 0 ? "\n" : "");
}

static lb_status build(heads *model, lb_params *params, const lb_safetensors *file, lb_error *error)
{
    static const char *const two_names[] = {"q_linear", "k_linear", "v_linear", "out_linear"};
    static const char *const four_names[] = {"w_qs", "w_ks", "w_vs", "fc"};
    lb_multi_head_config two = {.embed = 8, .heads = 2, .names = two_names};
    lb_multi_head_config four = {
        .embed = 64, .heads = 4, .key_width = 16, .value_width = 16, .no_bias = true, .names = four_names};
    lb_multi_head_init(&model->two, params, "two", two);
    lb_multi_head_block_init(&model->four, params, "four", four, 0, 1e-6f);
    if (lb_params_status(params)) /* the first error of both */
        return lb_error_set(error, lb_params_status(params), "%s", lb_params_error(params));
    return lb_checkpoint_load(file, params, error);
}

/* One heat map per head of weights [1, heads, length, length], two per row. */
static lb_status draw(const lb_tensor *weights, const char *const *labels, const char *title,
                      const char *path, lb_error *error)
{
    static const char *const titles[] = {"Head 0", "Head 1", "Head 2", "Head 3"};
    const double *values = lb_doubles(weights);
    if (!values) return LB_ERROR_ARGUMENT; /* the tape has the error */
    lb_heatmap maps[4];
    int64_t count = lb_dim(weights, 1), length = lb_dim(weights, 2);
    for (int64_t head = 0; head < count; head++)
        maps[head] = (lb_heatmap){.values = values + head * length * length,
                                  .rows = length,
                                  .columns = length,
                                  .row_labels = labels,
                                  .column_labels = labels,
                                  .title = titles[head],
                                  .x_label = "input",
                                  .y_label = "output",
                                  .bar_label = "attention weight"};
    return lb_heatmap_save_grid(maps, count, 2, title, path, error);
}

static lb_status two_heads(const lb_multi_head *attention, lb_tensor *x, const char *path, lb_error *error)
{
    static const char *const labels[] = {"x0", "x1", "x2", "x3"};
    lb_attended_result attended = lb_multi_head_forward(attention, x, x, x, NULL, NULL);
    print_shape("output", attended.context);
    print_shape("weights", attended.weights);
    lb_tensor *first = lb_slice(attended.weights, 0, 0, 1); /* of the batch of two */
    print_rows("weights of the first row of the batch, head by head", first);
    print_rows("its output", lb_slice(attended.context, 0, 0, 1));
    return draw(first, labels, "Two Heads", path, error);
}

static lb_status four_heads(const lb_multi_head_block *block, lb_tensor *query, lb_tensor *key,
                            lb_tensor *value, const char *path, lb_error *error)
{
    static const char *const words[] = {"The", "cat", "sat", "on", "the", "mat"};
    lb_attended_result attended = lb_multi_head_block_forward(block, query, key, value, NULL);
    print_rows("weights of the sentence, head by head", attended.weights);
    print_rows("its output, the first 6 of 64 columns", lb_slice(attended.context, 2, 0, 6));
    return draw(attended.weights, words, "Multi-Head Attention - All 4 Heads\n\"The cat sat on the mat\"",
                path, error);
}

int main(int argc, char **argv)
{
    const char *folder = argc > 1 ? argv[1] : ".";
    char path[2][512];
    snprintf(path[0], sizeof path[0], "%s/05_multi_head_two.png", folder);
    snprintf(path[1], sizeof path[1], "%s/05_multi_head_four.png", folder);
    lb_error error = {0};
    lb_tape *tape = lb_tape_new();
    lb_params *params = lb_params_new(0); /* owns the weights */
    lb_safetensors *file = lb_safetensors_open(LESSON_DATA "/vectors.safetensors", &error);
    heads model;
    lb_status status = file ? build(&model, params, file, &error) : error.status;
    if (!status) status = two_heads(&model.two, lb_checkpoint_tensor(tape, file, "x"), path[0], &error);
    if (!status)
        status = four_heads(&model.four, lb_checkpoint_tensor(tape, file, "query"),
                            lb_checkpoint_tensor(tape, file, "key"),
                            lb_checkpoint_tensor(tape, file, "value"), path[1], &error);
    if (status) fprintf(stderr, "%s\n", lb_tape_status(tape) ? lb_tape_error(tape) : error.message);
    lb_safetensors_close(file);
    lb_params_free(params);
    lb_tape_free(tape);
    return status != LB_OK;
}
