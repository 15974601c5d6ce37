#include "support/every_model.h"

#include "models/built_in.h"
#include "models/file/model_formats.h"
#include "settings/settings.h"
#include "support/suite.h"

#include <stdio.h>
#include <string.h>

enum { MOST_FIELDS = 32, ROOM = 1024, WIDTH = 8, HEADS = 2, LONGEST = 12 };

/* The fields of a kind, and where each is in the list of its values. */
typedef struct wheel {
    const lb_config_field *field;
    const char *const *names; /* of its values; NULL: it has one */
    int at;
} wheel;

typedef struct walk {
    const char *kind;
    wheel wheel[MOST_FIELDS];
    int fields, option; /* number of the optional field that is set; -1: none */
    bool was_set[MOST_FIELDS];
    int tried, made;
} walk;

static bool is(const lb_config_field *field, const char *key)
{
    return strcmp(field->key, key) == 0;
}

static bool is_option(const lb_config_field *field)
{
    bool size = field->kind == LB_CONFIG_SIZE || field->kind == LB_CONFIG_POSITIVE;
    return field->kind == LB_CONFIG_FLAG || (size && field->missing < LB_CONFIG_NEEDED);
}

static int size_of(const lb_config_field *field)
{
    if (is(field, "source_vocab") || is(field, "target_vocab")) return SUPPORT_VOCABULARY;
    if (is(field, "max_length")) return LONGEST;
    if (is(field, "heads")) return HEADS;
    return is(field, "layers") || is_option(field) ? 1 : WIDTH;
}

static void write_config(const walk *w, char config[ROOM])
{
    size_t used = 0;
    for (int i = 0; i < w->fields; i++) {
        const lb_config_field *field = w->wheel[i].field;
        if (is_option(field) && i != w->option) continue;
        used += (size_t)snprintf(config + used, ROOM - used, "%s\"%s\":", used ? "," : "{", field->key);
        if (w->wheel[i].names)
            used += (size_t)snprintf(config + used, ROOM - used, "\"%s\"", w->wheel[i].names[w->wheel[i].at]);
        else if (field->kind == LB_CONFIG_FLAG)
            used += (size_t)snprintf(config + used, ROOM - used, "true");
        else if (field->kind == LB_CONFIG_SIZE)
            used += (size_t)snprintf(config + used, ROOM - used, "%d", size_of(field));
        else
            used += (size_t)snprintf(config + used, ROOM - used, "0.25");
    }
    ck_assert_uint_lt(used + 2, ROOM);
    strcpy(config + used, "}");
}

/* Weights that make some symbols impossible where probabilities are sparse. */
static void finish(lb_model *model, lb_params *params, bool from_end)
{
    static const int32_t copies[SUPPORT_VOCABULARY] = {0, 0, 0, 3, 4, 5, 6, 7, 8};
    const lb_real LARGE = (lb_real)2.5;
    for (int64_t i = 0; i < lb_params_size(params); i++) lb_params_values(params)[i] *= LARGE;
    model->from_end = from_end;
    if (model->copies) ck_assert_int_eq(lb_model_set_copies(model, copies, NULL), LB_OK);
    if (model->kind == &lb_transformer_kind && ((lb_transformer *)model)->config.feature_positions)
        ((lb_transformer *)model)->source_features->data[LB_FIRST_TOKEN] = 1;
}

static void visit(walk *w, void (*check)(const support_every_model *m))
{
    char config[ROOM];
    lb_error error = {0};
    write_config(w, config);
    lb_params *params = lb_params_new((uint64_t)++w->tried);
    lb_model *model =
        lb_model_restore(lb_model_kind_find(w->kind, NULL, NULL), params, "", config, NULL, &error);
    if (model) {
        w->made++;
        if (w->option >= 0) w->was_set[w->option] = true;
        finish(model, params, w->made % 2);
        check(&(support_every_model){model, params, config});
    } else { /* only a few options do not go together */
        ck_assert_int_eq(error.status, LB_ERROR_ARGUMENT);
        ck_assert_msg(w->option >= 0 || strstr(error.message, " for hard attention"), "%s", error.message);
    }
    lb_params_free(params);
}

/* Turns the wheels to the next combination; false after the last. */
static bool turn(walk *w)
{
    for (int i = 0; i < w->fields; i++) {
        if (!w->wheel[i].names) continue;
        if (w->wheel[i].names[++w->wheel[i].at]) return true;
        w->wheel[i].at = 0;
    }
    return false;
}

int support_for_every_model(bool options, void (*check)(const support_every_model *m))
{
    int made = 0;
    for (const char *const *kind = lb_setting_find("model")->choices; *kind; kind++) {
        walk w = {.kind = *kind};
        for (const lb_config_field *field = lb_model_fields(*kind); field->key; field++) {
            ck_assert_int_lt(w.fields, MOST_FIELDS);
            w.wheel[w.fields++] =
                (wheel){field, field->kind == LB_CONFIG_WORD ? lb_attention_names : field->names, 0};
        }
        for (w.option = -1; w.option < (options ? w.fields : 0); w.option++) {
            if (w.option >= 0 && !is_option(w.wheel[w.option].field)) continue;
            do visit(&w, check);
            while (turn(&w));
            ck_assert_msg(w.option < 0 || w.was_set[w.option], "no model has %s",
                          w.wheel[w.option].field->key);
        }
        made += w.made;
    }
    return made;
}
