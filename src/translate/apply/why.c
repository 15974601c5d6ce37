/* What each symbol of an output depends on: erasure, gradient times input, and patching. The output is forced again,
 * with a watcher at the points of the model. The rows of a batch differ in one thing each, and are compared with its
 * first. */
#include "lookback/op.h"
#include "translate/apply/translator.h"
#include "translate/batches/batch.h"

#include <math.h>
#include <string.h>

enum { MOST = 1 << 23 /* approximate limit on the numbers of a batch */, MOST_PATCHED = 4096 };

/* A symbol that is impossible, as those of sparse probabilities can be, counts as this unlikely. */
static const double LEAST = -1e3;

/* An output of a text, and a batch with variations of it. */
typedef struct run {
    const lb_translate_job *job;
    const lb_model *model; /* a member of an ensemble, and its share */
    double share;
    const int32_t *source, *other; /* [length] of the text, and of the one to patch */
    const int32_t *target;         /* [steps] in reading order */
    int64_t length, symbols, steps;
    lb_tensor *(*vary)(struct run *run, const lb_watch_point *point, lb_tensor *value);
    int64_t rows, first; /* of the batch; number of the first variation in it */
    bool met;            /* whether the model has the embeddings, or needs none */
    lb_tensor *leaf;     /* the embeddings that get a gradient */
    lb_patched *patched; /* [patched_count] */
    int64_t patched_count;
} run;

/* Whoever watches the call does so here, too. */
static lb_tensor *watch(void *context, const lb_watch_point *point, lb_tensor *value)
{
    run *r = context;
    const lb_watcher *outer = &r->job->config.watch;
    lb_tensor *given = outer->watch ? outer->watch(outer->context, point, value) : NULL;
    if (given && !lb_is_sound(given)) return given;
    lb_tensor *varied = r->vary(r, point, given ? given : value);
    return varied ? varied : given;
}

static lb_tokens repeat(lb_tape *tape, int64_t rows, int64_t length, const int32_t *first,
                        const int32_t *others)
{
    int32_t *id, *lengths;
    lb_tokens tokens = lb_tokens_new(tape, rows, length, &id, &lengths);
    for (int64_t row = 0; row < tokens.batch; row++) {
        lengths[row] = (int32_t)length;
        memcpy(id + row * length, row ? others : first, (size_t)length * sizeof *id);
    }
    return tokens;
}

/* Runs a batch. `found` receives the log-probabilities of all symbols, [rows, steps, target_vocab], in the order in
 * which the model writes. */
static lb_status force(run *r, lb_mode mode, const int32_t *others, lb_tensor **found)
{
    const lb_translate_config *c = &r->job->config;
    lb_error *error = r->job->error;
    lb_tape *tape = r->job->tape;
    lb_tape_reset(tape);
    lb_tape_set_mode(tape, mode);
    lb_watch(tape, (lb_watcher){watch, r});
    lb_tokens source = repeat(tape, r->rows, r->length, r->source, others);
    lb_tokens target = repeat(tape, r->rows, r->steps, r->target, r->target);
    lb_tensor *logits = lb_model_forward(r->model, source, lb_target_in_of(r->model, target));
    *found = lb_written_log_probabilities(r->model, logits);
    lb_watch(tape, c->watch);
    lb_status status = lb_tape_status(tape);
    if (status) return lb_error_set(error, status, "%s", lb_tape_error(tape));
    if (c->stop && c->stop(c->context))
        return lb_error_set(error, LB_ERROR_INTERRUPTED, "interrupted between two runs of an output");
    if (r->met) return LB_OK;
    return lb_error_set(error, LB_ERROR_ARGUMENT,
                        "erasure and gradient: a model of kind \"%s\" has no point encoder.embedding",
                        r->model->kind->name);
}

static int64_t place_of(const run *r, int64_t row, int64_t step)
{
    int64_t written = r->model->from_end && step < r->symbols ? r->symbols - 1 - step : step;
    return (row * r->steps + written) * r->model->target_vocab + r->target[step];
}

static double log_probability(const run *r, const lb_tensor *found, int64_t row, int64_t step)
{
    return fmax((double)found->data[place_of(r, row, step)], LEAST);
}

