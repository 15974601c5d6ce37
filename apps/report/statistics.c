#include "report/statistics.h"

#include "base/alloc.h"

#include <math.h>

enum { CONFUSIONS = 1000, DIGITS = 6 }; /* that are shown */

lb_status app_report_statistics_init(app_report_statistics *s, int64_t layers, int64_t heads, lb_error *error)
{
    *s = (app_report_statistics){.layers = layers, .heads = heads, .longest = -1};
    s->head = lb_alloc_zero((size_t)(layers * heads + 1) * sizeof *s->head);
    return s->head ? LB_OK : app_report_no_memory(error);
}

void app_report_statistics_free(app_report_statistics *s)
{
    lb_confusions_free(&s->confusions);
    app_alignment_free(&s->alignment);
    lb_release(s->head);
    lb_release(s->length);
    lb_release(s->map);
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
        if (!s->map) return app_report_no_memory(error);
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
        if (!grown) return app_report_no_memory(error);
        for (int64_t i = 0; i <= s->longest; i++) grown[i] = s->length[i];
        lb_release(s->length);
        s->length = grown;
        s->longest = longest;
    }
    s->length[length].pairs++;
    s->length[length].wrong += wrong;
    return LB_OK;
}

/* The ids of the output, followed by those of the expected one, in memory of the caller. */
static lb_status compare(app_report_statistics *s, app_report_data *report, const lb_output *output,
                         const lb_symbols *expected, int32_t *both, int64_t *edits, lb_error *error)
{
    int64_t count = (int64_t)expected->count;
    const int32_t *id = app_report_ids(report, output->symbol, (size_t)output->length);
    for (int64_t i = 0; id && i < output->length; i++) both[i] = id[i];
    if (id) id = app_report_ids(report, (const char *const *)expected->symbol, expected->count);
    for (int64_t i = 0; id && i < count; i++) both[output->length + i] = id[i];
    if (!id) return app_report_no_memory(error);
    lb_sequence found = {both, output->length}, reference = {both + output->length, count};
    lb_statistics one;
    lb_status status = lb_statistics_of(found, &reference, 1, &one, NULL, error);
    if (!status) status = lb_confusions_add(&s->confusions, reference, found, error);
    if (status) return status;
    lb_statistics_add(&s->sum, &one);
    lb_calibration_add(&s->calibration, output->probability, one.edits == 0);
    *edits = one.edits;
    return LB_OK;
}

lb_status app_report_statistics_add(app_report_statistics *s, app_report_data *report,
                                    const lb_translations *all, const lb_translation *text,
                                    const lb_symbols *expected, int64_t *edits, lb_error *error)
{
    const lb_output *output = text->output;
    *edits = -1;
    s->pairs++;
    lb_status status = add_heads(s, text, error);
    if (!status) status = app_alignment_add(&s->alignment, report, all, text, error);
    if (status || !expected) return status;
    int32_t *both = lb_alloc(((size_t)output->length + expected->count + 1) * sizeof *both);
    status = both ? compare(s, report, output, expected, both, edits, error) : app_report_no_memory(error);
    lb_release(both);
    return status ? status : add_length(s, text->length, *edits > 0, error);
}

/* What the model loses; `pairs` are those on which it was measured, unless 0. */
static void print_loss(lb_buffer *json, const char *key, const app_head_loss *loss, int64_t pairs)
{
    if (!loss || !loss->known) {
        lb_json_string(json, key, NULL);
        return;
    }
    lb_json_open(json, key, "{");
    if (pairs > 0) lb_json_whole(json, "pairs", pairs);
    lb_json_number(json, "exact", loss->exact, DIGITS);
    lb_json_number(json, "symbol_error", loss->symbol_error, DIGITS);
    lb_buffer_print(json, "}");
}

static void print_heads(const app_report_statistics *s, lb_buffer *json, const app_head_losses *losses)
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
        print_loss(json, "without", losses->head ? &losses->head[i] : NULL, 0);
        lb_buffer_print(json, "}");
    }
    lb_buffer_print(json, "]");
    print_loss(json, "with_all_heads", losses->head ? &losses->whole : NULL, losses->pairs);
}

static void print_confusions(app_report_statistics *s, lb_buffer *json)
{
    lb_confusions_sort(&s->confusions);
    lb_json_open(json, "confusions", "[");
    for (int64_t i = 0; i < s->confusions.count && i < CONFUSIONS; i++) {
        const lb_confusion *c = &s->confusions.pair[i];
        lb_json_key(json, NULL);
        lb_buffer_print(json, "{\"expected\":%d,\"found\":%d,\"count\":%lld}", (int)c->reference,
                        (int)c->output, (long long)c->count);
    }
    lb_buffer_print(json, "]");
}

static void print_lengths(const app_report_statistics *s, lb_buffer *json)
{
    lb_json_open(json, "by_length", "[");
    for (int64_t i = 0; i <= s->longest; i++) {
        if (s->length[i].pairs == 0) continue;
        lb_json_key(json, NULL);
        lb_buffer_print(json, "{\"length\":%lld,\"pairs\":%lld,\"wrong\":%lld}", (long long)i,
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
    double error = s->sum.outputs ? lb_calibration_error(&s->calibration) : NAN;
    lb_json_number(json, "calibration_error", error, DIGITS);
}

lb_status app_report_statistics_print(app_report_statistics *s, app_report_data *report,
                                      const app_head_losses *losses, lb_error *error)
{
    lb_measures m = lb_measure(&s->sum, (lb_bleu_config){0});
    bool compared = s->sum.outputs > 0;
    lb_buffer *json = &report->json;
    lb_json_open(json, "statistics", "{");
    lb_json_whole(json, "pairs", s->pairs);
    lb_json_number(json, "exact", compared ? 1 - m.sequence_error_rate / 100 : NAN, DIGITS);
    lb_json_number(json, "symbol_error", compared ? m.symbol_error_rate / 100 : NAN, DIGITS);
    lb_status status = app_alignment_print(&s->alignment, report, error);
    print_heads(s, json, losses);
    print_confusions(s, json);
    print_lengths(s, json);
    print_calibration(s, json);
    lb_buffer_print(json, "}");
    return status;
}
