/* The film of a training: its frames, resuming it, and that it changes nothing else. */
#include "base/bytes.h"
#include "support/pair_program.h"
#include "support/small_training.h"
#include "support/suite.h"
#include "support/tempdir.h"
#include <lookback/translate.h>

#include <cJSON.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

enum { PAIRS = 300, STEPS = 120, EVERY = 20, LONGEST = 64 };

static lb_error error;
static const char *train_file, *dev_file, *out;

static lb_training_config usual(const char *name)
{
    lb_set_threads(1);
    support_write_pairs("train.tsv", PAIRS, 1);
    support_write_pairs("dev.tsv", 40, 2);
    return (lb_training_config){.train = train_file = support_path("train.tsv"),
                                .dev = dev_file = support_path("dev.tsv"),
                                .target_separator = " ",
                                .embed = 16,
                                .hidden = 32,
                                .dropout = -1,
                                .label_smoothing = -1,
                                .warm_up = 20,
                                .lr = 0.02,
                                .batch = 16,
                                .steps = STEPS,
                                .evaluate_every = EVERY,
                                .seed = 1,
                                .out = out = support_path(name)};
}

static const cJSON *field(const cJSON *frame, const char *key)
{
    const cJSON *found = cJSON_GetObjectItemCaseSensitive(frame, key);
    ck_assert_msg(found != NULL, "no %s", key);
    return found;
}

/* The symbols of a list, joined by `between`. */
static char *joined(const cJSON *list, const char *between, char text[LONGEST])
{
    const cJSON *symbol;
    *text = '\0';
    cJSON_ArrayForEach(symbol, list)
    {
        if (text[0] != '\0') strcat(text, between);
        strcat(text, symbol->valuestring);
    }
    return text;
}

/* Compares a frame with what the model writes now; the weights within half a step of a byte. */
static void check_frame(const cJSON *frame, lb_translator *translator)
{
    char source[LONGEST], output[LONGEST];
    const char *text = joined(field(frame, "source"), "", source),
               *weights = field(frame, "weights")->valuestring;
    lb_translate_config config = {.beam = 1, .attention = true};
    lb_translations *all = lb_translate_all(translator, &text, 1, config, &error);
    ck_assert_msg(all != NULL, "%s", error.message);
    const lb_output *found = all->text->output;
    ck_assert_str_eq(joined(field(frame, "output"), " ", output), found->text);
    ck_assert_int_eq(cJSON_IsTrue(field(frame, "finished")), found->finished);
    size_t count, expected = (size_t)(found->steps * all->text->length);
    unsigned char *bytes = malloc(strlen(weights));
    ck_assert(lb_base64_decode(weights, strlen(weights), bytes, &count));
    ck_assert_uint_eq(count, expected);
    for (size_t i = 0; i < expected; i++)
        ck_assert_double_eq_tol(bytes[i] / 255.0, (double)found->weights[i], 0.5001 / 255);
    free(bytes);
    lb_translations_free(all);
}

START_TEST(test_film_frames_are_what_the_model_of_each_evaluation_writes)
{
    lb_training_config config = usual("out");
    size_t count;
    int lines = 0;
    config.keep = STEPS / EVERY;
    config.film = 3;
    support_small_train(&config);
    char *text = support_content("out/film.jsonl", &count);
    for (char *rest, *line = strtok_r(text, "\n", &rest); line; line = strtok_r(NULL, "\n", &rest), lines++) {
        char name[64], source[LONGEST], expected[LONGEST];
        cJSON *frame = cJSON_Parse(line);
        int step = field(frame, "step")->valueint;
        ck_assert_int_eq(step, (lines / 3 + 1) * EVERY);
        ck_assert_int_eq(field(frame, "pair")->valueint, lines % 3 * 40 / 3);
        snprintf(name, sizeof name, "out/model-%d.safetensors", step);
        lb_translator *translator = lb_translator_open(support_path(name), &error);
        ck_assert_msg(translator != NULL, "%s", error.message);
        check_frame(frame, translator);
        joined(field(frame, "source"), "", source);
        joined(field(frame, "expected"), "", expected);
        ck_assert_uint_eq(strlen(source), strlen(expected)); /* spelt backwards */
        for (size_t i = 0; source[i]; i++) ck_assert_int_eq(source[i], expected[strlen(expected) - 1 - i]);
        lb_translator_close(translator);
        cJSON_Delete(frame);
    }
    ck_assert_int_eq(lines, 3 * STEPS / EVERY);
    free(text);
}
END_TEST

START_TEST(test_film_does_not_change_the_training)
{
    lb_training_config config = usual("with");
    support_small_train(&config);
    ck_assert_int_eq(support_line_count("with/film.jsonl"), 2 * STEPS / EVERY);
    config = usual("without");
    config.film = -1;
    support_small_train(&config);
    ck_assert(!support_exists("without/film.jsonl"));
    support_assert_same_files("with/model.safetensors", "without/model.safetensors");
}
END_TEST

static void append_text(const char *name, const char *text)
{
    FILE *file = fopen(support_path(name), "a");
    ck_assert_ptr_nonnull(file);
    fputs(text, file);
    fclose(file);
}

START_TEST(test_film_of_a_killed_training_goes_on_without_the_frames_after_its_checkpoint)
{
    lb_training_config config = usual("killed");
    support_small_dies(config, 70);
    ck_assert_int_eq(support_line_count("killed/film.jsonl"), 6);
    /* As if the kill had come after the frames of step 80 and before its checkpoint, in the middle of a line. */
    append_text("killed/film.jsonl", "{\"step\":80,\"pair\":0}\n{\"step\":80,\"pa");
    support_small_train(&config);
    config = usual("whole");
    support_small_train(&config);
    support_assert_same_files("killed/film.jsonl", "whole/film.jsonl");
}
END_TEST

