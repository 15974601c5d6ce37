#include "report/statistics.h"

#include "base/alloc.h"
#include "base/hash.h"
#include "data/pair_prints.h"

#include <math.h>

enum { CONFUSIONS = 1000 }; /* that are shown */

static lb_status out_of_memory(lb_error *error)
{
    return lb_error_set(error, LB_ERROR_MEMORY, "out of memory for the report");
}

lb_status app_report_statistics_init(app_report_statistics *s, int64_t layers, int64_t heads, lb_error *error)
{
    *s = (app_report_statistics){.layers = layers, .heads = heads, .longest = -1};
    s->head = lb_alloc_zero((size_t)(layers * heads + 1) * sizeof *s->head);
    return s->head ? LB_OK : out_of_memory(error);
}

void app_report_statistics_free(app_report_statistics *s)
{
    lb_confusions_free(&s->confusions);
    app_alignment_free(&s->alignment);
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
    if (cells > s->map_room) {
        lb_release(s->map);
        s->map = lb_alloc((size_t)(2 * cells) * sizeof *s->map);
        s->map_room = s->map ? 2 * cells : 0;
        if (!s->map) return out_of_memory(error);
    }
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
    if (length > s->longest) {
        int64_t longest = 2 * length + 8;
        app_length_errors *grown = lb_alloc_zero((size_t)(longest + 1) * sizeof *grown);
        if (!grown) return out_of_memory(error);
        for (int64_t i = 0; i <= s->longest; i++) grown[i] = s->length[i];
        lb_release(s->length);
        s->length = grown;
        s->longest = longest;
    }
    s->length[length].pairs++;
    s->length[length].wrong += wrong;
    return LB_OK;
}

/* A source and its answer, so that sources with several are found. */
static lb_status add_print(app_report_statistics *s, const lb_translation *text, const lb_symbols *expected,
                           lb_error *error)
{
    int64_t count = s->sum.outputs;
    if (count == s->print_room) {
        enum { FIRST_ROOM = 1024 };
        int64_t room = count ? 2 * count : FIRST_ROOM;
        lb_pair_print *grown =
            lb_alloc_grow(s->prints, (size_t)count * sizeof *grown, (size_t)room * sizeof *grown);
        if (!grown) return out_of_memory(error);
        s->prints = grown;
        s->print_room = room;
    }
    const lb_symbols source = {.count = (size_t)text->length, .symbol = text->symbol};
    uint64_t hash = lb_symbols_hash(&source, LB_HASH);
    s->prints[count] = (lb_pair_print){hash, lb_symbols_hash(expected, hash)};
    return LB_OK;
}

static lb_status add_judged(app_report_statistics *s, const lb_output *output, const app_judged *judged,
                            lb_error *error)
{
    lb_status status =
        lb_confusions_add(&s->confusions, judged->reference[judged->nearest], judged->output, error);
    if (status) return status;
    lb_statistics_add(&s->sum, &judged->found);
    lb_calibration_add(&s->calibration, output->probability, judged->found.edits == 0);
    return LB_OK;
}

lb_status app_report_statistics_add(app_report_statistics *s, app_report_data *report,
                                    const lb_translations *all, const lb_translation *text,
                                    const app_answers *expected, int64_t *edits, int64_t *nearest,
                                    lb_error *error)
{
    app_judged judged = {0};
    *edits = -1;
    s->pairs++;
    lb_status status = add_heads(s, text, error);
    if (!status) status = app_alignment_add(&s->alignment, report, all, text, error);
    if (status || expected->count == 0) return status;
    status = add_print(s, text, expected->answer, error);
    if (!status) status = app_judge(&judged, report->symbols, text->output, expected, error);
    if (!status) status = add_judged(s, text->output, &judged, error);
    *edits = judged.found.edits;
    *nearest = judged.nearest;
    app_judged_free(&judged);
    return status ? status : add_length(s, text->length, *edits > 0, error);
}

static void add_number(app_report_data *report, const char *key, double value)
{
    enum { DIGITS = 6 };
    lb_buffer_print(&report->json, "\"%s\":", key);
    lb_buffer_json_number(&report->json, value, DIGITS);
}

static void print_loss(app_report_data *report, const app_head_loss *loss)
{
    lb_buffer_print(&report->json, "{");
    add_number(report, "exact", loss->exact);
    lb_buffer_print(&report->json, ",");
    add_number(report, "symbol_error", loss->symbol_error);
    lb_buffer_print(&report->json, "}");
}

