#include "several/ensemble.h"

#include "base/alloc.h"
#include "base/buffer.h"
#include "cli/options.h"
#include "console/console.h"
#include "console/output.h"
#include "data/pairs.h"
#include "models/attention/decoder_attention.h"
#include "translate/training/recipe.h"
#include "translate/training/stepper.h"

#include <stddef.h>
#include <stdio.h>
#include <string.h>

enum { LONGEST_SETTING = 96 };

typedef struct ensembling {
    app_members members;
    app_side_by_side all;
    const lb_training_config *usual;
    lb_training_config data;
    lb_join_result result;
    lb_error *error;
} ensembling;

/* An option with a value; NULL: none. */
static lb_status add_option(lb_strings *command, const char *name, const char *value, lb_error *error)
{
    lb_buffer text = {0};
    if (!value) return LB_OK;
    lb_buffer_print(&text, "--%s%s%s", name, *value ? "=" : "", value);
    return lb_strings_add(command, lb_buffer_end(&text), error);
}

/* Some kinds of attention have a window, as a transformer does. */
static bool has(const ensembling *s, const app_member *member, const lb_setting *setting)
{
    int kind = (int)s->data.attention;
    if (setting->together) return lb_setting_is_of(setting, member->model);
    if (setting->at != offsetof(lb_training_config, window)) return true;
    for (int i = 0; member->attention && lb_attention_names[i]; i++)
        if (strcmp(lb_attention_names[i], member->attention) == 0) kind = i;
    return strcmp(member->model, "seq2seq") != 0 || lb_built_in_attentions[kind]->window > 0;
}

/* A member does without the settings of other kinds. */
static lb_status reset_others(const ensembling *s, const app_member *member, lb_strings *command)
{
    char number[APP_OPTION_NUMBER], text[LONGEST_SETTING];
    lb_training_config usual = *s->usual;
    lb_status status = LB_OK;
    for (const lb_setting *setting = lb_settings; member->model && setting->name && !status; setting++) {
        if (has(s, member, setting)) continue;
        const app_option option = app_setting_option(setting, &usual, LB_SETTING_OF_PAIRS);
        snprintf(text, sizeof text, "%s=%s", option.name, app_option_value(&option, number));
        status = add_option(command, "set", text, s->error);
    }
    return status;
}

static lb_status make_member(ensembling *s, size_t i)
{
    const app_member *member = &s->members.member[i];
    char seed[APP_OPTION_NUMBER];
    snprintf(seed, sizeof seed, "%llu", (unsigned long long)(s->all.repeated->settings->seed + i));
    const char *const own[][2] = {{"model", member->model},
                                  {"attention", member->attention},
                                  {"direction", member->direction},
                                  {"copy", member->copy ? "" : NULL},
                                  {"seed", seed}};
    lb_buffer name = {0};
    lb_buffer_print(&name, "%s-%s", member->kind, seed);
    lb_status status = app_side_by_side_set(&s->all, i, lb_buffer_end(&name));
    if (!status) status = reset_others(s, member, &s->all.command[i]);
    for (size_t o = 0; o < sizeof own / sizeof *own && !status; o++)
        status = add_option(&s->all.command[i], own[o][0], own[o][1], s->error);
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
    return pairs < votes[0].below && !app_members_read(&members, votes[0].list, NULL) ? members.count : 0;
}

static lb_status choose_list(const ensembling *s, const char **list)
{
    lb_training_config c = s->data;
    lb_status status = lb_training_config_settle(&c, s->error);
    lb_pairs *pairs = status ? NULL : lb_pairs_open(c.train, lb_recipe_format(&c), s->error);
    if (!pairs) return s->error->status;
    int row = 0;
    while (lb_pairs_count(pairs) >= votes[row].below) row++;
    lb_pairs_close(pairs);
    *list = votes[row].list;
    app_note("ensemble %s", *list);
    return LB_OK;
}

static lb_status prepare_members(ensembling *s, const char *list)
{
    static const char *const results[] = {"ensemble.tsv", NULL};
    lb_status status = strcmp(list, AUTO) == 0 ? choose_list(s, &list) : LB_OK;
    if (!status) status = app_members_read(&s->members, list, s->error);
    if (!status) status = app_side_by_side_open(&s->all, (size_t)s->members.count);
    for (size_t i = 0; i < s->all.count && !status; i++) status = make_member(s, i);
    return status ? status : app_side_by_side_prepare(&s->all, results);
}

/* The order of the members is that of the list, whichever was ready first. */
static lb_status join_members(ensembling *s)
{
    const char *folders[LB_JOIN_MOST];
    char path[APP_PATH];
    for (size_t i = 0; i < s->all.count; i++) folders[i] = s->all.results[i].folder;
    const char *out = s->all.repeated->settings->out;
    app_progress progress = {0};
    if (s->data.no_hold_out) { /* nothing is left to weigh the members by, which have the lexicon */
        s->data.train = s->data.lexicon = NULL;
        s->data.lexicon_from_train = false;
    }
    s->data.context = &progress;
    s->data.tell = app_count_joined;
    /* What was there before the first training is kept already. */
    const lb_join_config config = {.models = folders,
                                   .count = (int)s->all.count,
                                   .out = out,
                                   .data = s->data.train || *s->data.test[0].name ? &s->data : NULL,
                                   .replace = true};
    lb_status status = lb_join_locked(&config, &s->result, s->error);
    app_progress_end(&progress);
    return status ? status : app_write_joined(&s->result, app_path(out, "ensemble.tsv", path), s->error);
}

static int show_ensemble(ensembling *s, lb_status status)
{
    if (status) return app_close_stdout(app_fail(s->error));
    if (s->all.failed > 0) return app_side_by_side_incomplete(&s->all, s->all.status);
    if (join_members(s)) return app_close_stdout(app_fail(s->error));
    app_show_joined(&s->result);
    const char *file = s->data.dev ? s->data.dev : s->data.train;
    if (!s->data.no_hold_out)
        app_print("exact match %.2f %% (beam 5) on %lld %s %s%s\n", 100 * s->result.dev.exact_match,
                  (long long)s->result.pairs, app_judged(&s->data), s->data.dev ? "of " : "held out from ",
                  lb_pair_file_name(file));
    app_print_tests(&s->data, "beam 5", s->result.test, s->result.test_pairs);
    return app_close_stdout(0);
}

int app_ensemble_run(const char *list, const app_repeated *repeated, const lb_training_config *data,
                     const lb_training_config *usual)
{
    lb_error error = {0};
    ensembling *s = lb_alloc_zero(sizeof *s);
    if (!s) {
        lb_error_set(&error, LB_ERROR_MEMORY, "out of memory for an ensemble");
        return app_fail(&error);
    }
    *s = (ensembling){
        .all = {.repeated = repeated, .error = &error}, .usual = usual, .data = *data, .error = &error};
    lb_status status = prepare_members(s, list);
    if (!status) status = app_side_by_side_run(&s->all);
    int exit_status = show_ensemble(s, status);
    app_side_by_side_free(&s->all);
    lb_release(s);
    return exit_status;
}
