/* Training: batches, optimisers, schedules, evaluation, and a loop that can resume. */
#ifndef LOOKBACK_TRAIN_H
#define LOOKBACK_TRAIN_H

#include "lookback/models.h"

LB_BEGIN_DECLS

/* ---- Optimisers: one flat loop over the slab of parameters. They set the gradients to zero after using them. ---- */

/** An optimiser and its state for the parameters of one store. */
typedef struct lb_optimizer lb_optimizer;

/** The kind of an optimiser. */
typedef enum lb_optimizer_kind {
    LB_OPTIMIZER_ADAM,  /* Adam with bias correction; weight decay is part of the gradient */
    LB_OPTIMIZER_ADAMW, /* Adam with weight decay apart from the gradient */
    LB_OPTIMIZER_SGD    /* stochastic gradient descent, velocity = momentum velocity + gradient */
} lb_optimizer_kind;

/** Zero means the default in brackets, as in PyTorch; a negative number means zero. */
typedef struct lb_optimizer_config {
    lb_optimizer_kind kind; /* [LB_OPTIMIZER_ADAM] */
    lb_real lr;             /* [1e-3] */
    lb_real beta1, beta2;   /* of Adam [0.9, 0.999] */
    lb_real epsilon;        /* of Adam [1e-8] */
    lb_real momentum;       /* of LB_OPTIMIZER_SGD [0] */
    lb_real weight_decay;   /* [0] */
    lb_real clip_norm;      /* [0: no clipping] maximum norm of the gradient over all parameters */
    /* On which the losses are: if a gradient is not finite, the message names the op where that began. It must not be
     * freed before the last step. lb_train has its own. [NULL: the message names only the parameter] */
    lb_tape *tape;
} lb_optimizer_config;

/** An optimiser of these parameters.
 *  Memory:  of Adam twice the size of the parameters, of SGD once. NULL if there is none; every function accepts NULL.
 *           Parameters must not be added to `params` afterwards: lb_optimizer_step refuses them.
 *  Source:  Kingma, Ba 2015, arXiv:1412.6980; Loshchilov, Hutter 2019, arXiv:1711.05101; SGD as torch.optim.SGD.
 *  Differs: as in PyTorch, epsilon is added to the root of the corrected second moment; the last variant of the first
 *           paper adds it before the correction. The velocity of SGD has no learning rate in it. */
lb_optimizer *lb_optimizer_new(lb_params *params, lb_optimizer_config config);
/** Frees the optimiser, not the parameters. NULL is allowed. */
void lb_optimizer_free(lb_optimizer *optimizer);

/** One step along the gradients, which are zero afterwards.
 *  Errors: LB_ERROR_DIVERGED if the norm of the gradient is not finite, with the parameter; if lb_optimizer_config has
 *          a tape, also if the loss of its last lb_backward is not finite, with the op where that began; the error of
 *          `params`; LB_ERROR_ARGUMENT if parameters were added since lb_optimizer_new, or if its kind does
 *          not exist; LB_ERROR_MEMORY if `optimizer` is NULL. After an error, parameters and state are unchanged, and
 *          gradients are zero. */
LB_MUST_USE lb_status lb_optimizer_step(lb_optimizer *optimizer, lb_error *error);

/** Sets the learning rate of the following steps. Here, 0 means 0. */
void lb_optimizer_set_lr(lb_optimizer *optimizer, lb_real lr);

/** Where an optimiser is. */
typedef struct lb_optimizer_facts {
    int64_t steps;    /* that it has taken */
    double grad_norm; /* of all gradients at the last step, before clipping */
    lb_real lr;       /* of the next step */
} lb_optimizer_facts;

/** Where the optimiser is. */
lb_optimizer_facts lb_optimizer_about(const lb_optimizer *optimizer);

/** Writes the parameters, the state of the optimiser and its number of steps, for a loop of a program's own.
 *  Errors: as lb_safetensors_write. */
LB_MUST_USE lb_status lb_optimizer_save(const lb_optimizer *optimizer, const char *path, lb_error *error);

