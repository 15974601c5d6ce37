/* Lesson 7: the words of a translation attend to the words of the sentence. The page is
 * docs/lessons/07_translation.md. */
#include <lookback/lookback.h>

#include <math.h>
#include <stdio.h>
#include <string.h>

enum { WORDS = 7 };

static const char *const english[WORDS] = {"The", "cat", "is", "sleeping", "on", "the", "mat"};
static const char *const spanish[WORDS] = {"El", "gato", "está", "durmiendo", "en", "la", "estera"};

/* Shared by all parts of the lesson. */
typedef struct lesson {
    lb_tape *tape;
    lb_params *params;
    lb_safetensors *file;
    lb_multi_head one, two; /* with one head, with two */
    const char *folder;
    lb_error error;
} lesson;

static void print_rows(const char *title, const lb_tensor *matrix)
{
    const double *value = lb_doubles(matrix);
    printf("%s\n", title);
    for (int64_t i = 0; value && i < lb_count(matrix); i++)
        printf(" %8.4f%s", value[i], (i + 1) % lb_dim(matrix, -1) == 0 ? "\n" : "");
}

static const char *figure(const lesson *l, const char *what)
{
    static char path[512];
    snprintf(path, sizeof path, "%s/07_translation_%s.png", l->folder, what);
    return path;
}

/* Two queries, three keys: small enough to read. */
static lb_status two_by_three(lesson *l)
{
    lb_tensor *query = lb_checkpoint_tensor(l->tape, l->file, "query");   /* [1, 2, 4] */
    lb_tensor *keys = lb_checkpoint_tensor(l->tape, l->file, "keys");     /* [1, 3, 4] */
    lb_tensor *values = lb_checkpoint_tensor(l->tape, l->file, "values"); /* [1, 3, 6] */
    lb_tensor *output = lb_attend_dot(query, keys, values, NULL, NULL, 1, 1 / sqrtf(4), 0);
    lb_tensor *weights = lb_op_output(output, 1);
    print_rows("weights", weights);
    print_rows("output", output);

    lb_heatmap map = {.values = lb_doubles(weights),
                      .rows = 2,
                      .columns = 3,
                      .row_labels = (const char *const[]){"output 1", "output 2"},
                      .column_labels = (const char *const[]){"input 1", "input 2", "input 3"},
                      .title = "Attention Weights: How Much Each Query Focuses on Each Key",
                      .x_label = "keys (input words)",
                      .y_label = "queries (output words)",
                      .bar_label = "attention weight",
                      .range = LB_RANGE_DATA,
                      .colormap = LB_COLORMAP_VIRIDIS,
                      .slant = LB_LABEL_FLAT,
                      .cell = 120};
    return lb_heatmap_save(&map, figure(l, "two_by_three"), &l->error);
}

/* The weights of one head: one row per Spanish word, one column per English word. */
static lb_heatmap alignment(const lb_tensor *weights, const char *title, lb_colormap colors)
{
    return (lb_heatmap){.values = lb_doubles(weights),
                        .rows = WORDS,
                        .columns = WORDS,
                        .row_labels = spanish,
                        .column_labels = english,
                        .title = title,
                        .x_label = "English words (source)",
                        .y_label = "Spanish words (target)",
                        .bar_label = "attention weight",
                        .range = LB_RANGE_DATA,
                        .colormap = colors};
}

static void print_alignment(const lb_tensor *weights)
{
    const double *row = lb_doubles(weights);
    for (int word = 0; row && word < WORDS; word++, row += WORDS) {
        int best = 0;
        for (int i = 1; i < WORDS; i++)
            if (row[i] > row[best]) best = i;
        printf("%s looks at %s\n", spanish[word], english[best]);
    }
}

