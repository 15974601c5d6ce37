/* Prints a pair of a report as JSON: its answers, and what the model writes and looks at. */
#include "report/statistics.h"

#include "base/alloc.h"

#include <assert.h>
#include <math.h>
#include <string.h>

/* ---- An output compared with its right answers. ---- */

lb_status app_answers_split(app_answers *a, const lb_symbol_rule *rule, const lb_strings *texts,
                            lb_error *error)
{
    size_t before = a->room, count = texts->count;
    a->count = 0;
    a->rule = rule;
    if (!lb_alloc_room(&a->answer, before, count, &a->room, sizeof *a->answer))
        return app_report_no_memory(error);
    for (size_t i = before; i < a->room; i++) a->answer[i] = (lb_symbols){0};
    for (size_t i = 0; i < count; i++) {
        lb_status status =
            lb_symbols_split(rule, texts->text[i], strlen(texts->text[i]), &a->answer[i], error);
        if (status) return status;
    }
    a->count = count;
    return LB_OK;
}

void app_answers_free(app_answers *a)
{
    for (size_t i = 0; i < a->room; i++) lb_symbols_free(&a->answer[i]);
    lb_symbols_free(&a->again);
    lb_release(a->answer);
    lb_release(a->id);
    lb_release(a->reference);
    *a = (app_answers){0};
}

static lb_status count_texts(app_answers *a, const char *output, lb_error *error)
{
    lb_strings texts = {0};
    lb_status status = LB_OK;
    for (size_t i = 0; i < a->count && !status; i++)
        status = lb_strings_add(
            &texts, lb_symbols_join(a->rule, a->answer[i].symbol, a->answer[i].count, error), error);
    if (!status)
        status = lb_statistics_count_text(output, (const char *const *)texts.text, (int64_t)a->count, false,
                                          &a->found, error);
    lb_strings_free(&texts);
    return status;
}

lb_status app_answers_judge(app_answers *a, lb_vocabulary *symbols, const lb_output *output, lb_error *error)
{
    const lb_symbols written = app_output_symbols(a->rule, output, &a->again);
    size_t all = written.count;
    for (size_t i = 0; i < a->count; i++) all += a->answer[i].count;
    if (!lb_alloc_room(&a->id, 0, all + 1, &a->id_room, sizeof *a->id) ||
        !lb_alloc_room(&a->reference, 0, a->count, &a->reference_room, sizeof *a->reference))
        return app_report_no_memory(error);
    int32_t *to = a->id + written.count;
    lb_status status = app_encode(symbols, written.symbol, written.count, a->id, error);
    a->output = (lb_sequence){a->id, (int64_t)written.count};
    for (size_t i = 0; i < a->count && !status; i++) {
        const lb_symbols *answer = &a->answer[i];
        status = app_encode(symbols, answer->symbol, answer->count, to, error);
        a->reference[i] = (lb_sequence){to, (int64_t)answer->count};
        to += answer->count;
    }
    if (!status)
        status = lb_statistics_of(a->output, a->reference, (int64_t)a->count, &a->found, &a->nearest, error);
    a->edits = a->found.edits;
    return status || !a->texts ? status : count_texts(a, output->text, error);
}

lb_status app_answers_judge_words(app_answers *a, const lb_symbol_rule *rule, lb_vocabulary *words,
                                  const lb_output *output, lb_error *error)
{
    lb_statistics found;
    int64_t only;
    lb_sequence compared[2] = {{NULL, 0}, {NULL, 0}};
    const lb_symbols *nearest = &a->answer[a->nearest];
    char *text = lb_symbols_join(rule, nearest->symbol, nearest->count, error);
    lb_status status = text
                           ? app_encode_words(words, output->text, text, &a->id, &a->id_room, compared, error)
                           : app_report_no_memory(error);
    if (!status) status = lb_statistics_of(compared[0], &compared[1], 1, &found, &only, error);
    if (!status && a->edits > 0) a->edits = found.edits > 0 ? found.edits : 1;
    a->output = compared[0];
    a->reference[a->nearest] = compared[1];
    lb_release(text);
    return status;
}

/* ---- The pair as JSON. ---- */

enum { LIKELIEST = 5, PROBABILITY = 3, SCORE = 6 }; /* symbols; significant digits */