/** Reads a file of lb_optimizer_save: the next steps have the same bits as without the interruption. The learning rate
 *  and everything else in the configuration come from lb_optimizer_new.
 *  Errors: LB_ERROR_OPEN; LB_ERROR_FORMAT, with the name of the file, if it has the state of another kind, or does not
 *          fit the parameters, some of which may have been set by then; LB_ERROR_MEMORY. */
LB_MUST_USE lb_status lb_optimizer_load(lb_optimizer *optimizer, const char *path, lb_error *error);

/* ---- Learning rate schedules. ---- */

/** The curve of a learning rate. */
typedef enum lb_schedule_kind {
    LB_SCHEDULE_CONSTANT,     /* lr */
    LB_SCHEDULE_STEP,         /* lr gamma^floor(step / period) */
    LB_SCHEDULE_COSINE,       /* lr (1 + cos(pi step / period)) / 2, and 0 from `period` on */
    LB_SCHEDULE_INVERSE_SQRT, /* lr sqrt(warm_up / (step + 1)) */
} lb_schedule_kind;

/** A learning rate over the steps of a training. */
typedef struct lb_schedule {
    lb_schedule_kind kind;
    double lr;       /* the highest value */
    int64_t warm_up; /* steps of linear rise at the start: lr (step + 1) / warm_up; 0: none */
    int64_t period;  /* STEP: steps between two cuts; COSINE: all steps, including the warm-up */
    double gamma;    /* STEP: factor of each cut; 0 means 0.1 */
} lb_schedule;

/** The learning rate of a step, counted from 0. It is a pure function: there is nothing to save or resume.
 *  Source: STEP and COSINE are StepLR and CosineAnnealingLR of PyTorch; the inverse square root is from Vaswani et al.
 *          2017, arXiv:1706.03762, section 5.3, with the peak given instead of the width. NaN for a kind that there
 *          is not, which lb_train refuses. */
double lb_schedule_lr(const lb_schedule *schedule, int64_t step);

/* ---- Batches for teacher forcing. ---- */

/** Sources and targets with the same number of rows. */
typedef struct lb_batch {
    lb_tokens source;
    lb_tokens target_in;  /* LB_BOS y1 ... yn: the input of the decoder */
    lb_tokens target_out; /* y1 ... yn LB_EOS: its correct output */
    /* [batch] what the loss of each pair counts, in the trainings of files; NULL: 1 */
    const lb_real *weights;
} lb_batch;

/** Sources and targets of a program's own as a batch: the target gets its LB_BOS and its LB_EOS.
 *  Shapes: source [batch, S], target [batch, T], without LB_BOS and LB_EOS, as from lb_tokens_from.
 *  Errors: LB_ERROR_SHAPE if their batch sizes differ; LB_ERROR_MEMORY; errors of the tokens. They are recorded on the
 *          tape, and the batch is then empty. */
lb_batch lb_tokens_batch(lb_tokens source, lb_tokens target);

/* ---- The training loop: steps, evaluations, checkpoints, and exact resumption. ---- */

/** The loss of the batch of one step, on the tape, any that a program wants: a mean over its target tokens, or over its
 *  rows, whose number it adds to `tokens`. Its random numbers must depend on the step alone. If
 *  lb_trainer_config.shards is more than 1, it is the loss of one part, and `step` is the number of the part, step *
 *  shards + part; without tokens, a part counts for nothing. */
typedef lb_tensor *(*lb_loss_fn)(void *context, lb_tape *tape, int64_t step, int64_t *tokens);

/** How many measures of its own a program can have. */
enum { LB_OWN_MEASURES = 4 };

/** The result of an evaluation on held-out data. */
typedef struct lb_evaluation {
    double exact_match; /* share of completely correct outputs; higher is better */
    /* Edits per target symbol that correct the greedy outputs, each up to the limit that lb_translate_all has for its
     * text; lower is better. It can exceed 1. */
    double symbol_error;
    /* Mean cross-entropy per target token, without label smoothing, in nats; a symbol that the model cannot write
     * counts as LB_UNK. NaN: nothing was measured. */
    double loss;
    double own[LB_OWN_MEASURES]; /* other measures of the program, for lb_trainer_config.is_better */
} lb_evaluation;

