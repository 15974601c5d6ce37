/* The score as people and programs read it. */
#include "base/alloc.h"
#include "base/buffer.h"
#include "console/console.h"
#include "data/pairs/pairs.h"
#include "evaluate/evaluate.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

/* One measure with its interval. */
typedef struct line {
    const char *name, *key, *unit;
    double value, low, high;
} line;

enum { MOST_LINES = 10, SIGNATURE = 128 };

/* The measures of a score, in the order in which they are printed. */
typedef struct table {
    line line[MOST_LINES];
    int count;
    char bleu[32]; /* the name of that of symbols: of letters, it is far higher than that of words */
} table;

/* What the symbols are. */
static const char *symbols_of(const app_score *score)
{
    return score->letters ? score->letters : "symbols";
}

static void add_line(table *t, const char *name, const char *key, const char *unit, double value, double low,
                     double high)
{
    t->line[t->count++] = (line){name, key, unit, value, low, high};
}

/* Computes all measures of the rows. */
static lb_status compute_measures(const app_score *score, uint64_t seed, table *t, lb_error *error)
{
    lb_intervals ends;
    lb_statistics sum = {0};
    lb_status status =
        lb_bootstrap(score->rows, score->count, (lb_bootstrap_config){.seed = seed}, &ends, error);
    if (status) return status;
    for (int64_t i = 0; i < score->count; i++) lb_statistics_add(&sum, &score->rows[i]);
    const lb_measures all = lb_measure(&sum, (lb_bleu_config){0}), low = ends.low, high = ends.high;
#define ADD(name, key, unit, measure) add_line(t, name, key, unit, all.measure, low.measure, high.measure)
    add_line(t, "exact match", "exact_match", " %", 100 - all.sequence_error_rate,
             100 - high.sequence_error_rate, 100 - low.sequence_error_rate);
    ADD(score->is_sounds ? "sequence error, WER" : "sequence error rate", "sequence_error_rate", " %",
        sequence_error_rate);
    if (score->judging.n_best > 0)
        add_line(t, "among the best", "among_best", " %", 100 * (double)score->among / (double)score->count,
                 NAN, NAN);
    if (score->has_words) ADD("word error rate", "word_error_rate", " %", word_error_rate);
    ADD(score->is_sounds ? "symbol error, PER" : "symbol error rate", "symbol_error_rate", " %",
        symbol_error_rate);
    snprintf(t->bleu, sizeof t->bleu, "BLEU of %s", symbols_of(score));
    ADD(t->bleu, "bleu", "", bleu);
    if (score->is_text) {
        ADD("BLEU", "bleu_13a", "", bleu_13a);
        ADD("chrF2", "chrf2", "", chrf2);
    }
#undef ADD
    const double surprise = -score->log_probability;
    if (score->scored > 0)
        add_line(t, "perplexity", "perplexity", "", exp(surprise / (double)score->scored), NAN, NAN);
    if (score->scored > 0 && score->is_text)
        add_line(t, "word perplexity", "word_perplexity", "", exp(surprise / (double)score->scored_words),
                 NAN, NAN);
    return LB_OK;
}

/* NULL for no symbol. */
static const char *symbol_of(const app_score *score, int32_t id)
{
    const lb_vocabulary *of = app_score_by_words(score) ? score->words : score->symbols;
    return id == LB_NO_SYMBOL ? NULL : lb_vocabulary_symbol(of, id);
}

/* How BLEU was computed, in the words of sacreBLEU. */
static const char *sign(const app_score *score, char signature[SIGNATURE])
{
    char references[24] = "var";
    if (score->fewest == score->most) snprintf(references, sizeof references, "%lld", (long long)score->most);
    snprintf(signature, SIGNATURE, "nrefs:%s|case:%s|tok:13a|smooth:exp|version:%s", references,
             score->judging.lower ? "lc" : "mixed", lb_version());
    return signature;
}

/* The next measure may be of the same kind, BLEU or perplexity, with the same number: one line is enough. */
static void print_line(const table *t, int i)
{
    const line *l = &t->line[i], *next = l + 1;
    if (i + 1 < t->count && (strstr(l->name, next->name) || strstr(next->name, l->name)) &&
        isnan(l->value) == isnan(next->value) && !(fabs(l->value - next->value) >= 0.005))
        return;
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
    app_print("%-19s %8.2f %%  %lld source%s several targets; --any-target accepts each of them%s\n",
              "at most", 100 * (double)found.possible / (double)score->pairs, (long long)found.ambiguous,
              found.ambiguous == 1 ? " has" : "s have",
              score->letters || score->is_text ? "" : ", as WER does");
}

