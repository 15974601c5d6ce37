/* The stages of a training step, for the benchmarks: an op forward or backward, a product, the optimiser. */
#ifndef LB_STAGE_H
#define LB_STAGE_H

/** Called when a stage begins, with its name and its direction ("" without one), and when it ends, with NULL. A stage
 *  can begin in another one. */
typedef void lb_stage_fn(const char *name, const char *direction);

/** Tells `watch` about all stages of the process; NULL: nobody, as at first. Call it while nothing computes. */
void lb_stage_watch(lb_stage_fn *watch);

/** Marks a stage on the thread that runs ops. Does nothing where several threads share work. */
void lb_stage_begin(const char *name, const char *direction);
void lb_stage_end(void);

#endif