/** Whether `a` is better than `b`: by exact match, then symbol error, then loss. */
bool lb_evaluation_is_better(const lb_evaluation *a, const lb_evaluation *b);

/** Whether `a` is better than `b`, such as lb_evaluation_is_better. */
typedef bool (*lb_is_better_fn)(const lb_evaluation *a, const lb_evaluation *b);

/** Evaluates the model. `found` is zero before the call; a measure that stays zero has no effect on the choice of the
 *  best. May reset the tape. In a training in parts it may return LB_ERROR_INTERRUPTED: the part ends, and the next one
 *  calls it again with what `found` has, until the evaluation is over. */
typedef lb_status (*lb_evaluate_fn)(void *context, lb_tape *tape, lb_evaluation *found);

/** How many tests a training has at most. */
enum { LB_MOST_TESTS = 16 };

/** Evaluates the model on test number `test`, from 0, as lb_evaluate_fn does. */
typedef lb_status (*lb_test_fn)(void *context, int test, lb_tape *tape, lb_evaluation *found);

/** One evaluation of a run. */
typedef struct lb_train_point {
    int64_t step; /* steps done */
    double loss;  /* training loss: mean over the steps since the previous point; NaN before the first step */
    lb_evaluation dev;
    lb_evaluation test[LB_MOST_TESTS]; /* of those that there are */
    double lr;                         /* of the last step */
    double grad_norm;                  /* of the last step, before clipping */
    double seconds;                    /* of training and evaluation, over all sessions of the run */
    double tokens;                     /* target tokens so far */
    uint64_t weights; /* lb_params_hash of those that were evaluated; 0: from a checkpoint without hashes */
} lb_train_point;

/** The reason for the end of a run. */
typedef enum lb_train_end {
    LB_TRAIN_ALL_STEPS,
    LB_TRAIN_TARGET,  /* the exact match reached the target */
    LB_TRAIN_PATIENCE /* `patience` evaluations without a better one */
} lb_train_end;

/** All evaluations of a run, in order. Zero is an empty history. */
typedef struct lb_train_history {
    lb_train_point *points;
    int64_t count, capacity;
    int64_t step; /* steps done */
    bool done;    /* the run has ended, and the parameters are its result */
    lb_train_end end;
    lb_is_better_fn is_better;   /* of the run; NULL: lb_evaluation_is_better */
    const struct lb_test *tests; /* of lb_translator_train: their names, up to an empty one; otherwise NULL */
    int choose_on;               /* the best is that of `dev`, 0, or of a test, from 1 on */
} lb_train_history;

/** What the best point is chosen by. */
static inline const lb_evaluation *lb_train_judged(const lb_train_history *history,
                                                   const lb_train_point *point)
{
    return history->choose_on > 0 ? &point->test[history->choose_on - 1] : &point->dev;
}

/** The best point by `is_better`, the first one of equals; NULL without a point. */
const lb_train_point *lb_train_best(const lb_train_history *history);

/** The last point; NULL before the first. */
static inline const lb_train_point *lb_train_last(const lb_train_history *history)
{
    return history->count > 0 ? &history->points[history->count - 1] : NULL;
}

/** One completed step. */
typedef struct lb_training_step {
    int64_t step; /* number of completed steps */
    double loss;
    const lb_train_point *last; /* evaluation; NULL before the first */
    double tokens, seconds;     /* of this session */
} lb_training_step;