START_TEST(test_film_that_is_gone_or_nonsense_begins_anew)
{
    lb_training_config config = usual("out");
    support_small_dies(config, 70);
    append_text("out/film.jsonl", "nonsense\n");
    support_small_dies(config, 90);
    ck_assert_int_eq(support_line_count("out/film.jsonl"), 8);
    ck_assert_int_eq(remove(support_path("out/film.jsonl")), 0);
    support_small_train(&config);
    ck_assert_int_eq(support_line_count("out/film.jsonl"), 4);
}
END_TEST

/* As users without rights, and root without them. */
static lb_status train_as_nobody(const lb_training_config *config)
{
    pid_t child = fork();
    ck_assert_int_ge(child, 0);
    if (child == 0) {
        if (geteuid() == 0 && setuid(65534) != 0) _exit(99);
        lb_status status = lb_translator_train(*config, NULL, &error);
        _exit(strstr(error.message, "film.jsonl: cannot read: Permission denied") ? (int)status : 98);
    }
    int status;
    ck_assert_int_eq(waitpid(child, &status, 0), child);
    ck_assert(WIFEXITED(status));
    return (lb_status)WEXITSTATUS(status);
}

START_TEST(test_film_that_cannot_be_read_is_not_begun_anew)
{
    size_t count, before;
    lb_training_config config = usual("out");
    support_small_dies(config, 70);
    char *film = support_content("out/film.jsonl", &before);
    const char *path = support_path("out/film.jsonl");
    ck_assert_int_eq(chmod(path, 0), 0);
    ck_assert_int_eq(chmod(out, 0777), 0);
    ck_assert_int_eq(chmod(support_path("out/.lock"), 0666), 0); /* the dead one has left it */
    ck_assert_int_eq(chmod(support_tempdir(), 0755), 0);
    ck_assert_int_eq(train_as_nobody(&config), LB_ERROR_OPEN);
    ck_assert_int_eq(chmod(path, 0644), 0);
    char *found = support_content("out/film.jsonl", &count);
    ck_assert_uint_eq(count, before);
    ck_assert_mem_eq(found, film, count);
    free(found);
    free(film);
    ck_assert_int_eq(rename(path, support_path("film")), 0);
    ck_assert_int_eq(mkdir(path, 0777), 0);
    error = (lb_error){0};
    ck_assert_int_eq(lb_translator_train(config, NULL, &error), LB_ERROR_OPEN);
    ck_assert_msg(strstr(error.message, "film.jsonl: cannot read: ") != NULL, "%s", error.message);
    ck_assert_int_eq(rmdir(path), 0);
    ck_assert_int_eq(rename(support_path("film"), path), 0);
    support_small_train(&config);
    config = usual("whole");
    support_small_train(&config);
    support_assert_same_files("out/film.jsonl", "whole/film.jsonl");
}
END_TEST

START_TEST(test_film_of_a_fresh_training_replaces_the_old_one)
{
    lb_training_config config = usual("out");
    support_small_train(&config);
    config.fresh = true;
    config.steps = 2 * EVERY;
    support_small_train(&config);
    ck_assert_int_eq(support_line_count("out/film.jsonl"), 4);
    config.film = -1;
    support_small_train(&config);
    ck_assert(!support_exists("out/film.jsonl"));
}
END_TEST

static int warnings;

static lb_status hear_unsaved(void *context, const lb_event *event, lb_error *failure)
{
    (void)failure;
    if (event->kind != LB_EVENT_UNSAVED) return LB_OK;
    warnings++;
    const char *found = event->error->message;
    ck_assert_msg(strstr(found, "film.jsonl: cannot write") != NULL, "%s", found);
    if (warnings == 2) ck_assert_int_eq(rmdir(context), 0); /* the third attempt succeeds */
    return LB_OK;
}

START_TEST(test_film_that_cannot_be_written_is_written_later)
{
    lb_training_config config = usual("out");
    ck_assert_int_eq(mkdir(out, 0777), 0);
    ck_assert_int_eq(mkdir(support_path("out/film.jsonl"), 0777), 0);
    config.context = (void *)(uintptr_t)support_path("out/film.jsonl");
    config.tell = hear_unsaved;
    support_small_train(&config);
    ck_assert_int_eq(warnings, 2);
    ck_assert_int_eq(support_line_count("out/film.jsonl"), 2 * STEPS / EVERY);
    config = usual("whole");
    support_small_train(&config);
    support_assert_same_files("out/film.jsonl", "whole/film.jsonl");
}
END_TEST

START_TEST(test_film_of_lists_and_of_a_model_without_attention)
{
    lb_sort_task task = {.max_value = 9, .min_length = 2, .max_length = 4};
    lb_training_config config = {
        .sort = &task, .embed = 8, .hidden = 16, .heads = 2, .batch = 8, .steps = 20};
    size_t count;
    config.attention = LB_ATTENTION_NONE;
    config.evaluate_every = 10;
    config.out = out = support_path("out");
    support_small_train(&config);
    ck_assert_int_eq(support_line_count("out/film.jsonl"), 4);
    char *text = support_content("out/film.jsonl", &count);
    ck_assert_ptr_nonnull(strstr(text, "\"weights\":\"\"}\n"));
    free(text);
}
END_TEST