static void print_text(const app_score *score, const table *measures, const table *without,
                       int64_t confusions)
{
    static const char none[] = "(nothing)";
    app_print("%-19s %8lld\n", "pairs", (long long)score->pairs);
    if (score->judging.once) app_print("%-19s %8lld\n", "sources", (long long)score->count);
    if (score->skipped > 0) app_print("%-19s %8lld\n", "skipped lines", (long long)score->skipped);
    for (int i = 0; i < measures->count; i++) {
        print_line(measures, i);
        if (i == 0) print_possible(score);
    }
    char signature[SIGNATURE];
    if (score->is_text) app_print("%-19s %s\n", "signature", sign(score, signature));
    if (score->beam == 1) app_print("%-19s %8s\n", "search", "greedy");
    if (score->beam > 1) app_print("%-19s %8s %d\n", "search", "beam", score->beam);
    if (without->count > 0)
        app_print("%-19s %8lld\nwithout the lexicon\n", "of the lexicon", (long long)score->known);
    for (int i = 0; i < without->count; i++) print_line(without, i);
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

/* Below the names of the measures, again if they change. */
static void print_row(const app_score *score, const char *file, const table *measures)
{
    enum { HEADING = 256, NARROWEST = 8 };
    static char before[HEADING];
    char heading[HEADING] = "", number[APP_MEASURED], low[APP_MEASURED], high[APP_MEASURED];
    size_t used = 0;
    const line *lines = measures->line;
    for (int i = 0; i < measures->count && used < HEADING; i++)
        used += (size_t)snprintf(heading + used, HEADING - used, "  %*s%s", NARROWEST, lines[i].name,
                                 i == 0 ? "     95 % interval" : "");
    if (strcmp(heading, before) != 0) app_print("%-24s %8s%s\n", "file", "pairs", heading);
    memcpy(before, heading, HEADING);
    app_print("%-24s %8lld", file, (long long)(score->judging.once ? score->count : score->pairs));
    for (int i = 0; i < measures->count; i++) {
        int width = (int)strlen(lines[i].name);
        app_print("  %*s", width > NARROWEST ? width : NARROWEST, app_measured(lines[i].value, 2, number));
        if (i == 0)
            app_print("  %6s to %6s", app_measured(lines[i].low, 2, low),
                      app_measured(lines[i].high, 2, high));
    }
    app_print("\n");
}

static void add_measures(lb_buffer *json, const table *measures)
{
    enum { DIGITS = 9 };
    for (const line *l = measures->line; l < measures->line + measures->count; l++) {
        lb_json_open(json, l->key, "{");
        lb_json_number(json, "value", l->value, DIGITS);
        lb_json_number(json, "low", l->low, DIGITS);
        lb_json_number(json, "high", l->high, DIGITS);
        if (isnan(l->value)) /* only BLEU can be */
            lb_json_string(json, "why_null",
                           strcmp(l->key, "bleu") == 0 ? "no output has four symbols"
                                                       : "no output has four words");
        lb_buffer_print(json, "}");
    }
}

static lb_status print_json(const app_score *score, const char *file, const table *measures,
                            const table *without, int64_t confusions, lb_error *error)
{
    lb_buffer json = {0};
    char signature[SIGNATURE];
    lb_pair_repetitions found = lb_pair_prints_count(score->prints, score->pairs);
    lb_json_open(&json, NULL, "{");
    if (file) lb_json_string(&json, "file", file);
    lb_json_whole(&json, "pairs", score->pairs);
    lb_json_whole(&json, "skipped_lines", score->skipped);
    if (score->judging.once) lb_json_whole(&json, "sources", score->count);
    if (found.ambiguous > 0) {
        lb_json_whole(&json, "ambiguous_sources", found.ambiguous);
        lb_json_whole(&json, "possible", found.possible);
    }
    add_measures(&json, measures);
    if (without->count > 0) {
        lb_json_whole(&json, "of_lexicon", score->known);
        lb_json_open(&json, "without_lexicon", "{");
        add_measures(&json, without);
        lb_buffer_print(&json, "}");
    }
    lb_json_string(&json, "bleu_of", symbols_of(score));
    if (score->is_text) lb_json_string(&json, "signature", sign(score, signature));
    app_why_json(&score->why, &json);
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
    lb_status status = json.failed ? lb_no_memory(error, NULL) : LB_OK;
    if (!status) app_print("%s\n", json.text);
    lb_release(json.text);
    return status;
}

lb_status app_score_print(app_score *score, app_score *without, const char *file, int confusions,
                          uint64_t seed, bool json, lb_error *error)
{
    table measures = {.count = 0}, others = {.count = 0};
    lb_status status = app_score_judge(score, error);
    if (status) return status;
    const lb_text_kind kind = lb_text_kind_of(&score->texts);
    score->is_text = without->is_text =
        score->texts.several > 0 && score->texts.formal < score->texts.count && kind != LB_TEXTS_SYMBOLS;
    if (score->is_text && kind == LB_TEXTS_PIECES)
        app_note(
            "the targets are pieces of words by another tool; BLEU, chrF2 and the perplexity of words join "
            "them");
    lb_pair_prints_sort(score->prints, score->pairs);
    score->is_sounds = without->is_sounds =
        !score->letters && !score->is_text &&
        (score->judging.once || lb_pair_prints_count(score->prints, score->pairs).ambiguous == 0);
    status = compute_measures(score, seed, &measures, error);
    if (!status && without->pairs > 0) status = app_score_judge(without, error);
    if (!status && without->pairs > 0) status = compute_measures(without, seed, &others, error);
    if (status) return status;
    lb_confusions_sort(&score->confusions);
    int64_t count = score->confusions.count < confusions ? score->confusions.count : confusions;
    if (json) return print_json(score, file, &measures, &others, count, error);
    if (file)
        print_row(score, file, &measures);
    else
        print_text(score, &measures, &others, count);
    app_why_print(&score->why);
    return LB_OK;
}
