/* What the positions of a text, and those of an output, attend to within it. */
#include "base/alloc.h"
#include "base/arena.h"
#include "models/decode/model.h"
#include "translate/apply/translator.h"

#include <string.h>

/* Copies the weights of the only row. */
static lb_real *keep(lb_arena *memory, const lb_tensor *weights)
{
    size_t bytes = (size_t)lb_count(weights) * sizeof *weights->data;
    lb_real *copy = lb_arena_alloc(memory, bytes);
    return copy ? memcpy(copy, weights->data, bytes) : NULL;
}

/* Puts steps and what they have read into reading order. The end stays the last step, the start the first that is
 * read. */
static void turn(lb_tensor *weights, const lb_output *output)
{
    int64_t steps = output->steps, rows = lb_count(weights) / steps;
    for (int64_t row = 0; row < rows; row++) lb_rows_reverse(weights->data + row * steps + 1, steps - 1, 1);
    for (int64_t map = 0; map < rows / steps; map++)
        lb_rows_reverse(weights->data + map * steps * steps, output->length, steps);
}

static lb_status find(const lb_translator *t, lb_tape *tape, const lb_translation *text,
                      const lb_output *output, lb_text_attention *a, lb_error *error)
{
    const lb_model *model = t->model.model;
    lb_tape_reset(tape);
    lb_mode mode = lb_tape_mode(tape);
    lb_tape_set_mode(tape, LB_MODE_EVALUATE);
    lb_given given = lb_translate_given(t, tape, text, output);
    lb_tokens in = lb_model_target_in(model, given.target_out);
    lb_self_attention found = lb_model_self_attention(model, given.source, in);
    lb_tape_set_mode(tape, mode);
    lb_status status = lb_tape_status(tape);
    if (status) return lb_error_set(error, status, "%s", lb_tape_error(tape));
    a->layers = found.layers;
    a->heads = found.heads;
    if (found.layers == 0) return LB_OK;
    if (model->from_end) turn(found.decoder, output);
    a->encoder = keep(a->memory, found.encoder);
    a->decoder = keep(a->memory, found.decoder);
    return a->encoder && a->decoder ? LB_OK : lb_error_set(error, LB_ERROR_MEMORY, "out of memory");
}

lb_text_attention *lb_translate_self_attention(const lb_translator *translator, const lb_translation *text,
                                               const lb_output *output, lb_error *error)
{
    if (!lb_translate_has_steps(translator, text, output))
        return lb_null(
            lb_error_set(error, LB_ERROR_ARGUMENT, "a text without symbols, or an output without steps"));
    lb_text_attention *a = lb_alloc_zero(sizeof *a);
    lb_tape *tape = lb_tapes_take(translator->tapes, error);
    if (a) *a = (lb_text_attention){.length = text->length, .steps = output->steps, .memory = lb_arena_new()};
    bool ready = a && a->memory && tape;
    lb_status status = ready ? find(translator, tape, text, output, a, error)
                             : lb_error_set(error, LB_ERROR_MEMORY, "out of memory");
    lb_tapes_put(translator->tapes, tape);
    if (!status) return a;
    lb_text_attention_free(a);
    return NULL;
}

void lb_text_attention_free(lb_text_attention *attention)
{
    if (!attention) return;
    lb_arena_free(attention->memory);
    lb_release(attention);
}
