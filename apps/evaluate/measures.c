#include "evaluate/evaluate.h"

#include "base/alloc.h"
#include "base/buffer.h"
#include "base/bytes.h"
#include "console/console.h"
#include "data/pair_report.h"
#include "data/symbols.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* A row that is not judged yet. Its ids are those of its output, then those of its reference. */
typedef struct app_kept_row {
    uint64_t source;
    int64_t row;
    size_t at;
    int64_t output, reference; /* lengths */
    bool among;
} kept_row;

lb_status app_score_open(app_score *score, app_judging judging, const lb_symbol_rule *rule, lb_error *error)
{
    bool separated = rule->separator && *rule->separator;
    *score = (app_score){.judging = judging,
                         .symbols = lb_vocabulary_new_reserved(error),
                         .words = lb_vocabulary_new_reserved(error),
                         .letters = separated ? NULL : lb_symbol_kind_names[rule->graphemes]};
    return score->symbols && score->words ? LB_OK : LB_ERROR_MEMORY;
}

void app_score_close(app_score *score)
{
    lb_vocabulary_free(score->symbols);
    lb_vocabulary_free(score->words);
    lb_release(score->rows);
    lb_release(score->prints);
    lb_release(score->kept);
    lb_release(score->ids);
    lb_confusions_free(&score->confusions);
    *score = (app_score){0};
}

static lb_status out_of_memory(const app_score *score, lb_error *error)
{
    return lb_error_set(error, LB_ERROR_MEMORY, "out of memory for %lld outputs",
                        (long long)score->count + 1);
}

/* Writes the ids of symbols or words to `id`, and adds new ones to the vocabulary. */
static lb_status encode(lb_vocabulary *all, const char *const *symbols, size_t count, int32_t *id,
                        lb_error *error)
{
    lb_status status = lb_vocabulary_add(all, symbols, (int64_t)count, error);
    if (!status) lb_vocabulary_encode(all, symbols, (int64_t)count, id, (int32_t)count);
    return status;
}

static lb_status split_words(const app_score *score, lb_sequence ids, lb_words *words, lb_error *error)
{
    size_t count = (size_t)ids.length;
    const char **symbol = lb_alloc((count + 1) * sizeof *symbol);
    for (size_t i = 0; i < count && symbol; i++) symbol[i] = lb_vocabulary_symbol(score->symbols, ids.id[i]);
    char *text = symbol ? lb_symbols_join(&(lb_symbol_rule){0}, symbol, count, error) : NULL;
    lb_status status = text ? lb_words_split(text, words, error) : out_of_memory(score, error);
    lb_release((void *)symbol);
    lb_release(text);
    return status;
}

static lb_status count_words(app_score *score, const lb_words *output, const lb_words *reference,
                             lb_error *error)
{
    int32_t *ids = lb_alloc((output->count + reference->count + 1) * sizeof *ids), *more = ids;
    if (!ids) return out_of_memory(score, error);
    more += output->count;
    lb_status status = encode(score->words, output->word, output->count, ids, error);
    if (!status) status = encode(score->words, reference->word, reference->count, more, error);
    score->has_words |= reference->count > 1;
    if (!status)
        status = lb_statistics_count_words((lb_sequence){ids, (int64_t)output->count},
                                           (lb_sequence){more, (int64_t)reference->count},
                                           &score->rows[score->count - 1], error);
    lb_release(ids);
    return status;
}

/* Adds the words of the last row. */
static lb_status add_words(app_score *score, lb_sequence output, lb_sequence reference, lb_error *error)
{
    lb_words written = {0}, wanted = {0};
    lb_status status = split_words(score, output, &written, error);
    if (!status) status = split_words(score, reference, &wanted, error);
    if (!status) status = count_words(score, &written, &wanted, error);
    lb_words_free(&written);
    lb_words_free(&wanted);
    return status;
}

/* A source: its first output, and the references of all of its rows. */
static lb_status judge_source(app_score *score, const kept_row *rows, int64_t count, lb_sequence *references,
                              lb_error *error)
{
    int64_t nearest = 0;
    bool among = false;
    const lb_sequence output = {score->ids + rows->at, rows->output};
    for (int64_t i = 0; i < count; i++) {
        references[i] = (lb_sequence){score->ids + rows[i].at + rows[i].output, rows[i].reference};
        among = among || rows[i].among;
    }
    score->among += among;
    if (!lb_alloc_more(&score->rows, (size_t)score->count, &score->capacity, sizeof *score->rows))
        return out_of_memory(score, error);
    lb_status status =
        lb_statistics_of(output, references, count, &score->rows[score->count], &nearest, error);
    if (!status) status = lb_confusions_add(&score->confusions, references[nearest], output, error);
    if (status) return status;
    score->count++;
    return score->letters ? add_words(score, output, references[nearest], error) : LB_OK;
}

