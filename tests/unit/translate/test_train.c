/* Training by one call: its files, what it tells, resuming after a kill, and its errors. */
#include "support/alloc.h"
#include "support/pair_program.h"
#include "support/small_training.h"
#include "support/suite.h"
#include "support/tempdir.h"

#include <cJSON.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static lb_error error;

/* What was told. */
typedef struct heard {
    int reports, hints, begun, steps, evaluations, ended;
    int64_t last_step;
    char text[2048], names[64];
} heard;

static void hear_begin(heard *h, const lb_training_run *run)
{
    size_t used = strlen(h->names);
    h->begun++;
    ck_assert_int_gt(run->parameters, 1000);
    ck_assert_int_eq(access(run->folder, W_OK), 0);
    snprintf(h->names + used, sizeof h->names - used, "%s;", run->name ? run->name : "-");
}

static void hear_step(heard *h, const lb_training_run *run, const lb_training_step *step)
{
    h->steps++;
    ck_assert_int_le(step->step, run->steps);
    ck_assert_ptr_eq(step->last, run->history->count ? &run->history->points[run->history->count - 1] : NULL);
    ck_assert(step->loss > 0 && step->tokens > 0);
    h->last_step = step->step;
}

static lb_status hear(void *context, const lb_event *event, lb_error *failure)
{
    heard *h = context;
    const lb_training_run *run = event->run;
    (void)failure;
    h->reports += event->kind == LB_EVENT_REPORT;
    h->hints += event->kind == LB_EVENT_HINT;
    if (event->kind == LB_EVENT_REPORT || event->kind == LB_EVENT_HINT)
        snprintf(h->text, sizeof h->text, "%s", event->text);
    if (event->kind == LB_EVENT_BEGUN) hear_begin(h, run);
    if (event->kind == LB_EVENT_STEPPED) hear_step(h, run, &event->step);
    if (event->kind == LB_EVENT_POINT) {
        ck_assert_ptr_eq(event->history, run->history);
        ck_assert_int_eq(run->history->count, ++h->evaluations);
    }
    if (event->kind == LB_EVENT_ENDED) {
        ck_assert_int_eq(run->history->points[run->history->count - 1].step, run->steps);
        h->ended++;
    }
    ck_assert_int_ne(event->kind, LB_EVENT_EVALUATED);
    return LB_OK;
}

static void listen(lb_training_config *config, heard *h)
{
    config->context = h;
    config->tell = hear;
}

/* The table has the members of the log as columns: a header, and a row for each line. */
static void assert_table(const char *table, const char *log)
{
    size_t count;
    char *csv = support_content(table, &count), *json = support_content(log, &count), expected[256];
    double loss = 0, same = 0;
    ck_assert_int_eq(support_line_count(table), 1 + support_line_count(log));
    ck_assert_int_eq(strncmp(csv, "step,loss,", strlen("step,loss,")), 0);
    ck_assert_int_eq(sscanf(json, "{\"step\":50,\"loss\":%lf,", &loss), 1);
    ck_assert_int_eq(sscanf(strchr(csv, '\n'), "\n50,%lf,", &same), 1);
    ck_assert_double_eq(loss, same);
    int columns = 1, members = 0;
    for (const char *at = csv; *at != '\n'; at++) columns += *at == ',';
    for (const char *at = json; *at != '\n'; at++) members += *at == ':';
    ck_assert_int_eq(columns, members);
    for (const char *row = strchr(csv, '\n') + 1; *row; row = strchr(row, '\n') + 1) {
        int commas = 0;
        snprintf(expected, sizeof expected, "%.*s", (int)strcspn(row, "\n"), row);
        for (const char *at = expected; *at; at++) commas += *at == ',';
        ck_assert_int_eq(commas + 1, columns);
    }
    free(csv);
    free(json);
}

