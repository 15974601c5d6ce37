/* Training by one call: its files, its listeners, resuming after a kill, and its errors. */
#include "support/alloc.h"
#include "support/pair_program.h"
#include "support/suite.h"
#include "support/tempdir.h"
#include <lookback/translate.h>

#include <cJSON.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

enum { PAIRS = 500, STEPS = 300 };

static lb_error error;
static char train_file[SUPPORT_PATH], dev_file[SUPPORT_PATH];

/* The configuration of SUPPORT_SMALL for lookback train. */
static lb_training_config small_config(char out[SUPPORT_PATH], const char *name)
{
    lb_set_threads(1);
    return (lb_training_config){.train = train_file,
                                .dev = dev_file,
                                .target_separator = " ",
                                .embed = 16,
                                .hidden = 32,
                                .dropout = -1,
                                .label_smoothing = -1,
                                .warm_up = 20,
                                .lr = 0.02,
                                .evaluate_every = 50,
                                .steps = STEPS,
                                .seed = 1,
                                .out = support_path(out, name)};
}

static void write_files(void)
{
    support_write_pairs("train.tsv", PAIRS, 1);
    support_write_pairs("dev.tsv", 60, 2);
    support_path(train_file, "train.tsv");
    support_path(dev_file, "dev.tsv");
}

static lb_training_result train(const lb_training_config *config)
{
    lb_training_result result = {0};
    error = (lb_error){0};
    ck_assert_msg(lb_translator_train(*config, &result, &error) == LB_OK, "%s", error.message);
    return result;
}

/* The calls of a listener. */
typedef struct heard {
    int reports, hints, begun, steps, evaluations, ended;
    int64_t last_step;
    char text[2048], names[64];
} heard;

static void hear_report(void *context, const char *text)
{
    heard *h = context;
    h->reports++;
    snprintf(h->text, sizeof h->text, "%s", text);
}

static void hear_hint(void *context, const char *text)
{
    heard *h = context;
    h->hints++;
    snprintf(h->text, sizeof h->text, "%s", text);
}

static void hear_begin(void *context, const lb_training_run *run)
{
    heard *h = context;
    size_t used = strlen(h->names);
    h->begun++;
    ck_assert_int_gt(run->parameters, 1000);
    ck_assert_int_eq(access(run->folder, W_OK), 0);
    snprintf(h->names + used, sizeof h->names - used, "%s;", run->name ? run->name : "-");
}

static void hear_step(void *context, const lb_training_run *run, const lb_training_step *step)
{
    heard *h = context;
    h->steps++;
    ck_assert_int_le(step->step, run->steps);
    ck_assert_ptr_eq(step->last, run->history->count ? &run->history->points[run->history->count - 1] : NULL);
    ck_assert(step->loss > 0 && step->tokens > 0);
    h->last_step = step->step;
}

static void hear_evaluation(void *context, const lb_training_run *run)
{
    heard *h = context;
    ck_assert_int_eq(run->history->count, ++h->evaluations);
}

static lb_status hear_end(void *context, const lb_training_run *run, lb_error *failure)
{
    heard *h = context;
    (void)failure;
    ck_assert_int_eq(run->history->points[run->history->count - 1].step, run->steps);
    h->ended++;
    return LB_OK;
}

