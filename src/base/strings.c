#include "base/strings.h"

#include "base/alloc.h"

lb_status lb_strings_add(lb_strings *strings, char *text, lb_error *error)
{
    if (!text || !lb_alloc_more(&strings->text, strings->count, &strings->capacity, sizeof text)) {
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