static int compare_kept(const void *a, const void *b)
{
    const kept_row *x = a, *y = b;
    if (x->source != y->source) return x->source < y->source ? -1 : 1;
    return (x->row > y->row) - (x->row < y->row);
}

/* Judges the rows that are kept, those of a source together, and forgets them. */
static lb_status judge(app_score *score, lb_error *error)
{
    kept_row *rows = score->kept;
    size_t kept = score->kept_count;
    lb_sequence *references = lb_alloc((kept + 1) * sizeof *references);
    if (!references) return out_of_memory(score, error);
    if (kept > 1) qsort(rows, kept, sizeof *rows, compare_kept);
    lb_status status = LB_OK;
    for (size_t first = 0, count; first < kept && !status; first += count) {
        count = 1;
        while (first + count < kept && rows[first + count].source == rows[first].source) count++;
        status = judge_source(score, rows + first, (int64_t)count, references, error);
    }
    lb_release(references);
    score->kept_count = score->id_count = 0;
    return status;
}

bool app_same_symbols(const lb_symbols *a, const lb_symbols *b)
{
    if (a->count != b->count) return false;
    for (size_t i = 0; i < a->count; i++)
        if (strcmp(a->symbol[i], b->symbol[i]) != 0) return false;
    return true;
}

static bool is_among(const lb_symbols *reference, const lb_symbols *output, int outputs)
{
    for (int i = 0; i < outputs; i++)
        if (app_same_symbols(&output[i], reference)) return true;
    return false;
}

/* Room for one more pair, and for so many ids. */
static bool make_room(app_score *score, size_t ids)
{
    size_t needed = score->id_count + ids + 1;
    return lb_alloc_room(&score->ids, score->id_count, needed, &score->id_room, sizeof *score->ids) &&
           lb_alloc_more(&score->kept, score->kept_count, &score->kept_room, sizeof *score->kept) &&
           lb_alloc_more(&score->prints, (size_t)score->pairs, &score->print_room, sizeof *score->prints);
}

lb_status app_score_add(app_score *score, const lb_symbols *source, const lb_symbols *reference,
                        const lb_symbols *output, int outputs, lb_error *error)
{
    if (!make_room(score, output->count + reference->count)) return out_of_memory(score, error);
    const kept_row row = {.source = lb_symbols_hash(source, LB_HASH),
                          .row = score->pairs,
                          .at = score->id_count,
                          .output = (int64_t)output->count,
                          .reference = (int64_t)reference->count,
                          .among = is_among(reference, output, outputs)};
    int32_t *ids = score->ids + row.at, *more = ids + output->count;
    lb_status status = encode(score->symbols, output->symbol, output->count, ids, error);
    if (!status) status = encode(score->symbols, reference->symbol, reference->count, more, error);
    if (status) return status;
    score->id_count += output->count + reference->count;
    score->kept[score->kept_count++] = row;
    score->prints[score->pairs++] = (lb_pair_print){row.source, lb_symbols_hash(reference, row.source)};
    return score->judging.once ? LB_OK : judge(score, error);
}

/* One measure with its interval. */
typedef struct line {
    const char *name, *key, *unit;
    double value, low, high;
} line;

enum { MOST_LINES = 6 };

/* Without a separator, it is far higher than that of words. */
static const char *bleu_of(const app_score *score)
{
    if (!score->letters) return "BLEU";
    return strcmp(score->letters, lb_symbol_kind_names[true]) == 0 ? "BLEU of graphemes"
                                                                   : "BLEU of characters";
}

/* Computes all measures of the rows; `*count` receives their number. */
static lb_status compute_measures(const app_score *score, uint64_t seed, line lines[MOST_LINES], int *count,
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
    if (score->judging.n_best > 0)
        lines[n++] = (line){.name = "among the best",
                            .key = "among_best",
                            .unit = " %",
                            .value = 100 * (double)score->among / (double)score->count,
                            .low = NAN,
                            .high = NAN};
    if (score->has_words)
        lines[n++] = (line){"word error rate",   "word_error_rate",   " %",
                            all.word_error_rate, low.word_error_rate, high.word_error_rate};
    lines[n++] = (line){"symbol error rate",   "symbol_error_rate",   " %",
                        all.symbol_error_rate, low.symbol_error_rate, high.symbol_error_rate};
    lines[n++] = (line){bleu_of(score), "bleu", "", all.bleu, low.bleu, high.bleu};
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
        app_print("%-19s %8s", l->name, "-");
    else
        app_print("%-19s %8.2f%s", l->name, l->value, l->unit);
    if (!isnan(l->low))
        app_print("%*s  95 %% interval %.2f to %.2f", 2 - (int)strlen(l->unit), "", l->low, l->high);
    app_print("\n");
}

