/* Numbers in messages. */
#ifndef LB_PLURAL_H
#define LB_PLURAL_H

#include <stdint.h>

/** What follows a noun of which there are `count`: "s", or nothing behind one. */
static inline const char *lb_plural(int64_t count)
{
    return count == 1 ? "" : "s";
}

#endif
