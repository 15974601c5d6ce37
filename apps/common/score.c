#include "common/score.h"

#include "base/alloc.h"
#include "base/buffer.h"
#include "data/symbols.h"

#include <stdio.h>

enum { FIRST_CAPACITY = 1024 };

lb_status app_score_open(app_score *score, lb_error *error)
{
    *score = (app_score){.symbols = lb_vocabulary_new_reserved(error)};
    return score->symbols ? LB_OK : LB_ERROR_MEMORY;
}

void app_score_close(app_score *score)
{
    lb_vocabulary_free(score->symbols);
    lb_release(score->rows);
    lb_release(score->ids);
    lb_confusions_free(&score->confusions);
    *score = (app_score){0};
}

static lb_status out_of_memory(const app_score *score, lb_error *error)
{
    return lb_error_set(error, LB_ERROR_MEMORY, "out of memory for %lld outputs",
                        (long long)score->count + 1);
}

/* Room for the ids of `needed` symbols. */
static bool reserve_ids(app_score *score, size_t needed)
{
    if (needed <= score->room) return true;
    lb_release(score->ids);
    score->ids = lb_alloc(2 * needed * sizeof *score->ids);
    score->room = score->ids ? 2 * needed : 0;
    return score->ids;
}

static bool reserve_row(app_score *score)
{
    if (score->count < score->capacity) return true;
    int64_t capacity = score->capacity ? 2 * score->capacity : FIRST_CAPACITY;
    lb_statistics *grown =
        lb_alloc_grow(score->rows, (size_t)score->count * sizeof *grown, (size_t)capacity * sizeof *grown);
    if (!grown) return false;
    score->rows = grown;
    score->capacity = capacity;
    return true;
}

/* Ids at `id` for symbols, all of which have one afterwards. */
static lb_status encode(app_score *score, const lb_symbols *symbols, int32_t *id, lb_error *error)
{
    lb_status status = lb_vocabulary_add(score->symbols, symbols->symbol, symbols->count, error);
    if (!status)
        lb_vocabulary_encode(score->symbols, symbols->symbol, symbols->count, id, (int32_t)symbols->count);
    return status;
}

static lb_status add(app_score *score, lb_sequence output, lb_sequence reference, lb_error *error)
{
    if (!reserve_row(score)) return out_of_memory(score, error);
    lb_status status = lb_statistics_of(output, &reference, 1, &score->rows[score->count], NULL, error);
    if (!status) status = lb_confusions_add(&score->confusions, reference, output, error);
    if (!status) score->count++;
    return status;
}

lb_status app_score_add(app_score *score, const lb_symbols *output, const lb_symbols *reference,
                        lb_error *error)
{
    if (!reserve_ids(score, output->count + reference->count)) return out_of_memory(score, error);
    int32_t *ids = score->ids, *more = ids + output->count;
    lb_status status = encode(score, output, ids, error);
    if (!status) status = encode(score, reference, more, error);
    return status ? status
                  : add(score, (lb_sequence){ids, (int64_t)output->count},
                        (lb_sequence){more, (int64_t)reference->count}, error);
}

/* One measure with its interval. */
typedef struct line {
    const char *name, *key, *unit;
    double value, low, high;
} line;

enum { LINES = 3 };

static lb_status measure(const app_score *score, uint64_t seed, line lines[LINES], lb_error *error)
{
    lb_intervals ends;
    lb_statistics sum = {0};
    lb_status status =
        lb_bootstrap(score->rows, score->count, (lb_bootstrap_config){.seed = seed}, &ends, error);
    if (status) return status;
    for (int64_t i = 0; i < score->count; i++) lb_statistics_add(&sum, &score->rows[i]);
    lb_measures all = lb_measure(&sum, (lb_bleu_config){0}), low = ends.low, high = ends.high;
    lines[0] = (line){"word error rate",   "word_error_rate",   " %",
                      all.word_error_rate, low.word_error_rate, high.word_error_rate};
    lines[1] = (line){"symbol error rate",   "symbol_error_rate",   " %",
                      all.symbol_error_rate, low.symbol_error_rate, high.symbol_error_rate};
    lines[2] = (line){"BLEU", "bleu", "", all.bleu, low.bleu, high.bleu};
    return LB_OK;
}

/* NULL for no symbol at all. */
static const char *symbol_of(const app_score *score, int32_t id)
{
    return id == LB_NO_SYMBOL ? NULL : lb_vocabulary_symbol(score->symbols, id);
}

static void print_text(const app_score *score, const line *lines, int64_t confusions)
{
    static const char none[] = "(nothing)";
    printf("%-18s %8lld\n", "pairs", (long long)score->count);
    if (score->skipped > 0) printf("%-18s %8lld\n", "skipped lines", (long long)score->skipped);
    for (int i = 0; i < LINES; i++)
        printf("%-18s %8.2f%-2s  95 %% interval %.2f to %.2f\n", lines[i].name, lines[i].value, lines[i].unit,
               lines[i].low, lines[i].high);
    if (confusions > 0) printf("most frequent confusions, reference -> output\n");
    for (int64_t i = 0; i < confusions; i++) {
        const lb_confusion *c = &score->confusions.pair[i];
        const char *reference = symbol_of(score, c->reference), *output = symbol_of(score, c->output);
        printf("%8lld  %s -> %s\n", (long long)c->count, reference ? reference : none,
               output ? output : none);
    }
}

static void add_symbol(lb_buffer *json, const char *key, const char *symbol)
{
    lb_buffer_print(json, "\"%s\":", key);
    if (symbol)
        lb_buffer_json_string(json, symbol);
    else
        lb_buffer_print(json, "null");
}

static lb_status print_json(const app_score *score, const line *lines, int64_t confusions, lb_error *error)
{
    lb_buffer json = {0};
    lb_buffer_print(&json, "{\"pairs\":%lld,\"skipped_lines\":%lld", (long long)score->count,
                    (long long)score->skipped);
    for (int i = 0; i < LINES; i++)
        lb_buffer_print(&json, ",\"%s\":{\"value\":%.6f,\"low\":%.6f,\"high\":%.6f}", lines[i].key,
                        lines[i].value, lines[i].low, lines[i].high);
    lb_buffer_print(&json, ",\"confusions\":[");
    for (int64_t i = 0; i < confusions; i++) {
        const lb_confusion *c = &score->confusions.pair[i];
        lb_buffer_print(&json, i ? ",{" : "{");
        add_symbol(&json, "reference", symbol_of(score, c->reference));
        lb_buffer_print(&json, ",");
        add_symbol(&json, "output", symbol_of(score, c->output));
        lb_buffer_print(&json, ",\"count\":%lld}", (long long)c->count);
    }
    lb_buffer_print(&json, "]}");
    lb_status status = json.failed ? out_of_memory(score, error) : LB_OK;
    if (!status) puts(json.text);
    lb_release(json.text);
    return status;
}

lb_status app_score_print(app_score *score, int confusions, uint64_t seed, bool json, lb_error *error)
{
    line lines[LINES];
    lb_status status = measure(score, seed, lines, error);
    if (status) return status;
    lb_confusions_sort(&score->confusions);
    int64_t count = score->confusions.count < confusions ? score->confusions.count : confusions;
    if (json) return print_json(score, lines, count, error);
    print_text(score, lines, count);
    return LB_OK;
}
