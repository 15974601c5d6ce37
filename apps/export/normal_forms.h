/* Which characters of Unicode are composed of others, as constants in C, for the characters of some texts. */
#ifndef APP_NORMAL_FORMS_H
#define APP_NORMAL_FORMS_H

#include "base/buffer.h"
#include "export/assemble.h"

#include <stdbool.h>

/** The characters of Unicode that matter. Zero: none. */
typedef struct app_characters {
    unsigned char *of_source,
        *of_target; /* [APP_CHARACTERS] 1: it is in a symbol there, or a part of one that is */
} app_characters;

enum { APP_CHARACTERS = 0x110000 };

LB_MUST_USE bool app_characters_new(app_characters *all);
void app_characters_free(app_characters *all);

/** Marks the parts of a text. Returns their number. */
int64_t app_characters_mark(unsigned char *marked, const char *text);

/** Adds the tables `decompositions`, `marks` and `compositions`, and their sizes: whatever has a part in a source or
 *  consists of parts of targets. Only the latter is composed, unless `composes`. */
void app_normal_forms_add(const app_characters *all, bool composes, app_kernel *kernel, lb_buffer *out);

#endif
