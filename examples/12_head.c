/* Lesson 12: what does a head do? The page is docs/lessons/12_head.md. */
#include <lookback/lookback.h>

#include <math.h>
#include <stdio.h>
#include <string.h>

enum { NUMBERS = 100, LONGEST = 10, WITH_END = LONGEST + 1, SPLIT = 11, HELD_OUT = 1000 };
enum { WIDTH = 64, STEPS = 3000, BATCH = 64 };

/* ---- Lists of different numbers. ---- */

typedef struct number_list {
    int number[LONGEST], length;
} number_list;

/* One list in eleven is for tests: that whose sum is a multiple of eleven. */
static number_list draw_list(const char *stream, uint64_t *next, bool held_out)
{
    lb_rng rng = {.seed = 1, .stream = lb_rng_stream(stream)};
    number_list list;
    int sum = 0;
    do {
        list.length = 2 + (int)lb_rng_below(rng, (*next)++, LONGEST - 1);
        for (int i = sum = 0; i < list.length;) {
            int other = 0;
            list.number[i] = (int)lb_rng_below(rng, (*next)++, NUMBERS);
            while (list.number[other] != list.number[i]) other++;
            if (other == i) sum += list.number[i++];
        }
    } while ((sum % SPLIT == 0) != held_out);
    return list;
}

/* The place of a number in the sorted list. */
static int rank_of(const number_list *list, int number)
{
    int rank = 0;
    for (int i = 0; i < list->length; i++) rank += list->number[i] < number;
    return rank;
}

static lb_batch batch_of(lb_tape *tape, const number_list *list, int count)
{
    lb_batch batch = {.weights = NULL};
    int32_t *source, *in, *out, *lengths[3];
    batch.source = lb_tokens_new(tape, count, LONGEST, &source, &lengths[0]);
    batch.target_in = lb_tokens_new(tape, count, WITH_END, &in, &lengths[1]);
    batch.target_out = lb_tokens_new(tape, count, WITH_END, &out, &lengths[2]);
    if (lb_tape_status(tape)) return batch;
    for (int i = 0; i < count; i++, source += LONGEST, in += WITH_END, out += WITH_END) {
        int length = list[i].length;
        lengths[0][i] = length;
        lengths[1][i] = lengths[2][i] = length + 1;
        in[0] = LB_BOS;
        out[length] = LB_EOS;
        for (int k = 0; k < length; k++) {
            int rank = rank_of(&list[i], list[i].number[k]);
            source[k] = out[rank] = in[rank + 1] = list[i].number[k] + LB_FIRST_TOKEN;
        }
    }
    return batch;
}

/* Held out, too: its sum is 253. */
static const number_list shown = {{63, 17, 42, 8, 91, 32}, 6};

/* ---- The model. ---- */

/* Shared by all parts of the lesson. */
typedef struct lesson {
    lb_params *params;
    lb_tape *tape;
    lb_transformer model;
    number_list held_out[HELD_OUT]; /* the first one is shown */
    lb_real weight[HELD_OUT][WITH_END][LONGEST], lost[HELD_OUT][WITH_END][LONGEST]; /* by erasure */
    const char *folder;
    lb_error error;
} lesson;

static lb_status learn(lesson *l)
{
    lb_transformer_config config = {.source_vocab = LB_FIRST_TOKEN + NUMBERS,
                                    .target_vocab = LB_FIRST_TOKEN + NUMBERS,
                                    .width = WIDTH,
                                    .layers = 1,
                                    .heads = 1,
                                    .positions = LB_POSITIONAL_NONE,
                                    .no_self_attention = true,
                                    .no_feed_forward = true};
    lb_transformer_init(&l->model, l->params, "", config);
    lb_optimizer *adam = lb_optimizer_new(l->params, (lb_optimizer_config){.clip_norm = 1});
    lb_schedule schedule = {.kind = LB_SCHEDULE_COSINE, .lr = 1e-2, .period = STEPS};
    lb_status status = LB_OK;
    uint64_t next = 0;
    for (int step = 0; step < STEPS && !status; step++) {
        number_list list[BATCH];
        for (int i = 0; i < BATCH; i++) list[i] = draw_list("train", &next, false);
        lb_tape_reset(l->tape);
        lb_batch batch = batch_of(l->tape, list, BATCH);
        lb_tensor *logits = lb_transformer_forward(&l->model, batch.source, batch.target_in);
        status = lb_backward(lb_cross_entropy(logits, batch.target_out, LB_PAD), &l->error);
        lb_optimizer_set_lr(adam, (lb_real)lb_schedule_lr(&schedule, step));
        if (!status) status = lb_optimizer_step(adam, &l->error);
    }
    lb_optimizer_free(adam);
    lb_tape_set_mode(l->tape, LB_MODE_EVALUATE);
    return status;
}

