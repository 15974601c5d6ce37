/* A host that has called setlocale. */
#ifndef SUPPORT_LOCALE_H
#define SUPPORT_LOCALE_H

#include <stdbool.h>

/* Locales whose numbers are not those of C: a decimal comma; one where the small letter of I is not i; and a decimal
 * sign of two bytes. Ends with NULL. */
extern const char *const support_locales[];

/* Sets the locale of this process, which tests/CMakeLists.txt has compiled. False, and the test is marked as skipped,
 * if the system could not. */
bool support_set_locale(const char *name);

#endif
