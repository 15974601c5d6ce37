/* The names of models that are drawn side by side. */
#ifndef APP_MODEL_NAMES_H
#define APP_MODEL_NAMES_H

#include <lookback/models.h>

enum { APP_MODEL_NAME = 64 };

/** Writes the kind of a model: its attention, such as "multi-head" or "additive, sparsemax", or "transformer". */
void app_name_kind(const lb_model *model, char name[APP_MODEL_NAME]);

/** Names the models by their kinds, which are in `names`, if all differ; otherwise by the parts of their paths that
 *  differ: "dot" and "general" for out/dot/sort.safetensors and out/general/sort.safetensors. */
void app_name_models(const char *const *paths, int count, char (*names)[APP_MODEL_NAME]);

#endif
