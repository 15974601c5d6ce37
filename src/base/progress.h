/* How long something takes, which stage a training step is in, and how far a long work is. */
#ifndef LB_PROGRESS_H
#define LB_PROGRESS_H

#include "os/os.h"

#include <stdint.h>

/* ---- A clock. ---- */

/** The time of lb_os_clock in seconds. */
static inline double lb_seconds(void)
{
    return 1e-9 * (double)lb_os_clock();
}

/* ---- The stages of a training step, for the benchmarks: an op forward or backward, a product, the optimiser. ---- */

/** Called when a stage begins, with its name and its direction ("" without one), and when it ends, with NULL. A stage
 *  can begin in another one. */
typedef void lb_stage_fn(const char *name, const char *direction);

/** Tells `watch` about all stages of the process; NULL: nobody, as at first. Call it while nothing computes. */
void lb_stage_watch(lb_stage_fn *watch);

/** Marks a stage on the thread that runs ops. Does nothing where several threads share work. */
void lb_stage_begin(const char *name, const char *direction);
void lb_stage_end(void);

/* ---- How far a long work is, for who shows it. ---- */

/** What is counted, and who hears it. Zero: nobody. */
typedef struct lb_counter {
    void (*counted)(const void *context, const char *unit, int64_t done, int64_t total);
    const void *context;
    const char *unit;
    int64_t before, total; /* done when this part of the work began; of the work */
} lb_counter;

/** Tells that so much of this part is done. */
static inline void lb_counter_tell(const lb_counter *counter, int64_t done)
{
    if (counter->counted)
        counter->counted(counter->context, counter->unit, counter->before + done, counter->total);
}

#endif