/** What a training tells. The first five are of lb_translator_train only, and so is the last. */
typedef enum lb_event_kind {
    LB_EVENT_REPORT, /* `text`: a report on the data, lines of text */
    LB_EVENT_HINT,   /* `text`: a sentence about a possible fault of the data */
    LB_EVENT_NOTE,   /* `text`: a sentence about the index of `train`, or about columns */
    /* Now and then while pairs are read from a file, or models are joined: `done` of `total` are done of what `unit`
     * names, such as "pair". */
    LB_EVENT_COUNTED,
    LB_EVENT_BEGUN,   /* before the first step of a model */
    LB_EVENT_STEPPED, /* `step`, after every step */
    /* `history`, after every evaluation and before the checkpoint, while the parameters are the evaluated ones, for
     * saving the model. lb_translator_train does that itself, and does not tell it. */
    LB_EVENT_EVALUATED,
    LB_EVENT_POINT, /* `history`, after every evaluation, when it is saved */
    /* `error`: a checkpoint, or another file of the training, could not be written. The training continues, and tries
     * again at the next evaluation; if the last attempt fails, it ends with an error. */
    LB_EVENT_UNSAVED,
    LB_EVENT_ENDED /* after the model and all of its files are written */
} lb_event_kind;

/** One thing that a training tells. Fields that its kind does not name are zero. It is valid during the call. */
typedef struct lb_event {
    lb_event_kind kind;
    const struct lb_training_run *run; /* of lb_translator_train, from LB_EVENT_BEGUN on; otherwise NULL */
    const char *text;
    const char *unit;
    int64_t done, total;
    lb_training_step step;
    const lb_train_history *history; /* all evaluations so far; the last one is new */
    const lb_error *error;
} lb_event;

/** Hears of a training. An error ends it; before LB_EVENT_BEGUN, none is expected. It returns to its caller: after an
 *  exception or a longjmp out of it, the memory of the training is lost, and its folder is locked until the process
 *  ends. */
typedef lb_status (*lb_tell_fn)(void *context, const lb_event *event, lb_error *error);

/** Called between two steps; true interrupts the run. Use it with a flag that a signal handler or a button sets. */
typedef bool (*lb_stop_fn)(void *context);

/** Writes the name of a setting in messages, such as "--batch 64", in at most `size` bytes. A setting is a member of
 *  lb_trainer_config.run. The value is "" if a run does not have it. */
typedef void (*lb_setting_fn)(void *context, const char *name, const char *value, char *text, size_t size);

/** Checks whether a checkpoint with this lb_trainer_config.run belongs to this run. If not: LB_ERROR_FORMAT, with the
 *  differences. */
typedef lb_status (*lb_same_run_fn)(void *context, const char *found, lb_error *error);

/** The metadata key of `run` in a checkpoint. Model files do not have it. */
#define LB_RUN_KEY "lookback.run"

struct lb_trainer_config;

/** Called after each evaluation, before it is told: may change `steps`, `schedule`, `patience` and `run`. */
typedef lb_status (*lb_replan_fn)(void *context, struct lb_trainer_config *config, lb_error *error);

