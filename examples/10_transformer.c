/* Lesson 10: a transformer that sorts. The page is docs/lessons/10_transformer.md. */
#include <lookback/lookback.h>

#include <stdio.h>

enum { STEPS = 600, BATCH = 64, HELD_OUT = 1000 };

/* Trains a transformer from scratch and prints the result. */
static lb_status learn(lb_error *error)
{
    lb_params *params = lb_params_new(1);
    lb_tape *tape = lb_tape_new();
    lb_sort_task task = {.max_value = 9, .min_length = 2, .max_length = 6, .seed = 1};
    lb_transformer model;
    lb_transformer_config config = {.source_vocab = lb_sort_vocab(&task),
                                    .target_vocab = lb_sort_vocab(&task),
                                    .width = 32,
                                    .heads = 2,
                                    .feed_forward = 64,
                                    .layers = 2};
    lb_transformer_init(&model, params, "", config);
    lb_optimizer *adam = lb_optimizer_new(params, (lb_optimizer_config){.clip_norm = 1});
    lb_schedule schedule = {.kind = LB_SCHEDULE_COSINE, .lr = 5e-3, .period = STEPS};
    lb_status status = LB_OK;

    for (int step = 0; step < STEPS && !status; step++) {
        lb_tape_reset(tape);
        lb_batch batch = lb_sort_batch(&task, tape, BATCH, step);
        lb_tensor *logits = lb_transformer_forward(&model, batch.source, batch.target_in);
        status = lb_backward(lb_cross_entropy(logits, batch.target_out, LB_PAD), error);
        lb_optimizer_set_lr(adam, (lb_real)lb_schedule_lr(&schedule, step));
        if (!status) status = lb_optimizer_step(adam, error);
    }
    double exact = 0;
    if (!status && (status = lb_sort_evaluate(&model.base, &task, tape, HELD_OUT, &exact)) != LB_OK)
        lb_error_set(error, status, "%s", lb_tape_error(tape));
    if (!status) printf("measured: sorts %.1f %% of the lists after %d steps\n", 100 * exact, STEPS);

    lb_optimizer_free(adam);
    lb_tape_free(tape);
    lb_params_free(params);
    return status;
}

enum { MAPS = 4, CELLS = 64, TITLE = 32 };

static void name_map(const lb_decoded *found, int64_t map, char title[TITLE])
{
    snprintf(title, TITLE, "layer %d, head %d", (int)(map / found->heads), (int)(map % found->heads));
}

static void print_maps(const lb_decoded *found)
{
    int64_t columns = found->source_length, cells = found->length * columns;
    for (int64_t m = 0; m < MAPS; m++) {
        char title[TITLE];
        name_map(found, m, title);
        printf("%s\n", title);
        for (int64_t i = 0; i < cells; i++)
            printf(" %8.4f%s", (double)found->weights[m * cells + i], (i + 1) % columns == 0 ? "\n" : "");
    }
}

/* One panel per layer and head. */
static lb_status draw(const lb_decoded *found, const char *const *out, const char *const *in,
                      const char *folder, lb_error *error)
{
    char path[512], titles[MAPS][TITLE];
    double values[MAPS][CELLS];
    lb_heatmap maps[MAPS];
    int64_t cells = found->length * found->source_length;
    for (int64_t m = 0; m < MAPS; m++) {
        for (int64_t i = 0; i < cells; i++) values[m][i] = (double)found->weights[m * cells + i];
        name_map(found, m, titles[m]);
        maps[m] = (lb_heatmap){.values = values[m],
                               .rows = found->length,
                               .columns = found->source_length,
                               .row_labels = out,
                               .column_labels = in,
                               .title = titles[m],
                               .x_label = "input",
                               .y_label = "output",
                               .bar_label = "attention weight",
                               .slant = LB_LABEL_FLAT};
    }
    snprintf(path, sizeof path, "%s/10_transformer_attention.png", folder);
    return lb_heatmap_save_grid(maps, MAPS, 2, "Where the Decoder Looks", path, error);
}

/* Sorts one list with a transformer that was trained in PyTorch, and shows where it looks. */
static lb_status look(const char *folder, lb_error *error)
{
    const int32_t list[] = {7, 3, 9, 1, 5};
    const char *const in[] = {"7", "3", "9", "1", "5"}, *const out[] = {"1", "3", "5", "7", "9", "end"};
    lb_params *params = lb_params_new(0);
    lb_tape *tape = lb_tape_new();
    lb_safetensors *file = lb_safetensors_open(LESSON_DATA "/10_transformer.safetensors", error);
    const lb_model *model = file ? lb_model_load(file, params, NULL, error) : NULL;
    lb_status status = model ? LB_OK : error->status;
    if (model) {
        int32_t *id, *lengths;
        lb_tokens source = lb_tokens_new(tape, 1, 5, &id, &lengths);
        for (int i = 0; i < 5; i++) id[i] = list[i] + LB_FIRST_TOKEN;
        lengths[0] = 5;
        lb_decoded found = lb_greedy(model, source, 20);
        printf("sorted:");
        for (int64_t i = 0; i < found.lengths[0]; i++) printf(" %d", found.id[i] - LB_FIRST_TOKEN);
        printf("\n");
        print_maps(&found);
        status = draw(&found, out, in, folder, error);
    }
    lb_safetensors_close(file);
    lb_tape_free(tape);
    lb_params_free(params);
    return status;
}

int main(int argc, char **argv)
{
    lb_error error = {0};
    lb_status status = learn(&error);
    if (!status) status = look(argc > 1 ? argv[1] : ".", &error);
    if (status) fprintf(stderr, "%s\n", error.message);
    return status != LB_OK;
}
