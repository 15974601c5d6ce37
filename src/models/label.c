#include "models/label.h"

#include "models/seq2seq.h"

#include <stdio.h>

const char *lb_model_label(const lb_model *model, char text[LB_LABEL])
{
    const char *name = model->kind->name;
    if (model->kind == &lb_seq2seq_kind) name = ((const lb_seq2seq *)model)->attention.type->name;
    bool copies = model->copies && !lb_is_ensemble(model);
    snprintf(text, LB_LABEL, "%.40s%s%s", name, copies ? "-copy" : "", model->from_end ? "-backward" : "");
    return text;
}
