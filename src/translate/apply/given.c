/* What a model says of an output that is given, or that it has written before: its likeliest alignment, the likeliest
 * symbols at each step, and what the positions of text and output attend to. */
#include "base/alloc.h"
#include "base/bytes.h"
#include "translate/apply/translator.h"
#include "translate/batches/batch.h"

#include <string.h>

/* A source and an output of it in ids. */
typedef struct given {
    lb_tokens source;     /* [1, text length] */
    lb_tokens target_out; /* [1, steps] in reading order; LB_EOS comes last unless the output was cut off */
} given;

/* Whether the output could be that of the text: it has symbols and steps, and not too many. */
static bool has_steps(const lb_translator *t, const lb_translation *text, const lb_output *output)
{
    return text->length > 0 && text->length <= t->most && output->steps > 0 &&
           output->steps >= output->length && output->steps <= output->length + 1;
}

/* Puts the ids of both on the tape, which is reset first and records an error. */
static given encode(const lb_translator *t, lb_tape *tape, const lb_translation *text,
                    const lb_output *output)
{
    int32_t *source_id, *source_length, *target_id, *target_length;
    lb_tape_reset(tape);
    given ids = {.source = lb_tokens_new(tape, 1, text->length, &source_id, &source_length),
                 .target_out = lb_tokens_new(tape, 1, output->steps, &target_id, &target_length)};
    if (ids.source.batch != 1 || ids.target_out.batch != 1) return ids;
    *source_length =
        lb_vocabulary_encode(t->model.source, text->symbol, text->length, source_id, (int32_t)text->length);
    lb_vocabulary_encode(t->model.target, output->symbol, output->length, target_id, (int32_t)output->length);
    if (output->steps > output->length) target_id[output->length] = LB_EOS;
    *target_length = (int32_t)output->steps;
    return ids;
}

/* Replaces the weights of an output by its likeliest alignment, if the model has one. */
static lb_status show_alignment(const lb_translator *t, lb_tape *tape, const lb_translation *text,
                                lb_output *output, lb_error *error)
{
    if (!output->weights || !has_steps(t, text, output)) return LB_OK;
    given ids = encode(t, tape, text, output);
    lb_best_alignment found = {0};
    if (!lb_tape_status(tape)) found = lb_model_best_alignment(t->model.model, ids.source, ids.target_out);
    lb_status status = lb_tape_status(tape);
    if (status) return lb_error_set(error, status, "%s", lb_tape_error(tape));
    if (found.batch == 0) return LB_OK;
    memset(output->weights, 0, (size_t)(output->steps * text->length) * sizeof *output->weights);
    for (int64_t step = 0; step < output->steps; step++)
        output->weights[step * text->length + found.position[step]] = 1;
    return LB_OK;
}

lb_status lb_translate_show_alignments(const lb_translator *translator, lb_translations *translations,
                                       lb_error *error)
{
    lb_tape *tape = lb_tapes_take(translator->tapes, error);
    lb_status status = tape ? LB_OK : LB_ERROR_MEMORY;
    for (int64_t i = 0; i < translations->count && !status; i++) {
        lb_translation *text = &translations->text[i];
        for (int64_t k = 0; k < text->count && !status; k++)
            status = show_alignment(translator, tape, text, &text->output[k], error);
    }
    lb_tapes_put(translator->tapes, tape);
    return status;
}

/* Puts the `count` largest of a row into `symbol` and `probability`, in descending order. */
static void pick_likeliest(const lb_vocabulary *vocabulary, const lb_real *row, int64_t width, int64_t count,
                           const char **symbol, double *probability)
{
    int64_t kept = 0;
    for (int64_t id = LB_EOS; id < width; id++) {
        int64_t place = kept < count ? kept++ : count;
        while (place > 0 && (double)row[id] > probability[place - 1]) {
            if (place < count) {
                probability[place] = probability[place - 1];
                symbol[place] = symbol[place - 1];
            }
            place--;
        }
        if (place == count) continue;
        probability[place] = (double)row[id];
        symbol[place] = lb_vocabulary_symbol(vocabulary, (int32_t)id);
    }
}

static lb_status find_likeliest(const lb_translator *t, lb_tape *tape, const lb_translation *text,
                                const lb_output *output, lb_likeliest *l, lb_error *error)
{
    given ids = encode(t, tape, text, output);
    lb_tensor *probabilities =
        lb_softmax(lb_forced_decode(t->model.model, ids.source, ids.target_out).log_probabilities);
    lb_status status = lb_tape_status(tape);
    if (status) return lb_error_set(error, status, "%s", lb_tape_error(tape));
    size_t cells = (size_t)(l->steps * l->count);
    l->symbol = lb_arena_alloc(l->memory, cells * sizeof *l->symbol);
    l->probability = lb_arena_alloc(l->memory, cells * sizeof *l->probability);
    if (!l->symbol || !l->probability) return lb_error_set(error, LB_ERROR_MEMORY, "out of memory");
    int64_t width = t->model.model->target_vocab;
    for (int64_t step = 0; step < l->steps; step++)
        pick_likeliest(t->model.target, probabilities->data + step * width, width, l->count,
                       l->symbol + step * l->count, l->probability + step * l->count);
    return LB_OK;
}

