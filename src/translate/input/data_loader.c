/* The batches of a training, of pairs in epochs or of lists that are drawn, and those that a model is measured on. */
#include "translate/input/data.h"

#include "base/buffer.h"
#include "data/lists/sort_task.h"
#include "data/pairs/pairs.h"
#include "lookback/op.h"
#include "translate/batches/batch.h"
#include "translate/batches/evaluate.h"
#include "translate/plan/recipe.h"

lb_status lb_data_loader_init(lb_data_loader *loader, lb_training_data *data,
                              const lb_training_config *config, uint64_t seed, int shards, lb_error *error)
{
    *loader =
        (lb_data_loader){.data = data, .batch = config->batch, .shards = shards, .task = data->text.task};
    loader->task.seed = seed;
    if (data->text.sorts) return LB_OK;
    loader->pair = lb_alloc((size_t)loader->batch * sizeof *loader->pair);
    if (!loader->pair)
        return lb_error_set(error, LB_ERROR_MEMORY, "out of memory for batches of %lld pairs",
                            (long long)loader->batch);
    loader->order = lb_pair_order_new(data->train, loader->batch, seed, error);
    return loader->order ? LB_OK : error->status;
}

void lb_data_loader_free(lb_data_loader *loader)
{
    lb_pair_order_free(loader->order);
    lb_release(loader->pair);
}

int64_t lb_data_loader_steps(const lb_data_loader *loader, const lb_training_config *config)
{
    if (!loader->order) return config->steps;
    return lb_recipe_steps(config, &loader->data->facts, lb_pair_order_batches(loader->order));
}

/* Lists are drawn, so that each part draws its own. */
static lb_batch draw_part(const lb_data_loader *loader, lb_tape *tape, int64_t step, int64_t shard)
{
    int64_t first = shard * loader->batch / loader->shards,
            end = (shard + 1) * loader->batch / loader->shards;
    if (first == end) return lb_batch_empty(tape);
    const lb_sort_task task = lb_sort_task_of_step(&loader->task, step);
    return lb_sort_batch_from(&task, LB_SPLIT_TRAIN, tape, end - first,
                              (uint64_t)(step * loader->batch + first));
}

/* What each pair of a part counts, divided so that the mean over the tokens of the step is 1, and its parts fit
 * together. NULL if all pairs count 1. */
static const lb_real *weigh(const lb_data_loader *loader, lb_tape *tape, lb_pair_step step, int64_t count)
{
    const lb_pairs *pairs = loader->data->train;
    double tokens = 0, weighted = 0;
    if (!pairs->weights) return NULL;
    for (int64_t i = 0; i < step.count; i++) {
        double written = (double)lb_pairs_target_length(pairs, step.pair[i]) + 1; /* and LB_EOS */
        tokens += written;
        weighted += written * (double)pairs->weights[step.pair[i]];
    }
    lb_real *weights = lb_tape_alloc(tape, (size_t)count * sizeof *weights);
    for (int64_t i = 0; weights && i < count; i++)
        weights[i] = (lb_real)((double)pairs->weights[loader->pair[i]] * tokens / weighted);
    return weights;
}

lb_batch lb_data_loader_batch(lb_data_loader *loader, lb_tape *tape, int64_t part)
{
    int64_t step = part / loader->shards, shard = part % loader->shards, count = 0;
    if (!loader->order) return draw_part(loader, tape, step, shard);
    lb_pair_step now = lb_pair_order_at(loader->order, step);
    for (int64_t i = shard; i < now.count; i += loader->shards) loader->pair[count++] = now.pair[i];
    if (count == 0) return lb_batch_empty(tape);
    lb_batch batch = lb_pair_batch(loader->data->train, loader->data->text.source, loader->data->text.target,
                                   tape, loader->pair, count);
    batch.weights = weigh(loader, tape, now, count);
    return batch;
}

lb_batch lb_data_loader_held_out(lb_data_loader *loader, lb_tape *tape, int64_t count, int64_t *number)
{
    int64_t all = loader->order ? lb_pairs_count(loader->data->dev.pairs) : count;
    count = count < all ? count : all;
    for (int64_t i = 0; i < count; i++) number[i] = i * all / count;
    if (!loader->order) return lb_sort_batch_from(&loader->task, LB_SPLIT_TEST, tape, count, 0);
    return lb_pair_batch(loader->data->dev.pairs, loader->data->text.source, loader->data->text.target, tape,
                         number, count);
}

lb_status lb_data_loader_measure(const lb_data_loader *loader, const lb_tested_pairs *on,
                                 const lb_model *model, lb_tape *tape, lb_tallies *tallies,
                                 lb_evaluation *found)
{
    const lb_training_data *d = loader->data;
    lb_sort_task task = on->task;
    task.seed = loader->task.seed;
    if (!on->pairs) return lb_sort_measure(model, &task, tape, on->sample.count, true, tallies, found);
    return lb_pair_evaluate(model, on->pairs, d->text.source, d->text.target, &on->sample, tape, tallies,
                            found);
}

/* Other tests make another log. */
static void print_tests(const lb_training_data *data, const lb_test *tests, lb_buffer *json)
{
    if (data->tests == 0) return;
    lb_json_key(json, "test");
    for (int i = 0; i < data->tests; i++) {
        const lb_tested_pairs *t = &data->test[i];
        lb_buffer_print(json, "%s%s %016llx", i ? ", " : "\"", tests[i].name,
                        t->pairs
                            ? (unsigned long long)t->pairs->facts.hash
                            : (unsigned long long)t->task.min_length << 32 | (uint32_t)t->task.max_length);
    }
    lb_buffer_print(json, "\"");
}

void lb_data_loader_print(const lb_data_loader *loader, const lb_test *tests, lb_buffer *json)
{
    char *task = loader->order ? NULL : lb_sort_task_print(&loader->task);
    if (loader->order) {
        lb_json_key(json, "train");
        lb_buffer_print(json, "\"%016llx\",\"dev\":\"%016llx\"",
                        (unsigned long long)loader->data->train->facts.hash,
                        (unsigned long long)loader->data->dev.pairs->facts.hash);
        if (loader->data->train->weights) lb_json_whole(json, "merged", loader->data->train->different);
    } else {
        lb_json_key(json, "task");
        lb_buffer_print(json, "%s", task ? task : "");
        json->failed = json->failed || !task;
    }
    print_tests(loader->data, tests, json);
    lb_release(task);
}
