#include "apply/answer.h"

#include "base/alloc.h"
#include "io/file.h"
#include "translate/file/text_model.h"

#include <lookback/io.h>

#include <assert.h>
#include <math.h>
#include <string.h>

enum { DIGITS = 9 }; /* of the numbers in JSON */

/* Nested lists of so many dimensions. */
static const lb_real *add_lists(lb_buffer *lines, const lb_real *values, const int64_t *size, int dimensions)
{
    enum { FEW_DIGITS = 6 };
    if (dimensions == 0) {
        lb_json_number(lines, NULL, (double)*values, FEW_DIGITS);
        return values + 1;
    }
    lb_json_open(lines, NULL, "[");
    for (int64_t i = 0; i < *size; i++) values = add_lists(lines, values, size + 1, dimensions - 1);
    lb_buffer_print(lines, "]");
    return values;
}

static void add_symbol(lb_buffer *json, const lb_output *output, int64_t i)
{
    lb_json_open(json, NULL, "{");
    lb_json_string(json, "symbol", output->symbol[i]);
    lb_json_number(json, "probability", output->symbol_probability[i], DIGITS);
    if (output->copied && output->copied[i] >= 0) lb_json_whole(json, "copied", output->copied[i]);
    lb_buffer_print(json, "}");
}

/* A list for each step; null if there is none. */
static void add_measure(lb_buffer *json, const char *name, const lb_real *values, const lb_output *output,
                        const lb_translation *text)
{
    const int64_t size[] = {output->steps, text->length};
    lb_json_key(json, name);
    if (values)
        add_lists(json, values, size, (int)(sizeof size / sizeof *size));
    else
        lb_buffer_print(json, "null");
}

lb_symbols app_output_symbols(const lb_symbol_rule *rule, const lb_output *output, lb_symbols *again)
{
    lb_error ignored = {0}; /* bytes that are no text stay as they are */
    if (rule->subwords && !lb_symbols_split(rule, output->text, strlen(output->text), again, &ignored))
        return *again;
    return (lb_symbols){.count = (size_t)output->length, .symbol = output->symbol};
}

lb_status app_encode(lb_vocabulary *all, const char *const *symbols, size_t count, int32_t *id,
                     lb_error *error)
{
    lb_status status = lb_vocabulary_add(all, symbols, (int64_t)count, error);
    if (!status) lb_vocabulary_encode(all, symbols, (int64_t)count, id, (int32_t)count);
    return status;
}

lb_status app_encode_words(lb_vocabulary *words, const char *output, const char *reference, int32_t **id,
                           size_t *room, lb_sequence compared[2], lb_error *error)
{
    lb_words written = {0}, wanted = {0};
    lb_status status = lb_words_split(output, &written, error);
    if (!status) status = lb_words_split(reference, &wanted, error);
    if (!status && !lb_alloc_room(id, 0, written.count + wanted.count + 1, room, sizeof **id))
        status = lb_no_memory(error, "the words of an output");
    compared[0] = (lb_sequence){*id, (int64_t)written.count};
    compared[1] = (lb_sequence){*id + written.count, (int64_t)wanted.count};
    if (!status) status = app_encode(words, written.word, written.count, *id, error);
    if (!status) status = app_encode(words, wanted.word, wanted.count, *id + written.count, error);
    lb_words_free(&written);
    lb_words_free(&wanted);
    return status;
}

const char *app_why_null(const lb_output *output)
{
    if (output->from_lexicon && isnan(output->score))
        return "the model lacks a symbol of this answer of the lexicon, or the room for it";
    return output->gradient && !output->erasure ? "a source of one symbol has no erasure" : NULL;
}

static void add_output(lb_buffer *json, const lb_output *output, const lb_translation *text)
{
    lb_json_open(json, NULL, "{");
    lb_json_string(json, "text", output->text);
    lb_json_bool(json, "finished", output->finished);
    if (output->from_lexicon) lb_json_string(json, "from", "lexicon");
    lb_json_number(json, "score", output->score, DIGITS);
    lb_json_number(json, "probability", output->probability, DIGITS);
    lb_json_open(json, "symbols", "[");
    for (int64_t i = 0; i < output->length; i++) add_symbol(json, output, i);
    lb_buffer_print(json, "]");
    lb_json_number(json, "end", output->finished ? output->symbol_probability[output->length] : NAN, DIGITS);
    if (output->gradient) {
        lb_json_strings(json, "source_symbols", text->symbol, text->length);
        add_measure(json, "erasure", output->erasure, output, text);
        add_measure(json, "gradient", output->gradient, output, text);
    }
    if (app_why_null(output)) lb_json_string(json, "why_null", app_why_null(output));
    lb_buffer_print(json, "}");
}

void app_answer_json(lb_buffer *json, const char *source, const lb_translation *text)
{
    lb_json_open(json, NULL, "{");
    lb_json_string(json, "source", source);
    lb_json_strings(json, "unknown", text->unknown, text->unknown_count);
    if (text->unlike) lb_json_bool(json, "unlike", true);
    lb_json_open(json, "outputs", "[");
    for (int64_t i = 0; i < text->count; i++) add_output(json, &text->output[i], text);
    lb_buffer_print(json, "]");
    if (text->error) lb_json_string(json, "error", text->error);
    lb_buffer_print(json, "}");
}

/* ---- Votes. ---- */

