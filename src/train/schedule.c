#include "lookback/train.h"

#include <math.h>

static const double PI = 3.14159265358979323846;

static double cosine(const lb_schedule *s, int64_t step)
{
    int64_t length = s->period - s->warm_up, done = step - s->warm_up;
    if (done >= length) return 0;
    return s->lr * (1 + cos(PI * (double)done / (double)length)) / 2;
}

static double step_down(const lb_schedule *s, int64_t step)
{
    int64_t periods = step / (s->period > 0 ? s->period : 1);
    return s->lr * pow(s->gamma == 0 ? 0.1 : s->gamma, (double)periods);
}

static double inverse_sqrt(const lb_schedule *s, int64_t step)
{
    return s->lr * sqrt((double)(s->warm_up > 0 ? s->warm_up : 1) / (double)(step + 1));
}

static double constant(const lb_schedule *s, int64_t step)
{
    (void)step;
    return s->lr;
}

double lb_schedule_lr(const lb_schedule *s, int64_t step)
{
    static double (*const curves[])(const lb_schedule *,
                                    int64_t) = {[LB_SCHEDULE_CONSTANT] = constant,
                                                [LB_SCHEDULE_STEP] = step_down,
                                                [LB_SCHEDULE_COSINE] = cosine,
                                                [LB_SCHEDULE_INVERSE_SQRT] = inverse_sqrt};
    if ((unsigned)s->kind >= sizeof curves / sizeof *curves) return (double)NAN;
    if (step < s->warm_up) return s->lr * (double)(step + 1) / (double)s->warm_up;
    return curves[s->kind](s, step);
}
