/* The code of an exported file, from the files of apps/export/kernel/, and the sizes that it depends on. */
#ifndef APP_ASSEMBLE_H
#define APP_ASSEMBLE_H

#include "base/buffer.h"

#include <stdbool.h>
#include <stdint.h>

/** The most names of each sort. */
enum { APP_KERNEL_FLAGS = 48, APP_KERNEL_SIZES = 64 };

/** A number that the code names. */
typedef struct app_kernel_size {
    const char *name;
    int64_t value;
} app_kernel_size;

/** What decides how the files of the kernel become one. Start from zero. */
typedef struct app_kernel {
    const char *flag[APP_KERNEL_FLAGS]; /* names that are true in an #if; all others are false */
    int flags;
    app_kernel_size size[APP_KERNEL_SIZES];
    int sizes;
    const char *prefix; /* in place of g2p, in upper case where that is */
} app_kernel;

/** Sets a flag. */
void app_kernel_flag(app_kernel *kernel, const char *name);

/** Whether "NAME" is a flag, or "!NAME" is none. */
bool app_kernel_has(const app_kernel *kernel, const char *condition);

/** Names a number. */
void app_kernel_size_is(app_kernel *kernel, const char *name, int64_t value);

/** The number of that name; 0 if there is none. */
int64_t app_kernel_size_of(const app_kernel *kernel, const char *name);

/** Adds the numbers as an enum of C. */
void app_kernel_add_sizes(const app_kernel *kernel, lb_buffer *out);

/** Adds g2p.c with what it includes; `model` takes the place of model.h. */
void app_kernel_add_code(const app_kernel *kernel, const char *model, lb_buffer *out);

/** Adds g2p.h, with numbers in place of their names. */
void app_kernel_add_header(const app_kernel *kernel, lb_buffer *out);

/** The bytes of the struct `memory` in work.h; 0 if there is no memory to find out. All of its members have types of 4
 *  bytes, or are structs of such. */
int64_t app_kernel_work(const app_kernel *kernel);

#endif
