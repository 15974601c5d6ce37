/* Text that is the same in every locale. A host may have called setlocale: printf of the C library then writes "0,5",
 * and strtod stops at the point of "0.5". */
#ifndef LB_FORMAT_H
#define LB_FORMAT_H

#include "lookback/base.h"

#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

/** As snprintf, in the locale C. Returns a negative number, and writes an empty text, if that locale needs memory and
 *  there is none: with glibc and musl it needs none. */
int lb_snprintf(char *text, size_t size, const char *format, ...) LB_PRINTF(3, 4);

/** The same with a list of arguments. */
int lb_vsnprintf(char *text, size_t size, const char *format, va_list arguments) LB_PRINTF(3, 0);

/** As strtod, in the locale C. */
double lb_strtod(const char *text, char **end);

/* ---- Numbers and choices in messages. ---- */

/** Writes the shortest text that reads back as the same number. Returns `text`. */
enum { LB_NUMBER = 32 };
const char *lb_number_text(double number, char text[LB_NUMBER]);

/** What follows a noun of which there are `count`: "s", or nothing behind one. */
static inline const char *lb_plural(int64_t count)
{
    return count == 1 ? "" : "s";
}

/** How many names there are before the NULL that ends them. An enum with these names has one less as its last value. */
static inline int lb_choices(const char *const *names)
{
    int end = 0;
    while (names[end]) end++;
    return end;
}

/** The name of a choice; "unknown" if it is none. */
static inline const char *lb_choice_name(const char *const *names, int choice)
{
    return choice >= 0 && choice < lb_choices(names) ? names[choice] : "unknown";
}

/** The number of the choice with this name; -1: there is none. */
static inline int lb_choice_find(const char *const *names, const char *name)
{
    int choice = 0;
    while (names[choice] && strcmp(names[choice], name) != 0) choice++;
    return names[choice] ? choice : -1;
}

#endif