static void print_heads(const app_report_statistics *s, app_report_data *report,
                        const app_head_losses *losses)
{
    lb_buffer *json = &report->json;
    lb_buffer_print(json, ",\"heads\":[");
    for (int64_t i = 0; i < s->layers * s->heads; i++) {
        lb_attention_measures m = lb_attention_measure(&s->head[i]);
        lb_buffer_print(json, "%s{\"layer\":%lld,\"head\":%lld,", i ? "," : "", (long long)(i / s->heads),
                        (long long)(i % s->heads));
        add_number(report, "entropy", m.entropy);
        lb_buffer_print(json, ",");
        add_number(report, "monotonicity", m.monotonicity);
        lb_buffer_print(json, ",");
        add_number(report, "coverage", m.coverage);
        lb_buffer_print(json, ",\"without\":");
        if (losses->head && losses->head[i].known)
            print_loss(report, &losses->head[i]);
        else
            lb_buffer_print(json, "null");
        lb_buffer_print(json, "}");
    }
    lb_buffer_print(json, "],\"with_all_heads\":");
    if (losses->head) {
        lb_buffer_print(json, "{\"pairs\":%lld,", (long long)losses->pairs);
        add_number(report, "exact", losses->whole.exact);
        lb_buffer_print(json, ",");
        add_number(report, "symbol_error", losses->whole.symbol_error);
        lb_buffer_print(json, "}");
    } else {
        lb_buffer_print(json, "null");
    }
}

static void print_confusions(app_report_statistics *s, app_report_data *report)
{
    lb_buffer *json = &report->json;
    lb_confusions_sort(&s->confusions);
    lb_buffer_print(json, ",\"confusions\":[");
    for (int64_t i = 0; i < s->confusions.count && i < CONFUSIONS; i++) {
        const lb_confusion *c = &s->confusions.pair[i];
        lb_buffer_print(json, "%s{\"expected\":%d,\"found\":%d,\"count\":%lld}", i ? "," : "",
                        (int)c->reference, (int)c->output, (long long)c->count);
    }
    lb_buffer_print(json, "]");
}

static void print_lengths(const app_report_statistics *s, app_report_data *report)
{
    const char *comma = "";
    lb_buffer_print(&report->json, ",\"by_length\":[");
    for (int64_t i = 0; i <= s->longest; i++) {
        if (s->length[i].pairs == 0) continue;
        lb_buffer_print(&report->json, "%s{\"length\":%lld,\"pairs\":%lld,\"wrong\":%lld}", comma,
                        (long long)i, (long long)s->length[i].pairs, (long long)s->length[i].wrong);
        comma = ",";
    }
    lb_buffer_print(&report->json, "]");
}

static void print_calibration(const app_report_statistics *s, app_report_data *report)
{
    const char *comma = "";
    lb_buffer_print(&report->json, ",\"calibration\":[");
    for (int i = 0; i < LB_CALIBRATION_BINS; i++) {
        const lb_calibration_bin *bin = &s->calibration.bin[i];
        if (bin->outputs == 0) continue;
        lb_buffer_print(&report->json, "%s{\"pairs\":%lld,", comma, (long long)bin->outputs);
        add_number(report, "confidence", bin->confidence / (double)bin->outputs);
        lb_buffer_print(&report->json, ",");
        add_number(report, "exact", (double)bin->right / (double)bin->outputs);
        lb_buffer_print(&report->json, "}");
        comma = ",";
    }
    lb_buffer_print(&report->json, "],");
    add_number(report, "calibration_error", s->sum.outputs ? lb_calibration_error(&s->calibration) : NAN);
}

/* What the best of all models could have: it writes one output for a source. */
static void print_possible(app_report_statistics *s, app_report_data *report)
{
    lb_pair_prints_sort(s->prints, s->sum.outputs);
    lb_pair_repetitions found = lb_pair_prints_count(s->prints, s->sum.outputs);
    if (found.ambiguous == 0) return;
    lb_buffer_print(&report->json, ",\"ambiguous_sources\":%lld,", (long long)found.ambiguous);
    add_number(report, "possible", (double)found.possible / (double)s->sum.outputs);
}

lb_status app_report_statistics_print(app_report_statistics *s, app_report_data *report,
                                      const app_head_losses *losses, lb_error *error)
{
    lb_measures m = lb_measure(&s->sum, (lb_bleu_config){0});
    bool compared = s->sum.outputs > 0;
    lb_buffer_print(&report->json, "\"statistics\":{\"pairs\":%lld,", (long long)s->pairs);
    add_number(report, "exact", compared ? 1 - m.sequence_error_rate / 100 : NAN);
    lb_buffer_print(&report->json, ",");
    add_number(report, "symbol_error", compared ? m.symbol_error_rate / 100 : NAN);
    print_possible(s, report);
    lb_buffer_print(&report->json, ",\"alignment\":");
    lb_status status = app_alignment_print(&s->alignment, report, error);
    print_heads(s, report, losses);
    print_confusions(s, report);
    print_lengths(s, report);
    print_calibration(s, report);
    lb_buffer_print(&report->json, "}");
    return status;
}