/* ---- The circuits, from the weights alone. ---- */

/* All numbers, as one list. */
static lb_tokens all_numbers(lesson *l)
{
    int32_t id[NUMBERS];
    for (int i = 0; i < NUMBERS; i++) id[i] = i + LB_FIRST_TOKEN;
    return lb_tokens_from(l->tape, id, NULL, 1, NUMBERS);
}

/* Their vectors, as the layers read them. */
static lb_tensor *vectors_of(lesson *l, const lb_embedding *embedding, const lb_layer_norm *norm)
{
    lb_tensor *x = lb_scale(lb_embedding_forward(embedding, all_numbers(l)), (lb_real)sqrt(WIDTH));
    return lb_reshape(lb_layer_norm_forward(norm, x), LB_SHAPE(NUMBERS, WIDTH));
}

enum { QUERY, KEY, VALUE }; /* their weights are below each other */

static lb_tensor *project(const lesson *l, lb_tensor *x, int64_t which)
{
    const lb_multi_head *head = &l->model.decoder.layer[0].cross;
    lb_tensor *weight = lb_slice(lb_on_tape(l->tape, head->packed_weight), 0, which * WIDTH, WIDTH);
    lb_tensor *bias = lb_slice(lb_on_tape(l->tape, head->packed_bias), 0, which * WIDTH, WIDTH);
    return lb_affine(x, weight, bias);
}

/* [last number written, number of the list]: its score. */
static lb_tensor *qk_circuit(lesson *l)
{
    lb_tensor *read = vectors_of(l, &l->model.target_embedding, &l->model.decoder.layer[0].norm[1]);
    lb_tensor *seen = vectors_of(l, &l->model.source_embedding, &l->model.encoder.norm);
    lb_tensor *query = project(l, read, QUERY), *key = project(l, seen, KEY);
    return lb_scale(lb_matmul_transposed(query, false, key, true), (lb_real)(1 / sqrt(WIDTH)));
}

/* [number of the list, number to write]: what looking at the one adds to the logit of the other. The last norm divides
 * all of it by one number, which is different in each step, and left out here. */
static lb_tensor *ov_circuit(lesson *l)
{
    lb_tensor *seen = vectors_of(l, &l->model.source_embedding, &l->model.encoder.norm);
    lb_tensor *x = lb_linear_forward(&l->model.decoder.layer[0].cross.output, project(l, seen, VALUE));
    x = lb_mul(lb_sub(x, lb_mean_keep(x, -1)), lb_on_tape(l->tape, l->model.decoder.norm.weight));
    lb_tensor *logits = lb_matmul_transposed(x, false, lb_on_tape(l->tape, l->model.output.weight), true);
    return lb_slice(logits, 1, LB_FIRST_TOKEN, NUMBERS);
}

/* ---- The head at work. ---- */

/* Keeps the value of one point of the model, and changes it: another takes its place, or it is multiplied. */
typedef struct look {
    const char *point;
    lb_tensor *seen, *instead, *times;
} look;

static lb_tensor *look_at(void *context, const lb_watch_point *point, lb_tensor *value)
{
    look *at = context;
    if (strcmp(point->name, at->point) != 0) return NULL;
    at->seen = value;
    return at->times ? lb_mul(value, at->times) : at->instead;
}

/* The log-probability of each symbol after each correct one: [lists, steps, symbols]. */
static lb_tensor *run(lesson *l, lb_batch batch, look *at)
{
    lb_watch(l->tape, (lb_watcher){look_at, at});
    lb_tensor *logits = lb_transformer_forward(&l->model, batch.source, batch.target_in);
    lb_watch(l->tape, (lb_watcher){0});
    return lb_log_softmax(logits);
}

static lb_batch begin_run(lesson *l)
{
    lb_tape_reset(l->tape);
    return batch_of(l->tape, l->held_out, HELD_OUT);
}

static lb_status end_run(lesson *l)
{
    lb_status status = lb_tape_status(l->tape);
    return status ? lb_error_set(&l->error, status, "%s", lb_tape_error(l->tape)) : LB_OK;
}

static int32_t written(const lb_tensor *found, int64_t step)
{
    return lb_argmax(found->data + step * lb_dim(found, 2), lb_dim(found, 2));
}

