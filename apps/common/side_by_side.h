/* Several trainings side by side: each is a command of its own, on one thread, with its output in a log. */
#ifndef APP_SIDE_BY_SIDE_H
#define APP_SIDE_BY_SIDE_H

#include "common/options.h"
#include "common/sweep_result.h"

/** A command line that several trainings repeat, each with options of its own. */
typedef struct app_repeated {
    const app_program *program;
    int argc;
    char **argv;     /* of the command; parsing the options has not changed it */
    const char *out; /* the folder; each training has its own subfolder */
    uint64_t seed;
    int threads; /* parallel trainings; 0: as many as threads */
    bool fresh;  /* the trainings start again */
} app_repeated;

/** Trainings, begun or not. */
typedef struct app_side_by_side {
    const app_repeated *repeated;
    app_sweep_result *results; /* [count]: name and folder are given, the rest is filled in */
    char ***command;           /* [count] from app_repeated_command */
    size_t count, begun, ended, failed;
    int status;   /* the exit status of a training that failed */
    int *process; /* [count] process ids; 0: not running */
    lb_error *error;
} app_side_by_side;

/** The folder of a training: letters, digits and =,.-+_ of its name below the common folder.
 *  Memory: release it with lb_release; NULL after an error. Errors: LB_ERROR_MEMORY, LB_ERROR_ARGUMENT for a name that is
 *          too long. */
LB_MUST_USE char *app_training_folder(const app_repeated *repeated, const char *name, lb_error *error);

/** The command of a training: the repeated one, followed by `own` options (NULL after the last), since the last option
 *  wins, and by those that make it a single training in `folder`.
 *  Memory: free it with app_command_free; NULL if memory runs out. */
LB_MUST_USE char **app_repeated_command(const app_repeated *repeated, const char *const *own,
                                        const char *folder);

/** Frees the command. NULL is allowed. */
void app_command_free(char **command);

/** Keeps a model of the common folder that an earlier run left, before another one replaces it, and notes its new name.
 *  `table` is the file that such trainings write: with it, the model is that of the same command.
 *  Errors: LB_ERROR_WRITE, LB_ERROR_MEMORY. */
LB_MUST_USE lb_status app_keep_earlier_model(const app_repeated *repeated, const char *table,
                                             lb_error *error);

/** Checks the options of all commands, so that a wrong one is refused before anything is trained.
 *  Errors: as app_options_parse. */
LB_MUST_USE lb_status app_commands_check(const app_side_by_side *s);

/** Runs the commands, each in its folder, as many at a time as `threads` says, and notes how each ended. One that fails
 *  does not end the others; an interruption is passed on to all.
 *  Errors: LB_ERROR_MEMORY; those of creating folders and reading logs. */
LB_MUST_USE lb_status app_side_by_side_run(app_side_by_side *s);

#endif
