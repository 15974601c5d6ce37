#include "report/statistics.h"

#include "base/alloc.h"
#include "base/bytes.h"
#include "data/pairs/pairs.h"

#include <math.h>

enum { CONFUSIONS = 1000, DIGITS = 6 }; /* that are shown */

lb_status app_report_statistics_init(app_report_statistics *s, const lb_translator_facts *model,
                                     lb_error *error)
{
    *s = (app_report_statistics){.layers = model->model->layers,
                                 .heads = model->model->heads,
                                 .pieces = model->target_rule.subwords ? &model->target_rule : NULL,
                                 .words = lb_vocabulary_new_reserved(error)};
    s->head = lb_alloc_zero((size_t)(s->layers * s->heads + 1) * sizeof *s->head);
    return s->head && s->words ? LB_OK : app_report_no_memory(error);
}

void app_report_statistics_free(app_report_statistics *s)
{
    lb_confusions_free(&s->confusions);
    lb_vocabulary_free(s->words);
    app_alignment_free(&s->alignment);
    app_why_free(&s->why);
    lb_release(s->head);
    lb_release(s->length);
    lb_release(s->map);
    lb_release(s->prints);
}

/* Adds the maps of the best output to the statistics of their heads. */
static lb_status add_heads(app_report_statistics *s, const lb_translation *text, lb_error *error)
{
    const lb_output *output = text->output;
    int64_t cells = output->steps * text->length;
    if (!output->weights) return LB_OK;
    if (!lb_alloc_room(&s->map, 0, (size_t)cells, &s->map_room, sizeof *s->map))
        return app_report_no_memory(error);
    for (int64_t head = 0; head < s->layers * s->heads; head++) {
        lb_attention_statistics found;
        for (int64_t i = 0; i < cells; i++) s->map[i] = (double)output->weights[head * cells + i];
        lb_status status = lb_attention_tally(s->map, output->steps, text->length, &found, error);
        if (status) return status;
        lb_attention_add(&s->head[head], &found);
    }
    return LB_OK;
}

static lb_status add_length(app_report_statistics *s, int64_t length, bool wrong, lb_error *error)
{
    size_t before = s->lengths;
    if (!lb_alloc_room(&s->length, before, (size_t)length + 1, &s->lengths, sizeof *s->length))
        return app_report_no_memory(error);
    for (size_t i = before; i < s->lengths; i++) s->length[i] = (app_length_errors){0};
    s->length[length].pairs++;
    s->length[length].wrong += wrong;
    return LB_OK;
}

/* Adds a source and its answer, so that sources with several answers are found. */
static lb_status add_print(app_report_statistics *s, const lb_translation *text, const lb_symbols *expected,
                           lb_error *error)
{
    int64_t count = s->sum.outputs;
    if (!lb_alloc_more(&s->prints, (size_t)count, &s->print_room, sizeof *s->prints))
        return app_report_no_memory(error);
    const lb_symbols source = {.count = (size_t)text->length, .symbol = text->symbol};
    uint64_t hash = lb_symbols_hash(&source, LB_HASH);
    s->prints[count] = (lb_pair_print){hash, lb_symbols_hash(expected, hash)};
    return LB_OK;
}

/* Adds what the model writes without the lexicon, if that has the best output. */
static lb_status add_alone(app_report_statistics *s, app_report_data *report, const lb_output *alone,
                           app_answers *expected, lb_error *error)
{
    static char none[] = "";
    static const lb_output nothing = {.text = none};
    lb_status status = app_answers_judge(expected, report->symbols, alone ? alone : &nothing, error);
    if (!status) lb_statistics_add(&s->alone, &expected->found);
    s->known++;
    return status;
}

/* Adds an output of the model. */
static lb_status add_judged(app_report_statistics *s, const lb_translation *text, const app_answers *expected,
                            lb_error *error)
{
    const lb_sequence *nearest = &expected->reference[expected->nearest];
    lb_status status = lb_confusions_add(&s->confusions, *nearest, expected->output, error);
    if (status) return status;
    lb_statistics_add(&s->alone, &expected->found);
    lb_calibration_add(&s->calibration, text->output->probability, expected->found.edits == 0);
    return add_length(s, text->length, expected->found.edits > 0, error);
}

lb_status app_report_statistics_add(app_report_statistics *s, app_report_data *report,
                                    const lb_translations *all, const lb_translation *text,
                                    const lb_output *alone, app_answers *expected, lb_error *error)
{
    s->pairs++;
    /* What the lexicon writes says nothing about the model. */
    bool known = text->output->from_lexicon;
    lb_status status = known ? LB_OK : add_heads(s, text, error);
    if (!status && !known) status = app_alignment_add(&s->alignment, report, all, text, error);
    if (!status) status = app_why_add(&s->why, all, text, error);
    if (status || expected->count == 0) return status;
    status = add_print(s, text, expected->answer, error);
    if (!status && known) status = add_alone(s, report, alone, expected, error);
    if (!status) status = app_answers_judge(expected, report->symbols, text->output, error);
    if (!status) lb_statistics_add(&s->sum, &expected->found);
    if (!status && s->pieces)
        status = app_answers_judge_words(expected, s->pieces, s->words, text->output, error);
    return status || known ? status : add_judged(s, text, expected, error);
}

static void print_measures(lb_buffer *json, const lb_measures *m, bool texts)
{
    lb_json_number(json, "exact", 1 - m->sequence_error_rate / 100, DIGITS);
    lb_json_number(json, "symbol_error", m->symbol_error_rate / 100, DIGITS);
    if (!texts) return;
    lb_json_number(json, "bleu_13a", m->bleu_13a, DIGITS);
    lb_json_number(json, "chrf2", m->chrf2, DIGITS);
}