static lb_training_listener listen(heard *h)
{
    return (lb_training_listener){.context = h,
                                  .report = hear_report,
                                  .hint = hear_hint,
                                  .begun = hear_begin,
                                  .stepped = hear_step,
                                  .evaluated = hear_evaluation,
                                  .ended = hear_end};
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
    char out[SUPPORT_PATH];
    heard h = {0};
    write_files();
    lb_training_config config = small_config(out, "deep/out");
    config.listener = listen(&h);
    config.options = "{\"mine\":1}";
    lb_training_result result = train(&config);
    ck_assert_double_ge(result.dev.exact_match, 0.9);
    ck_assert_int_eq(result.pairs, 60);
    ck_assert(h.reports == 1 && h.hints == 0 && h.begun == 1 && h.ended == 1);
    ck_assert_ptr_nonnull(strstr(h.text, "train.tsv: 500 lines, 500 pairs\n"));
    ck_assert_str_eq(h.names, "-;");
    ck_assert_int_eq(h.steps, STEPS);
    ck_assert_int_eq(h.last_step, STEPS);
    ck_assert_int_eq(h.evaluations, 6);
    ck_assert_int_eq(support_line_count("deep/out/log.jsonl"), 6);
    assert_table("deep/out/log.csv", "deep/out/log.jsonl");
    ck_assert(support_exists("deep/out/checkpoint.safetensors"));
    lb_translator *translator = lb_translator_open(out, &error);
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
    char out[SUPPORT_PATH];
    write_files();
    SUPPORT_TRAIN(SUPPORT_SMALL, "--train", "train.tsv", "--dev", "dev.tsv", "--steps", "60", "--out",
                  "program");
    support_assert_trained();
    lb_training_config config = small_config(out, "call");
    config.steps = 60;
    train(&config);
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
    char out[SUPPORT_PATH], path[SUPPORT_PATH];
    write_files();
    lb_training_config config = small_config(out, "kept");
    config.keep = 2;
    train(&config);
    for (int i = 0; i < 4; i++) {
        ck_assert_msg(support_exists(files[i].name) == files[i].kept, "%s", files[i].name);
        if (!files[i].kept) continue;
        lb_translator *translator = lb_translator_open(support_path(path, files[i].name), &error);
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
    support_path(train_file, "train.tsv");
}

static lb_status look_at_end(void *context, const lb_training_run *run, lb_error *failure)
{
    const lb_train_point *first = run->history->points;
    (void)failure;
    ck_assert_double_eq(first->dev.exact_match, 0);
    ck_assert_double_gt(first->dev.symbol_error, 0.5);
    ck_assert_ptr_eq(run->kept, lb_train_best(run->history));
    *(lb_train_point *)context = *run->kept;
    return LB_OK;
}

START_TEST(test_train_keeps_the_lowest_symbol_error_where_nothing_is_right)
{
    char out[SUPPORT_PATH];
    lb_train_point kept = {0};
    write_noise();
    lb_training_config config = small_config(out, "noise");
    config.dev = NULL;
    config.evaluate_every = 5;
    config.steps = 150;
    config.listener = (lb_training_listener){.context = &kept, .ended = look_at_end};
    lb_training_result result = train(&config);
    ck_assert_double_eq(result.dev.exact_match, 0);
    ck_assert_double_lt(result.dev.symbol_error, 0.35);
    ck_assert_int_gt(kept.step, 5);
    ck_assert_double_eq(kept.dev.symbol_error, result.dev.symbol_error);
}
END_TEST

static void die_at_step(void *context, const lb_training_run *run, const lb_training_step *step)
{
    (void)run;
    if (step->step == *(const int *)context) _exit(7);
}

/* Trains in a separate process, which is killed in the middle of that step. */
static void train_and_die(lb_training_config config, int step)
{
    pid_t child = fork();
    ck_assert_int_ge(child, 0);
    if (child == 0) {
        config.listener = (lb_training_listener){.context = &step, .stepped = die_at_step};
        _exit(lb_translator_train(config, NULL, NULL) ? 1 : 0);
    }
    int status;
    ck_assert_int_eq(waitpid(child, &status, 0), child);
    ck_assert(WIFEXITED(status) && WEXITSTATUS(status) == 7);
}

START_TEST(test_train_goes_on_after_a_kill_with_the_same_bits)
{
    char out[SUPPORT_PATH];
    heard h = {0};
    write_files();
    lb_training_config config = small_config(out, "killed");
    config.listener = listen(&h);
    train_and_die(config, 120);
    train_and_die(config, 210);
    ck_assert(support_exists("killed/model.safetensors"));
    h.evaluations = 4;
    train(&config);
    ck_assert_int_eq(h.steps, 100);
    config = small_config(out, "whole");
    lb_training_result whole = train(&config);
    support_assert_same_files("killed/model.safetensors", "whole/model.safetensors");
    ck_assert_int_eq(support_line_count("killed/log.jsonl"), 6);
    config = small_config(out, "killed");
    config.listener = (lb_training_listener){.context = &h, .stepped = hear_step};
    lb_training_result again = train(&config);
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

START_TEST(test_train_of_several_seeds_is_one_ensemble)
{
    char out[SUPPORT_PATH];
    heard h = {0};
    write_files();
    lb_training_config config = small_config(out, "both");
    config.seed = 7;
    config.seeds = 2;
    config.steps = 100;
    config.dev = NULL;
    config.listener = (lb_training_listener){.context = &h, .begun = hear_begin};
    lb_training_result result = train(&config);
    ck_assert_str_eq(h.names, "seed 7;seed 8;");
    ck_assert_int_gt(result.pairs, PAIRS / 20);
    ck_assert(support_exists("both/seed-7/model.safetensors") && support_exists("both/seed-8/log.jsonl"));
    char path[SUPPORT_PATH];
    assert_record(support_path(path, "both/model.safetensors"), 2);
    lb_translator *translator = lb_translator_open(out, &error);
    ck_assert_msg(translator != NULL, "%s", error.message);
    ck_assert_str_eq(lb_translator_about(translator).model->kind->name, "ensemble");
    lb_translator_close(translator);
    config.seeds = 1;
    config.out = support_path(out, "one");
    train(&config);
    support_assert_same_weights("one/model.safetensors", "both/seed-7/model.safetensors");
}
END_TEST

START_TEST(test_train_of_several_seeds_is_not_for_a_group)
{
    char out[SUPPORT_PATH];
    const lb_group group = {.rank = 0, .size = 2};
    lb_training_config config = small_config(out, "out");
    config.group = &group;
    config.seeds = 3;
    ck_assert_int_eq(lb_translator_train(config, NULL, &error), LB_ERROR_ARGUMENT);
    ck_assert_str_eq(error.message,
                     "seeds: found 3 for 2 processes, expected 1: a group trains one model; train "
                     "each by itself, and join them");
    ck_assert(!support_exists("out"));
}
END_TEST

START_TEST(test_train_forgotten_separator_is_hinted_at)
{
    char out[SUPPORT_PATH];
    heard h = {0};
    write_files();
    lb_training_config config = small_config(out, "out");
    config.target_separator = NULL;
    config.steps = 1;
    config.listener = (lb_training_listener){.context = &h, .hint = hear_hint};
    train(&config);
    ck_assert_int_eq(h.hints, 1);
    ck_assert_ptr_nonnull(strstr(h.text, "train.tsv: the targets have a blank after every 1.0 characters"));
}
END_TEST

static lb_status refuse(void *context, const lb_training_run *run, lb_error *failure)
{
    (void)context;
    return lb_error_set(failure, LB_ERROR_WRITE, "no room for a picture of %s", run->name);
}

START_TEST(test_train_error_of_a_listener_ends_the_training)
{
    char out[SUPPORT_PATH];
    write_files();
    lb_training_config config = small_config(out, "out");
    config.steps = 2;
    config.seeds = 2;
    config.listener.ended = refuse;
    ck_assert_int_eq(lb_translator_train(config, NULL, &error), LB_ERROR_WRITE);
    ck_assert_str_eq(error.message, "no room for a picture of seed 1");
    ck_assert(support_exists("out/seed-1/model.safetensors") && !support_exists("out/seed-2"));
}
END_TEST

static void expect_refused(const lb_training_config *config, lb_status status, const char *why)
{
    error = (lb_error){0};
    ck_assert_msg(lb_translator_train(*config, NULL, &error) == status, "%s", error.message);
    ck_assert_int_eq(error.status, status);
    ck_assert_msg(strstr(error.message, why) != NULL, "\"%s\" does not say \"%s\"", error.message, why);
}

START_TEST(test_train_impossible_configuration_is_refused)
{
    char out[SUPPORT_PATH];
    write_files();
    lb_training_config usual = small_config(out, "out"), c = usual;
#define REFUSED(field, value, why)                                                                           \
    do {                                                                                                     \
        c = usual;                                                                                           \
        c.field = value;                                                                                     \
        expect_refused(&c, LB_ERROR_ARGUMENT, why);                                                          \
    } while (0)
    REFUSED(train, NULL, "expected pairs to train on: a file, or texts in memory");
    REFUSED(out, NULL, "expected a folder to write to");
    REFUSED(normalize, "nfkc", "normalize: expected none, nfc or nfd, found \"nfkc\"");
    REFUSED(model, "rnn", "model: expected seq2seq or transformer, found \"rnn\"");
    REFUSED(model, "transformer", "embed, one_direction and attention are options of a seq2seq");
    REFUSED(epochs, 3, "found two of steps, epochs and minutes, expected only one of them");
    REFUSED(dropout, 1, "dropout: found 1, expected less than 1");
    REFUSED(average, 1, "average: found 1, expected less than 1");
    REFUSED(lr, -1, "lr: found -1, expected 0 or more");
    REFUSED(hidden, -5, "hidden: found -5, expected 0 or more");
    REFUSED(target_separator, "\t", "separator");
    ck_assert_int_eq(lb_translator_train(c, NULL, NULL), LB_ERROR_ARGUMENT);
    ck_assert(!support_exists("out"));
}
END_TEST

START_TEST(test_train_bad_file_is_an_error_with_file_and_line)
{
    char out[SUPPORT_PATH], path[SUPPORT_PATH];
    write_files();
    lb_training_config config = small_config(out, "out");
    support_write_text("bad.tsv", "a\tA\nb\n");
    config.dev = support_path(path, "bad.tsv");
    expect_refused(&config, LB_ERROR_FORMAT, "bad.tsv:2: found 1 column, expected 2");
    config.dev = support_path(path, "none.tsv");
    expect_refused(&config, LB_ERROR_OPEN, "none.tsv: cannot read: No such file");
    config = small_config(out, "out");
    config.min_count = 999;
    expect_refused(&config, LB_ERROR_FORMAT, "no symbol of the sources occurs 999 times");
    config = small_config(out, "train.tsv/out");
    expect_refused(&config, LB_ERROR_WRITE, "cannot write to ");
    config = small_config(out, "out");
    config.steps = 2;
    train(&config);
    config.lr = 0.01;
    expect_refused(&config, LB_ERROR_FORMAT,
                   "checkpoint.safetensors: it was trained with lr 0.02, this run has lr 0.01");
    config.fresh = true;
    train(&config);
}
END_TEST

/* The weights of a model, as bytes; to be freed. */
static char *weights_of(const char *folder, size_t *bytes)
{
    char path[SUPPORT_PATH];
    lb_translator *t = lb_translator_open(support_path(path, folder), &error);
    ck_assert_msg(t != NULL, "%s", error.message);
    lb_safetensors *file = lb_safetensors_open(lb_translator_about(t).path, &error);
    ck_assert_msg(file != NULL, "%s", error.message);
    char *all = NULL;
    *bytes = 0;
    for (size_t i = 0; i < lb_safetensors_count(file); i++) {
        const lb_safetensors_tensor *array = lb_safetensors_at(file, i);
        size_t size = (size_t)lb_shape_count(array->shape) * sizeof(lb_real);
        all = realloc(all, *bytes + size);
        memcpy(all + *bytes, array->data, size);
        *bytes += size;
    }
    lb_safetensors_close(file);
    lb_translator_close(t);
    return all;
}

/* The pairs of a file of the test as arrays of texts, until the file is read again. */
static lb_pair_texts pairs_of(const char *path)
{
    static char texts[2][1 << 16];
    static const char *columns[2][2][PAIRS];
    size_t size;
    bool dev = path == dev_file;
    char *text = support_read_file(path, &size);
    ck_assert_uint_lt(size, sizeof texts[dev]);
    memcpy(texts[dev], text, size + 1);
    free(text);
    lb_pair_texts pairs = {.source = columns[dev][0], .target = columns[dev][1]};
    for (char *at = strtok(texts[dev], "\t\n"); at; at = strtok(NULL, "\t\n")) {
        columns[dev][0][pairs.count] = at;
        columns[dev][1][pairs.count++] = strtok(NULL, "\t\n");
    }
    return pairs;
}

START_TEST(test_train_pairs_in_memory_give_the_bits_of_the_file)
{
    char out[SUPPORT_PATH];
    size_t bytes[2];
    write_files();
    for (int with_dev = 0; with_dev < 2; with_dev++) {
        lb_training_config config = small_config(out, with_dev ? "file-dev" : "file");
        config.steps = 60;
        if (!with_dev) config.dev = NULL;
        lb_training_result file = train(&config);
        config.train = config.dev = NULL;
        config.pairs = pairs_of(train_file);
        if (with_dev) config.dev_pairs = pairs_of(dev_file);
        config.out = support_path(out, with_dev ? "memory-dev" : "memory");
        lb_training_result memory = train(&config);
        char *a = weights_of(with_dev ? "file-dev" : "file", &bytes[0]),
             *b = weights_of(with_dev ? "memory-dev" : "memory", &bytes[1]);
        ck_assert(bytes[0] == bytes[1] && bytes[0] > 1000 && memcmp(a, b, bytes[0]) == 0);
        ck_assert_int_eq(file.pairs, memory.pairs);
        ck_assert(file.dev.loss == memory.dev.loss);
        config.steps = 80; /* resumes */
        train(&config);
        ((const char **)config.pairs.target)[0] = "other";
        expect_refused(&config, LB_ERROR_FORMAT, "it was trained on other pairs");
        free(a);
        free(b);
    }
}
END_TEST

START_TEST(test_train_step_by_step_takes_pairs_in_memory_too)
{
    char out[SUPPORT_PATH];
    double loss[2];
    write_files();
    for (int in_memory = 0; in_memory < 2; in_memory++) {
        lb_training_config config = small_config(out, "out");
        lb_evaluation found;
        if (in_memory) {
            config.pairs = pairs_of(train_file);
            config.dev_pairs = pairs_of(dev_file);
            config.train = config.dev = NULL;
        }
        lb_stepper *stepper = lb_stepper_new(config, &error);
        ck_assert_msg(stepper != NULL, "%s", error.message);
        for (int i = 0; i < 3; i++)
            ck_assert_int_eq(lb_stepper_step(stepper, &loss[in_memory], &error), LB_OK);
        ck_assert_int_eq(lb_stepper_measure(stepper, 20, &found, &error), LB_OK);
        ck_assert(found.loss > 0);
        lb_stepper_free(stepper);
    }
    ck_assert(loss[0] == loss[1]);
}
END_TEST

START_TEST(test_train_bad_pairs_in_memory_are_refused_before_anything_is_written)
{
    char out[SUPPORT_PATH];
    write_files();
    lb_training_config config = small_config(out, "out");
    lb_pair_texts pairs = pairs_of(train_file);
    config.pairs = pairs;
    expect_refused(&config, LB_ERROR_ARGUMENT, "pairs: found a file, and pairs in memory, expected only one");
    config.train = NULL;
    config.dev_pairs = pairs;
    expect_refused(&config, LB_ERROR_ARGUMENT, "dev_pairs: found a file, and pairs in memory");
    config.dev = NULL;
    config.no_hold_out = true;
    expect_refused(&config, LB_ERROR_ARGUMENT, "no_hold_out: found pairs for development");
    config.no_hold_out = false;
    config.pairs.count = 0;
    expect_refused(&config, LB_ERROR_ARGUMENT, "found 0 pairs, expected at least one");
    config.pairs = pairs;
    ((const char **)pairs.source)[123] = "a\tb";
    expect_refused(&config, LB_ERROR_FORMAT, "pair 123: found a tab in the source");
    config.pairs.count = 100;
    expect_refused(&config, LB_ERROR_FORMAT, "pair 123: found a tab in the source"); /* of dev_pairs */
    ck_assert(!support_exists("out"));
}
END_TEST

START_TEST(test_train_config_settle_fills_in_the_recipe_and_keeps_the_rest)
{
    lb_training_config config = {.hidden = 7, .dropout = -1}, twice, other = {.model = "transformer"};
    ck_assert_int_eq(lb_training_config_settle(&config, NULL), LB_OK);
    ck_assert(config.hidden == 7 && config.embed == 0 && config.layers == 1 && config.warm_up == 200);
    ck_assert(config.dropout < 0 && config.lr == 2e-3 && config.min_count == 1 && config.heads == 4);
    ck_assert(config.evaluate_every == 250 && config.patience == 5 && config.seeds == 1 && config.film == 2);
    ck_assert_str_eq(config.model, "seq2seq");
    ck_assert_str_eq(config.direction, "forward");
    ck_assert_str_eq(config.normalize, "nfd");
    twice = config;
    ck_assert_int_eq(lb_training_config_settle(&twice, NULL), LB_OK);
    ck_assert_mem_eq(&twice, &config, sizeof config);
    ck_assert_int_eq(lb_training_config_settle(&other, NULL), LB_OK);
    ck_assert(other.hidden == 0 && other.layers == 2 && other.lr == 1e-3 && other.dropout == 0);
    ck_assert(config.average == 0.998 && other.average == 0.998);
}
END_TEST

START_TEST(test_train_any_failing_allocation_is_an_error_and_leaks_nothing)
{
    enum { STRIDE = 5 };
    char out[SUPPORT_PATH];
    support_watch_allocations();
    support_write_pairs("train.tsv", 30, 1);
    support_path(train_file, "train.tsv");
    lb_training_config config = small_config(out, "out");
    config.dev = train_file;
    config.hidden = config.embed = 4;
    config.steps = config.seeds = 2;
    config.fresh = true;
    train(&config);
    long live = support_live_allocations(), before = support_allocation_count();
    train(&config);
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

int main(void)
{
    return support_run_tests(
        "train",
        SUPPORT_TESTS(
            test_train_learns_tells_its_listener_and_leaves_its_files,
            test_train_keeps_the_models_of_the_last_evaluations,
            test_train_keeps_the_lowest_symbol_error_where_nothing_is_right,
            test_train_gives_the_weights_of_the_program, test_train_goes_on_after_a_kill_with_the_same_bits,
            test_train_of_several_seeds_is_one_ensemble, test_train_of_several_seeds_is_not_for_a_group,
            test_train_forgotten_separator_is_hinted_at, test_train_error_of_a_listener_ends_the_training,
            test_train_impossible_configuration_is_refused,
            test_train_bad_file_is_an_error_with_file_and_line,
            test_train_pairs_in_memory_give_the_bits_of_the_file,
            test_train_step_by_step_takes_pairs_in_memory_too,
            test_train_bad_pairs_in_memory_are_refused_before_anything_is_written,
            test_train_config_settle_fills_in_the_recipe_and_keeps_the_rest,
            test_train_any_failing_allocation_is_an_error_and_leaks_nothing));
}