/** A run of the training loop. Zero means the default, or none. */
typedef struct lb_trainer_config {
    lb_params *params;
    void *context; /* passed to the functions */
    lb_loss_fn loss;
    lb_evaluate_fn evaluate; /* NULL: nothing is measured, and the last weights are kept */
    int tests;       /* measured at each evaluation, too, for the history alone; at most LB_MOST_TESTS */
    lb_test_fn test; /* measures one of them */
    const struct lb_test *names; /* of them, for lb_train_history.tests */
    lb_is_better_fn is_better;   /* by measures of a program's own [lb_evaluation_is_better] */
    int choose_on;               /* as lb_train_history.choose_on */
    lb_replan_fn replan;         /* may be NULL */
    lb_tell_fn tell;             /* may be NULL */
    lb_stop_fn stop;             /* may be NULL */
    int64_t steps;               /* in total */
    /* Steps after which this call ends, with the weights that would be evaluated; negative: before the first one. A
     * part of an evaluation counts as one: lb_evaluate_fn. What the training has in memory then belongs to `params`,
     * and the next call goes on from there, with other functions, steps or schedule if it has others [0: all steps] */
    int64_t part;
    int64_t evaluate_every; /* steps; 0: 250 */
    double target;          /* stop when the exact match reaches it; 0: never */
    /* Stop after this many evaluations in a row without a better one; 0: never. Once all outputs are correct, a lower
     * loss alone does not count. */
    int64_t patience;
    bool keep_best; /* end with the weights of the best evaluation instead of the last ones */
    lb_schedule schedule;
    lb_optimizer_config optimizer; /* its lr comes from the schedule */
    /* Evaluate, and end with, weights averaged over about 1 / (1 - average) steps; 0: no average. */
    double average;
    /* The parameters are already trained: they are evaluated as step 0, which may be the best, and the average starts
     * with them. */
    bool trained;
    uint64_t seed;          /* of dropout */
    lb_precision precision; /* of the products of a step [LB_FLOAT32] */
    /* Parts of each batch, a power of two. Their gradients are added in one binary tree, weighted by their tokens; so
     * the weights have the same bits with any number of processes that divides it. 0: 1 */
    int shards;
    const lb_group *group;  /* the processes that share the parts; NULL: this one has them all */
    const char *checkpoint; /* path of the checkpoint, from which a run resumes; NULL: none */
    bool fresh;             /* start from scratch even if there is a checkpoint; the first save replaces it */
    const char *run;        /* the settings that determine the weights, a JSON object in the checkpoint */
    /* Compares `run` with the one in a checkpoint; NULL: all members except "steps" must be equal. */
    lb_same_run_fn same_run;
    lb_setting_fn setting; /* names the members in messages; NULL: "batch 64" */
} lb_trainer_config;

/** Trains until all steps are done, the target is reached, or patience runs out. If `checkpoint` exists, the run
 *  resumes from it and ends with the same weights, bit for bit, as a run without interruption.
 *  Steps:   a run can be resumed with a different number of `steps`, also after its end, but not with fewer than it
 *           has done. The schedule of the new number then applies from there on: with a cosine, the learning rate
 *           jumps to its value at this step, and reaches zero at the new end.
 *  Average: an exponential moving average of the weights (Polyak, Juditsky 1992), which smooths out the noise of the
 *           last steps; its decay grows with the steps, min(average, (1 + step) / (10 + step)).
 *  Best:    the checkpoint also has the best weights, so that a resumed run ends with the same ones.
 *  Threads: the first steps try lb_threads(), half of it, a quarter, and so on, and the training goes on with the
 *           number that was fastest. It compares again now and then, and when steps become slow. A number of
 *           lb_set_threads is kept. The caller's number is the same afterwards.
 *  Memory:  release history->points with lb_release, also after an error.
 *  Saving:  the checkpoint is written after every evaluation. If that fails, the old one stays, and the training
 *           continues; only the last one has to succeed.
 *  Group:   everyone calls `evaluate`, with the same result. Process 0 alone saves, and tells; `stop` of any process
 *           interrupts all. Everyone must be able to read the checkpoint. It is an error if a process has another
 *           version, kernel, run or checkpoint than process 0.
 *  Errors:  LB_ERROR_ARGUMENT without parameters or a loss, for `keep_best` without an evaluation, for a kind of
 *           optimiser or schedule that there is not, or if a parameter is not finite before the first step.
 *           LB_ERROR_DIVERGED if a loss or a gradient is not finite, with the first op where it was not, its place and
 *           the parameter: the checkpoint is the last good one. With several `shards`, `loss` is asked for the parts
 *           of that step once more.
 *           LB_ERROR_INTERRUPTED after `stop`: the checkpoint has all steps that are done.
 *           LB_ERROR_FORMAT, "cannot resume from PATH: " and the reason, if the checkpoint belongs to another run, has
 *           more steps than this one, or is damaged; LB_ERROR_WRITE; errors of the tape. */
LB_MUST_USE lb_status lb_train(lb_trainer_config config, lb_train_history *history, lb_error *error);

/** Reads the history that a checkpoint has, and nothing else of it.
 *  Memory: release its points with lb_release, also after an error.
 *  Errors: LB_ERROR_OPEN; LB_ERROR_FORMAT without a history of so many tests; LB_ERROR_MEMORY. */
