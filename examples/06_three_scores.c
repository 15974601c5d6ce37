/* Lesson 6: additive, multiplicative and scaled dot-product attention on the same data, and what each of them costs.
 * The page is docs/lessons/06_three_scores.md. */
#include <lookback/lookback.h>

#include <math.h>
#include <stdio.h>
#include <time.h>

enum { DOT = LB_SCORE_DOT, SCALED = LB_SCORE_SCALED_DOT, GENERAL = LB_SCORE_GENERAL, ADDITIVE, WAYS };
enum { KEYS = 10, CALLS = 50 };

static const char *const names[WAYS] = {"dot", "scaled dot", "general", "additive"};

/* One query, ten keys and ten values in every row of a batch, and the modules that attend to them. The data are
 * parameters, like the weights: they are read from a file, and get gradients. */
typedef struct setting {
    lb_tensor *query, *keys, *values;
    lb_multiplicative_attention product[ADDITIVE];
    lb_additive_attention additive;
} setting;

static void init(setting *s, lb_params *params, int64_t rows, int64_t width)
{
    lb_init normal = {LB_INIT_NORMAL, 1};
    s->query = lb_params_add(params, "", "query", LB_SHAPE(rows, 1, width), normal);
    s->keys = lb_params_add(params, "", "keys", LB_SHAPE(rows, KEYS, width), normal);
    s->values = lb_params_add(params, "", "values", LB_SHAPE(rows, KEYS, width), normal);
    for (int way = DOT; way <= GENERAL; way++)
        lb_multiplicative_attention_init(&s->product[way], params, names[way], (lb_score)way, width, width);
    lb_additive_attention_config config = {.query = width, .key = width};
    lb_additive_attention_init(&s->additive, params, "additive", config);
}

static lb_attended_result attend(const setting *s, int way, lb_tape *tape)
{
    lb_tensor *query = lb_on_tape(tape, s->query), *keys = lb_on_tape(tape, s->keys);
    lb_tensor *values = lb_on_tape(tape, s->values);
    if (way == ADDITIVE) return lb_additive_attention_forward(&s->additive, query, keys, values, NULL);
    return lb_multiplicative_attention_forward(&s->product[way], query, keys, values, NULL);
}

static void print_row(const char *name, const char *what, const lb_tensor *row)
{
    const double *value = lb_doubles(row);
    printf("%s: %s\n", name, what);
    for (int64_t i = 0; value && i < lb_count(row); i++) printf(" %8.4f", value[i]);
    printf("\n");
}

/* Three of them side by side, each with its own scale. */
static lb_status draw(lb_tensor *const *weights, const char *path, lb_error *error)
{
    static const int drawn[] = {ADDITIVE, GENERAL, SCALED};
    static const char *const titles[] = {"Bahdanau Attention", "Luong Attention",
                                         "Scaled Dot-Product Attention"};
    static const lb_colormap colors[] = {LB_COLORMAP_BLUES, LB_COLORMAP_GREENS, LB_COLORMAP_REDS};
    lb_heatmap maps[3];
    lb_panel panels[3];
    for (int i = 0; i < 3; i++) {
        maps[i] = (lb_heatmap){.values = lb_doubles(weights[drawn[i]]),
                               .rows = 1,
                               .columns = KEYS,
                               .title = titles[i],
                               .x_label = "source position",
                               .range = LB_RANGE_DATA,
                               .colormap = colors[i],
                               .cell_text = LB_CELL_TEXT_NONE,
                               .slant = LB_LABEL_FLAT};
        panels[i] = lb_heatmap_panel(&maps[i]);
    }
    return lb_figure_save(&(lb_figure){.panels = panels, .count = 3}, path, error);
}

/* Prints and draws the first of the four rows in the file. */
static lb_status compare(lb_tape *tape, lb_params *params, const char *path, lb_error *error)
{
    setting s;
    lb_safetensors *file = lb_safetensors_open(LESSON_DATA "/06_three_scores.safetensors", error);
    if (!file) return error->status;
    init(&s, params, 4, 64);
    lb_status status = lb_checkpoint_load(file, params, error);
    lb_safetensors_close(file);
    if (status) return status;
    lb_tensor *weights[WAYS];
    for (int way = 0; way < WAYS; way++) {
        lb_attended_result attended = attend(&s, way, tape);
        weights[way] = lb_slice(attended.weights, 0, 0, 1);
        print_row(names[way], "weights", weights[way]);
        lb_tensor *context = lb_slice(attended.context, 0, 0, 1);
        print_row(names[way], "context, the first 6 of 64 columns", lb_slice(context, 2, 0, 6));
    }
    return draw(weights, path, error);
}

static double microseconds(void)
{
    struct timespec now;
    timespec_get(&now, TIME_UTC);
    return 1e6 * (double)now.tv_sec + 1e-3 * (double)now.tv_nsec;
}

/* Prints the minimum of many calls, because any disturbance makes a call longer. */
static lb_status measure(const setting *s, int way, lb_tape *tape, lb_error *error)
{
    double forward = INFINITY, backward = INFINITY;
    lb_status status = LB_OK;
    for (int call = 0; call < CALLS && !status; call++) {
        lb_tape_reset(tape);
        double start = microseconds();
        lb_tensor *loss = lb_sum_all(attend(s, way, tape).context);
        double middle = microseconds();
        status = lb_backward(loss, error);
        forward = fmin(forward, middle - start);
        backward = fmin(backward, microseconds() - middle);
    }
    printf("  %6.0f + %5.0f", forward, backward);
    return status;
}

static lb_status measure_all(lb_tape *tape, lb_error *error)
{
    lb_status status = LB_OK;
    printf("microseconds, forward + backward, for 64 queries with ten keys each, on one thread\n");
    printf("         width             dot      scaled dot         general        additive\n");
    lb_set_threads(1);
    for (int64_t width = 64; width <= 512 && !status; width *= 2) {
        setting s;
        lb_params *params = lb_params_new(0);
        init(&s, params, 64, width);
        printf("measured %5lld", (long long)width);
        for (int way = 0; way < WAYS && !status; way++) status = measure(&s, way, tape, error);
        printf("\n");
        lb_params_free(params);
    }
    return status;
}

int main(int argc, char **argv)
{
    char path[512];
    snprintf(path, sizeof path, "%s/06_three_scores_weights.png", argc > 1 ? argv[1] : ".");
    lb_error error = {0};
    lb_tape *tape = lb_tape_new();
    lb_params *params = lb_params_new(0);
    lb_status status = compare(tape, params, path, &error);
    if (!status) status = measure_all(tape, &error);
    if (status) fprintf(stderr, "%s\n", lb_tape_status(tape) ? lb_tape_error(tape) : error.message);
    lb_params_free(params);
    lb_tape_free(tape);
    return status != LB_OK;
}
