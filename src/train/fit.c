/* Training on arrays in one call: the loop is lb_train, and the data are examples. */
#include "base/alloc.h"
#include "base/buffer.h"
#include "base/bytes.h"
#include "train/examples.h"
#include "train/optimizer.h"

#include <math.h>
#include <stdlib.h>

static const double LR = 3e-3, HELD_OUT = 0.1;

enum { BATCH = 32, EPOCHS = 20, FEW = 10 };

typedef struct fit {
    lb_examples examples;
    lb_fit_config config;
    int64_t *order; /* [count]: the examples that are held out, then those of the epoch in their order */
    int64_t held, trained;  /* examples */
    int64_t batches, epoch; /* of an epoch; whose order is here, -1: none */
} fit;

/* Fisher-Yates shuffle; each step has its own random number. */
static void shuffle(int64_t *number, int64_t count, lb_rng rng)
{
    for (int64_t i = count - 1; i > 0; i--) {
        int64_t other = (int64_t)lb_rng_below(rng, (uint64_t)i, (uint64_t)i + 1), kept = number[i];
        number[i] = number[other];
        number[other] = kept;
    }
}

/* The order of an epoch follows from the seed and the epoch alone. */
static void begin_epoch(fit *f, int64_t epoch)
{
    lb_rng rng = {f->config.seed, lb_rng_stream("order of examples"), (uint32_t)epoch};
    int64_t *trained = f->order + f->held;
    qsort(trained, (size_t)f->trained, sizeof *trained, lb_compare_whole);
    shuffle(trained, f->trained, rng);
    f->epoch = epoch;
}

/* Counts the labels, and those that are the likeliest class. */
static void count_right(const lb_tensor *logits, lb_tokens labels, int64_t *counted, int64_t *right)
{
    int64_t classes = lb_dim(logits, -1);
    for (int64_t i = 0; i < labels.batch * labels.length; i++) {
        if (labels.id[i] == LB_NO_LABEL) continue;
        ++*counted;
        *right += lb_argmax(logits->data + i * classes, classes) == labels.id[i];
    }
}

static lb_tensor *loss_of(const fit *f, const lb_example_batch *batch, lb_tensor **output)
{
    *output = f->config.apply(f->config.model, batch->input);
    return f->examples.values ? lb_mean_squared_error(*output, batch->values)
                              : lb_cross_entropy(*output, batch->labels, LB_NO_LABEL);
}

static lb_tensor *loss_of_step(void *context, lb_tape *tape, int64_t step, int64_t *tokens)
{
    fit *f = context;
    lb_tensor *output;
    int64_t first = step % f->batches * f->config.batch, left = f->trained - first;
    if (step / f->batches != f->epoch) begin_epoch(f, step / f->batches);
    int64_t count = left < f->config.batch ? left : f->config.batch;
    lb_example_batch batch = lb_examples_batch(&f->examples, tape, f->order + f->held + first, count);
    *tokens += count;
    return loss_of(f, &batch, &output);
}

static lb_status evaluate_examples(void *context, lb_tape *tape, lb_evaluation *found)
{
    fit *f = context;
    int64_t all = f->held ? f->held : f->trained, counted = 0, right = 0, weight = 0;
    double sum = 0;
    lb_tape_set_mode(tape, LB_MODE_EVALUATE);
    for (int64_t first = 0; first < all && !lb_tape_status(tape); first += f->config.batch) {
        int64_t count = all - first < f->config.batch ? all - first : f->config.batch, before = counted;
        lb_tensor *output;
        lb_tape_reset(tape);
        lb_example_batch batch = lb_examples_batch(&f->examples, tape, f->order + first, count);
        lb_tensor *loss = loss_of(f, &batch, &output);
        if (!lb_is_sound(loss)) break;
        if (!f->examples.values) count_right(output, batch.labels, &counted, &right);
        int64_t share = f->examples.values ? count : counted - before;
        sum += (double)lb_item(loss) * (double)share;
        weight += share;
    }
    lb_tape_set_mode(tape, LB_MODE_TRAIN);
    found->loss = weight > 0 ? sum / (double)weight : NAN;
    if (counted > 0) found->exact_match = (double)right / (double)counted;
    return lb_tape_status(tape);
}

/* What says how well a model predicts numbers, or text, is its loss; labels are right or wrong. */
static bool has_less_loss(const lb_evaluation *a, const lb_evaluation *b)
{
    return a->loss < b->loss;
}

static lb_status tell(void *context, const lb_event *event, lb_error *error)
{
    const fit *f = context;
    return f->config.tell(f->config.context, event, error);
}

static bool is_stopped(void *context)
{
    const fit *f = context;
    return f->config.stop(f->config.context);
}

