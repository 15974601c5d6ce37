#include "data/pair_report.h"

#include "base/alloc.h"
#include "data/pair_oddities.h"
#include "data/pair_prints.h"
#include "data/pairs.h"
#include "lookback/tensor.h"

static lb_status out_of_memory(lb_error *error)
{
    return lb_error_set(error, LB_ERROR_MEMORY, "out of memory for a report on pairs");
}

static void count_shared(const lb_pair_print *train, const lb_pair_print *dev, lb_pair_report *report)
{
    int64_t count = lb_pairs_count(report->train.pairs);
    for (int64_t i = 0; i < lb_pairs_count(report->dev.pairs); i++) {
        const lb_pair_print *source = lb_pair_print_find(train, count, (lb_pair_print){dev[i].source, 0});
        if (source == train + count || source->source != dev[i].source) continue;
        report->shared_sources++;
        const lb_pair_print *pair = lb_pair_print_find(source, count - (source - train), dev[i]);
        report->shared_pairs += pair < train + count && lb_pair_print_compare(pair, &dev[i]) == 0;
    }
}

static lb_status measure_side(const lb_pairs *pairs, int64_t (*length)(const lb_pairs *, int64_t),
                              lb_side_report *side, lb_error *error)
{
    int64_t count = lb_pairs_count(pairs), before = 0;
    side->shortest = LB_PAIR_LONGEST;
    for (int64_t i = 0; i < count; i++) {
        int32_t found = (int32_t)length(pairs, i);
        side->shortest = found < side->shortest ? found : side->shortest;
        side->longest = found > side->longest ? found : side->longest;
    }
    int64_t *with = lb_alloc_zero(((size_t)side->longest + 1) * sizeof *with); /* pairs by length */
    if (!with) return out_of_memory(error);
    for (int64_t i = 0; i < count; i++) with[length(pairs, i)]++;
    for (side->median = 0; before + with[side->median] < (count + 1) / 2; side->median++)
        before += with[side->median];
    lb_release(with);
    return LB_OK;
}

static int64_t symbol_count(const lb_vocabulary *vocabulary)
{
    return vocabulary ? lb_vocabulary_size(vocabulary) - LB_FIRST_TOKEN : 0;
}

static lb_status measure(const lb_pairs *pairs, const lb_vocabulary *source, const lb_vocabulary *target,
                         lb_pair_file_report *report, lb_error *error)
{
    report->pairs = pairs;
    report->source.symbols = symbol_count(source);
    report->target.symbols = symbol_count(target);
    lb_status status = measure_side(pairs, lb_pairs_source_length, &report->source, error);
    return status ? status : measure_side(pairs, lb_pairs_target_length, &report->target, error);
}

/* Lists the symbols of one side of dev that are not in the vocabulary of train. */
static lb_status list_unseen(const lb_vocabulary *train, lb_unseen_report *report, lb_error *error)
{
    lb_vocabulary_sort(report->symbols, 1);
    int32_t size = lb_vocabulary_size(report->symbols);
    report->unseen = lb_alloc((size_t)size * sizeof *report->unseen);
    if (!report->unseen) return out_of_memory(error);
    for (int32_t id = LB_FIRST_TOKEN; train && id < size; id++) {
        const char *symbol = lb_vocabulary_symbol(report->symbols, id);
        if (lb_vocabulary_id(train, symbol) != LB_UNK) continue;
        int64_t times = lb_vocabulary_count(report->symbols, id);
        report->unseen[report->count++] = (lb_unseen_symbol){symbol, times};
        report->times += times;
    }
    return LB_OK;
}

static lb_status count_dev_symbols(lb_pairs *dev, lb_pair_report *report, lb_error *error)
{
    report->source.symbols = lb_vocabulary_new_reserved(error);
    report->target.symbols = report->source.symbols ? lb_vocabulary_new_reserved(error) : NULL;
    if (!report->target.symbols) return LB_ERROR_MEMORY;
    return lb_pairs_tally_symbols(dev, report->source.symbols, report->target.symbols, error);
}

static void compare_files(lb_pairs *dev, const lb_pair_print *train_prints, lb_pair_report *report,
                          lb_error *error)
{
    lb_pair_print *prints = lb_pair_prints_make(dev, error);
    if (!prints) return;
    report->dev.repetitions = lb_pair_prints_count(prints, lb_pairs_count(dev));
    count_shared(train_prints, prints, report);
    lb_release(prints);
}

lb_status lb_pair_report_make(lb_pairs *train, lb_pairs *dev, const lb_vocabulary *source,
                              const lb_vocabulary *target, lb_pair_report *report, lb_error *error)
{
    *report = (lb_pair_report){0};
    lb_error found = {0};
    lb_status status = measure(train, source, target, &report->train, &found);
    if (!status && dev) status = count_dev_symbols(dev, report, &found);
    if (!status && dev) status = list_unseen(source, &report->source, &found);
    if (!status && dev) status = list_unseen(target, &report->target, &found);
    if (!status && dev)
        status = measure(dev, report->source.symbols, report->target.symbols, &report->dev, &found);
    lb_pair_print *made = status || train->prints ? NULL : lb_pair_prints_make(train, &found);
    const lb_pair_print *prints = train->prints ? train->prints : made;
    if (!status && prints) {
        report->train.repetitions = lb_pair_prints_count(prints, lb_pairs_count(train));
        if (dev) compare_files(dev, prints, report, &found);
    }
    lb_release(made);
    report->maybe_swapped = dev && lb_pairs_count(dev) > lb_pairs_count(train);
    if (!status && source && target && lb_pair_oddities_find(train, source, target, &report->odd, &found))
        return lb_error_set(error, found.status, "%s", found.message);
    return found.status ? lb_error_set(error, found.status, "%s", found.message) : LB_OK;
}

void lb_pair_report_free(lb_pair_report *report)
{
    lb_release(report->source.unseen);
    lb_release(report->target.unseen);
    lb_vocabulary_free(report->source.symbols);
    lb_vocabulary_free(report->target.symbols);
    lb_strings_free(&report->odd);
    *report = (lb_pair_report){0};
}
