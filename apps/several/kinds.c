/* Kinds of models as options and tables name them, such as "transformer-backward", for --ensemble and compare. */
#include "several/side_by_side.h"

#include "base/alloc.h"
#include "cli/option.h"
#include "translate/plan/recipe.h"

#include <stdlib.h>
#include <string.h>

/* `name` is without -backward. */
static lb_status unknown_kind(const char *name, const char *option, lb_error *error)
{
    static const char *const ways[] = {LB_DIRECTION_FORWARD, LB_DIRECTION_BACKWARD, NULL};
    char hint[APP_HINT];
    app_nearest nearest = {.word = name};
    for (const char *const *word = lb_kind_names(); *word; word++) app_nearest_try(&nearest, *word);
    for (int i = 0; ways[i]; i++) app_nearest_try(&nearest, ways[i]);
    return lb_error_set(error, LB_ERROR_ARGUMENT,
                        "%s: found \"%.40s\"%s, expected one of %s, each with -backward or without, forward "
                        "and backward",
                        option, name, app_nearest_hint(&nearest, "", hint), lb_kind_list());
}

lb_status app_kind_read(lb_kind *kind, const char *name, const char *option, lb_error *error)
{
    char base[LB_KIND];
    if (lb_kind_read(kind, name)) return LB_OK;
    snprintf(base, sizeof base, "%s", name);
    lb_kind_cut_direction(base);
    return unknown_kind(base, option, error);
}

void app_kind_apply(const lb_kind *kind, app_train_options *options)
{
    lb_training_config *c = &options->settings;
    lb_kind_apply(kind, &options->usual, c);
    if (kind->model) app_option_note_set(&c->model);
    if (kind->attention >= 0) app_option_note_set(&c->attention);
    if (kind->direction) app_option_note_set(&c->direction);
    if (kind->more) app_option_note_set(lb_setting_place(lb_setting_find(kind->more), c));
}

static int rank_of(const char *kind)
{
    char base[LB_KIND];
    const char *const *names = lb_kind_names();
    int rank = 0;
    snprintf(base, sizeof base, "%s", kind);
    lb_kind_cut_direction(base);
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

lb_status app_kinds_sort(const char *list, lb_strings *sorted, lb_error *error)
{
    lb_strings words = {0};
    lb_kind kind;
    lb_status status = list ? lb_strings_split(&words, list, error) : LB_OK;
    for (int i = 0; !list && i < LB_USUAL_KINDS && !status; i++)
        status = lb_strings_add(&words, lb_alloc_string(lb_kind_names()[i]), error);
    for (size_t i = 0; i < words.count && !status; i++) {
        status = app_kind_read(&kind, words.text[i], "--kinds", error);
        bool twice = false;
        for (size_t k = 0; k < sorted->count; k++) twice = twice || strcmp(sorted->text[k], kind.name) == 0;
        if (!status && !twice) status = lb_strings_add(sorted, lb_alloc_string(kind.name), error);
    }
    if (!status) qsort(sorted->text, sorted->count, sizeof *sorted->text, compare_names);
    lb_strings_free(&words);
    return status;
}
