/* Poison: the result of an op that failed, and why, also where there is no tape to record it. */
#include "autograd/tape.h"

#include "base/format.h"

#include <stdarg.h>

/* Each thread has its own, so that no thread reads what another one writes. */
static _Thread_local lb_error stray_error;
static _Thread_local lb_tensor stray;

static const lb_error no_memory = {LB_ERROR_MEMORY, "out of memory"};
static lb_tensor without_memory = {.error = &no_memory};

lb_tensor *lb_poison_stray(lb_status status, const char *format, ...)
{
    char message[LB_MESSAGE_LENGTH];
    va_list arguments;
    va_start(arguments, format);
    lb_vsnprintf(message, sizeof message, format, arguments);
    va_end(arguments);
    stray_error = (lb_error){0};
    lb_error_set(&stray_error, status, "%s", message);
    stray.error = &stray_error;
    return &stray;
}

lb_tensor *lb_poison_no_memory(void)
{
    return &without_memory;
}

const lb_error *lb_error_no_memory(void)
{
    return &no_memory;
}

bool lb_is_sound(const lb_tensor *tensor)
{
    return tensor && tensor->data;
}

/* Poison stays poison after its tape has cleared the error. */
static const lb_error *error_of(const lb_tensor *tensor)
{
    static const lb_error sound = {0}, missing = {LB_ERROR_ARGUMENT, "the tensor is missing"},
                          forgotten = {LB_ERROR_ARGUMENT, "the tensor is the result of a failed op"};
    if (!tensor) return &missing;
    if (lb_is_sound(tensor)) return &sound;
    return tensor->error && tensor->error->status ? tensor->error : &forgotten;
}

lb_status lb_tensor_status(const lb_tensor *tensor)
{
    return error_of(tensor)->status;
}

const char *lb_tensor_error(const lb_tensor *tensor)
{
    return error_of(tensor)->message;
}
