/* The numbers of an optimiser: their defaults, what tells one run from another, and the schedule of the rate. */
#include "train/optimizer.h"

#include "base/buffer.h"
#include "base/transcendental.h"

#include <math.h>
#include <stddef.h>

typedef struct number {
    const char *name; /* in the identity of a run, and in its messages */
    size_t offset;
    double standard;
} number;

#define NUMBER(name, standard)                                                                               \
    {                                                                                                        \
#        name, offsetof(lb_optimizer_config, name), (standard)                                               \
    }

static const number numbers[] = {
    NUMBER(lr, 1e-3),    NUMBER(beta1, 0.9),      NUMBER(beta2, 0.999), NUMBER(epsilon, 1e-8),
    NUMBER(momentum, 0), NUMBER(weight_decay, 0), NUMBER(clip_norm, 0),
};

/* A number that is missing here would change the weights without being part of the identity. */
_Static_assert(offsetof(lb_optimizer_config, lr) + sizeof numbers / sizeof *numbers * sizeof(lb_real) ==
                   offsetof(lb_optimizer_config, tape),
               "expected all numbers of lb_optimizer_config in the table");

static lb_real *number_at(lb_optimizer_config *config, int i)
{
    return (lb_real *)(void *)((char *)config + numbers[i].offset);
}

lb_optimizer_config lb_optimizer_with_defaults(lb_optimizer_config config)
{
    for (int i = 0; i < (int)(sizeof numbers / sizeof *numbers); i++) {
        lb_real *value = number_at(&config, i);
        *value = *value == 0 ? (lb_real)numbers[i].standard : *value < 0 ? 0 : *value;
    }
    return config;
}

void lb_optimizer_print(lb_buffer *json, lb_optimizer_config config)
{
    enum { DIGITS = sizeof(lb_real) > 4 ? 17 : 9 }; /* that tell all numbers apart */
    config = lb_optimizer_with_defaults(config);
    lb_json_whole(json, "optimizer", config.kind);
    for (int i = 0; i < (int)(sizeof numbers / sizeof *numbers); i++)
        lb_json_number(json, numbers[i].name, (double)*number_at(&config, i), DIGITS);
}

/* ---- The schedule of the learning rate. ---- */

static const double PI = 3.14159265358979323846;

static double cosine(const lb_schedule *s, int64_t step)
{
    int64_t length = s->period - s->warm_up, done = step - s->warm_up;
    if (done >= length) return 0;
    return s->lr * (1 + lb_cos64(PI * (double)done / (double)length)) / 2;
}

double lb_schedule_lr(const lb_schedule *s, int64_t step)
{
    if ((unsigned)s->kind > LB_SCHEDULE_INVERSE_SQRT) return (double)NAN;
    if (step < s->warm_up) return s->lr * (double)(step + 1) / (double)s->warm_up;
    int64_t periods = step / (s->period > 0 ? s->period : 1);
    switch (s->kind) {
    case LB_SCHEDULE_STEP:
        return s->lr * lb_pow64(s->gamma == 0 ? 0.1 : s->gamma, (double)periods);
    case LB_SCHEDULE_COSINE:
        return cosine(s, step);
    case LB_SCHEDULE_INVERSE_SQRT:
        return s->lr * sqrt((double)(s->warm_up > 0 ? s->warm_up : 1) / (double)(step + 1));
    case LB_SCHEDULE_CONSTANT:
        break;
    }
    return s->lr;
}
