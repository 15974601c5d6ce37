#include "models/model_kinds.h"

#include "models/ensemble.h"
#include "models/seq2seq.h"
#include "models/transformer.h"

#include <string.h>

const lb_model_kind *lb_model_kind_find(const char *name)
{
    static const lb_model_kind *const kinds[] = {&lb_seq2seq_kind, &lb_transformer_kind, &lb_ensemble_kind};
    for (size_t i = 0; name && i < sizeof kinds / sizeof kinds[0]; i++)
        if (strcmp(kinds[i]->name, name) == 0) return kinds[i];
    return NULL;
}
