/* A text and an output of it as the tokens that a model reads. */
#include "translate/apply/translator.h"

bool lb_translate_has_steps(const lb_translator *t, const lb_translation *text, const lb_output *output)
{
    return text->length > 0 && text->length <= t->most && output->steps > 0 &&
           output->steps >= output->length && output->steps <= output->length + 1;
}

lb_given lb_translate_given(const lb_translator *t, lb_tape *tape, const lb_translation *text,
                            const lb_output *output)
{
    int32_t *source_id, *source_length, *target_id, *target_length;
    lb_given given = {.source = lb_tokens_new(tape, 1, text->length, &source_id, &source_length),
                      .target_out = lb_tokens_new(tape, 1, output->steps, &target_id, &target_length)};
    if (given.source.batch != 1 || given.target_out.batch != 1) return given;
    *source_length =
        lb_vocabulary_encode(t->model.source, text->symbol, text->length, source_id, (int32_t)text->length);
    lb_vocabulary_encode(t->model.target, output->symbol, output->length, target_id, (int32_t)output->length);
    if (output->steps > output->length) target_id[output->length] = LB_EOS;
    *target_length = (int32_t)output->steps;
    return given;
}
