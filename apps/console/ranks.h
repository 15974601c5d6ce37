/* The ranks of mpirun that run this program together. Without mpirun there are none, and MPI is not even loaded. */
#ifndef APP_RANKS_H
#define APP_RANKS_H

#include <lookback/train.h>

#include <stdbool.h>

/** Joins the other ranks, if mpirun or srun has started several; `*group` is NULL if not. app_options calls it, once.
 *  Errors: LB_ERROR_OPEN if mpirun has started us and lookback_mpi cannot be loaded; those of lb_mpi_open;
 *          LB_ERROR_ARGUMENT on all ranks if one of them runs another command. */
LB_MUST_USE lb_status app_ranks_join(const lb_group **group, const char *command, lb_error *error);

/** Makes a process that this one has forked a program of its own, which is no rank. */
void app_ranks_forget(void);

/** As lb_set_threads; 0 shares the processors of a node among its ranks. */
void app_ranks_set_threads(int threads);

/** Leaves the other ranks, before the program ends. If this one has failed alone, all end: they would wait for it
 *  forever. Returns the exit status: `status`, but 0 where the first rank fails, too, whose status mpirun then
 *  reports. */
int app_ranks_leave(int status);

/* ---- How threads wait for each other. ---- */

/** Makes waiting threads sleep after about 100 microseconds; by default, OpenMP runtimes spin for milliseconds. On a
 *  shared machine, a spinning thread occupies the processor that the thread it waits for needs, and a training step
 *  takes ten times as long. The runtimes read this setting from the environment when they are loaded, so the program
 *  restarts itself once, unless app_choose_threads came before. Does nothing if the user has set OMP_WAIT_POLICY or the
 *  runtime's own variable. Call it before anything else. */
void app_let_threads_sleep(char **argv);

/** Sets the environment for this, where the user has not. Returns whether it has changed. For runtimes that are not
 *  loaded yet. */
bool app_choose_threads(void);

#endif