/* How many of `left` variations fit into a batch, beside `fixed` rows. */
static int64_t batch_of(run *r, int64_t fixed, int64_t left)
{
    const lb_model *m = r->model;
    int64_t state = m->state_reals + m->layers * m->heads;
    int64_t row = r->steps * (4 * m->target_vocab + 4 * m->step_reals + r->length * state);
    int64_t most = MOST / row - fixed, count = most < 1 ? 1 : most < left ? most : left;
    r->rows = fixed + count;
    return count;
}

static bool is_embedding(run *r, const lb_watch_point *point)
{
    bool found = strcmp(point->name, "encoder.embedding") == 0;
    r->met = r->met || found;
    return found;
}

/* ---- Erasure: a symbol of the source has an embedding of zeros. ---- */

static lb_tensor *erase(run *r, const lb_watch_point *point, lb_tensor *value)
{
    if (!is_embedding(r, point)) return NULL;
    int64_t width = lb_dim(value, -1);
    lb_tensor *erased = lb_tensor_new(value->tape, value->shape, value->data);
    for (int64_t row = 1; row < r->rows && lb_is_sound(erased); row++)
        memset(erased->data + (row * r->length + r->first + row - 1) * width, 0,
               (size_t)width * sizeof *erased->data);
    return erased;
}

static lb_status measure_erasure(run *r, lb_real *erasure)
{
    lb_status status = LB_OK;
    lb_tensor *found;
    r->vary = erase;
    r->first = 0;
    for (int64_t count = 0; r->first < r->length && !status; r->first += count) {
        count = batch_of(r, 1, r->length - r->first);
        status = force(r, LB_MODE_EVALUATE, r->source, &found);
        for (int64_t i = 0; i < count * r->steps && !status; i++) {
            int64_t row = 1 + i / r->steps, step = i % r->steps;
            double lost = log_probability(r, found, 0, step) - log_probability(r, found, row, step);
            erasure[step * r->length + r->first + row - 1] += (lb_real)(r->share * lost);
        }
    }
    return status;
}

/* ---- Gradient times input: each row is asked for one step of the output. ---- */

static lb_tensor *put_leaf(run *r, const lb_watch_point *point, lb_tensor *value)
{
    if (!is_embedding(r, point)) return NULL;
    r->leaf = lb_tensor_new(value->tape, value->shape, value->data);
    if (lb_is_sound(r->leaf)) r->leaf->requires_grad = true;
    return r->leaf;
}

static lb_status flow_back(const run *r, lb_tensor *found, int64_t count)
{
    lb_tape *tape = r->job->tape;
    lb_real *cotangent = lb_tape_alloc(tape, (size_t)lb_count(found) * sizeof *cotangent);
    if (!cotangent) return lb_error_set(r->job->error, lb_tape_status(tape), "%s", lb_tape_error(tape));
    memset(cotangent, 0, (size_t)lb_count(found) * sizeof *cotangent);
    for (int64_t row = 0; row < count; row++) {
        int64_t at = place_of(r, row, r->first + row);
        cotangent[at] = isfinite((double)found->data[at]) ? 1 : 0; /* what is impossible does not change */
    }
    return lb_backward_from(found, cotangent, r->job->error);
}

static lb_status measure_gradient(run *r, lb_real *gradient)
{
    lb_status status = LB_OK;
    lb_tensor *found;
    r->vary = put_leaf;
    r->first = 0;
    for (int64_t count = 0; r->first < r->steps && !status; r->first += count) {
        count = batch_of(r, 0, r->steps - r->first);
        status = force(r, LB_MODE_EXPLAIN, r->source, &found);
        if (!status) status = flow_back(r, found, count);
        int64_t width = status ? 0 : lb_dim(r->leaf, -1);
        for (int64_t i = 0; i < count * r->length && !status && r->leaf->grad; i++) {
            const lb_real *x = r->leaf->data + i * width, *dx = r->leaf->grad + i * width;
            double sum = 0;
            for (int64_t k = 0; k < width; k++) sum += (double)x[k] * (double)dx[k];
            gradient[r->first * r->length + i] += (lb_real)(r->share * sum);
        }
    }
    return status;
}

/* ---- Patching: row 0 is the run of the text, row 1 that of the other one, and each further row is like row 1, but for
 * one point, which has the value of row 0. ---- */

static bool is_same(const lb_patched *patched, const char *name, int64_t layer, int64_t head)
{
    return strcmp(patched->name, name) == 0 && patched->layer == layer && patched->head == head;
}