lb_likeliest *lb_translate_likeliest(const lb_translator *translator, const lb_translation *text,
                                     const lb_output *output, int64_t count, lb_error *error)
{
    int64_t symbols = translator->model.model->target_vocab - LB_EOS;
    if (count < 1 || !has_steps(translator, text, output))
        return lb_null(lb_error_set(error, LB_ERROR_ARGUMENT,
                                    count < 1 ? "expected at least 1 symbol for each step, found %lld"
                                              : "a text without symbols, or an output without steps",
                                    (long long)count));
    lb_arena *memory = lb_arena_new();
    lb_likeliest *l = memory ? lb_arena_alloc(memory, sizeof *l) : NULL;
    lb_tape *tape = lb_tapes_take(translator->tapes, error);
    if (l)
        *l = (lb_likeliest){
            .steps = output->steps, .count = count < symbols ? count : symbols, .memory = memory};
    lb_status status =
        l && tape ? find_likeliest(translator, tape, text, output, l, error) : lb_no_memory(error, NULL);
    lb_tapes_put(translator->tapes, tape);
    if (status) lb_arena_free(memory);
    return status ? NULL : l;
}

void lb_likeliest_free(lb_likeliest *likeliest)
{
    if (likeliest) lb_arena_free(likeliest->memory); /* which it is in */
}

/* Copies the weights of the only row. */
static lb_real *copy_weights(lb_arena *memory, const lb_tensor *weights)
{
    size_t bytes = (size_t)lb_count(weights) * sizeof *weights->data;
    lb_real *copy = lb_arena_alloc(memory, bytes);
    return copy ? memcpy(copy, weights->data, bytes) : NULL;
}

/* Puts steps and what they have read into reading order. The end stays the last step, the start the first that is
 * read. */
static void turn_weights(lb_tensor *weights, const lb_output *output)
{
    int64_t steps = output->steps, rows = lb_count(weights) / steps;
    for (int64_t row = 0; row < rows; row++) lb_rows_reverse(weights->data + row * steps + 1, steps - 1, 1);
    for (int64_t map = 0; map < rows / steps; map++)
        lb_rows_reverse(weights->data + map * steps * steps, output->length, steps);
}

static lb_status find_self_attention(const lb_translator *t, lb_tape *tape, const lb_translation *text,
                                     const lb_output *output, lb_text_attention *a, lb_error *error)
{
    const lb_model *model = t->model.model;
    lb_mode mode = lb_tape_mode(tape);
    lb_tape_set_mode(tape, LB_MODE_EVALUATE);
    given ids = encode(t, tape, text, output);
    lb_tokens in = lb_target_in_of(model, ids.target_out);
    lb_self_attention found = lb_model_self_attention(model, ids.source, in);
    lb_tape_set_mode(tape, mode);
    lb_status status = lb_tape_status(tape);
    if (status) return lb_error_set(error, status, "%s", lb_tape_error(tape));
    a->layers = found.layers;
    a->heads = found.heads;
    if (found.layers == 0) return LB_OK;
    if (model->from_end) turn_weights(found.decoder, output);
    a->encoder = copy_weights(a->memory, found.encoder);
    a->decoder = copy_weights(a->memory, found.decoder);
    return a->encoder && a->decoder ? LB_OK : lb_error_set(error, LB_ERROR_MEMORY, "out of memory");
}

lb_text_attention *lb_translate_self_attention(const lb_translator *translator, const lb_translation *text,
                                               const lb_output *output, lb_error *error)
{
    if (!has_steps(translator, text, output))
        return lb_null(
            lb_error_set(error, LB_ERROR_ARGUMENT, "a text without symbols, or an output without steps"));
    lb_arena *memory = lb_arena_new();
    lb_text_attention *a = memory ? lb_arena_alloc(memory, sizeof *a) : NULL;
    lb_tape *tape = lb_tapes_take(translator->tapes, error);
    if (a) *a = (lb_text_attention){.length = text->length, .steps = output->steps, .memory = memory};
    lb_status status =
        a && tape ? find_self_attention(translator, tape, text, output, a, error) : lb_no_memory(error, NULL);
    lb_tapes_put(translator->tapes, tape);
    if (status) lb_arena_free(memory);
    return status ? NULL : a;
}

void lb_text_attention_free(lb_text_attention *attention)
{
    if (attention) lb_arena_free(attention->memory); /* which it is in */
}
