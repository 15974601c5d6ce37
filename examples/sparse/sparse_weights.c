/* The same scores as weights by softmax, 1.5-entmax and sparsemax. The page is docs/sparse.md. */
#include <lookback/lookback.h>

#include <stdio.h>

enum { KEYS = 6 };

static const char *const names[] = {"softmax", "entmax", "sparsemax"};

/* Three rows of weights for the same scores. */
static lb_tensor *weights_of(lb_tape *tape, const lb_real *scores)
{
    lb_tensor *x = lb_tensor_new(tape, LB_SHAPE(1, KEYS), scores);
    lb_tensor *rows[] = {lb_softmax(x), lb_entmax15(x), lb_sparsemax(x)};
    return lb_concat(rows, 3, 0);
}

static void print_rows(const char *title, const lb_tensor *weights)
{
    const double *value = lb_doubles(weights);
    printf("%s\n", title);
    for (int row = 0; value && row < 3; row++) {
        printf("%-9s", names[row]);
        for (int i = 0; i < KEYS; i++) printf(" %7.4f", value[row * KEYS + i]);
        printf("\n");
    }
}

static lb_status draw(lb_tensor *const weights[2], const char *folder, lb_error *error)
{
    static const char *const titles[] = {"Scores 2, 1.5, 1, 0.5, 0, -1", "The Same, Times Two"};
    lb_heatmap maps[2];
    for (int i = 0; i < 2; i++)
        maps[i] = (lb_heatmap){.values = lb_doubles(weights[i]),
                               .rows = 3,
                               .columns = KEYS,
                               .row_labels = names,
                               .title = titles[i],
                               .x_label = "key",
                               .slant = LB_LABEL_FLAT,
                               .bar_label = "weight"};
    char path[512];
    snprintf(path, sizeof path, "%s/sparse_weights.png", folder);
    return lb_heatmap_save_grid(maps, 2, 2, NULL, path, error);
}

int main(int argc, char **argv)
{
    static const lb_real scores[] = {2, 1.5F, 1, 0.5F, 0, -1}, twice[] = {4, 3, 2, 1, 0, -2};
    lb_error error = {0};
    lb_tape *tape = lb_tape_new();
    lb_tensor *weights[] = {weights_of(tape, scores), weights_of(tape, twice)};
    print_rows("weights", weights[0]);
    print_rows("weights of twice the scores", weights[1]);

    lb_status status = lb_tape_status(tape);
    if (status)
        fprintf(stderr, "%s\n", lb_tape_error(tape));
    else if ((status = draw(weights, argc > 1 ? argv[1] : ".", &error)) != LB_OK)
        fprintf(stderr, "%s\n", error.message);
    lb_tape_free(tape);
    return status ? lb_status_exit(status) : 0;
}