/* The number of a point among those that are patched; a new one, if there is room. */
static int64_t number_of(const run *r, const lb_watch_point *point)
{
    int64_t at = 0;
    while (at < r->patched_count && !is_same(&r->patched[at], point->name, point->layer, point->head)) at++;
    return at;
}

static bool can_patch(const run *r, const lb_watch_point *point, const lb_tensor *value)
{
    return !point->fixed && strcmp(point->name, "logits") != 0 && value->shape.ndim > 0 &&
           lb_dim(value, 0) == r->rows;
}

static lb_tensor *list_point(run *r, const lb_watch_point *point, lb_tensor *value)
{
    if (!can_patch(r, point, value)) return NULL;
    int64_t at = number_of(r, point);
    if (at < r->patched_count || at == MOST_PATCHED) return NULL;
    r->patched_count++;
    r->patched[at] = (lb_patched){.layer = point->layer, .head = point->head};
    memcpy(r->patched[at].name, point->name, sizeof point->name);
    return NULL;
}

static lb_tensor *patch(run *r, const lb_watch_point *point, lb_tensor *value)
{
    enum { RUNS = 2 };
    if (!can_patch(r, point, value)) return NULL;
    int64_t row = RUNS + number_of(r, point) - r->first, count = lb_count(value) / r->rows;
    if (row < RUNS || row >= r->rows) return NULL;
    lb_tensor *patched = lb_tensor_new(value->tape, value->shape, value->data);
    if (lb_is_sound(patched))
        memcpy(patched->data + row * count, value->data, (size_t)count * sizeof *value->data);
    return patched;
}

/* Makes room for the points that were listed in an output. */
static lb_status keep_points(const run *r, const lb_patched *listed, lb_output *output)
{
    size_t count = (size_t)r->patched_count, steps = (size_t)r->steps;
    double *numbers = lb_keep_room(r->job, (count + 1) * steps, sizeof *numbers);
    output->patched = lb_keep_room(r->job, count, sizeof *output->patched);
    if (!output->patched || !numbers) return lb_keep_failed(r->job);
    memset(numbers, 0, (count + 1) * steps * sizeof *numbers);
    memcpy(output->patched, listed, count * sizeof *listed);
    output->lost = numbers;
    output->patched_count = r->patched_count;
    for (size_t i = 0; i < count; i++) output->patched[i].returned = numbers + (i + 1) * steps;
    return LB_OK;
}

/* Whether a member has the points of those before it, in their order. */
static bool has_points_of(const run *r, const lb_output *output)
{
    bool same = output->patched_count == r->patched_count;
    const lb_patched *own = r->patched, *other = output->patched;
    for (int64_t i = 0; same && i < r->patched_count; i++, own++, other++)
        same = is_same(own, other->name, other->layer, other->head);
    return same;
}

static lb_status list_points(run *r, lb_output *output)
{
    lb_patched *listed = lb_alloc(MOST_PATCHED * sizeof *listed);
    if (!listed) return lb_keep_failed(r->job);
    lb_tensor *found;
    r->rows = 2;
    r->met = true;
    r->vary = list_point;
    r->patched = listed;
    r->patched_count = 0;
    lb_status status = force(r, LB_MODE_EVALUATE, r->other, &found);
    if (!status && !output->patched)
        status = keep_points(r, listed, output);
    else if (!status && !has_points_of(r, output))
        status = lb_error_set(r->job->error, LB_ERROR_ARGUMENT,
                              "patch: the members of the model have different points, expected the same");
    lb_release(listed);
    r->patched = output->patched;
    return status;
}

static lb_status measure_patches(run *r, lb_output *output)
{
    lb_status status = list_points(r, output);
    lb_tensor *found;
    r->vary = patch;
    r->first = 0;
    for (int64_t count = 0; r->first < r->patched_count && !status; r->first += count) {
        count = batch_of(r, 2, r->patched_count - r->first);
        status = force(r, LB_MODE_EVALUATE, r->other, &found);
        for (int64_t step = 0; step < r->steps && !status; step++) {
            double corrupted = log_probability(r, found, 1, step);
            if (r->first == 0)
                output->lost[step] += r->share * (log_probability(r, found, 0, step) - corrupted);
            for (int64_t i = 0; i < count; i++)
                output->patched[r->first + i].returned[step] +=
                    r->share * (log_probability(r, found, 2 + i, step) - corrupted);
        }
    }
    return status;
}

