#include "data/strings.h"

#include "base/alloc.h"

#include <stdbool.h>

enum { FIRST_CAPACITY = 64 };

static bool grow(lb_strings *strings)
{
    size_t capacity = strings->capacity ? 2 * strings->capacity : FIRST_CAPACITY;
    char **grown =
        lb_alloc_grow((void *)strings->text, strings->count * sizeof *grown, capacity * sizeof *grown);
    if (!grown) return false;
    strings->text = grown;
    strings->capacity = capacity;
    return true;
}

lb_status lb_strings_add(lb_strings *strings, char *text, lb_error *error)
{
    if (!text || (strings->count == strings->capacity && !grow(strings))) {
        lb_release(text);
        return lb_error_set(error, LB_ERROR_MEMORY, "out of memory for %zu texts", strings->count + 1);
    }
    strings->text[strings->count++] = text;
    return LB_OK;
}

void lb_strings_free(lb_strings *strings)
{
    for (size_t i = 0; i < strings->count; i++) lb_release(strings->text[i]);
    lb_release((void *)strings->text);
    *strings = (lb_strings){0};
}