/* Prints how the model does, and on how many pairs it was measured, unless that is 0. */
static void print_loss(lb_buffer *json, const char *key, const app_head_loss *loss, int64_t pairs, bool texts)
{
    if (!loss || !loss->known) {
        lb_json_string(json, key, NULL);
        return;
    }
    lb_json_open(json, key, "{");
    if (pairs > 0) lb_json_whole(json, "pairs", pairs);
    print_measures(json, &loss->found, texts);
    lb_buffer_print(json, "}");
}

static void print_heads(const app_report_statistics *s, lb_buffer *json, const app_report_heads *heads)
{
    lb_json_open(json, "heads", "[");
    for (int64_t i = 0; i < s->layers * s->heads; i++) {
        lb_attention_measures m = lb_attention_measure(&s->head[i]);
        lb_json_open(json, NULL, "{");
        lb_json_whole(json, "layer", i / s->heads);
        lb_json_whole(json, "head", i % s->heads);
        lb_json_number(json, "entropy", m.entropy, DIGITS);
        lb_json_number(json, "monotonicity", m.monotonicity, DIGITS);
        lb_json_number(json, "coverage", m.coverage, DIGITS);
        print_loss(json, "without", heads->without ? &heads->without[i] : NULL, 0, heads->texts);
        lb_buffer_print(json, "}");
    }
    lb_buffer_print(json, "]");
    print_loss(json, "with_all_heads", heads->without ? &heads->whole : NULL, heads->compared, heads->texts);
}

/* The id in the report of one of a confusion. */
static int32_t id_of(const app_report_statistics *s, app_report_data *report, int32_t id)
{
    return !s->pieces || id == LB_NO_SYMBOL ? id : app_report_id(report, lb_vocabulary_symbol(s->words, id));
}

static void print_confusions(app_report_statistics *s, app_report_data *report)
{
    lb_buffer *json = &report->json;
    lb_confusions_sort(&s->confusions);
    lb_json_open(json, "confusions", "[");
    for (int64_t i = 0; i < s->confusions.count && i < CONFUSIONS; i++) {
        const lb_confusion *c = &s->confusions.pair[i];
        lb_json_key(json, NULL);
        lb_buffer_print(json, "{\"expected\":%d,\"found\":%d,\"count\":%lld}",
                        (int)id_of(s, report, c->reference), (int)id_of(s, report, c->output),
                        (long long)c->count);
    }
    lb_buffer_print(json, "]");
}

static void print_lengths(const app_report_statistics *s, lb_buffer *json)
{
    lb_json_open(json, "by_length", "[");
    for (size_t i = 0; i < s->lengths; i++) {
        if (s->length[i].pairs == 0) continue;
        lb_json_key(json, NULL);
        lb_buffer_print(json, "{\"length\":%zu,\"pairs\":%lld,\"wrong\":%lld}", i,
                        (long long)s->length[i].pairs, (long long)s->length[i].wrong);
    }
    lb_buffer_print(json, "]");
}

static void print_calibration(const app_report_statistics *s, lb_buffer *json)
{
    lb_json_open(json, "calibration", "[");
    for (int i = 0; i < LB_CALIBRATION_BINS; i++) {
        const lb_calibration_bin *bin = &s->calibration.bin[i];
        if (bin->outputs == 0) continue;
        lb_json_open(json, NULL, "{");
        lb_json_whole(json, "pairs", bin->outputs);
        lb_json_number(json, "confidence", bin->confidence / (double)bin->outputs, DIGITS);
        lb_json_number(json, "exact", (double)bin->right / (double)bin->outputs, DIGITS);
        lb_buffer_print(json, "}");
    }
    lb_buffer_print(json, "]");
    double error = s->sum.outputs > s->known ? lb_calibration_error(&s->calibration) : NAN;
    lb_json_number(json, "calibration_error", error, DIGITS);
}

/* Prints the share that the best of all models could get right: a model writes one output for a source. */
static void print_possible(app_report_statistics *s, lb_buffer *json)
{
    lb_pair_prints_sort(s->prints, s->sum.outputs);
    lb_pair_repetitions found = lb_pair_prints_count(s->prints, s->sum.outputs);
    if (found.ambiguous == 0) return;
    lb_json_whole(json, "ambiguous_sources", found.ambiguous);
    lb_json_number(json, "possible", (double)found.possible / (double)s->sum.outputs, DIGITS);
}

void app_report_statistics_print(app_report_statistics *s, app_report_data *report,
                                 const app_report_heads *heads)
{
    const lb_measures none = {NAN, NAN, NAN, NAN, NAN, NAN};
    lb_measures m = s->sum.outputs > 0 ? lb_measure(&s->sum, (lb_bleu_config){0}) : none;
    lb_buffer *json = &report->json;
    lb_json_open(json, "statistics", "{");
    lb_json_whole(json, "pairs", s->pairs);
    print_measures(json, &m, heads->texts);
    if (s->known > 0) {
        m = lb_measure(&s->alone, (lb_bleu_config){0});
        lb_json_whole(json, "of_lexicon", s->known);
        lb_json_open(json, "without_lexicon", "{");
        print_measures(json, &m, heads->texts);
        lb_buffer_print(json, "}");
    }
    print_possible(s, json);
    app_alignment_print(&s->alignment, report);
    print_heads(s, json, heads);
    app_why_json(&s->why, json);
    print_confusions(s, report);
    print_lengths(s, json);
    print_calibration(s, json);
    lb_buffer_print(json, "}");
}
