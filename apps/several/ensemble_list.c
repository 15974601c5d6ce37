#include "several/ensemble.h"

#include "cli/option.h"
#include "settings/settings.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char FORWARD[] = "forward", BACKWARD[] = "backward", SEQ2SEQ[] = "seq2seq",
                  TRANSFORMER[] = "transformer", COPY[] = "copy";

/* The attention with this name, or NULL. */
static const char *find_attention(const char *name)
{
    int kind = lb_setting_choice(lb_setting_find("attention"), name);
    return kind < 0 ? NULL : lb_attention_names[kind];
}

/* `kind` is without -backward. */
static lb_status unknown_kind(const char *kind, lb_error *error)
{
    static const char *const others[] = {COPY, TRANSFORMER, FORWARD, BACKWARD};
    char all[LB_MESSAGE_LENGTH / 2] = "", hint[APP_HINT];
    app_nearest nearest = {.word = kind};
    size_t used = 0;
    lb_status status = LB_OK;
    for (int i = 0; lb_attention_names[i] && used < sizeof all && !status; i++) {
        used += (size_t)snprintf(all + used, sizeof all - used, "%s, ", lb_attention_names[i]);
        status = app_nearest_try(&nearest, lb_attention_names[i], error);
    }
    for (size_t i = 0; i < sizeof others / sizeof *others && !status; i++)
        status = app_nearest_try(&nearest, others[i], error);
    if (status) return status;
    return lb_error_set(
        error, LB_ERROR_ARGUMENT,
        "--ensemble: found \"%.40s\"%s, expected one of %scopy, transformer, each with -backward or without, "
        "forward and backward",
        kind, app_nearest_hint(&nearest, "", hint), all);
}

static lb_status read_kind(const char *kind, app_member *member, lb_error *error)
{
    char base[APP_KIND];
    size_t length = strlen(kind), ending = sizeof BACKWARD; /* with its dash */
    *member = (app_member){.model = SEQ2SEQ, .direction = FORWARD};
    snprintf(member->kind, sizeof member->kind, "%s", kind);
    snprintf(base, sizeof base, "%s", kind);
    if (strcmp(kind, FORWARD) == 0) return LB_OK;
    if (strcmp(kind, BACKWARD) == 0) {
        member->direction = BACKWARD;
        return LB_OK;
    }
    if (length > ending && base[length - ending] == '-' &&
        strcmp(base + length - ending + 1, BACKWARD) == 0) {
        base[length - ending] = '\0';
        member->direction = BACKWARD;
    }
    member->copy = strcmp(base, COPY) == 0;
    if (strcmp(base, TRANSFORMER) == 0)
        member->model = TRANSFORMER;
    else if (member->copy)
        member->attention = lb_attention_names[LB_ATTENTION_ADDITIVE];
    else
        member->attention = find_attention(base);
    return member->model == TRANSFORMER || member->attention ? LB_OK : unknown_kind(base, error);
}

static lb_status add(app_members *members, const app_member *member, long count, lb_error *error)
{
    if (count < 1 || count > LB_JOIN_MOST - members->count)
        return lb_error_set(error, LB_ERROR_ARGUMENT, "--ensemble: expected 1 to %d models in all",
                            LB_JOIN_MOST);
    for (long i = 0; i < count; i++) members->member[members->count++] = *member;
    return LB_OK;
}

/* A positive number of at most six digits that is all of the text; 0 if it is none. */
static long number_in(const char *text)
{
    size_t digits = strspn(text, "0123456789");
    return digits > 0 && digits <= 6 && !text[digits] ? strtol(text, NULL, 10) : 0;
}

static lb_status read_item(app_members *members, char *item, lb_error *error)
{
    app_member member;
    char *colon = strchr(item, ':');
    long count = colon ? number_in(colon + 1) : 1;
    if (colon) *colon = '\0';
    if (count < 1)
        return lb_error_set(
            error, LB_ERROR_ARGUMENT,
            "--ensemble: found \"%.40s\" behind %.40s, expected a number of models, such as %.40s:3",
            colon + 1, item, item);
    lb_status status = read_kind(item, &member, error);
    return status ? status : add(members, &member, count, error);
}

lb_status app_members_read(app_members *members, const char *list, lb_error *error)
{
    static const app_member plain = {.kind = "model"};
    *members = (app_members){.count = 0};
    if (list[0] && list[strspn(list, "0123456789")] == '\0')
        return add(members, &plain, number_in(list), error);
    lb_status status = LB_OK;
    for (const char *from = list; !status; from++) {
        char item[APP_KIND];
        size_t length = strcspn(from, ",");
        snprintf(item, sizeof item, "%.*s", length < sizeof item ? (int)length : (int)sizeof item - 1, from);
        status = read_item(members, item, error);
        from += length;
        if (!*from) break;
    }
    return status;
}
