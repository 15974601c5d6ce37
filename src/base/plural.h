/* Numbers and choices in messages. */
#ifndef LB_PLURAL_H
#define LB_PLURAL_H

#include <stdint.h>

/** What follows a noun of which there are `count`: "s", or nothing behind one. */
static inline const char *lb_plural(int64_t count)
{
    return count == 1 ? "" : "s";
}

/** How many names there are before the NULL that ends them. An enum with these names has one less as its last value. */
static inline int lb_choices(const char *const *names)
{
    int count = 0;
    while (names[count]) count++;
    return count;
}

/** The name of a choice; "unknown" if it is none. */
static inline const char *lb_choice_name(const char *const *names, int choice)
{
    return choice >= 0 && choice < lb_choices(names) ? names[choice] : "unknown";
}

#endif