static lb_status translate(lesson *l)
{
    lb_tensor *target = lb_checkpoint_tensor(l->tape, l->file, "spanish"); /* [1, 7, 5] */
    lb_tensor *source = lb_checkpoint_tensor(l->tape, l->file, "english");
    lb_tensor *output = lb_attend_dot(target, source, source, NULL, NULL, 1, 1 / sqrtf(5), 0);
    lb_tensor *weights = lb_op_output(output, 1);
    print_rows("weights of the translation", weights);
    print_alignment(weights);
    lb_heatmap map =
        alignment(weights, "Translation Attention Weights: Word Alignment Visualization", LB_COLORMAP_YLORRD);
    return lb_heatmap_save(&map, figure(l, "alignment"), &l->error);
}

static lb_status one_head(lesson *l)
{
    lb_tensor *target = lb_checkpoint_tensor(l->tape, l->file, "spanish");
    lb_tensor *source = lb_checkpoint_tensor(l->tape, l->file, "english");
    lb_attended_result attended = lb_multi_head_forward(&l->one, target, source, source, NULL, NULL);
    print_rows("weights of one head", attended.weights); /* [1, 1, 7, 7] */
    print_rows("its output", attended.context);
    lb_heatmap map = alignment(
        attended.weights, "Multi-Head Attention (Head 1): Word Alignment Visualization", LB_COLORMAP_PLASMA);
    return lb_heatmap_save(&map, figure(l, "one_head"), &l->error);
}

static lb_status two_heads(lesson *l)
{
    lb_tensor *target = lb_checkpoint_tensor(l->tape, l->file, "spanish_wide"); /* [1, 7, 10] */
    lb_tensor *source = lb_checkpoint_tensor(l->tape, l->file, "english_wide");
    lb_attended_result attended = lb_multi_head_forward(&l->two, target, source, source, NULL, NULL);
    print_rows("weights of two heads, one below the other", attended.weights); /* [1, 2, 7, 7] */
    print_rows("their output", attended.context);
    lb_tensor *first = lb_slice(attended.weights, 1, 0, 1), *second = lb_slice(attended.weights, 1, 1, 1);
    lb_heatmap maps[] = {alignment(first, "Head 1 Attention Weights", LB_COLORMAP_YLORRD),
                         alignment(second, "Head 2 Attention Weights", LB_COLORMAP_YLORRD)};
    maps[0].cell_text = maps[1].cell_text = LB_CELL_TEXT_NONE;
    return lb_heatmap_save_grid(maps, 2, 2, NULL, figure(l, "two_heads"), &l->error);
}

static const lb_color learned = {255, 228, 181, 255}, result = {144, 238, 144, 255};

/* Queries from one sentence, keys and values from another; or all from the same. */
static lb_status draw_attention(lesson *l)
{
    enum { QUERIES, KEYS, VALUES, SCORES, WEIGHTS, MEAN, TARGET, SOURCE, BOXES };
    const lb_flow_box cross[BOXES] = {[TARGET] = {"target", .column = 0, .row = 0},
                                      [SOURCE] = {"source", .column = 1.5, .row = 0},
                                      [QUERIES] = {"queries", .column = 0, .row = 1, .fill = learned},
                                      [KEYS] = {"keys", .column = 1, .row = 1, .fill = learned},
                                      [VALUES] = {"values", .column = 2, .row = 1, .fill = learned},
                                      [SCORES] = {"scores q·k / √d", .column = 0.5, .row = 2},
                                      [WEIGHTS] = {"softmax: weights", .column = 0.5, .row = 3},
                                      [MEAN] = {"mean of values", .column = 1.25, .row = 4, .fill = result}};
    const lb_flow_arrow arrows[] = {{TARGET, QUERIES}, {SOURCE, KEYS},    {SOURCE, VALUES}, {QUERIES, SCORES},
                                    {KEYS, SCORES},    {SCORES, WEIGHTS}, {WEIGHTS, MEAN},  {VALUES, MEAN}};
    lb_flow_box self[BOXES];
    lb_flow_arrow own[8];
    memcpy(self, cross, sizeof self);
    memcpy(own, arrows, sizeof own);
    self[TARGET] = (lb_flow_box){"one sentence", .column = 1, .row = 0};
    own[1].from = own[2].from = TARGET;
    lb_flow flows[] = {
        {.boxes = cross, .box_count = BOXES, .arrows = arrows, .arrow_count = 8, .title = "Cross-Attention"},
        {.boxes = self, .box_count = SOURCE, .arrows = own, .arrow_count = 8, .title = "Self-Attention"}};
    lb_panel panels[] = {lb_flow_panel(&flows[0]), lb_flow_panel(&flows[1])};
    return lb_figure_save(&(lb_figure){.panels = panels, .count = 2}, figure(l, "flow"), &l->error);
}