/* ---- All of a call. ---- */

/* An ensemble has the mean of its members. */
static lb_status measure_model(run *r, const lb_model *model, double share, lb_output *output)
{
    const lb_ensemble *all = (const lb_ensemble *)model;
    lb_status status = LB_OK;
    for (int64_t i = 0; lb_is_ensemble(model) && i < all->count && !status; i++)
        status = measure_model(r, all->member[i], share * lb_ensemble_weight(all, i), output);
    if (lb_is_ensemble(model)) return status;
    r->model = model;
    r->share = share;
    r->met = false;
    if (output->erasure) status = measure_erasure(r, output->erasure);
    if (!status && output->gradient) status = measure_gradient(r, output->gradient);
    return status || !r->other ? status : measure_patches(r, output);
}

static lb_real *zeros(const lb_translate_job *j, int64_t count, lb_status *status)
{
    lb_real *made = lb_keep_room(j, (size_t)count, sizeof *made);
    if (made) memset(made, 0, (size_t)count * sizeof *made);
    if (!made) *status = lb_keep_failed(j);
    return made;
}

static lb_status measure_output(const lb_translate_job *j, const lb_translation *t, const int32_t *other,
                                lb_output *output)
{
    const lb_text_model *m = &j->translator->model;
    if (isnan(output->score) || output->steps == 0)
        return LB_OK; /* of the lexicon: the model cannot write it */
    int32_t *source = lb_keep_room(j, (size_t)t->length, sizeof *source);
    int32_t *target = lb_keep_room(j, (size_t)output->steps, sizeof *target);
    if (!source || !target) return lb_keep_failed(j);
    lb_vocabulary_encode(m->source, t->symbol, t->length, source, (int32_t)t->length);
    lb_vocabulary_encode(m->target, output->symbol, output->length, target, (int32_t)output->length);
    if (output->finished) target[output->length] = LB_EOS;
    lb_status status = LB_OK;
    int64_t cells = output->steps * t->length;
    if (j->config.erasure && t->length > 1) output->erasure = zeros(j, cells, &status);
    if (j->config.gradient && !status) output->gradient = zeros(j, cells, &status);
    run r = {.job = j,
             .source = source,
             .other = other,
             .target = target,
             .length = t->length,
             .symbols = output->length,
             .steps = output->steps};
    return status ? status : measure_model(&r, lb_translate_model(j->translator, &j->config), 1, output);
}

/* The ids of the text that a text is compared with. */
static lb_status read_other(lb_translate_job *j, int64_t number, int32_t **id)
{
    const lb_text_model *m = &j->translator->model;
    const lb_translation *t = &j->all->text[number];
    lb_error found = {0};
    const char *other = j->config.patch[number];
    if (!other) return LB_OK;
    lb_status status = lb_translate_split(j, &m->source_rule, other, &found);
    if (!status) lb_text_model_trim(m->source, &j->symbols);
    int64_t count = (int64_t)j->symbols.count;
    if (!status && count != t->length)
        status = lb_error_set(&found, LB_ERROR_FORMAT, "found %lld symbols, expected %lld, as the text has",
                              (long long)count, (long long)t->length);
    if (status)
        return lb_error_set(j->error, status, "text %lld to patch: %s", (long long)number, found.message);
    *id = lb_keep_room(j, (size_t)count, sizeof **id);
    if (!*id) return lb_keep_failed(j);
    lb_vocabulary_encode(m->source, j->symbols.symbol, count, *id, (int32_t)count);
    return LB_OK;
}

lb_status lb_why_add(lb_translate_job *j)
{
    const lb_translate_config *c = &j->config;
    lb_mode mode = lb_tape_mode(j->tape);
    lb_status status = LB_OK;
    if (!c->erasure && !c->gradient && !c->patch) return LB_OK;
    for (int64_t i = 0; i < j->all->count && !status; i++) {
        lb_translation *t = &j->all->text[i];
        int32_t *other = NULL;
        if (t->error || t->count == 0) continue;
        if (c->patch) status = read_other(j, i, &other);
        int64_t count = c->measured && c->measured < t->count ? c->measured : t->count;
        for (int64_t k = 0; k < count && !status; k++) status = measure_output(j, t, other, &t->output[k]);
    }
    lb_tape_set_mode(j->tape, mode);
    return status;
}
