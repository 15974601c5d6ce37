/* How far a long work is, for who shows it. */
#ifndef LB_COUNTER_H
#define LB_COUNTER_H

#include <stdint.h>

/** What is counted, and who hears it. Zero: nobody. */
typedef struct lb_counter {
    void (*counted)(void *context, const char *unit, int64_t done, int64_t total); /* as that of a listener */
    void *context;
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