/* Two heads: each has its own queries, keys and values. */
static lb_status draw_heads(lesson *l)
{
    const lb_flow_box boxes[] = {{"queries", .column = 1, .row = 0},
                                 {"keys", .column = 2.5, .row = 0},
                                 {"values", .column = 4, .row = 0},
                                 {"queries 1", .column = 0, .row = 1, .fill = learned},
                                 {"keys 1", .column = 1, .row = 1, .fill = learned},
                                 {"values 1", .column = 2, .row = 1, .fill = learned},
                                 {"queries 2", .column = 3, .row = 1, .fill = learned},
                                 {"keys 2", .column = 4, .row = 1, .fill = learned},
                                 {"values 2", .column = 5, .row = 1, .fill = learned},
                                 {"attention", .column = 1, .row = 2},
                                 {"attention", .column = 4, .row = 2},
                                 {"side by side", .column = 2.5, .row = 3},
                                 {"output matrix", .column = 2.5, .row = 4, .fill = learned}};
    const lb_flow_arrow arrows[] = {{0, 3}, {0, 6},  {1, 4},  {1, 7},  {2, 5},  {2, 8},   {3, 9},  {4, 9},
                                    {5, 9}, {6, 10}, {7, 10}, {8, 10}, {9, 11}, {10, 11}, {11, 12}};
    lb_flow flow = {.boxes = boxes,
                    .box_count = 13,
                    .arrows = arrows,
                    .arrow_count = 15,
                    .title = "Multi-Head Attention"};
    lb_panel panel = lb_flow_panel(&flow);
    return lb_figure_save(&(lb_figure){.panels = &panel, .count = 1}, figure(l, "flow_heads"), &l->error);
}

static lb_status open_data(lesson *l)
{
    static const char *const names[] = {"query_projection_layer", "key_projection_layer",
                                        "value_projection_layer", "output_projection_layer"};
    lb_multi_head_config one = {.embed = 5, .heads = 1, .names = names};
    lb_multi_head_config two = {.embed = 10, .heads = 2, .names = names};
    lb_multi_head_init(&l->one, l->params, "one", one);
    lb_multi_head_init(&l->two, l->params, "two", two);
    l->file = lb_safetensors_open(LESSON_DATA "/07_translation.safetensors", &l->error);
    return l->file ? lb_checkpoint_load(l->file, l->params, &l->error) : l->error.status;
}

int main(int argc, char **argv)
{
    lesson l = {.tape = lb_tape_new(), .params = lb_params_new(0), .folder = argc > 1 ? argv[1] : "."};
    lb_status status = open_data(&l);
    if (!status) status = two_by_three(&l);
    if (!status) status = translate(&l);
    if (!status) status = one_head(&l);
    if (!status) status = two_heads(&l);
    if (!status) status = draw_attention(&l);
    if (!status) status = draw_heads(&l);
    if (status) fprintf(stderr, "%s\n", lb_tape_status(l.tape) ? lb_tape_error(l.tape) : l.error.message);
    lb_safetensors_close(l.file);
    lb_params_free(l.params);
    lb_tape_free(l.tape);
    return status != LB_OK;
}
