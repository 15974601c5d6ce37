/* A model in training: its state, one step, the loop of lb_train, the file from which it resumes, and whether that is
 * of the same run. */
#ifndef LB_TRAINER_H
#define LB_TRAINER_H

#include "lookback/train.h"
#include "train/shards.h"

/* ---- thread_choice.c: how many threads a training computes with: as many as its steps are fastest with, which depends
 * on the model, the machine, and what else runs there. No result depends on it. Nothing here reads a clock.
 * docs/adr/0008-threads.md says why. ---- */

enum {
    LB_THREAD_NUMBERS = 11, /* 1024, 512 ... 1 */
    LB_THREAD_PASSES = 3    /* of a comparison over its numbers: what disturbs one window does not decide */
};

/** What the steps of windows took for their work, the least first. */
typedef struct lb_thread_windows {
    int count;
    double cost[LB_THREAD_PASSES];
} lb_thread_windows;

/** The numbers to choose from are most, most / 2, most / 4 ... 1, and known by their place in this order. */
typedef struct lb_thread_choice {
    int most, count;
    int chosen, next;        /* the best one as far as is known, and that of the next step */
    int unsteady;            /* steps left that do not count */
    int passes, first, last; /* left over the numbers that are compared; 0: none are */
    double ns, work;         /* of this window: steps one after the other with one number */
    double spent, since;     /* ns of the last comparison; ns since */
    lb_thread_windows windows[LB_THREAD_NUMBERS]; /* of the last comparison */
} lb_thread_choice;

/** Begins with `most` threads. */
lb_thread_choice lb_thread_choice_of(int most);

int lb_thread_choice_next(const lb_thread_choice *choice);

/** The threads for what is not a step, such as an evaluation. */
int lb_thread_choice_best(const lb_thread_choice *choice);

/** Notes the nanoseconds of a step, and its work, such as the number of its tokens, by which steps are comparable. */
void lb_thread_choice_note(lb_thread_choice *choice, double ns, double work);

/* ---- A model in training. ---- */

/** What comes next of an evaluation, of which a training in parts does one thing at a time. */
typedef enum lb_marking { LB_MARKS_NOTHING, LB_MEASURES, LB_RECORDS, LB_SAVES } lb_marking;

/** A model in training. The caller sets `config`, and `history` if it evaluates. */
typedef struct lb_trainer {
    lb_trainer_config *config;

    /* What changes from step to step, apart from the parameters. A checkpoint has it. */
    int64_t step;           /* steps done */
    double loss_sum;        /* of the steps since the last point */
    double seconds, tokens; /* of the run, as in lb_train_point */
    lb_optimizer *optimizer;
    lb_real *average; /* average weights, laid out like the weights; NULL: not kept */
    lb_real *best;    /* weights of the best evaluation, laid out like the weights; NULL: not kept */
    lb_train_history *history;

    lb_tape *tape;
    lb_shards shards;
    lb_thread_choice threads;
    lb_real *room; /* [LB_GROUP_ROOM] for the gradients of others; NULL without a group */
    bool stopped;  /* a process of the group wants to stop: all know it after the same step */
    int64_t saved; /* the step of the checkpoint */

    /* An evaluation under way: its point so far, and how many of the dev set and the tests are measured. */
    lb_marking marks;
    int measured;
    lb_train_point point;

    /* Times of lb_os_clock: those of the last step in nanoseconds, the others in seconds. */
    int64_t waited, ended; /* how long the last step waited for other processes; its end */
    double start;          /* of the run: now - start are the seconds of all its sessions */
    double begun;          /* of the first step of this session */
    double tokens_before;  /* of the run, before that step */
} lb_trainer;

/* ---- A step (step.c). ---- */

/** Begins before the first step.
 *  Memory: freed by lb_trainer_free, also after an error. Errors: LB_ERROR_MEMORY. */
LB_MUST_USE lb_status lb_trainer_begin(lb_trainer *trainer, lb_error *error);

/** One step: batch, gradient, optimiser, average. `loss` receives its value. With a group, everyone takes its parts of
 *  the batch.
 *  Errors: LB_ERROR_DIVERGED if the loss or the gradient is not finite; errors of the tape. */
LB_MUST_USE lb_status lb_trainer_step(lb_trainer *trainer, double *loss, lb_error *error);

/** Swaps the weights with their average, if there is one: before and after evaluating it. */
void lb_trainer_swap(const lb_trainer *trainer);

/** The bytes of all weights. */
size_t lb_trainer_bytes(const lb_trainer *trainer);

void lb_trainer_free(lb_trainer *trainer);

/** One step of lb_train, and the evaluation and the checkpoint that follow some of them (trainer.c). Errors: those of
 *  lb_train. */
LB_MUST_USE lb_status lb_trainer_advance(lb_trainer *trainer, lb_error *error);

/* ---- The state in a file (resume.c). ---- */

/** Writes the state and the parameters.
 *  Errors: LB_ERROR_WRITE, LB_ERROR_MEMORY; the old file is then intact. */
LB_MUST_USE lb_status lb_resume_save(const lb_trainer *trainer, lb_error *error);

/** Reads the state and the parameters. Without a file it changes nothing.
 *  Errors: LB_ERROR_FORMAT if the file is damaged, from another run, or has more steps than the run. */
LB_MUST_USE lb_status lb_resume_load(lb_trainer *trainer, lb_error *error);

/** Appends a point. Errors: LB_ERROR_MEMORY. */
LB_MUST_USE lb_status lb_train_history_add(lb_train_history *history, lb_train_point point, lb_error *error);

#endif
