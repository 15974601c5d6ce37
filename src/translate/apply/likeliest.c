/* Alternatives for an output: the likeliest symbols at each step and their probabilities. */
#include "base/alloc.h"
#include "base/arena.h"
#include "models/decode/model.h"
#include "translate/apply/translator.h"

/* Puts the `count` largest of a row into `symbol` and `probability`, in descending order. */
static void pick(const lb_vocabulary *vocabulary, const lb_real *row, int64_t width, int64_t count,
                 const char **symbol, double *probability)
{
    int64_t kept = 0;
    for (int64_t id = LB_FIRST_WRITTEN; id < width; id++) {
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

static lb_status find(const lb_translator *t, lb_tape *tape, const lb_translation *text,
                      const lb_output *output, lb_likeliest *l, lb_error *error)
{
    lb_tape_reset(tape);
    lb_given given = lb_translate_given(t, tape, text, output);
    lb_tensor *probabilities =
        lb_softmax(lb_forced_decode(t->model.model, given.source, given.target_out).log_probabilities);
    lb_status status = lb_tape_status(tape);
    if (status) return lb_error_set(error, status, "%s", lb_tape_error(tape));
    size_t cells = (size_t)(l->steps * l->count);
    l->symbol = lb_arena_alloc(l->memory, cells * sizeof *l->symbol);
    l->probability = lb_arena_alloc(l->memory, cells * sizeof *l->probability);
    if (!l->symbol || !l->probability) return lb_error_set(error, LB_ERROR_MEMORY, "out of memory");
    int64_t width = t->model.model->target_vocab;
    for (int64_t step = 0; step < l->steps; step++)
        pick(t->model.target, probabilities->data + step * width, width, l->count,
             l->symbol + step * l->count, l->probability + step * l->count);
    return LB_OK;
}

lb_likeliest *lb_translate_likeliest(const lb_translator *translator, const lb_translation *text,
                                     const lb_output *output, int64_t count, lb_error *error)
{
    int64_t symbols = translator->model.model->target_vocab - LB_FIRST_WRITTEN;
    bool fits = lb_translate_has_steps(translator, text, output);
    if (count < 1 || !fits)
        return lb_null(lb_error_set(error, LB_ERROR_ARGUMENT,
                                    count < 1 ? "expected at least 1 symbol for each step, found %lld"
                                              : "a text without symbols, or an output without steps",
                                    (long long)count));
    lb_likeliest *l = lb_alloc_zero(sizeof *l);
    lb_tape *tape = lb_tapes_take(translator->tapes, error);
    if (l)
        *l = (lb_likeliest){
            .steps = output->steps, .count = count < symbols ? count : symbols, .memory = lb_arena_new()};
    bool ready = l && l->memory && tape;
    lb_status status = ready ? find(translator, tape, text, output, l, error)
                             : lb_error_set(error, LB_ERROR_MEMORY, "out of memory");
    lb_tapes_put(translator->tapes, tape);
    if (!status) return l;
    lb_likeliest_free(l);
    return NULL;
}

void lb_likeliest_free(lb_likeliest *likeliest)
{
    if (!likeliest) return;
    lb_arena_free(likeliest->memory);
    lb_release(likeliest);
}
