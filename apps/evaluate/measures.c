#include "evaluate/measures.h"

#include "base/alloc.h"
#include "base/buffer.h"
#include "data/symbols.h"
#include "data/words.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

enum { FIRST_CAPACITY = 1024 };

lb_status app_score_open(app_score *score, const char *separator, lb_error *error)
{
    *score = (app_score){.symbols = lb_vocabulary_new_reserved(error),
                         .words = lb_vocabulary_new_reserved(error),
                         .characters = !separator || !*separator};
    return score->symbols && score->words ? LB_OK : LB_ERROR_MEMORY;
}

void app_score_close(app_score *score)
{
    lb_vocabulary_free(score->symbols);
    lb_vocabulary_free(score->words);
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

/* Writes the ids of symbols or words to `id`, and adds new ones to the vocabulary. */
static lb_status encode(lb_vocabulary *all, const char *const *symbols, size_t count, int32_t *id,
                        lb_error *error)
{
    lb_status status = lb_vocabulary_add(all, symbols, count, error);
    if (!status) lb_vocabulary_encode(all, symbols, count, id, (int32_t)count);
    return status;
}

static lb_status split_words(const lb_symbols *characters, lb_words *words, lb_error *error)
{
    char *text = lb_symbols_join(&(lb_symbol_rule){0}, characters->symbol, characters->count, error);
    lb_status status = text ? lb_words_split(text, words, error) : LB_ERROR_MEMORY;
    lb_release(text);
    return status;
}

static lb_status count_words(app_score *score, const lb_words *output, const lb_words *reference,
                             lb_error *error)
{
    if (!reserve_ids(score, output->count + reference->count)) return out_of_memory(score, error);
    int32_t *ids = score->ids, *more = ids + output->count;
    lb_status status = encode(score->words, output->word, output->count, ids, error);
    if (!status) status = encode(score->words, reference->word, reference->count, more, error);
    score->has_words |= reference->count > 1;
    if (status) return status;
    return lb_statistics_count_words((lb_sequence){ids, (int64_t)output->count},
                                     (lb_sequence){more, (int64_t)reference->count},
                                     &score->rows[score->count - 1], error);
}

/* Adds the words of the last row. */
static lb_status add_words(app_score *score, const lb_symbols *output, const lb_symbols *reference,
                           lb_error *error)
{
    lb_words written = {0}, wanted = {0};
    lb_status status = split_words(output, &written, error);
    if (!status) status = split_words(reference, &wanted, error);
    if (!status) status = count_words(score, &written, &wanted, error);
    lb_words_free(&written);
    lb_words_free(&wanted);
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
    lb_status status = encode(score->symbols, output->symbol, output->count, ids, error);
    if (!status) status = encode(score->symbols, reference->symbol, reference->count, more, error);
    if (!status)
        status = add(score, (lb_sequence){ids, (int64_t)output->count},
                     (lb_sequence){more, (int64_t)reference->count}, error);
    return status || !score->characters ? status : add_words(score, output, reference, error);
}

/* One measure with its interval. */
typedef struct line {
    const char *name, *key, *unit;
    double value, low, high;
} line;

enum { MOST_LINES = 5 };

/* Computes all measures of the rows; `*count` receives their number. */
static lb_status measure(const app_score *score, uint64_t seed, line lines[MOST_LINES], int *count,
                         lb_error *error)
{
    lb_intervals ends;
    lb_statistics sum = {0};
    lb_status status =
        lb_bootstrap(score->rows, score->count, (lb_bootstrap_config){.seed = seed}, &ends, error);
    if (status) return status;
    for (int64_t i = 0; i < score->count; i++) lb_statistics_add(&sum, &score->rows[i]);
    lb_measures all = lb_measure(&sum, (lb_bleu_config){0}), low = ends.low, high = ends.high;
    int n = 0;
    lines[n++] = (line){"exact match",
                        "exact_match",
                        " %",
                        100 - all.sequence_error_rate,
                        100 - high.sequence_error_rate,
                        100 - low.sequence_error_rate};
    lines[n++] = (line){"sequence error rate",   "sequence_error_rate",   " %",
                        all.sequence_error_rate, low.sequence_error_rate, high.sequence_error_rate};
    if (score->has_words)
        lines[n++] = (line){"word error rate",   "word_error_rate",   " %",
                            all.word_error_rate, low.word_error_rate, high.word_error_rate};
    lines[n++] = (line){"symbol error rate",   "symbol_error_rate",   " %",
                        all.symbol_error_rate, low.symbol_error_rate, high.symbol_error_rate};
    lines[n++] = (line){"BLEU", "bleu", "", all.bleu, low.bleu, high.bleu};
    *count = n;
    return LB_OK;
}

/* NULL for no symbol. */
static const char *symbol_of(const app_score *score, int32_t id)
{
    return id == LB_NO_SYMBOL ? NULL : lb_vocabulary_symbol(score->symbols, id);
}

static void print_line(const line *l)
{
    if (isnan(l->value))
        printf("%-19s %8s", l->name, "-");
    else
        printf("%-19s %8.2f%s", l->name, l->value, l->unit);
    if (!isnan(l->low))
        printf("%*s  95 %% interval %.2f to %.2f", 2 - (int)strlen(l->unit), "", l->low, l->high);
    putchar('\n');
}

static void print_text(const app_score *score, const line *lines, int count, int64_t confusions)
{
    static const char none[] = "(nothing)";
    printf("%-19s %8lld\n", "pairs", (long long)score->count);
    if (score->skipped > 0) printf("%-19s %8lld\n", "skipped lines", (long long)score->skipped);
    for (int i = 0; i < count; i++) print_line(&lines[i]);
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

static void add_line(lb_buffer *json, const line *l)
{
    enum { DIGITS = 9 };
    lb_buffer_print(json, ",\"%s\":{\"value\":", l->key);
    lb_buffer_json_number(json, l->value, DIGITS);
    lb_buffer_print(json, ",\"low\":");
    lb_buffer_json_number(json, l->low, DIGITS);
    lb_buffer_print(json, ",\"high\":");
    lb_buffer_json_number(json, l->high, DIGITS);
    lb_buffer_print(json, "}");
}

static lb_status print_json(const app_score *score, const line *lines, int count, int64_t confusions,
                            lb_error *error)
{
    lb_buffer json = {0};
    lb_buffer_print(&json, "{\"pairs\":%lld,\"skipped_lines\":%lld", (long long)score->count,
                    (long long)score->skipped);
    for (int i = 0; i < count; i++) add_line(&json, &lines[i]);
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
    line lines[MOST_LINES];
    int found;
    lb_status status = measure(score, seed, lines, &found, error);
    if (status) return status;
    lb_confusions_sort(&score->confusions);
    int64_t count = score->confusions.count < confusions ? score->confusions.count : confusions;
    if (json) return print_json(score, lines, found, count, error);
    print_text(score, lines, found, count);
    return LB_OK;
}