lb_status app_votes_ask(app_votes *votes, lb_translator *translator, const char *const *texts, size_t count,
                        lb_translate_config config, lb_error *error)
{
    const lb_ensemble *ensemble = (const lb_ensemble *)lb_translator_about(translator).model;
    assert(lb_is_ensemble(lb_translator_about(translator).model));
    *votes = (app_votes){ensemble, lb_alloc_zero((size_t)ensemble->count * sizeof(lb_translations *))};
    if (!votes->member)
        return lb_error_set(error, LB_ERROR_MEMORY, "out of memory for %lld members",
                            (long long)ensemble->count);
    config.n_best = 1;
    config.attention = config.copy_unknown = config.sample = config.erasure = config.gradient = false;
    for (int m = 0; m < ensemble->count; m++) {
        config.member = m + 1;
        votes->member[m] = lb_translate_all(translator, texts, (int64_t)count, config, error);
        if (!votes->member[m]) return error->status;
    }
    return LB_OK;
}

void app_votes_print(lb_buffer *lines, const app_votes *votes, size_t at, const char *source,
                     const lb_translation *together)
{
    char label[LB_LABEL];
    for (int64_t i = 0; i < together->count; i++)
        lb_buffer_print(lines, "%s\t%s\t%.6f\t1\ttogether\n", source, together->output[i].text,
                        together->output[i].score);
    for (int m = 0; m < votes->ensemble->count; m++) {
        const lb_output *output = votes->member[m]->text[at].output;
        lb_buffer_print(lines, "%s\t%s\t%.6f\t%.4g\t%s\n", source, output->text, output->score,
                        lb_ensemble_weight(votes->ensemble, m),
                        lb_model_label(votes->ensemble->member[m], label));
    }
}

void app_votes_add(const app_votes *votes, size_t at, lb_buffer *json)
{
    char label[LB_LABEL];
    if (json->failed) return;
    assert(json->length > 0 && json->text[json->length - 1] == '}');
    json->text[--json->length] = '\0';
    lb_json_open(json, "votes", "[");
    for (int m = 0; m < votes->ensemble->count; m++) {
        const lb_output *output = votes->member[m]->text[at].output;
        lb_json_open(json, NULL, "{");
        lb_json_string(json, "member", lb_model_label(votes->ensemble->member[m], label));
        lb_json_number(json, "weight", lb_ensemble_weight(votes->ensemble, m), DIGITS);
        lb_json_string(json, "text", output->text);
        lb_json_number(json, "score", output->score, DIGITS);
        lb_buffer_print(json, "}");
    }
    lb_buffer_print(json, "]}");
}

void app_votes_close(app_votes *votes)
{
    for (int m = 0; votes->member && m < votes->ensemble->count; m++) lb_translations_free(votes->member[m]);
    lb_release((void *)votes->member);
    *votes = (app_votes){0};
}

/* ---- Attention. ---- */

lb_status app_write_attention(const char *path, const lb_translations *found, lb_error *error)
{
    const lb_output *output = found->text->output;
    if (!output->weights)
        return lb_error_set(error, LB_ERROR_FORMAT,
                            "found an answer of the lexicon, for which the model has no attention; "
                            "--no-lexicon writes what the model says");
    lb_shape shape = LB_SHAPE(found->layers, found->heads, output->steps, found->text->length);
    int64_t count = lb_shape_count(shape);
    double *values = lb_alloc((size_t)count * sizeof *values);
    if (!values) return lb_error_set(error, LB_ERROR_MEMORY, "%s: out of memory", path);
    for (int64_t i = 0; i < count; i++) values[i] = (double)output->weights[i];
    lb_status status = lb_npy_write(values, shape, LB_DTYPE_F32, path, error);
    lb_release(values);
    return status;
}

void app_add_attention(lb_buffer *lines, const lb_translations *found, const lb_translation *text)
{
    const lb_output *output = text->output;
    if (text->count == 0 || !output->weights) {
        lb_buffer_print(lines, "null\n");
        return;
    }
    const int64_t size[] = {found->layers, found->heads, output->steps, text->length};
    lb_json_open(lines, NULL, "{");
    lb_json_strings(lines, "source", text->symbol, text->length);
    lb_json_strings(lines, "output", output->symbol, output->length);
    lb_json_bool(lines, "finished", output->finished);
    lb_json_key(lines, "attention");
    add_lists(lines, output->weights, size, (int)(sizeof size / sizeof *size));
    lb_buffer_print(lines, "}\n");
}

lb_status app_write_lines(const char *path, const lb_buffer *lines, lb_error *error)
{
    if (lines->failed) return lb_error_set(error, LB_ERROR_MEMORY, "%s: out of memory", path);
    return lb_file_write_atomic(path, lines->text ? lines->text : "", lines->length, error);
}

void app_add_alignment(lb_buffer *line, const lb_translations *found, const lb_translation *text,
                       const lb_output *output)
{
    int64_t map = output->steps * text->length;
    const lb_real *last = output->weights ? output->weights + (found->layers - 1) * found->heads * map : NULL;
    for (int64_t step = 0; step < output->length && last; step++) {
        int64_t best = 0;
        double most = -1;
        for (int64_t k = 0; k < text->length; k++) {
            double sum = 0;
            for (int64_t head = 0; head < found->heads; head++)
                sum += (double)last[head * map + step * text->length + k];
            if (sum > most) best = k;
            most = sum > most ? sum : most;
        }
        lb_buffer_print(line, "%s%lld-%lld", step > 0 ? " " : "", (long long)best, (long long)step);
    }
}
