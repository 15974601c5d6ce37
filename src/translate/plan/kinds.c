#include "translate/plan/kinds.h"

#include "translate/plan/recipe.h"

#include <stddef.h>
#include <stdio.h>
#include <string.h>

enum { MOST = 64, LIST = 1024 };

/* Models that differ by something else than their attention, which is additive if they are recurrent. */
static const struct other {
    const char *name, *model, *set;
    int value;
} others[] = {
    {"sparsemax", LB_MODEL_SEQ2SEQ, "attention_weights", LB_SPARSEMAX},
    {"entmax", LB_MODEL_SEQ2SEQ, "attention_weights", LB_ENTMAX},
    {LB_MODEL_TRANSFORMER, LB_MODEL_TRANSFORMER, NULL, 0},
    {"lstm", LB_MODEL_SEQ2SEQ, "cell", LB_CELL_LSTM},
    {"copy", LB_MODEL_SEQ2SEQ, "copy", true},
    {"relative", LB_MODEL_TRANSFORMER, "positions", LB_POSITIONAL_RELATIVE},
    {"alibi", LB_MODEL_TRANSFORMER, "positions", LB_POSITIONAL_ALIBI},
    {"rotary", LB_MODEL_TRANSFORMER, "positions", LB_POSITIONAL_ROTARY},
    {"fire", LB_MODEL_TRANSFORMER, "positions", LB_POSITIONAL_FIRE},
    {"random", LB_MODEL_TRANSFORMER, "positions", LB_POSITIONAL_RANDOM},
};
enum { OTHERS = sizeof others / sizeof *others };

static const char *const usual_names[LB_USUAL_KINDS] = {"none",      "additive",   "dot",
                                                        "general",   "scaled-dot", "multi-head",
                                                        "sparsemax", "entmax",     LB_MODEL_TRANSFORMER};

static void add_name(const char *names[MOST + 1], const char *name)
{
    int count = 0;
    while (names[count] && strcmp(names[count], name) != 0) count++;
    if (count < MOST) names[count] = name;
}

const char *const *lb_kind_names(void)
{
    static const char *names[MOST + 1];
    for (int i = 0; i < LB_USUAL_KINDS; i++) add_name(names, usual_names[i]);
    for (int i = 0; lb_attention_names[i]; i++) add_name(names, lb_attention_names[i]);
    for (int i = 0; i < OTHERS; i++) add_name(names, others[i].name);
    return names;
}

const char *lb_kind_list(void)
{
    static char text[LIST];
    const char *const *names = lb_kind_names();
    size_t used = 0;
    for (int i = 0; names[i] && used < LIST; i++)
        used += (size_t)snprintf(text + used, LIST - used, "%s%s", i ? ", " : "", names[i]);
    return text;
}

bool lb_kind_cut_direction(char *name)
{
    char *dash = strrchr(name, '-');
    if (!dash || dash == name || strcmp(dash + 1, LB_DIRECTION_BACKWARD) != 0) return false;
    *dash = '\0';
    return true;
}

bool lb_kind_read(lb_kind *kind, const char *word)
{
    char base[LB_KIND];
    *kind = (lb_kind){.model = LB_MODEL_SEQ2SEQ, .attention = -1};
    snprintf(kind->name, sizeof kind->name, "%s", word);
    if (strcmp(word, LB_DIRECTION_FORWARD) == 0 || strcmp(word, LB_DIRECTION_BACKWARD) == 0) {
        kind->direction = *word == *LB_DIRECTION_FORWARD ? LB_DIRECTION_FORWARD : LB_DIRECTION_BACKWARD;
        return true;
    }
    snprintf(base, sizeof base, "%s", word);
    if (lb_kind_cut_direction(base)) kind->direction = LB_DIRECTION_BACKWARD;
    kind->attention = lb_setting_choice(lb_setting_find("attention"), base);
    if (kind->attention >= 0) {
        snprintf(kind->name, sizeof kind->name, "%s%s", lb_attention_names[kind->attention],
                 kind->direction ? "-" LB_DIRECTION_BACKWARD : "");
        return true;
    }
    for (int i = 0; i < OTHERS; i++) {
        if (strcmp(others[i].name, base) != 0) continue;
        kind->model = others[i].model;
        kind->more = others[i].set;
        kind->value = others[i].value;
        if (strcmp(kind->model, LB_MODEL_SEQ2SEQ) == 0) kind->attention = LB_ATTENTION_ADDITIVE;
        return true;
    }
    return false;
}

/* Some kinds of attention have a window, as a transformer does. */
static bool has(const lb_kind *kind, const lb_training_config *given, const lb_setting *setting)
{
    const lb_attention_kind attention =
        kind->attention < 0 ? given->attention : (lb_attention_kind)kind->attention;
    if (setting->together) return lb_setting_is_of(setting, kind->model);
    if (setting->at != offsetof(lb_training_config, window)) return true;
    return strcmp(kind->model, LB_MODEL_SEQ2SEQ) != 0 || lb_attention_has_window(attention);
}

void lb_kind_apply(const lb_kind *kind, const lb_training_config *usual, lb_training_config *config)
{
    for (const lb_setting *s = lb_settings; kind->model && s->name; s++)
        if (!has(kind, config, s)) lb_setting_take(s, config, usual);
    if (kind->model) config->model = kind->model;
    if (kind->attention >= 0) config->attention = (lb_attention_kind)kind->attention;
    if (kind->direction) config->direction = kind->direction;
    if (kind->more) lb_setting_put(lb_setting_find(kind->more), config, kind->value);
}

lb_status lb_training_config_set_kind(lb_training_config *config, const char *kind, lb_error *error)
{
    static const lb_training_config usual;
    lb_kind found;
    if (!lb_kind_read(&found, kind))
        return lb_error_set(
            error, LB_ERROR_ARGUMENT,
            "found the kind \"%.40s\", expected one of %s, each with -%s or without, forward and "
            "backward",
            kind, lb_kind_list(), LB_DIRECTION_BACKWARD);
    lb_kind_apply(&found, &usual, config);
    return LB_OK;
}
