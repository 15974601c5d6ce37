/* Runs lookback train in the folder of the test, on words to spell backwards. */
#ifndef SUPPORT_PAIR_PROGRAM_H
#define SUPPORT_PAIR_PROGRAM_H

#include "support/process.h"
#include <lookback/base.h>

#include <stdbool.h>

/* Options of a run that takes a third of a second and gets nearly everything right. A later option wins. */
#define SUPPORT_SMALL                                                                                        \
    "--target-separator", " ", "--embed", "16", "--hidden", "32", "--dropout", "0", "--label-smoothing",     \
        "0", "--warm-up", "20", "--lr", "0.02", "--evaluate-every", "50", "--steps", "300", "--threads", "1"

/* The result of the last run. */
extern support_result support_ran;

/* Writes `count` pairs such as "abc TAB c b a" to a file in the test's folder; other seeds give other words. */
void support_write_pairs(const char *name, int count, unsigned seed);

/* Writes a text to a file in the test's folder. */
void support_write_text(const char *name, const char *text);

/* Runs lookback train with these arguments up to NULL, in that folder; if `stop` is not NULL, until the event that it
 * plans. */
void support_train_pairs(const char *const *arguments, const char *stop);

#define SUPPORT_TRAIN(...)             support_train_pairs((const char *const[]){__VA_ARGS__, NULL}, NULL)
#define SUPPORT_TRAIN_UNTIL(stop, ...) support_train_pairs((const char *const[]){__VA_ARGS__, NULL}, stop)

/* The same with kills, until it is trained: see support_kill_until_done. */
int support_train_killed_pairs(const char *const *arguments);

#define SUPPORT_TRAIN_KILLED(...) support_train_killed_pairs((const char *const[]){__VA_ARGS__, NULL})

/* Runs a command of lookback in that folder, with arguments up to NULL, or with words for a shell, by a format. */
void support_run_lookback(const char *command, const char *const *arguments);
void support_shell(const char *format, ...) LB_PRINTF(1, 2);

/* Asserts that the last run succeeded, or failed with this status and message. */
void support_assert_trained(void);
void support_assert_refused(int status, const char *text);

/* A file of that folder; to be freed. */
char *support_content(const char *name, size_t *count);
char *support_text(const char *name);
bool support_exists(const char *name);

/* The number of lines in a file of that folder. */
int support_line_count(const char *name);

/* The bytes of a model file after its header; to be freed. */
char *support_weights(const char *name, size_t *count);

/* Asserts that two models have the same weights, whatever their records say. */
void support_assert_same_weights(const char *a, const char *b);

/* Asserts that a file of the test's folder has this content, which is freed, or that two files are equal. */
void support_assert_content(const char *name, char *expected, size_t count);
void support_assert_same_files(const char *a, const char *b);

#endif
