/* Lesson 3: hiding keys from queries. The page is docs/lessons/03_masking.md. */
#include <lookback/lookback.h>

#include <math.h>
#include <stdio.h>

/* Queries and keys of lessons 1 and 2. */
static const lb_real vectors[] = {1, 0, 0, 1, 1, 1};

static void print_rows(const char *title, const lb_tensor *matrix)
{
    const double *value = lb_doubles(matrix);
    printf("%s\n", title);
    for (int64_t i = 0; value && i < lb_count(matrix); i++)
        printf(" %8.4f%s", value[i], (i + 1) % lb_dim(matrix, -1) == 0 ? "\n" : "");
}

/* Returns the weights. Mask and bias broadcast to them, [batch, heads, queries, keys]; either may be NULL. */
static lb_tensor *attend(lb_tape *tape, const char *title, lb_tensor *mask, lb_tensor *bias)
{
    lb_tensor *query = lb_tensor_new(tape, LB_SHAPE(1, 3, 2), vectors);
    lb_tensor *key = lb_tensor_new(tape, LB_SHAPE(1, 3, 2), vectors);
    lb_tensor *value = lb_tensor_new(tape, LB_SHAPE(1, 3, 2), (const lb_real[]){1, 10, 10, 1, 5, 5});
    lb_tensor *output = lb_attend_dot(query, key, value, mask, bias, 1, 1 / sqrtf(2), 0);
    printf("%s\n", title);
    print_rows("weights", lb_op_output(output, 1));
    print_rows("output", output);
    return lb_op_output(output, 1);
}

static lb_status draw(lb_tensor *const weights[3], const char *folder, lb_error *error)
{
    static const char *const titles[] = {"No Mask", "Padding", "Causal"};
    lb_heatmap maps[3];
    for (int i = 0; i < 3; i++)
        maps[i] = (lb_heatmap){.values = lb_doubles(weights[i]),
                               .rows = 3,
                               .columns = 3,
                               .slant = LB_LABEL_FLAT,
                               .title = titles[i],
                               .x_label = "key",
                               .y_label = "query",
                               .bar_label = "attention weight"};
    char path[512];
    snprintf(path, sizeof path, "%s/03_masking_weights.png", folder);
    return lb_heatmap_save_grid(maps, 3, 3, NULL, path, error);
}

int main(int argc, char **argv)
{
    lb_error error = {0};
    lb_tape *tape = lb_tape_new();

    /* 1 attends, 0 does not: the third key is hidden from all queries. */
    lb_tensor *mask = lb_tensor_new(tape, LB_SHAPE(3), (const lb_real[]){1, 1, 0});
    lb_tensor *hidden = attend(tape, "third key hidden", mask, NULL);

    /* The same mask from the lengths of a batch: one row, two words, padded to three. */
    lb_tensor *padding = lb_key_mask(lb_length_mask(tape, (const int32_t[]){2}, 1, 3));
    attend(tape, "two words, padded to three", padding, NULL);

    /* The same again, as numbers that are added to the scores. */
    lb_tensor *bias = lb_tensor_new(tape, LB_SHAPE(3), (const lb_real[]){0, 0, -INFINITY});
    attend(tape, "minus infinity added", NULL, bias);

    /* No query sees what comes after it. */
    lb_tensor *causal = attend(tape, "causal", lb_causal_mask(tape, 3), NULL);

    /* The second query sees no key. */
    lb_tensor *blind = lb_tensor_new(tape, LB_SHAPE(3, 3), (const lb_real[]){1, 1, 1, 0, 0, 0, 1, 1, 1});
    attend(tape, "second query blind", blind, NULL);

    lb_tensor *open = attend(tape, "no mask", NULL, NULL);
    lb_status status = draw((lb_tensor *const[]){open, hidden, causal}, argc > 1 ? argv[1] : ".", &error);
    if (status) fprintf(stderr, "%s\n", lb_tape_status(tape) ? lb_tape_error(tape) : error.message);
    lb_tape_free(tape);
    return status != LB_OK;
}
