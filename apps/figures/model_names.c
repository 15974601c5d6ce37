#include "figures/model_names.h"

#include "models/built_in.h"

#include <stdio.h>
#include <string.h>

void app_name_kind(const lb_model *model, char name[APP_MODEL_NAME])
{
    const lb_seq2seq *seq2seq = model->kind == &lb_seq2seq_kind ? (const lb_seq2seq *)model : NULL;
    lb_normalizer weights = seq2seq ? seq2seq->config.attention_weights : LB_SOFTMAX;
    snprintf(name, APP_MODEL_NAME, "%s%s%s", seq2seq ? seq2seq->attention.type->name : model->kind->name,
             weights == LB_SOFTMAX ? "" : ", ", weights == LB_SOFTMAX ? "" : lb_normalizer_names[weights]);
}

/* The length of the common start of all paths, up to a slash, or of their common end, from a slash or the last dot. */
static size_t shared_letters(const char *const *paths, int count, bool at_end)
{
    const char *first = paths[0];
    size_t length = strlen(first), shared = 0;
    for (size_t n = 1; n < length; n++) {
        char edge = at_end ? first[length - n] : first[n - 1];
        for (int i = 1; i < count; i++) {
            const char *other = paths[i];
            size_t other_length = strlen(other);
            if (other_length <= n) return shared;
            if (memcmp(at_end ? first + length - n : first, at_end ? other + other_length - n : other, n) !=
                0)
                return shared;
        }
        if (edge == '/' || (at_end && shared == 0 && edge == '.')) shared = n;
    }
    return shared;
}

static bool all_differ(char (*names)[APP_MODEL_NAME], int count)
{
    for (int i = 1; i < count; i++)
        for (int j = 0; j < i; j++)
            if (strcmp(names[i], names[j]) == 0) return false;
    return true;
}

void app_name_models(const char *const *paths, int count, char (*names)[APP_MODEL_NAME])
{
    if (all_differ(names, count)) return;
    size_t begin = shared_letters(paths, count, false), end = shared_letters(paths, count, true);
    for (int i = 0; i < count; i++) {
        size_t length = strlen(paths[i]);
        size_t kept = length > begin + end ? length - begin - end : length;
        snprintf(names[i], APP_MODEL_NAME, "%.*s", (int)kept, paths[i] + (kept < length ? begin : 0));
    }
}