static void add_numbers(lb_buffer *json, const char *key, const double *number, int64_t count)
{
    lb_json_open(json, key, "[");
    for (int64_t i = 0; i < count; i++) lb_json_number(json, NULL, number[i], PROBABILITY);
    lb_buffer_print(json, "]");
}

static void add_output(app_report_data *report, const lb_translations *all, const app_report_pair *pair,
                       const lb_output *output)
{
    lb_buffer *json = &report->json;
    size_t cells = (size_t)(output->steps * pair->text->length);
    int64_t weights = -1;
    lb_json_open(json, NULL, "{");
    app_report_symbols(report, "symbols", output->symbol, (size_t)output->length);
    lb_json_bool(json, "finished", output->finished);
    if (output->from_lexicon) lb_json_bool(json, "lexicon", true);
    lb_json_number(json, "score", output->score, SCORE);
    lb_json_number(json, "probability", output->probability, SCORE);
    add_numbers(json, "steps", output->symbol_probability, output->steps);
    if (output->copied && output->length > 0) {
        lb_json_open(json, "copied", "[");
        for (int64_t i = 0; i < output->length; i++) lb_json_whole(json, NULL, output->copied[i]);
        lb_buffer_print(json, "]");
    }
    if (pair->detailed && output->weights)
        weights = (int64_t)app_report_weights(report, output->weights, all->layers, all->heads, cells,
                                              pair->mean_of_heads);
    lb_json_whole(json, "weights", weights);
    if (app_why_null(output)) lb_json_string(json, "why_null", app_why_null(output));
    lb_buffer_print(json, "}");
}

/* A text may contain "<eos>", too: the end is known by its place in memory. The unknown symbol is written as in an
 * output. */
static int32_t id_of(app_report_data *report, const lb_vocabulary *target, const char *symbol)
{
    static const char unknown[] = "\xEF\xBF\xBD"; /* U+FFFD */
    if (symbol == lb_vocabulary_symbol(target, LB_EOS)) return LB_EOS;
    if (symbol == lb_vocabulary_symbol(target, LB_UNK)) symbol = unknown;
    return app_report_id(report, symbol);
}

static lb_status add_likeliest(app_report_data *report, lb_translator *translator, const lb_translation *text,
                               lb_error *error)
{
    lb_buffer *json = &report->json;
    lb_likeliest *found = lb_translate_likeliest(translator, text, text->output, LIKELIEST, error);
    if (!found) return error->status;
    const lb_vocabulary *target = lb_translator_about(translator).target;
    int64_t count = found->steps * found->count;
    lb_json_open(json, "likeliest", "{");
    lb_json_whole(json, "count", found->count);
    lb_json_open(json, "symbols", "[");
    for (int64_t i = 0; i < count; i++) lb_json_whole(json, NULL, id_of(report, target, found->symbol[i]));
    lb_buffer_print(json, "]");
    /* Three decimals: rare symbols need no digits. */
    for (int64_t i = 0; i < count; i++) found->probability[i] = round(1000 * found->probability[i]) / 1000;
    add_numbers(json, "probability", found->probability, count);
    lb_buffer_print(json, "}");
    lb_likeliest_free(found);
    return LB_OK;
}

static lb_status add_rollout(app_report_data *report, const lb_text_attention *own, lb_error *error)
{
    size_t map = (size_t)(own->length * own->length), count = (size_t)(own->layers * own->heads) * map;
    double *weights = lb_alloc((count + map) * sizeof *weights);
    if (!weights) return app_report_no_memory(error);
    for (size_t i = 0; i < count; i++) weights[i] = (double)own->encoder[i];
    lb_status status =
        lb_attention_rollout(weights, own->layers, own->heads, own->length, weights + count, error);
    if (!status)
        lb_json_whole(&report->json, "rollout", (int64_t)app_report_numbers(report, weights + count, map));
    lb_release(weights);
    return status;
}