START_TEST(test_train_learns_tells_its_listener_and_leaves_its_files)
{
    heard h = {0};
    support_small_files();
    lb_training_config config = support_small_config("deep/out");
    listen(&config, &h);
    config.options = "{\"mine\":1}";
    lb_training_result result = support_small_train(&config);
    ck_assert_double_ge(result.dev.exact_match, 0.9);
    ck_assert_int_eq(result.pairs, 60);
    ck_assert(h.reports == 1 && h.hints == 0 && h.begun == 1 && h.ended == 1);
    ck_assert_ptr_nonnull(strstr(h.text, "train.tsv: 500 lines, 393 different pairs\n"));
    ck_assert_str_eq(h.names, "-;");
    ck_assert_int_eq(h.steps, SUPPORT_SMALL_STEPS);
    ck_assert_int_eq(h.last_step, SUPPORT_SMALL_STEPS);
    ck_assert_int_eq(h.evaluations, 6);
    ck_assert_int_eq(support_line_count("deep/out/log.jsonl"), 6);
    assert_table("deep/out/log.csv", "deep/out/log.jsonl");
    ck_assert(support_exists("deep/out/checkpoint.safetensors"));
    lb_translator *translator = lb_translator_open(config.out, &error);
    ck_assert_msg(translator != NULL, "%s", error.message);
    char *text = lb_translate(translator, "abc", &error);
    ck_assert_str_eq(text, "c b a");
    const char *record = lb_translator_about(translator).training;
    ck_assert_ptr_eq(strstr(record, "{\"steps\":300,\"exact_match\":"), record);
    ck_assert_ptr_nonnull(strstr(record, "\"options\":{\"mine\":1},"));
    lb_release(text);
    lb_translator_close(translator);
}
END_TEST

START_TEST(test_train_gives_the_weights_of_the_program)
{
    support_small_files();
    SUPPORT_TRAIN(SUPPORT_SMALL, "--train", "train.tsv", "--dev", "dev.tsv", "--steps", "60", "--out",
                  "program");
    support_assert_trained();
    lb_training_config config = support_small_config("call");
    config.steps = 60;
    support_small_train(&config);
    support_assert_same_weights("program/model.safetensors", "call/model.safetensors");
}
END_TEST

START_TEST(test_train_keeps_the_models_of_the_last_evaluations)
{
    static const struct {
        const char *name;
        bool kept;
    } files[] = {{"kept/model-50.safetensors", false},
                 {"kept/model-200.safetensors", false},
                 {"kept/model-250.safetensors", true},
                 {"kept/model-300.safetensors", true}};
    support_small_files();
    lb_training_config config = support_small_config("kept");
    config.keep = 2;
    support_small_train(&config);
    for (int i = 0; i < 4; i++) {
        ck_assert_msg(support_exists(files[i].name) == files[i].kept, "%s", files[i].name);
        if (!files[i].kept) continue;
        lb_translator *translator = lb_translator_open(support_path(files[i].name), &error);
        ck_assert_msg(translator != NULL, "%s", error.message);
        lb_translator_close(translator);
    }
}
END_TEST

/* 200 sources, each with twelve random symbols as its target: no output is completely right. */
static void write_noise(void)
{
    static char text[200 * 40];
    size_t used = 0;
    unsigned noise = 1;
    for (unsigned i = 0; i < 200; i++) {
        used += (size_t)snprintf(text + used, sizeof text - used, "%u\t", 1000 + i);
        for (int t = 0; t < 12; t++) {
            noise = noise * 1664525 + 1013904223;
            used += (size_t)snprintf(text + used, sizeof text - used, t ? " %c" : "%c",
                                     (noise >> 16) % 4 ? 'a' + t : 'z');
        }
        used += (size_t)snprintf(text + used, sizeof text - used, "\n");
    }
    support_write_text("train.tsv", text);
    support_small_train_file = support_path("train.tsv");
}

