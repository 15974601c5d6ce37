/* Times what opening a model costs, without a lexicon and with lexicons that grow. All of a lexicon is checked when it
 * is opened, so that each of them is opened in turn. The model is untrained, of the size of the recipe. */
#include "cli/options.h"
#include "console/console.h"
#include "shared/measure.h"

#include <lookback/lookback.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

enum { MOST = 200000, LETTERS = 20, KINDS = 3, FOLDED = 2, WORD = 24, ROUNDS = 25, PATH = 512 };

static const char *const kinds[KINDS] = {"ASCII", "with marks", "without case"};

/* Each word once: its number in letters, and some more. */
static void spell(int64_t number, const char *const letters[LETTERS], const char *between, char *text)
{
    uint64_t hash = (uint64_t)number * 2654435761U;
    for (int i = 0; i < 6; i++, number /= LETTERS)
        text = stpcpy(stpcpy(text, i ? between : ""), letters[number % LETTERS]);
    for (uint64_t i = hash % 4; i > 0; i--) text = stpcpy(stpcpy(text, between), letters[hash / 7 % LETTERS]);
}

static lb_pair_texts make_words(int64_t count, bool marks)
{
    static const char *const plain[LETTERS] = {"a", "b", "c", "d", "e", "f", "g", "h", "i", "k",
                                               "l", "m", "n", "o", "p", "r", "s", "t", "u", "v"},
                             *const marked[LETTERS] = {"a", "b", "c", "d", "é", "f", "g", "h", "í", "k",
                                                       "l", "m", "ñ", "ó", "p", "r", "s", "t", "ú", "v"};
    char *text = calloc((size_t)count, 4 * (size_t)WORD);
    const char **source = calloc(2 * (size_t)count, sizeof *source);
    if (!text || !source) abort();
    const char **target = source + count;
    for (int64_t i = 0; i < count; i++, text += 4 * (size_t)WORD) {
        spell(i, marks ? marked : plain, "", text);
        spell(i, plain, " ", text + 2 * (size_t)WORD);
        source[i] = text;
        target[i] = text + 2 * (size_t)WORD;
    }
    return (lb_pair_texts){.count = count, .source = source, .target = target};
}

static lb_status train(const char *out, lb_error *error)
{
    const lb_training_config config = {.pairs = make_words(500, true),
                                       .dev_pairs = make_words(20, true),
                                       .target_separator = " ",
                                       .steps = 1,
                                       .out = out,
                                       .fresh = true};
    return lb_translator_train(config, NULL, error);
}

/* The seconds of each round, in turn with all others. */
static lb_status time_all(char path[][PATH], size_t count, double (*seconds)[ROUNDS], lb_error *error)
{
    for (int round = 0; round < ROUNDS; round++)
        for (size_t i = 0; i < count; i++) {
            double begun = bench_now();
            lb_translator *t = lb_translator_open(path[i], error);
            seconds[i][round] = bench_now() - begun;
            lb_translator_close(t);
            if (!t) return error->status;
        }
    return LB_OK;
}

int main(int argc, char **argv)
{
    int entries = 40000;
    const char *folder = "out";
    const app_option options[] = {
        APP_INT(0, "entries", "N", &entries, 1, MOST, "words of a lexicon"),
        APP_TEXT('o', "out", "DIR", &folder, "where models are written"),
    };
    const app_program program = {.name = "bench_open",
                                 .purpose = "Times opening a model without and with a lexicon, in turn.",
                                 .options = options,
                                 .option_count = sizeof options / sizeof *options};
    int status = app_options(&program, &argc, &argv);
    if (status != APP_RUN) return status;
    lb_error error = {0};
    static char path[1 + KINDS][PATH];
    static double seconds[1 + KINDS][ROUNDS];
    lb_set_threads(1);
    mkdir(folder, 0777);
    snprintf(path[0], PATH, "%s/none", folder);
    lb_status failed = train(path[0], &error);
    for (int i = 0; i < KINDS && !failed; i++) {
        snprintf(path[1 + i], PATH, "%s/lexicon-%d", folder, i);
        const lb_training_config data = {.lexicon_pairs = make_words(entries, i > 0),
                                         .lexicon_case = i == FOLDED ? "fold" : NULL};
        const lb_join_config config = {.models = (const char *const[]){path[0]},
                                       .count = 1,
                                       .out = path[1 + i],
                                       .data = &data,
                                       .replace = true};
        failed = lb_translator_join(config, NULL, &error);
    }
    if (!failed) failed = time_all(path, 1 + KINDS, seconds, &error);
    if (failed) return app_fail(&error);
    double none = 1e3 * bench_median(seconds[0], ROUNDS);
    app_print("without a lexicon: %.2f ms\n", none);
    for (int i = 0; i < KINDS; i++)
        app_print("%d entries, %s: %.2f ms more\n", entries, kinds[i],
                  1e3 * bench_median(seconds[1 + i], ROUNDS) - none);
    return 0;
}
