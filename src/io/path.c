#include "io/path.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

char *lb_folder_of(const char *path)
{
    size_t parents = (size_t)(lb_os_name_of(path) - path), length = parents ? parents : 1;
    char *folder = lb_alloc(length + 1);
    if (!folder) return NULL;
    memcpy(folder, parents ? path : ".", length);
    folder[length] = '\0';
    return folder;
}

char *lb_folder_path(const char *folder, const char *name, lb_error *error)
{
    size_t room = strlen(folder) + strlen(name) + sizeof "/";
    char *path = lb_alloc(room);
    if (path)
        snprintf(path, room, "%s/%s", folder, name);
    else
        lb_error_set(error, LB_ERROR_MEMORY, "%s/%s: out of memory", folder, name);
    return path;
}

lb_status lb_cannot_read(const char *path, const char *why, lb_error *error)
{
    return lb_error_set(error, LB_ERROR_OPEN, "%s: cannot read: %s", path, why);
}

lb_status lb_cannot_write(const char *path, const char *why, lb_error *error)
{
    return lb_error_set(error, LB_ERROR_WRITE, "%s: cannot write: %s", path, why);
}

lb_status lb_out_of_memory_for(const char *path, lb_error *error)
{
    return lb_error_set(error, LB_ERROR_MEMORY, "%s: out of memory", path);
}

lb_status lb_name_file(const char *path, const lb_error *found, lb_error *error)
{
    bool named = strncmp(found->message, path, strlen(path)) == 0;
    return lb_error_set(error, found->status, "%s%s%s", named ? "" : path, named ? "" : ": ", found->message);
}

/* ---- Names that we choose ourselves. ---- */

static const char NO_FILE[] = "not a regular file";

static bool is_link(const char *path)
{
    lb_os_info found;
    return lb_os_info_at(path, false, &found) && found.kind == LB_OS_IS_LINK;
}

static lb_status refuse_link(const char *path, lb_status status, const char *expected, lb_error *error)
{
    return lb_error_set(error, status, "%s: found a symbolic link, expected %s", path, expected);
}

lb_status lb_own_check(const char *path, const char *expected, lb_error *error)
{
    return is_link(path) ? refuse_link(path, LB_ERROR_WRITE, expected, error) : LB_OK;
}

lb_status lb_own_check_content(const char *path, lb_error *error)
{
    lb_os_info found;
    if (!lb_os_info_at(path, true, &found) || found.kind == LB_OS_IS_FILE) return LB_OK;
    return lb_cannot_read(path, found.kind == LB_OS_IS_FOLDER ? strerror(EISDIR) : NO_FILE, error);
}

/* Whoever opens a pipe must not wait for its other end. */
lb_os_handle lb_own_open(const char *path, int how, lb_error *error)
{
    bool reads = !(how & LB_OS_WRITE);
    lb_os_info file;
    lb_os_handle handle = lb_os_open(path, how | LB_OS_NO_LINK | LB_OS_NO_WAIT);
    const int reason = errno;
    if (lb_os_is_open(handle) && lb_os_info_of(handle, &file) && file.kind == LB_OS_IS_FILE) return handle;
    if (!lb_os_is_open(handle) && is_link(path))
        refuse_link(path, reads ? LB_ERROR_OPEN : LB_ERROR_WRITE, "a file", error);
    else
        (reads ? lb_cannot_read : lb_cannot_write)(path, lb_os_is_open(handle) ? NO_FILE : strerror(reason),
                                                   error);
    lb_os_drop(&handle);
    return handle;
}
