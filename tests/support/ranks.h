/* Runs programs on several ranks of mpirun, in the folder of the test. */
#ifndef SUPPORT_RANKS_H
#define SUPPORT_RANKS_H

#include "support/process.h"

/** The result of the last run. */
extern support_result support_ranks_result;

/** The program, $LOOKBACK_MPIRUN or mpirun. */
const char *support_mpirun(void);

/** Whether a program is installed. */
bool support_has_program(const char *name);

/** Why there are no ranks here; NULL: there are. */
const char *support_no_ranks(void);

/** Changes of the environment, as in support_command, under which Open MPI starts more ranks than processors, by root,
 *  in a container. MPICH asks for no such permission. */
extern const char *const support_ranks_permission[];

/** Runs `program` with `arguments` up to NULL on so many ranks, or without mpirun on 0. mpirun leaves the number of its
 *  process in the file "pid-mpirun". */
void support_run_ranks(int ranks, const char *program, const char *input_path, const char *const *arguments);

#define SUPPORT_RUN_RANKS_AS(ranks, program, ...)                                                            \
    support_run_ranks(ranks, program, NULL, (const char *const[]){__VA_ARGS__, NULL})

/** Runs lookback; the script of support_write_rank_script or support_write_stops. */
#define SUPPORT_RUN_RANKS(ranks, ...)        SUPPORT_RUN_RANKS_AS(ranks, BIN_DIR "/lookback", __VA_ARGS__)
#define SUPPORT_RUN_RANKS_SCRIPT(ranks, ...) SUPPORT_RUN_RANKS_AS(ranks, "./script", __VA_ARGS__)

/** How long ranks wait for each other, in seconds. Unless this is set, they never lose patience with one that is
 *  late. */
void support_set_patience(const char *seconds);

/** The words of two trainings of a moment: numbers in order, and pairs.tsv of support_write_pairs. */
#define SUPPORT_SORT_DIGITS                                                                                  \
    "sort", "--max-number", "9", "--min-length", "1", "--max-length", "3", "--embed", "8", "--hidden", "16", \
        "--batch", "16", "--target", "0"
#define SUPPORT_TRAIN_PAIRS                                                                                  \
    "train", "--train", "pairs.tsv", "--target-separator", " ", "--embed", "16", "--hidden", "24",           \
        "--dropout", "0.2", "--batch", "24"

/** Writes `script`, which runs lookback on all ranks, and these commands of sh before it on one of them. */
void support_write_script_of_rank(int rank, const char *commands);

/** The same for rank 1. */
void support_write_rank_script(const char *commands);

/** Writes `script`, which runs lookback and stops the first rank and all others as planned (support/stop.h; NULL:
 *  never). Each rank leaves the number of its process in the file "pid-RANK". */
void support_write_stops(const char *first, const char *others);

/** What the first rank does to another one, or to mpirun, at an event. */
#define SUPPORT_SEND(signal, to) "sh kill -" signal " $(cat pid-" to ")"

/** How often a text contains another one. */
int support_occurrences(const char *text, const char *part);

/** Asserts that the last run succeeded. */
void support_assert_ranks_done(void);

/** Asserts that it ended with a status, or that mpirun killed a rank that was about to. */
void support_assert_ranks_status(int status);

/* Asserts that the last run failed. */
void support_assert_ranks_failed(void);

/** Asserts that its standard error has a text once, whatever mpirun itself says. */
void support_assert_said_once(const char *text);

/** Both. */
void support_assert_one_message(int status, const char *text);

#endif