/* Multiplies one point, and prints how many lists are still sorted without a mistake. */
static lb_status change(lesson *l, const char *what, const char *point, lb_real factor)
{
    lb_batch batch = begin_run(l);
    look at = {.point = point, .times = lb_tensor_new(l->tape, LB_SHAPE(1), &factor)};
    const lb_tensor *found = run(l, batch, &at);
    lb_status status = end_run(l);
    int sorted = 0;
    for (int64_t i = 0; i < HELD_OUT && !status; i++) {
        int64_t k = i * WITH_END, end = k + batch.target_out.lengths[i];
        while (k < end && written(found, k) == batch.target_out.id[k]) k++;
        sorted += k == end;
    }
    if (!status) printf("measured: %-24s %5.3f\n", what, (double)sorted / HELD_OUT);
    return status;
}

/* Keeps the weights of each step, and the log-probability that it loses if the embedding of one number is 0. */
static lb_status look_and_erase(lesson *l)
{
    static lb_real whole[HELD_OUT * WITH_END];
    lb_status status = LB_OK;
    for (int position = -1; position < LONGEST && !status; position++) {
        lb_batch batch = begin_run(l);
        look at = {.point = position < 0 ? "cross.weights" : "encoder.embedding"};
        lb_real times[LONGEST];
        for (int j = 0; j < LONGEST; j++) times[j] = j != position;
        if (position >= 0) at.times = lb_tensor_new(l->tape, LB_SHAPE(1, LONGEST, 1), times);
        const lb_tensor *found = run(l, batch, &at);
        status = end_run(l);
        for (int64_t i = 0; i < (int64_t)HELD_OUT * WITH_END && !status; i++) {
            lb_real now = found->data[i * lb_dim(found, 2) + batch.target_out.id[i]];
            if (position < 0) whole[i] = now;
            if (position >= 0) l->lost[i / WITH_END][i % WITH_END][position] = whole[i] - now;
        }
        if (position < 0 && !status) memcpy(l->weight, at.seen->data, sizeof l->weight);
    }
    return status;
}

/* Do weights and erasure point at the number that is written? */
static void print_agreement(const lesson *l)
{
    int steps = 0, looks = 0, needs = 0;
    double share = 0;
    for (int i = 0; i < HELD_OUT; i++) {
        const number_list *list = &l->held_out[i];
        for (int j = 0; j < list->length; j++, steps++) {
            int step = rank_of(list, list->number[j]);
            share += (double)l->weight[i][step][j];
            looks += lb_argmax(l->weight[i][step], list->length) == j;
            needs += lb_argmax(l->lost[i][step], list->length) == j;
        }
    }
    printf("measured: the number that is written has %.2f of the weight, and the largest in %.1f %%\n",
           share / steps, 100. * looks / steps);
    printf("measured: its erasure costs most in %.1f %%\n", 100. * needs / steps);
}

/* Patching: each step gets the query of the step before or after it. Does it write what that step writes? */
static lb_status patch(lesson *l, const char *what, int shift)
{
    static int32_t other[HELD_OUT * WITH_END];
    int steps = 0, same = 0;
    lb_batch batch = begin_run(l);
    look at = {.point = "cross.query"};
    for (int i = 0; i < batch.target_in.batch * WITH_END; i++) {
        int step = i % WITH_END, length = batch.target_in.lengths[i / WITH_END];
        bool moves = step < length && step + shift >= 0 && step + shift < length;
        other[i] = batch.target_in.id[moves ? i + shift : i];
    }
    lb_tokens target = lb_tokens_from(l->tape, other, NULL, HELD_OUT, WITH_END);
    run(l, (lb_batch){.source = batch.source, .target_in = target}, &at);
    at.instead = at.seen;
    const lb_tensor *found = run(l, batch, &at);
    lb_status status = end_run(l);
    if (!status) printf("measured: asked %-18s", what);
    for (int i = 0; i < HELD_OUT * WITH_END && !status; i++) {
        bool moved = other[i] != batch.target_in.id[i];
        steps += moved;
        same += moved && written(found, i) == batch.target_out.id[i + shift];
        if (i + 1 < shown.length) printf(" %d", written(found, i) - LB_FIRST_TOKEN);
    }
    if (!status) printf(" ... as that step in %.1f %%\n", 100. * same / steps);
    return status;
}

static const char *figure(const lesson *l, const char *what)
{
    static char path[512];
    snprintf(path, sizeof path, "%s/12_head_%s_measured.png", l->folder, what);
    return path;
}

/* The mean over all pairs in which the second number is the first plus `first` to `last`. */
static double mean_of(const double *circuit, int first, int last)
{
    double sum = 0;
    int count = 0;
    for (int i = 0; i < NUMBERS * NUMBERS; i++) {
        int above = i % NUMBERS - i / NUMBERS;
        bool counts = above >= first && above <= last;
        sum += counts ? circuit[i] : 0;
        count += counts;
    }
    return sum / count;
}