/* What the best of all models could have: it writes one output for a source. */
static void print_possible(const app_score *score)
{
    lb_pair_repetitions found = lb_pair_prints_count(score->prints, score->pairs);
    if (found.ambiguous == 0 || score->judging.once) return;
    app_print("%-19s %8.2f %%  %lld source%s several targets; --any-target accepts each of them\n", "at most",
              100 * (double)found.possible / (double)score->pairs, (long long)found.ambiguous,
              found.ambiguous == 1 ? " has" : "s have");
}

static void print_text(const app_score *score, const line *lines, int count, const line *others,
                       int other_count, int64_t confusions)
{
    static const char none[] = "(nothing)";
    app_print("%-19s %8lld\n", "pairs", (long long)score->pairs);
    if (score->judging.once) app_print("%-19s %8lld\n", "sources", (long long)score->count);
    if (score->skipped > 0) app_print("%-19s %8lld\n", "skipped lines", (long long)score->skipped);
    for (int i = 0; i < count; i++) {
        print_line(&lines[i]);
        if (i == 0) print_possible(score);
    }
    if (score->beam == 1) app_print("%-19s %8s\n", "search", "greedy");
    if (score->beam > 1) app_print("%-19s %8s %d\n", "search", "beam", score->beam);
    if (other_count > 0) {
        app_print("%-19s %8lld\nwithout the lexicon\n", "of the lexicon", (long long)score->known);
        for (int i = 0; i < other_count; i++) print_line(&others[i]);
    }
    if (confusions > 0) app_print("most frequent confusions, reference -> output\n");
    for (int64_t i = 0; i < confusions; i++) {
        const lb_confusion *c = &score->confusions.pair[i];
        const char *reference = symbol_of(score, c->reference), *output = symbol_of(score, c->output);
        char wanted[LB_SYMBOL_SHOWN], written[LB_SYMBOL_SHOWN];
        app_print("%8lld  %s -> %s\n", (long long)c->count,
                  reference ? lb_symbol_show(reference, wanted) : none,
                  output ? lb_symbol_show(output, written) : none);
    }
}

static void add_line(lb_buffer *json, const line *l)
{
    enum { DIGITS = 9 };
    lb_json_open(json, l->key, "{");
    lb_json_number(json, "value", l->value, DIGITS);
    lb_json_number(json, "low", l->low, DIGITS);
    lb_json_number(json, "high", l->high, DIGITS);
    lb_buffer_print(json, "}");
}

static lb_status print_json(const app_score *score, const line *lines, int count, const line *others,
                            int other_count, int64_t confusions, lb_error *error)
{
    lb_buffer json = {0};
    lb_pair_repetitions found = lb_pair_prints_count(score->prints, score->pairs);
    lb_json_open(&json, NULL, "{");
    lb_json_whole(&json, "pairs", score->pairs);
    lb_json_whole(&json, "skipped_lines", score->skipped);
    if (score->judging.once) lb_json_whole(&json, "sources", score->count);
    if (found.ambiguous > 0) {
        lb_json_whole(&json, "ambiguous_sources", found.ambiguous);
        lb_json_whole(&json, "possible", found.possible);
    }
    for (int i = 0; i < count; i++) add_line(&json, &lines[i]);
    if (other_count > 0) {
        lb_json_whole(&json, "of_lexicon", score->known);
        lb_json_open(&json, "without_lexicon", "{");
        for (int i = 0; i < other_count; i++) add_line(&json, &others[i]);
        lb_buffer_print(&json, "}");
    }
    lb_json_string(&json, "bleu_of", score->letters ? score->letters : "symbols");
    lb_json_open(&json, "confusions", "[");
    for (int64_t i = 0; i < confusions; i++) {
        const lb_confusion *c = &score->confusions.pair[i];
        lb_json_open(&json, NULL, "{");
        lb_json_string(&json, "reference", symbol_of(score, c->reference));
        lb_json_string(&json, "output", symbol_of(score, c->output));
        lb_json_whole(&json, "count", c->count);
        lb_buffer_print(&json, "}");
    }
    lb_buffer_print(&json, "]}");
    lb_status status = json.failed ? out_of_memory(score, error) : LB_OK;
    if (!status) app_print("%s\n", json.text);
    lb_release(json.text);
    return status;
}

lb_status app_score_print(app_score *score, app_score *without, int confusions, uint64_t seed, bool json,
                          lb_error *error)
{
    line lines[MOST_LINES], others[MOST_LINES];
    int found, other = 0;
    lb_status status = judge(score, error);
    if (status) return status;
    lb_pair_prints_sort(score->prints, score->pairs);
    status = compute_measures(score, seed, lines, &found, error);
    if (!status && without->pairs > 0) status = judge(without, error);
    if (!status && without->pairs > 0) status = compute_measures(without, seed, others, &other, error);
    if (status) return status;
    lb_confusions_sort(&score->confusions);
    int64_t count = score->confusions.count < confusions ? score->confusions.count : confusions;
    if (json) return print_json(score, lines, found, others, other, count, error);
    print_text(score, lines, found, others, other, count);
    return LB_OK;
}
