/* The score as people and programs read it. */
#include "base/alloc.h"
#include "base/buffer.h"
#include "console/console.h"
#include "console/output.h"
#include "data/pair_report.h"
#include "data/subwords.h"
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

/* That of letters is far higher than that of words. */
static const char *bleu_of(const app_score *score)
{
    if (!score->letters) return "BLEU of symbols";
    if (strcmp(score->letters, LB_SUBWORDS) == 0) return "BLEU of subwords";
    return strcmp(score->letters, lb_symbol_kind_names[true]) == 0 ? "BLEU of graphemes"
                                                                   : "BLEU of characters";
}

static line perplexity(const char *name, const char *key, const app_score *score, int64_t units)
{
    const double value = exp(-score->log_probability / (double)units);
    return (line){.name = name, .key = key, .unit = "", .value = value, .low = NAN, .high = NAN};
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
    if (score->is_text) {
        lines[n++] = (line){"BLEU", "bleu_13a", "", all.bleu_13a, low.bleu_13a, high.bleu_13a};
        lines[n++] = (line){"chrF2", "chrf2", "", all.chrf2, low.chrf2, high.chrf2};
    }
    if (score->scored > 0) lines[n++] = perplexity("perplexity", "perplexity", score, score->scored);
    if (score->scored > 0 && score->is_text)
        lines[n++] = perplexity("word perplexity", "word_perplexity", score, score->scored_words);
    *count = n;
    return LB_OK;
}

/* NULL for no symbol. */
static const char *symbol_of(const app_score *score, int32_t id)
{
    return id == LB_NO_SYMBOL ? NULL : lb_vocabulary_symbol(score->symbols, id);
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
    char signature[SIGNATURE];
    if (score->is_text) app_print("%-19s %s\n", "signature", sign(score, signature));
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

/* Below the names of the measures, again if they change. */
static void print_row(const app_score *score, const char *file, const line *lines, int count)
{
    enum { HEADING = 256, NARROWEST = 8 };
    static char before[HEADING];
    char heading[HEADING] = "", number[APP_MEASURED], low[APP_MEASURED], high[APP_MEASURED];
    size_t used = 0;
    for (int i = 0; i < count && used < HEADING; i++)
        used += (size_t)snprintf(heading + used, HEADING - used, "  %*s%s", NARROWEST, lines[i].name,
                                 i == 0 ? "     95 % interval" : "");
    if (strcmp(heading, before) != 0) app_print("%-24s %8s%s\n", "file", "pairs", heading);
    memcpy(before, heading, HEADING);
    app_print("%-24s %8lld", file, (long long)(score->judging.once ? score->count : score->pairs));
    for (int i = 0; i < count; i++) {
        int width = (int)strlen(lines[i].name);
        app_print("  %*s", width > NARROWEST ? width : NARROWEST, app_measured(lines[i].value, 2, number));
        if (i == 0)
            app_print("  %6s to %6s", app_measured(lines[i].low, 2, low),
                      app_measured(lines[i].high, 2, high));
    }
    app_print("\n");
}

static lb_status print_json(const app_score *score, const char *file, const line *lines, int count,
                            const line *others, int other_count, int64_t confusions, lb_error *error)
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
    for (int i = 0; i < count; i++) add_line(&json, &lines[i]);
    if (other_count > 0) {
        lb_json_whole(&json, "of_lexicon", score->known);
        lb_json_open(&json, "without_lexicon", "{");
        for (int i = 0; i < other_count; i++) add_line(&json, &others[i]);
        lb_buffer_print(&json, "}");
    }
    lb_json_string(&json, "bleu_of", score->letters ? score->letters : "symbols");
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
    line lines[MOST_LINES], others[MOST_LINES];
    int found, other = 0;
    lb_status status = app_score_judge(score, error);
    if (status) return status;
    lb_pair_prints_sort(score->prints, score->pairs);
    status = compute_measures(score, seed, lines, &found, error);
    if (!status && without->pairs > 0) status = app_score_judge(without, error);
    if (!status && without->pairs > 0) status = compute_measures(without, seed, others, &other, error);
    if (status) return status;
    lb_confusions_sort(&score->confusions);
    int64_t count = score->confusions.count < confusions ? score->confusions.count : confusions;
    if (json) return print_json(score, file, lines, found, others, other, count, error);
    if (file)
        print_row(score, file, lines, found);
    else
        print_text(score, lines, found, others, other, count);
    app_why_print(&score->why);
    return LB_OK;
}