static lb_status look_at_end(void *context, const lb_event *event, lb_error *failure)
{
    const lb_training_run *run = event->run;
    (void)failure;
    if (event->kind != LB_EVENT_ENDED) return LB_OK;
    const lb_train_point *first = run->history->points;
    ck_assert_double_eq(first->dev.exact_match, 0);
    ck_assert_double_gt(first->dev.symbol_error, 0.5);
    ck_assert_ptr_eq(run->kept, lb_train_best(run->history));
    *(lb_train_point *)context = *run->kept;
    return LB_OK;
}

START_TEST(test_train_keeps_the_lowest_symbol_error_where_nothing_is_right)
{
    lb_train_point kept = {0};
    write_noise();
    lb_training_config config = support_small_config("noise");
    config.dev = NULL;
    config.evaluate_every = 5;
    config.steps = 150;
    config.context = &kept;
    config.tell = look_at_end;
    lb_training_result result = support_small_train(&config);
    ck_assert_double_eq(result.dev.exact_match, 0);
    ck_assert_double_lt(result.dev.symbol_error, 0.35);
    ck_assert_int_gt(kept.step, 5);
    ck_assert_double_eq(kept.dev.symbol_error, result.dev.symbol_error);
}
END_TEST

START_TEST(test_train_goes_on_after_a_kill_with_the_same_bits)
{
    heard h = {0};
    support_small_files();
    lb_training_config config = support_small_config("killed");
    listen(&config, &h);
    support_small_dies(config, 120);
    support_small_dies(config, 210);
    ck_assert(support_exists("killed/model.safetensors"));
    h.evaluations = 4;
    support_small_train(&config);
    ck_assert_int_eq(h.steps, 100);
    config = support_small_config("whole");
    lb_training_result whole = support_small_train(&config);
    support_assert_same_files("killed/model.safetensors", "whole/model.safetensors");
    ck_assert_int_eq(support_line_count("killed/log.jsonl"), 6);
    config = support_small_config("killed");
    listen(&config, &h);
    lb_training_result again = support_small_train(&config);
    ck_assert_int_eq(h.steps, 100); /* no further step */
    ck_assert_double_eq(again.dev.exact_match, whole.dev.exact_match);
}
END_TEST

/* The record of an ensemble has that of each member. */
static void assert_record(const char *path, int members)
{
    lb_safetensors *file = lb_safetensors_open(path, &error);
    ck_assert_msg(file != NULL, "%s", error.message);
    cJSON *record = cJSON_Parse(lb_safetensors_metadata_value(file, "lookback.training"));
    ck_assert(cJSON_IsNumber(cJSON_GetObjectItem(record, "exact_match")));
    const cJSON *found = cJSON_GetObjectItem(record, "members");
    ck_assert_int_eq(cJSON_GetArraySize(found), members);
    for (int i = 0; i < members; i++)
        ck_assert_double_eq(cJSON_GetNumberValue(cJSON_GetObjectItem(cJSON_GetArrayItem(found, i), "seed")),
                            7 + i);
    cJSON_Delete(record);
    lb_safetensors_close(file);
}

static lb_status hear_names(void *context, const lb_event *event, lb_error *failure)
{
    (void)failure;
    if (event->kind == LB_EVENT_BEGUN) hear_begin(context, event->run);
    return LB_OK;
}

START_TEST(test_train_of_several_seeds_is_one_ensemble)
{
    heard h = {0};
    support_small_files();
    lb_training_config config = support_small_config("both");
    config.seed = 7;
    config.seeds = 2;
    config.steps = 100;
    config.dev = NULL;
    config.context = &h;
    config.tell = hear_names;
    lb_training_result result = support_small_train(&config);
    ck_assert_str_eq(h.names, "seed 7;seed 8;");
    ck_assert_int_gt(result.pairs, SUPPORT_SMALL_PAIRS / 20);
    ck_assert(support_exists("both/seed-7/model.safetensors") && support_exists("both/seed-8/log.jsonl"));
    assert_record(support_path("both/model.safetensors"), 2);
    lb_translator *translator = lb_translator_open(config.out, &error);
    ck_assert_msg(translator != NULL, "%s", error.message);
    ck_assert_str_eq(lb_translator_about(translator).model->kind->name, "ensemble");
    lb_translator_close(translator);
    config.seeds = 1;
    config.out = support_path("one");
    support_small_train(&config);
    support_assert_same_weights("one/model.safetensors", "both/seed-7/model.safetensors");
}
END_TEST

