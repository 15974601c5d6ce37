/* Reading lines that other ranks are waiting for. */
#ifndef APP_READ_FOR_RANKS_H
#define APP_READ_FOR_RANKS_H

#include "io/lines.h"
#include "translate/workers.h"

/** Keeps the other ranks patient while no line arrives, and lets a batch fill although mpirun hands on the input in
 *  pieces. Does nothing without other ranks. `workers` must outlive the lines. */
void app_read_for_ranks(lb_lines *lines, lb_workers *workers);

#endif
