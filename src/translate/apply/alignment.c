/* Outputs shown with their likeliest alignment. */
#include "translate/apply/translator.h"

#include <string.h>

static lb_status show(const lb_translator *t, lb_tape *tape, const lb_translation *text, lb_output *output,
                      lb_error *error)
{
    if (!output->weights || !lb_translate_has_steps(t, text, output)) return LB_OK;
    lb_tape_reset(tape);
    lb_given given = lb_translate_given(t, tape, text, output);
    lb_best_alignment found = {0};
    if (!lb_tape_status(tape))
        found = lb_model_best_alignment(t->model.model, given.source, given.target_out);
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
            status = show(translator, tape, text, &text->output[k], error);
    }
    lb_tapes_put(translator->tapes, tape);
    return status;
}
