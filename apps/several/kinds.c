#include "several/side_by_side.h"

#include "base/alloc.h"
#include "cli/option.h"
#include "cli/options.h"
#include "settings/settings.h"
#include "translate/training/recipe.h"

#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MOST = 64, LIST = 1024 };

/* Models that differ by something else than their attention, which is additive if they are recurrent. */
static const struct other {
    const char *name, *model, *set;
} others[] = {
    {"sparsemax", LB_MODEL_SEQ2SEQ, "attention_weights=sparsemax"},
    {"entmax", LB_MODEL_SEQ2SEQ, "attention_weights=entmax"},
    {LB_MODEL_TRANSFORMER, LB_MODEL_TRANSFORMER, NULL},
    {"lstm", LB_MODEL_SEQ2SEQ, "cell=lstm"},
    {"copy", LB_MODEL_SEQ2SEQ, "copy=true"},
    {"relative", LB_MODEL_TRANSFORMER, "positions=relative"},
    {"alibi", LB_MODEL_TRANSFORMER, "positions=alibi"},
    {"rotary", LB_MODEL_TRANSFORMER, "positions=rotary"},
    {"fire", LB_MODEL_TRANSFORMER, "positions=fire"},
    {"random", LB_MODEL_TRANSFORMER, "positions=random"},
};
enum { OTHERS = sizeof others / sizeof *others };

/* The usual ones are first; then come kinds of attention, and other models. */
static const char *const first_names[] = {
    "none",   "additive",           "dot", "general", "scaled-dot", "multi-head", "sparsemax",
    "entmax", LB_MODEL_TRANSFORMER, NULL};

static void add_name(const char *names[MOST + 1], const char *name)
{
    int count = 0;
    while (names[count] && strcmp(names[count], name) != 0) count++;
    if (count < MOST) names[count] = name;
}

static const char *const *all_names(void)
{
    static const char *names[MOST + 1];
    for (int i = 0; first_names[i]; i++) add_name(names, first_names[i]);
    for (int i = 0; lb_attention_names[i]; i++) add_name(names, lb_attention_names[i]);
    for (int i = 0; i < OTHERS; i++) add_name(names, others[i].name);
    return names;
}

const char *app_kinds_all(void)
{
    static char text[LIST];
    const char *const *names = all_names();
    size_t used = 0;
    for (int i = 0; names[i] && used < LIST; i++)
        used += (size_t)snprintf(text + used, LIST - used, "%s%s", i ? ", " : "", names[i]);
    return text;
}

/* `name` is without -backward. */
static lb_status unknown_kind(const char *name, const char *option, lb_error *error)
{
    static const char *const ways[] = {LB_DIRECTION_FORWARD, LB_DIRECTION_BACKWARD, NULL};
    char hint[APP_HINT];
    app_nearest nearest = {.word = name};
    for (const char *const *word = all_names(); *word; word++) app_nearest_try(&nearest, *word);
    for (int i = 0; ways[i]; i++) app_nearest_try(&nearest, ways[i]);
    return lb_error_set(error, LB_ERROR_ARGUMENT,
                        "%s: found \"%.40s\"%s, expected one of %s, each with -backward or without, forward "
                        "and backward",
                        option, name, app_nearest_hint(&nearest, "", hint), app_kinds_all());
}

/* Cuts -backward off. */
static bool cut_way(char *name)
{
    char *dash = strrchr(name, '-');
    if (!dash || dash == name || strcmp(dash + 1, LB_DIRECTION_BACKWARD) != 0) return false;
    *dash = '\0';
    return true;
}

