/* The training loop: steps, evaluations, checkpoints, and going on after a kill as if nothing had happened. */
#ifndef LB_TRAINER_H
#define LB_TRAINER_H

#include "train/optimizer.h"
#include "train/schedule.h"

/** The loss of one step's batch, on the tape; adds the batch's target tokens to `tokens`. Whatever it draws must follow
 *  from the step. */
typedef lb_tensor *(*lb_loss_fn)(void *context, lb_tape *tape, int64_t step, int64_t *tokens);

/** The measure to be raised, such as exact match. May reset the tape. */
typedef lb_status (*lb_evaluate_fn)(void *context, lb_tape *tape, double *measure);

/** One evaluation of a run. */
typedef struct lb_train_point {
    int64_t step;     /* steps done */
    double loss;      /* mean over the steps since the last point */
    double measure;   /* what lb_evaluate_fn found */
    double lr;        /* of the last step */
    double grad_norm; /* of the last step, before clipping */
    double seconds;   /* of training and evaluating, over all sessions of the run */
    double tokens;    /* target tokens seen so far */
} lb_train_point;

typedef struct lb_train_history {
    lb_train_point *points;
    int64_t count, capacity;
} lb_train_history;

/** Called after every step, for a progress bar: steps done, loss of the step, the last point (NULL before the first),
 *  tokens of this session and seconds it has taken. */
typedef void (*lb_progress_fn)(void *context, int64_t step, double loss, const lb_train_point *last,
                               double tokens, double seconds);

/** The best point, the first of equals; NULL without a point. */
const lb_train_point *lb_train_best(const lb_train_history *history);

/** Called with the history, of which the last point is new. An error ends the run. */
typedef lb_status (*lb_point_fn)(void *context, const lb_train_history *history, lb_error *error);

/** Key of a checkpoint's metadata under which `run` stands; no model's file has it. */
#define LB_RUN_KEY "lookback.run"

typedef struct lb_trainer_config {
    lb_params *params;
    void *context; /* for the functions */
    lb_loss_fn loss;
    lb_evaluate_fn evaluate;
    lb_progress_fn progress; /* may be NULL */
    lb_point_fn point;       /* after every evaluation, when the checkpoint is safe; may be NULL */
    lb_point_fn
        better;    /* after each that is better than all before it, while the parameters are those that it
                              * found so good, and before the checkpoint: to save the model; may be NULL */
    int64_t steps; /* to be done in all */
    int64_t evaluate_every; /* steps; 0 means 250 */
    double target;          /* stop when the measure reaches it; 0: never */
    int64_t patience; /* stop after so many evaluations in a row that are no better than the best; 0: never */
    bool keep_best;   /* end with the weights of the best evaluation instead of the last */
    lb_schedule schedule;
    lb_adam_config adam; /* its lr is the schedule's */
    double
        average; /* 0: off; else evaluate, and end with, weights averaged over about 1 / (1 - average) steps */
    uint64_t seed;          /* of dropout */
    const char *checkpoint; /* path of the file that the run goes on from; NULL: none is kept */
    bool fresh;             /* start anew even if there is a checkpoint; the first save replaces it */
    const char
        *run; /* a text that tells this run from any other: written to the checkpoint, compared with it */
} lb_trainer_config;

/** Trains until the target or the last step is reached, or patience is at its end. If `checkpoint` exists, goes on from there: the weights after
 *  the last step are the same, bit for bit, as those of a run that was never interrupted.
 *  Average: an exponential moving average of the weights (Polyak, Juditsky 1992) finds the middle of what the last steps
 *           circle around; its decay climbs with the steps, min(average, (1 + step) / (10 + step)).
 *  Best:    the checkpoint has the best weights too, so that a run that goes on ends with the same.
 *  Memory:  the caller frees history->points with lb_release, also after an error.
 *  Errors:  LB_ERROR_DIVERGED if a loss or a gradient is not finite: the checkpoint is the last good one.
 *           LB_ERROR_FORMAT if the checkpoint belongs to another run or is damaged; LB_ERROR_WRITE; those of the tape. */
LB_MUST_USE lb_status lb_train(const lb_trainer_config *config, lb_train_history *history, lb_error *error);

/** The points as lines of JSON; to be released with lb_release; NULL if there is no memory. */
char *lb_train_history_json(const lb_train_history *history);

#endif