/* Draws both, and compares the first with what the model computes. */
static lb_status show_circuits(lesson *l)
{
    lb_tape_reset(l->tape);
    lb_tensor *qk = qk_circuit(l), *ov = ov_circuit(l);
    look at = {.point = "cross.scores"};
    run(l, (lb_batch){.source = all_numbers(l), .target_in = all_numbers(l)}, &at);
    lb_status status = end_run(l);
    double most = 0;
    lb_heatmap maps[2] = {{.title = "QK: What the Head Looks For",
                           .x_label = "number of the list",
                           .y_label = "last number written",
                           .bar_label = "score"},
                          {.title = "OV: What the Head Says of a Number",
                           .x_label = "number to write",
                           .y_label = "number of the list",
                           .bar_label = "logit, up to a factor"}};
    if (!status) printf("%-20s 10 below  the same  10 above  further\n", "");
    for (int m = 0; m < 2 && !status; m++) {
        const double *values = maps[m].values = lb_doubles(m ? ov : qk);
        maps[m].rows = maps[m].columns = NUMBERS;
        maps[m].range = LB_RANGE_DATA;
        maps[m].colormap = LB_COLORMAP_VIRIDIS;
        maps[m].cell = 4.5;
        printf("measured: %-10s %8.2f  %8.2f  %8.2f %8.2f\n", m ? "OV" : "QK", mean_of(values, -10, -1),
               mean_of(values, 0, 0), mean_of(values, 1, 10), mean_of(values, 11, NUMBERS));
        status = lb_heatmap_save(&maps[m], figure(l, m ? "ov" : "qk"), &l->error);
    }
    for (int i = 0; i < NUMBERS * NUMBERS && !status; i++)
        most = fmax(most, fabs((double)(at.seen->data[i] - qk->data[i])));
    if (!status) printf("measured: scores of the model differ from QK by %.6f at most\n", most);
    return status;
}

/* Where the head looks, and what it needs; in one list, also as a picture. */
static lb_status show_needs(lesson *l)
{
    enum { ROWS = 7, COLUMNS = 6 };
    static const char *const columns[COLUMNS] = {"63", "17", "42", "8", "91", "32"};
    static const char *const rows[ROWS] = {"8", "17", "32", "42", "63", "91", "end"};
    double values[2][ROWS * COLUMNS];
    lb_heatmap maps[2] = {
        {.title = "Attention", .bar_label = "weight", .range = LB_RANGE_UNIT},
        {.title = "Erasure", .bar_label = "log-probability lost", .range = LB_RANGE_SIGNED}};
    lb_panel panels[2];
    print_agreement(l);
    for (int m = 0; m < 2; m++) {
        for (int i = 0; i < ROWS * COLUMNS; i++)
            values[m][i] = (double)(m ? l->lost : l->weight)[0][i / COLUMNS][i % COLUMNS];
        maps[m].values = values[m];
        maps[m].rows = ROWS;
        maps[m].columns = COLUMNS;
        maps[m].row_labels = rows;
        maps[m].column_labels = columns;
        maps[m].x_label = "input";
        maps[m].y_label = "output";
        maps[m].slant = LB_LABEL_FLAT;
        panels[m] = lb_heatmap_panel(&maps[m]);
    }
    return lb_figure_save(&(lb_figure){.panels = panels, .count = 2}, figure(l, "list"), &l->error);
}

int main(int argc, char **argv)
{
    static lesson l;
    uint64_t next = 0;
    l.folder = argc > 1 ? argv[1] : ".";
    lb_set_threads(1); /* the model is too small to share */
    l.params = lb_params_new(1);
    l.tape = lb_tape_new();
    for (int i = 0; i < HELD_OUT; i++) l.held_out[i] = i ? draw_list("test", &next, true) : shown;
    lb_status status = learn(&l);
    printf("%-34s lists sorted\n", "");
    if (!status) status = change(&l, "as it is", "cross.context", 1);
    if (!status) status = change(&l, "the head switched off", "cross.context", 0);
    if (!status) status = change(&l, "even weights", "cross.scores", 0);
    if (!status) status = change(&l, "the largest weight alone", "cross.scores", 1000);
    if (!status) status = show_circuits(&l);
    if (!status) status = look_and_erase(&l);
    if (!status) status = show_needs(&l);
    if (!status) status = patch(&l, "as one step later", 1);
    if (!status) status = patch(&l, "as one step before", -1);
    if (status) fprintf(stderr, "%s\n", l.error.message);
    lb_tape_free(l.tape);
    lb_params_free(l.params);
    return status != LB_OK;
}
