/* `--ensemble`: trains the kinds of a list side by side and joins them into one model that votes. */
#include "several/side_by_side.h"

#include "base/buffer.h"
#include "console/console.h"
#include "data/pairs/pairs.h"
#include "translate/join/join_fit.h"
#include "translate/plan/recipe.h"

#include <stdlib.h>
#include <string.h>

static lb_status add_members(app_members *members, const lb_kind *member, long count, lb_error *error)
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
    lb_kind member;
    char *colon = strchr(item, ':');
    long count = colon ? number_in(colon + 1) : 1;
    if (colon) *colon = '\0';
    if (count < 1)
        return lb_error_set(
            error, LB_ERROR_ARGUMENT,
            "--ensemble: found \"%.40s\" after %.40s, expected a number of models, such as %.40s:3",
            colon + 1, item, item);
    lb_status status = app_kind_read(&member, item, "--ensemble", error);
    if (!member.direction) member.direction = LB_DIRECTION_FORWARD;
    return status ? status : add_members(members, &member, count, error);
}

/* KIND or KIND:COUNT, with commas between; a kind without a direction writes forward. A number alone is that many
 * models as the options say. */
static lb_status read_members(app_members *members, const char *list, lb_error *error)
{
    static const lb_kind plain = {.name = "model", .attention = -1};
    *members = (app_members){.count = 0};
    if (list[0] && list[strspn(list, "0123456789")] == '\0')
        return add_members(members, &plain, number_in(list), error);
    lb_strings items = {0};
    lb_status status = lb_strings_split(&items, list, error);
    for (size_t i = 0; i < items.count && !status; i++) status = read_item(members, items.text[i], error);
    lb_strings_free(&items);
    return status;
}

static const char AUTO[] = "auto";

/* With few pairs a training is short and a vote worth most, but transformers are far behind. With many, each member
 * takes long, and the first three are worth most (docs/pronunciation.md). */
static const struct {
    int64_t below; /* pairs */
    const char *list;
} votes[] = {{2000, "additive:3,backward:3,monotonic-1:2,monotonic-1-backward:2"},
             {20000, "additive,backward,monotonic-1,transformer,transformer-backward"},
             {INT64_MAX, "additive:2,backward"}};

int app_ensemble_of_few(int64_t pairs)
{
    app_members members;
    return pairs < votes[0].below && !read_members(&members, votes[0].list, NULL) ? members.count : 0;
}

static lb_status choose_list(const lb_training_config *config, const char **list, lb_error *error)
{
    lb_training_config c = *config;
    lb_status status = lb_training_config_settle(&c, error);
    lb_pairs *pairs = status ? NULL : lb_pairs_open(c.train, lb_recipe_format(&c), error);
    if (!pairs) return error->status;
    int row = 0;
    while (lb_pairs_count(pairs) >= votes[row].below) row++;
    lb_pairs_close(pairs);
    *list = votes[row].list;
    app_note("ensemble %s", *list);
    return LB_OK;
}

lb_status app_ensemble_members(const char *list, const lb_training_config *config, app_members *members,
                               lb_error *error)
{
    lb_status status = strcmp(list, AUTO) == 0 ? choose_list(config, &list, error) : LB_OK;
    return status ? status : read_members(members, list, error);
}

char *app_ensemble_member(const lb_kind *member, int i, app_train_options *options)
{
    lb_buffer name = {0};
    options->settings.seed += (uint64_t)i;
    app_kind_apply(member, options);
    lb_buffer_print(&name, "%s-%llu", member->name, (unsigned long long)options->settings.seed);
    return lb_buffer_end(&name);
}

static lb_status make_members(app_side_by_side *s, const char *list)
{
    app_members all;
    lb_status status = app_ensemble_members(list, s->settings, &all, s->error);
    if (!status) status = app_side_by_side_open(s, (size_t)all.count);
    for (int i = 0; !status && i < all.count; i++) {
        char *name = app_ensemble_member(&all.member[i], i, s->options);
        status = app_side_by_side_set(s, (size_t)i, name);
        if (!status) status = app_side_by_side_take(s, (size_t)i);
    }
    return status;
}

/* The order of the members is that of the list, whichever was ready first. */
static lb_status join_members(const app_side_by_side *s)
{
    static lb_join_result result;
    const char *folders[LB_JOIN_MOST];
    char path[APP_PATH];
    for (size_t i = 0; i < s->count; i++) folders[i] = s->training[i].folder;
    const lb_training_config *settings = s->settings;
    app_progress progress = {0};
    lb_training_config data = *settings;
    if (data.no_hold_out) { /* nothing is left to weigh the members by, which have the lexicon */
        data.train = data.lexicon = NULL;
        data.lexicon_from_train = false;
    }
    data.context = &progress;
    data.tell = app_count_joined;
    /* What was there before the first training is kept already. */
    const lb_join_config config = {.models = folders,
                                   .count = (int)s->count,
                                   .out = data.out,
                                   .data = data.train || *data.test[0].name ? &data : NULL,
                                   .replace = true};
    lb_status status = lb_join_models(&config, NULL, true, &result, s->error);
    app_progress_end(&progress);
    if (!status) status = app_show_joined(&result, app_path(data.out, "ensemble.tsv", path), s->error);
    if (status) return status;
    const lb_train_point *first = app_training_best(s->training);
    lb_training_config told = *settings;
    told.choose = lb_criterion_find(told.choose, first ? &first->dev : NULL)->name;
    app_print_result(&told, "beam 5", &result.dev, result.pairs, result.test, result.test_pairs);
    return LB_OK;
}

int app_ensemble_run(const char *list, app_side_by_side *s)
{
    static const char *const results[] = {"ensemble.tsv", NULL};
    lb_status status = make_members(s, list);
    if (!status) status = app_side_by_side_run(s, results, true);
    if (!status && s->failed == 0) status = join_members(s);
    return app_side_by_side_end(s, status);
}
