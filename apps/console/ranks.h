/* The ranks of mpirun that run this program together. Without mpirun there are none, and MPI is not even loaded. */
#ifndef APP_RANKS_H
#define APP_RANKS_H

#include <lookback/train.h>

/** Joins the other ranks, if mpirun or srun has started several; `*group` is NULL if not. app_options calls it, once.
 *  Errors: LB_ERROR_OPEN if mpirun has started us and lookback_mpi cannot be loaded; those of lb_mpi_open;
 *          LB_ERROR_ARGUMENT on all ranks if one of them runs another command. */
LB_MUST_USE lb_status app_ranks_join(const lb_group **group, const char *command, lb_error *error);

/** Makes a process that this one has forked a program of its own, which is no rank. */
void app_ranks_forget(void);

/** As lb_set_threads; 0 shares the processors of a node among its ranks. */
void app_ranks_set_threads(int threads);

/** The name of this rank, if it fails alone. Where all ranks end, "" for the first, which reports it for all, and NULL
 *  for the others, which keep silent. "" without other ranks. */
const char *app_ranks_reporter(const lb_error *error);

/** Leaves the other ranks, before the program ends. If this one has failed alone, all end: they would wait for it
 *  forever. Returns the exit status: `status`, but 0 where the first rank fails, too, whose status mpirun then
 *  reports. */
int app_ranks_leave(int status);

#endif