lb_status app_kind_read(app_kind *kind, const char *name, const char *option, lb_error *error)
{
    char base[APP_KIND];
    *kind = (app_kind){.model = LB_MODEL_SEQ2SEQ};
    snprintf(kind->name, sizeof kind->name, "%s", name);
    if (strcmp(name, LB_DIRECTION_FORWARD) == 0 || strcmp(name, LB_DIRECTION_BACKWARD) == 0) {
        kind->direction = *name == *LB_DIRECTION_FORWARD ? LB_DIRECTION_FORWARD : LB_DIRECTION_BACKWARD;
        return LB_OK;
    }
    snprintf(base, sizeof base, "%s", name);
    if (cut_way(base)) kind->direction = LB_DIRECTION_BACKWARD;
    int attention = lb_setting_choice(lb_setting_find("attention"), base);
    if (attention >= 0) {
        kind->attention = lb_attention_names[attention];
        snprintf(kind->name, sizeof kind->name, "%s%s", kind->attention, name + strlen(base));
        return LB_OK;
    }
    for (int i = 0; i < OTHERS; i++) {
        if (strcmp(others[i].name, base) != 0) continue;
        kind->model = others[i].model;
        kind->set = others[i].set;
        if (strcmp(kind->model, LB_MODEL_SEQ2SEQ) == 0)
            kind->attention = lb_attention_names[LB_ATTENTION_ADDITIVE];
        return LB_OK;
    }
    return unknown_kind(base, option, error);
}

/* Some kinds of attention have a window, as a transformer does. */
static bool has(const app_kind *kind, const lb_training_config *given, const lb_setting *setting)
{
    int attention = (int)given->attention;
    if (setting->together) return lb_setting_is_of(setting, kind->model);
    if (setting->at != offsetof(lb_training_config, window)) return true;
    if (kind->attention) attention = lb_setting_choice(lb_setting_find("attention"), kind->attention);
    return strcmp(kind->model, LB_MODEL_SEQ2SEQ) != 0 ||
           lb_attention_has_window((lb_attention_kind)attention);
}

/* A model does without the settings of other kinds. */
static lb_status reset_others(const app_kind *kind, const app_side_by_side *s, lb_strings *command,
                              lb_error *error)
{
    const int trainings = s->settings->sort ? LB_SETTING_OF_LISTS : LB_SETTING_OF_PAIRS;
    lb_training_config usual = *s->usual;
    lb_status status = LB_OK;
    for (const lb_setting *setting = lb_settings; kind->model && setting->name && !status; setting++) {
        if (!(setting->trainings & trainings) || has(kind, s->settings, setting)) continue;
        const app_option option = app_setting_option(setting, &usual, trainings);
        status = app_option_arguments(&option, command, error);
    }
    return status;
}

lb_status app_kind_arguments(const app_kind *kind, const app_side_by_side *s, lb_strings *command,
                             lb_error *error)
{
    const char *const settings[][2] = {{"model=", kind->model},
                                       {"attention=", kind->attention},
                                       {"direction=", kind->direction},
                                       {"", kind->set}};
    lb_status status = reset_others(kind, s, command, error);
    for (size_t i = 0; i < sizeof settings / sizeof *settings && !status; i++)
        if (settings[i][1])
            status = lb_strings_print(command, error, "--set=%s%s", settings[i][0], settings[i][1]);
    return status;
}

static int rank_of(const char *kind)
{
    char base[APP_KIND];
    const char *const *names = all_names();
    int rank = 0;
    snprintf(base, sizeof base, "%s", kind);
    cut_way(base);
    while (names[rank] && strcmp(names[rank], base) != 0) rank++;
    return rank;
}

/* qsort compares strings that are kinds. */
static int compare_names(const void *a, const void *b)
{
    const char *x = *(char *const *)a, *y = *(char *const *)b;
    int difference = rank_of(x) - rank_of(y);
    return difference ? difference : strcmp(x, y);
}

lb_status app_kinds_sort(const char *list, const char *option, lb_strings *sorted, lb_error *error)
{
    lb_strings words = {0};
    app_kind kind;
    lb_status status = list ? lb_strings_split(&words, list, error) : LB_OK;
    for (int i = 0; !list && first_names[i] && !status; i++)
        status = lb_strings_add(&words, lb_alloc_string(first_names[i]), error);
    for (size_t i = 0; i < words.count && !status; i++) {
        status = app_kind_read(&kind, words.text[i], option, error);
        bool twice = false;
        for (size_t k = 0; k < sorted->count; k++) twice = twice || strcmp(sorted->text[k], kind.name) == 0;
        if (!status && !twice) status = lb_strings_add(sorted, lb_alloc_string(kind.name), error);
    }
    if (!status) qsort(sorted->text, sorted->count, sizeof *sorted->text, compare_names);
    lb_strings_free(&words);
    return status;
}
