/* Learning rates over time. */
#ifndef LB_SCHEDULE_H
#define LB_SCHEDULE_H

#include <stdint.h>

typedef enum lb_schedule_kind {
    LB_SCHEDULE_CONSTANT,     /* lr */
    LB_SCHEDULE_STEP,         /* lr gamma^floor(step / period) */
    LB_SCHEDULE_COSINE,       /* lr (1 + cos(pi step / period)) / 2, and 0 from `period` on */
    LB_SCHEDULE_INVERSE_SQRT, /* lr sqrt(warm_up / (step + 1)) */
} lb_schedule_kind;

typedef struct lb_schedule {
    lb_schedule_kind kind;
    double lr; /* the highest value */
    int64_t
        warm_up; /* steps in which the rate first climbs in a straight line: lr (step + 1) / warm_up; 0: none */
    int64_t period; /* STEP: steps between two cuts; COSINE: all steps, the warm-up among them */
    double gamma;   /* STEP: factor of each cut; 0 means 0.1 */
} lb_schedule;

/** The learning rate of a step, counted from 0. A function: nothing to save or to resume.
 *  Source: STEP and COSINE are PyTorch's StepLR and CosineAnnealingLR; the inverse square root is that of Vaswani et al.
 *  2017, arXiv:1706.03762, section 5.3, with the peak given instead of the width. */
double lb_schedule_lr(const lb_schedule *schedule, int64_t step);

#endif
