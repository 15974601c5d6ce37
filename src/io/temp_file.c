/* How several writers, and those that were killed, get along.
 *
 * A new file has no name until it is whole, so a kill leaves nothing behind. Where a file system has no such files
 * (lb_os_nameless), it has a name of its own from the start: process, time and a counter. Its writer locks it
 * until the process dies: a file that can be locked is a leftover. Where there are no locks, it is one if it is ours
 * and an hour old. */
#include "io/file.h"

#include <assert.h>
#include <errno.h>
#include <stdatomic.h>
#include <stdio.h>
#include <string.h>

enum { TRIES = 16, OLD_SECONDS = 3600, NANOSECONDS = 1000000000 };

static void choose_name(const char *path, char *name, size_t size)
{
    static atomic_uint count;
    /* Without a clock, process and counter still tell apart all files that are under way. */
    const long long now = lb_os_time();
    snprintf(name, size, "%s.tmp-%llx-%llx-%llx-%x", path, (long long)lb_os_process(), now / NANOSECONDS,
             now % NANOSECONDS, atomic_fetch_add(&count, 1));
}

static bool is_temp(const char *entry, const char *file)
{
    size_t length = strlen(file);
    if (strncmp(entry, file, length) != 0 || strncmp(entry + length, ".tmp", 4) != 0) return false;
    const char *rest = entry + length + 4;
    return *rest && rest[strspn(rest, "0123456789abcdef-")] == '\0';
}

/* The leftovers of one file. */
typedef struct leftovers {
    lb_os_handle folder;
    const char *file;
} leftovers;

static void remove_leftover(void *context, const char *name)
{
    const leftovers *of = context;
    if (is_temp(name, of->file)) lb_os_remove_abandoned(of->folder, name, OLD_SECONDS);
}

/* Between creation and lock, another process may have removed the file as a leftover: it is tried again. */
static lb_os_handle open_named(const char *path, char *name, size_t size)
{
    lb_os_info named;
    for (int i = 0; i < TRIES; i++) {
        choose_name(path, name, size);
        lb_os_handle file = lb_os_open(name, LB_OS_WRITE | LB_OS_NEW);
        if (!lb_os_is_open(file) && errno == EEXIST) continue;
        if (!lb_os_is_open(file)) return file;
        bool removed = lb_os_lock(file) == LB_OS_LOCKED_BY_OTHERS;
        if (!removed && (lb_os_info_of_name(name, &named) || errno != ENOENT)) return file;
        lb_os_drop(&file);
    }
    errno = EEXIST;
    return (lb_os_handle){0};
}

lb_os_handle lb_temp_open(lb_os_handle folder, const char *path, char *name, size_t size)
{
    leftovers of = {folder, lb_os_name_of(path)};
    assert(size >= strlen(path) + LB_TEMP_SUFFIX);
    lb_os_list(folder, remove_leftover, &of);
    *name = '\0';
    lb_os_handle file = lb_os_nameless(folder);
    return lb_os_is_open(file) ? file : open_named(path, name, size);
}

bool lb_temp_name(lb_os_handle file, const char *path, char *name, size_t size)
{
    if (*name) return true;
    choose_name(path, name, size);
    if (lb_os_give_name(file, name)) return true;
    *name = '\0';
    return false;
}

void lb_temp_remove(const char *name)
{
    int reason = errno;
    if (*name) lb_os_remove(name);
    errno = reason;
}