LB_MUST_USE lb_status lb_train_history_load(const char *checkpoint, int tests, lb_train_history *history,
                                            lb_error *error);

/* ---- A model of your own, trained on arrays in one call. ---- */

/** Examples in arrays: row i of each array belongs to example i. The caller owns the arrays. Zero: not given. */
typedef struct lb_examples {
    int64_t count;

    /* The model reads numbers, ids, or both. */
    const lb_real *numbers; /* [count, width] */
    int64_t width;
    const int32_t *ids;     /* [count, length], from 0 to vocabulary - 1 */
    const int32_t *lengths; /* [count] how many of them count, from 0 to length; NULL: all */
    int64_t length, vocabulary;

    /* It should answer a label, a label for each id, numbers, or the id that follows each id. */
    const int32_t *labels; /* [count], from 0 to classes - 1 */
    const int32_t *tags;   /* [count, length], from 0 to classes - 1; -1: this one does not count */
    int64_t classes;
    const lb_real *values; /* [count, outputs] */
    int64_t outputs;
    bool next;
} lb_examples;

/** The input of a model for some examples, on the tape. */
typedef struct lb_example_input {
    lb_tape *tape;
    lb_tensor *numbers; /* [batch, width]; NULL without numbers */
    lb_tokens tokens; /* [batch, at most length] with `next` without the last id of each; empty without ids */
} lb_example_input;

/** Applies a model of the caller's.
 *  Shapes: -> [batch, classes] for labels, [batch, length of the tokens, classes] for tags, [batch, outputs] for
 *          values, [batch, length of the tokens, vocabulary] for `next`. */
typedef lb_tensor *(*lb_apply_fn)(void *model, lb_example_input input);

/** Zero means the default in brackets. */
typedef struct lb_fit_config {
    void *model;                   /* passed to `apply` */
    lb_apply_fn apply;             /* no default */
    int64_t batch;                 /* examples per step [32] */
    int64_t epochs;                /* how often each example is seen [20] */
    lb_optimizer_config optimizer; /* its lr is the first one, and falls along a cosine to 0 [3e-3] */
    /* Share of the examples, chosen by the seed, that are held out to choose the best weights by; negative, or fewer
     * than 10 examples: none, and the last weights are kept [0.1] */
    double held_out;
    int64_t patience; /* epochs without better weights after which it ends [never] */
    uint64_t seed;    /* of the held-out examples, of the order of the others, and of dropout */
    /* A run that was interrupted resumes from it, with the same bits; NULL: none. It belongs to a run with the same
     * examples, frozen parameters and settings, but for `epochs`: see lb_train. The model and its first weights are
     * not compared. */
    const char *checkpoint;
    bool fresh;
    void *context;   /* passed to these, each of which may be NULL */
    lb_tell_fn tell; /* as lb_trainer_config.tell, with an evaluation after each epoch */
    lb_stop_fn stop; /* between two steps: true interrupts the training */
} lb_fit_config;

/** Trains the parameters of a model of your own on arrays: with the cross-entropy of labels, tags and `next`, and
 *  the mean squared error of values. lb_train takes any other loss.
 *  Found:   of the weights that are kept, on the examples that are held out, or on all if none are: `loss`, and as
 *           `exact_match` the share of labels, tags or ids that are the likeliest ones. NULL: not wanted.
 *  Bits:    a function of seeds, examples and configuration, with any number of threads.
 *  Errors: all of these are found before the first step: LB_ERROR_ARGUMENT without examples, without anything to read
 *           or to answer, or with several answers; LB_ERROR_INDEX, "example 7: ..." with its index, for an id or a
 *           label out of range, or a length beyond the array; LB_ERROR_ARGUMENT, with the index, for a number or a
 *           value that is not finite. Later LB_ERROR_SHAPE if the output of the model does not fit, and errors of
 *           lb_train. */
LB_MUST_USE lb_status lb_fit(lb_params *params, lb_examples examples, lb_fit_config config,
                             lb_evaluation *found, lb_error *error);

LB_END_DECLS

#endif