START_TEST(test_train_of_several_seeds_is_not_for_a_group)
{
    const lb_group group = {.rank = 0, .size = 2};
    lb_training_config config = support_small_config("out");
    config.group = &group;
    config.seeds = 3;
    ck_assert_int_eq(lb_translator_train(config, NULL, &error), LB_ERROR_ARGUMENT);
    ck_assert_str_eq(error.message,
                     "seeds: found 3 for 2 processes, expected 1: a group trains one model; train "
                     "each by itself, and join them");
    ck_assert(!support_exists("out"));
}
END_TEST

static lb_status hear_hint(void *context, const lb_event *event, lb_error *failure)
{
    return event->kind == LB_EVENT_HINT ? hear(context, event, failure) : LB_OK;
}

START_TEST(test_train_forgotten_separator_is_hinted_at)
{
    heard h = {0};
    support_small_files();
    lb_training_config config = support_small_config("out");
    config.target_separator = NULL;
    config.steps = 1;
    config.context = &h;
    config.tell = hear_hint;
    support_small_train(&config);
    ck_assert_int_eq(h.hints, 1);
    ck_assert_ptr_nonnull(
        strstr(h.text, "train.tsv: the targets are symbols between spaces, of 1.0 characters"));
}
END_TEST

static lb_status refuse(void *context, const lb_event *event, lb_error *failure)
{
    (void)context;
    if (event->kind != LB_EVENT_ENDED) return LB_OK;
    return lb_error_set(failure, LB_ERROR_WRITE, "no room for a picture of %s", event->run->name);
}

START_TEST(test_train_error_of_a_listener_ends_the_training)
{
    support_small_files();
    lb_training_config config = support_small_config("out");
    config.steps = 2;
    config.seeds = 2;
    config.tell = refuse;
    ck_assert_int_eq(lb_translator_train(config, NULL, &error), LB_ERROR_WRITE);
    ck_assert_str_eq(error.message, "no room for a picture of seed 1");
    ck_assert(support_exists("out/seed-1/model.safetensors") && !support_exists("out/seed-2"));
}
END_TEST

START_TEST(test_train_any_failing_allocation_is_an_error_and_leaks_nothing)
{
    enum { STRIDE = 5 };
    support_watch_allocations();
    support_write_pairs("train.tsv", 30, 1);
    support_small_train_file = support_path("train.tsv");
    lb_training_config config = support_small_config("out");
    config.dev = support_small_train_file;
    config.hidden = config.embed = 4;
    config.steps = config.seeds = 2;
    config.fresh = true;
    support_small_train(&config);
    long live = support_live_allocations(), before = support_allocation_count();
    support_small_train(&config);
    long all = support_allocation_count() - before;
    ck_assert_int_gt(all, 100);
    for (long n = 1; n <= all; n += STRIDE) {
        support_fail_from_allocation(n);
        error = (lb_error){0};
        lb_status status = lb_translator_train(config, NULL, &error);
        SUPPORT_CHECK(status == LB_ERROR_MEMORY, "allocation %ld of %ld: %s", n, all, error.message);
        SUPPORT_CHECK(support_live_allocations() == live, "allocation %ld leaks", n);
    }
    /* After a single failure, an arena asks for less, and the training may succeed. */
    for (long n = 1; n <= all; n++) {
        support_fail_allocation(n);
        error = (lb_error){0};
        lb_status status = lb_translator_train(config, NULL, &error);
        SUPPORT_CHECK(status == LB_OK || status == LB_ERROR_MEMORY, "allocation %ld alone: %s", n,
                      error.message);
        SUPPORT_CHECK(support_live_allocations() == live, "allocation %ld alone leaks", n);
    }
    support_fail_allocation(0);
}
END_TEST
