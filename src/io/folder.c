/* Makes and locks folders, and keeps old files under other names, for programs that write results. */
#include "io/path.h"

#include "base/alloc.h"
#include "io/file.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static bool make_one(const char *path)
{
    lb_os_info found;
    /* A power failure must not take the folder away when files in it have been saved. */
    if (lb_os_make_folder(path)) return lb_os_sync_name(path);
    return errno == EEXIST && lb_os_info_at(path, true, &found) && found.kind == LB_OS_IS_FOLDER;
}

/* Creates the folder and its parents. After an error, `path` ends with the folder that could not be created. */
static bool make_all(char *path)
{
    size_t length = strlen(path);
    for (size_t i = 1; i <= length; i++) {
        const char end = path[i];
        if (!strchr(lb_os_separators, end)) continue; /* which has its NUL, too */
        path[i] = '\0';
        if (!make_one(path)) return false;
        path[i] = end;
    }
    return true;
}

lb_status lb_folder_make(const char *folder, lb_error *error)
{
    if (*folder == '\0')
        return lb_error_set(error, LB_ERROR_WRITE, "cannot write to a folder with an empty name");
    char *path = lb_alloc_string(folder);
    if (!path) return lb_out_of_memory_for(folder, error);
    lb_status status = LB_OK;
    if (!make_all(path) || !lb_os_may(folder, LB_OS_WRITE))
        status = lb_error_set(error, LB_ERROR_WRITE, "cannot write to %s: %s", path,
                              strerror(errno == EEXIST ? ENOTDIR : errno));
    lb_release(path);
    return status;
}

/* ---- A folder for one process alone. ---- */

enum { DIGITS = 24 };

struct lb_lock {
    char *path;
    lb_os_handle file;
};

static bool is_file_of(const char *path, lb_os_handle file)
{
    lb_os_info named, opened;
    return lb_os_info_at(path, false, &named) && lb_os_info_of(file, &opened) &&
           lb_os_is_one(&named, &opened);
}

static lb_status refuse(const char *folder, lb_os_handle file, lb_error *error)
{
    char digits[DIGITS] = "", process[DIGITS + 16] = "";
    int64_t count = lb_os_read_at(file, 0, digits, sizeof digits - 1);
    long number = count > 0 ? strtol(digits, NULL, 10) : 0;
    if (number > 0) snprintf(process, sizeof process, ", process %ld", number);
    return lb_error_set(error, LB_ERROR_BUSY, "%s: another training writes to this folder%s", folder,
                        process);
}

/* Writes the number that a refused process will name; without it the lock holds as well. */
static void write_number(lb_os_handle file)
{
    char digits[DIGITS];
    int length = snprintf(digits, sizeof digits, "%lld\n", (long long)lb_os_process());
    if (lb_os_cut(file, 0) && !lb_os_write_all(file, digits, (size_t)length)) errno = 0;
}

static lb_status lock_file(lb_lock *lock, const char *folder, lb_error *error)
{
    for (;;) {
        lock->file = lb_own_open(lock->path, LB_OS_READ | LB_OS_WRITE | LB_OS_CREATE, error);
        if (!lb_os_is_open(lock->file)) return LB_ERROR_WRITE;
        lb_os_lock_result result = lb_os_lock(lock->file);
        if (result == LB_OS_LOCKED_BY_OTHERS) return refuse(folder, lock->file, error);
        /* The last holder may have removed the file before it unlocked it. */
        if (result == LB_OS_NO_LOCKS || is_file_of(lock->path, lock->file)) break;
        lb_os_drop(&lock->file);
    }
    write_number(lock->file);
    return LB_OK;
}

lb_status lb_lock_folder(const char *folder, lb_lock **lock, lb_error *error)
{
    lb_lock made = {0};
    *lock = NULL;
    made.path = lb_folder_path(folder, ".lock", error);
    lb_status status = made.path ? lock_file(&made, folder, error) : LB_ERROR_MEMORY;
    if (!status) {
        *lock = lb_alloc(sizeof **lock);
        if (*lock) **lock = made;
        if (!*lock) status = lb_out_of_memory_for(made.path, error);
    }
    if (!status) return LB_OK;
    lb_os_drop(&made.file);
    lb_release(made.path);
    return status;
}

void lb_lock_free(lb_lock *lock)
{
    if (!lock) return;
    lb_os_remove(lock->path);
    lb_os_drop(&lock->file);
    lb_release(lock->path);
    lb_release(lock);
}

void lb_lock_leave(const lb_lock *lock)
{
    if (lock) (void)lb_os_close(lock->file);
}

/* ---- A file that is about to be replaced, kept under another name. ---- */

enum { MOST = 10000, SUFFIX = 32 };

static void choose_name(const char *path, int number, char *name, size_t size)
{
    const char *dot = strrchr(lb_os_name_of(path), '.');
    size_t stem = dot ? (size_t)(dot - path) : strlen(path);
    snprintf(name, size, "%.*s.old-%d%s", (int)stem, path, number, path + stem);
}

static bool link_or_rename(const char *path, const char *name)
{
    if (lb_os_link(path, name)) return true;
    /* No links on this file system, or the file is on another one. */
    return errno != EEXIST && errno != ENOENT && lb_os_rename(path, name);
}

/* `name` receives the first free name, under which the file is then, or the one that it has. */
static bool keep_file(const char *path, const lb_os_info *file, char *name, size_t size)
{
    lb_os_info found;
    for (int number = 1; number < MOST; number++) {
        choose_name(path, number, name, size);
        bool taken = lb_os_info_at(name, false, &found);
        if (taken && lb_os_is_one(&found, file)) return true;
        if (taken) continue;
        if (link_or_rename(path, name)) return true;
        if (errno != EEXIST) return false;
    }
    errno = EEXIST;
    return false;
}

lb_status lb_set_aside(const char *path, char **kept, lb_error *error)
{
    lb_os_info file;
    size_t size = strlen(path) + SUFFIX;
    *kept = NULL;
    if (!lb_os_info_at(path, true, &file))
        return errno == ENOENT ? LB_OK : lb_cannot_write(path, strerror(errno), error);
    char *name = lb_alloc(size);
    if (!name) return lb_out_of_memory_for(path, error);
    /* The name has to be on the disk before the file is replaced. */
    if (keep_file(path, &file, name, size) && lb_os_sync_name(name)) {
        *kept = name;
        return LB_OK;
    }
    lb_error_set(error, LB_ERROR_WRITE, "%s: cannot keep it under another name: %s", path, strerror(errno));
    lb_release(name);
    return LB_ERROR_WRITE;
}
