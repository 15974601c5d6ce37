/* Training on several processes or machines with MPI: the library lookback_mpi, which is built where MPI is found. No
 * other header and no other library knows MPI. */
#ifndef LOOKBACK_MPI_H
#define LOOKBACK_MPI_H

#include "lookback/train.h"

LB_BEGIN_DECLS

/** The ranks of one mpirun. */
typedef struct lb_mpi lb_mpi;

/** Joins the other ranks: everyone calls this first, before starting threads. It begins MPI unless the program has.
 *  Memory: left with lb_mpi_close; NULL after an error.
 *  Errors: LB_ERROR_MEMORY; LB_ERROR_ARGUMENT if there is no MPI to begin. */
lb_mpi *lb_mpi_open(lb_error *error);

/** The ranks as a group, for lb_trainer_config and lb_training_config. It belongs to `mpi`. */
const lb_group *lb_mpi_group(const lb_mpi *mpi);

/** Seconds that a rank waits for an answer of another, before lb_train ends with LB_ERROR_BUSY: 300 unless set. */
void lb_mpi_set_patience(lb_mpi *mpi, double seconds);

/** How many of `processors`, the size of its CPU set, this rank may use: the ranks of its node with the same set share
 *  them. At least 1. For lb_set_threads. */
int lb_mpi_share(const lb_mpi *mpi, int processors);

/** Whether all ranks have come to the end, within so many seconds: everyone calls this last. Where one has failed alone
 *  and the others wait for it, it is false. */
bool lb_mpi_ends(const lb_mpi *mpi, double seconds);

/** Ends all ranks at once, with this exit status. Does not return. */
void lb_mpi_abort(const lb_mpi *mpi, int status);

/** Leaves the other ranks. Ends MPI if lb_mpi_open has begun it. NULL is allowed. */
void lb_mpi_close(lb_mpi *mpi);

LB_END_DECLS

#endif
