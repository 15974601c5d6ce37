#include "cli/options_in_force.h"

#include <cJSON.h>

#include <stdio.h>
#include <string.h>

enum { NAME = 64 };

static const char *const of_seq2seq[] = {"embed", "cell", "bidirectional", "attention", NULL};
static const char *const of_transformer[] = {"positions", "kv-heads", "softcap", "feature-positions", NULL};

/* What a kind of model lacks. */
static const struct {
    const char *kind;
    const char *const *options;
} lacking[] = {{"seq2seq", of_transformer}, {"transformer", of_seq2seq}};

/* The option that a field of a record or a configuration comes from. */
static void name_option(const char *field, char name[NAME])
{
    snprintf(name, NAME, "%s", strcmp(field, "width") == 0 ? "hidden" : field);
    for (char *letter = name; *letter; letter++)
        if (*letter == '_') *letter = '-';
}

/* Replaces options by the fields of an object. False if memory runs out. */
static bool replace(cJSON *options, const cJSON *fields)
{
    const cJSON *field;
    cJSON_ArrayForEach(field, fields)
    {
        if (!field->string) return true;
        char name[NAME];
        name_option(field->string, name);
        if (!cJSON_GetObjectItemCaseSensitive(options, name)) continue;
        cJSON *value = cJSON_Duplicate(field, true);
        if (!value || !cJSON_ReplaceItemInObjectCaseSensitive(options, name, value)) return false;
    }
    return true;
}

static void drop_others(cJSON *options, const char *kind)
{
    for (size_t i = 0; kind && i < sizeof lacking / sizeof lacking[0]; i++)
        for (const char *const *name = lacking[i].options; strcmp(kind, lacking[i].kind) == 0 && *name;
             name++)
            cJSON_DeleteItemFromObjectCaseSensitive(options, *name);
}

static bool settle(cJSON *record, const cJSON *config, const char *kind)
{
    cJSON *options = cJSON_GetObjectItemCaseSensitive(record, "options");
    if (!cJSON_IsObject(options)) return true;
    cJSON *settings = cJSON_DetachItemFromObjectCaseSensitive(record, "settings");
    bool replaced = replace(options, config) && replace(options, settings);
    cJSON_Delete(settings);
    drop_others(options, kind);
    return replaced;
}

lb_status app_put_options_in_force(cJSON *record, const cJSON *config, const char *kind, lb_error *error)
{
    cJSON *member;
    const cJSON *part = cJSON_GetObjectItemCaseSensitive(config, "members");
    bool settled = settle(record, config, kind);
    if (part) part = part->child;
    cJSON_ArrayForEach(member, cJSON_GetObjectItemCaseSensitive(record, "members"))
    {
        settled = settled && settle(member, cJSON_GetObjectItemCaseSensitive(part, "config"),
                                    cJSON_GetStringValue(cJSON_GetObjectItemCaseSensitive(part, "kind")));
        if (part) part = part->next;
    }
    return settled ? LB_OK : lb_error_set(error, LB_ERROR_MEMORY, "out of memory");
}