static lb_status fill_in_defaults(lb_fit_config *c, lb_error *error)
{
    if (!c->apply) return lb_error_set(error, LB_ERROR_ARGUMENT, "apply: found NULL, expected a function");
    if (c->batch < 0 || c->epochs < 0 || c->patience < 0 || !(c->held_out < 1))
        return lb_error_set(
            error, LB_ERROR_ARGUMENT,
            "found batch %lld, epochs %lld, patience %lld and held_out %g, expected 0 or more, and "
            "held_out less than 1",
            (long long)c->batch, (long long)c->epochs, (long long)c->patience, c->held_out);
    if (c->batch == 0) c->batch = BATCH;
    if (c->epochs == 0) c->epochs = EPOCHS;
    if (c->held_out == 0) c->held_out = HELD_OUT;
    if (c->optimizer.lr == 0) c->optimizer.lr = (lb_real)LR;
    return LB_OK;
}

static lb_status divide(fit *f, lb_error *error)
{
    int64_t count = f->examples.count;
    f->order = lb_alloc((size_t)count * sizeof *f->order);
    if (!f->order)
        return lb_error_set(error, LB_ERROR_MEMORY, "out of memory for %lld examples", (long long)count);
    for (int64_t i = 0; i < count; i++) f->order[i] = i;
    if (f->config.held_out > 0 && count >= FEW) {
        shuffle(f->order, count, (lb_rng){f->config.seed, lb_rng_stream("held-out examples"), 0});
        f->held = (int64_t)(f->config.held_out * (double)count);
        if (f->held < 1) f->held = 1;
    }
    f->trained = count - f->held;
    f->batches = (f->trained + f->config.batch - 1) / f->config.batch;
    f->epoch = -1;
    return LB_OK;
}

/* The names of the parameters that are not trained. */
static void print_frozen(lb_buffer *json, const lb_params *params)
{
    lb_buffer names = {0};
    for (int64_t i = 0; i < lb_params_count(params); i++)
        if (!lb_params_tensor(params, i)->requires_grad)
            lb_buffer_print(&names, "%s%s", names.text ? " " : "", lb_params_name(params, i));
    lb_json_string(json, "frozen", names.text ? names.text : "");
    json->failed = json->failed || names.failed;
    lb_release(names.text);
}

/* Everything that decides the result, but for the epochs, of which there can be more, and for the model. NULL if there
 * is no memory. */
static char *identity_of(const fit *f, const lb_params *params)
{
    const lb_fit_config *c = &f->config;
    lb_buffer json = {0};
    lb_buffer_print(&json, "{\"examples\":\"%016llx\",\"seed\":\"%llu\"",
                    (unsigned long long)lb_examples_hash(&f->examples), (unsigned long long)c->seed);
    lb_json_whole(&json, "batch", c->batch);
    lb_json_whole(&json, "held_out", f->held);
    lb_json_whole(&json, "patience", c->patience);
    lb_json_whole(&json, "precision", (int64_t)sizeof(lb_real));
    print_frozen(&json, params);
    lb_optimizer_print(&json, c->optimizer);
    lb_buffer_print(&json, "}");
    return lb_buffer_end(&json);
}

static lb_status train_on_examples(fit *f, lb_params *params, lb_evaluation *found, lb_error *error)
{
    lb_train_history history = {0};
    int64_t steps = f->config.epochs * f->batches;
    char *run = identity_of(f, params);
    const lb_trainer_config trainer = {
        .params = params,
        .context = f,
        .loss = loss_of_step,
        .evaluate = evaluate_examples,
        .is_better = f->examples.labels || f->examples.tags ? NULL : has_less_loss,
        .tell = f->config.tell ? tell : NULL,
        .stop = f->config.stop ? is_stopped : NULL,
        .steps = steps,
        .evaluate_every = f->batches,
        .patience = f->config.patience,
        .keep_best = f->held > 0,
        .schedule = {.kind = LB_SCHEDULE_COSINE,
                     .lr = (double)lb_optimizer_with_defaults(f->config.optimizer).lr,
                     .period = steps},
        .optimizer = f->config.optimizer,
        .seed = f->config.seed,
        .checkpoint = f->config.checkpoint,
        .fresh = f->config.fresh,
        .run = run};
    lb_status status = run ? lb_train(trainer, &history, error) : lb_no_memory(error, "training");
    const lb_train_point *kept = status        ? NULL
                                 : f->held > 0 ? lb_train_best(&history)
                                               : lb_train_last(&history);
    if (kept && found) *found = kept->dev;
    lb_release(history.points);
    lb_release(run);
    return status;
}

lb_status lb_fit(lb_params *params, lb_examples examples, lb_fit_config config, lb_evaluation *found,
                 lb_error *error)
{
    fit f = {.examples = examples, .config = config};
    if (found) *found = (lb_evaluation){0};
    lb_status status = lb_params_status(params);
    if (status) return lb_error_set(error, status, "%s", lb_params_error(params));
    status = fill_in_defaults(&f.config, error);
    if (!status) status = lb_examples_check(&f.examples, error);
    if (!status) status = divide(&f, error);
    if (!status) status = train_on_examples(&f, params, found, error);
    lb_release(f.order);
    return status;
}