static lb_status add_self(app_report_data *report, lb_translator *translator, const app_report_pair *pair,
                          lb_error *error)
{
    bool mean = pair->mean_of_heads;
    lb_text_attention *own = lb_translate_self_attention(translator, pair->text, pair->text->output, error);
    if (!own) return error->status;
    lb_status status = LB_OK;
    if (own->layers == 0) {
        lb_json_string(&report->json, "self", NULL);
    } else {
        size_t length = (size_t)own->length, steps = (size_t)own->steps;
        size_t encoder =
            app_report_weights(report, own->encoder, own->layers, own->heads, length * length, mean);
        size_t decoder =
            app_report_weights(report, own->decoder, own->layers, own->heads, steps * steps, mean);
        lb_json_open(&report->json, "self", "{");
        lb_json_whole(&report->json, "layers", own->layers);
        lb_json_whole(&report->json, "heads", mean ? 1 : own->heads);
        lb_json_whole(&report->json, "encoder", (int64_t)encoder);
        lb_json_whole(&report->json, "decoder", (int64_t)decoder);
        status = add_rollout(report, own, error);
        lb_buffer_print(&report->json, "}");
    }
    lb_text_attention_free(own);
    return status;
}

/* Prints what the best output depends on, if it was measured. */
static void add_why(app_report_data *report, const app_report_pair *pair)
{
    const lb_output *output = pair->text->output;
    size_t cells = (size_t)(output->steps * pair->text->length);
    if (!output->gradient) return;
    lb_json_open(&report->json, "why", "{");
    app_report_lost(report, "erasure", pair->lacks_room ? NULL : output->erasure, cells);
    app_report_lost(report, "gradient", pair->lacks_room ? NULL : output->gradient, cells);
    lb_json_number(&report->json, "tau", pair->tau, PROBABILITY);
    lb_buffer_print(&report->json, "}");
}

/* Prints the answer that is nearest to the output as the expected one, and then the others. */
static void add_answers(app_report_data *report, const app_report_pair *pair)
{
    const lb_symbols *answer = pair->expected->answer, *nearest = answer + pair->expected->nearest;
    assert(pair->expected->nearest < (int64_t)pair->expected->count); /* app_answers_judge came before */
    app_report_symbols(report, "expected", nearest->symbol, nearest->count);
    if (pair->expected->count == 1) return;
    lb_json_open(&report->json, "also", "[");
    for (size_t i = 0; i < pair->expected->count; i++) {
        if (&answer[i] == nearest) continue;
        lb_json_open(&report->json, NULL, "{");
        app_report_symbols(report, "symbols", answer[i].symbol, answer[i].count);
        lb_buffer_print(&report->json, "}");
    }
    lb_buffer_print(&report->json, "]");
}

static void add_texts(app_report_data *report, const app_report_pair *pair)
{
    lb_buffer *json = &report->json;
    lb_json_open(json, NULL, "{");
    app_report_symbols(report, "source", pair->text ? pair->text->symbol : NULL,
                       pair->text ? (size_t)pair->text->length : 0);
    if (pair->text && pair->text->unknown_count > 0)
        app_report_symbols(report, "unknown", pair->text->unknown, (size_t)pair->text->unknown_count);
    if (pair->text && pair->text->unlike) lb_json_bool(json, "unlike", true);
    bool known = pair->expected && pair->expected->count > 0;
    if (known)
        add_answers(report, pair);
    else
        lb_json_string(json, "expected", NULL);
    lb_json_string(json, "error", pair->error);
    if (known)
        lb_json_whole(json, "edits", pair->expected->edits);
    else
        lb_json_string(json, "edits", NULL);
    if (pair->mean_of_heads) lb_json_bool(json, "mean", true);
}

lb_status app_report_add_pair(app_report_data *report, lb_translator *translator, const lb_translations *all,
                              const app_report_pair *pair, lb_error *error)
{
    lb_buffer *json = &report->json;
    const lb_translation *text = pair->text;
    int64_t outputs = !text || pair->error ? 0 : pair->detailed ? text->count : 1;
    /* An answer of the lexicon that the model cannot be given has no score. */
    bool steps = outputs > 0 && pair->detailed && text->output->steps > 0 && !isnan(text->output->score);
    lb_status status = LB_OK;
    add_texts(report, pair);
    lb_json_open(json, "outputs", "[");
    for (int64_t i = 0; i < outputs; i++) add_output(report, all, pair, &text->output[i]);
    lb_buffer_print(json, "]");
    if (steps)
        status = add_likeliest(report, translator, text, error);
    else
        lb_json_string(json, "likeliest", NULL);
    if (!status && steps)
        status = add_self(report, translator, pair, error);
    else
        lb_json_string(json, "self", NULL);
    if (outputs > 0) add_why(report, pair);
    lb_buffer_print(json, "}");
    if (!status && steps && pair->votes) app_votes_add(pair->votes, pair->at, json);
    app_report_flush(report);
    return status;
}
