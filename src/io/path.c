#include "io/path.h"

#include "base/alloc.h"

#include <stdio.h>
#include <string.h>

char *lb_folder_of(const char *path)
{
    const char *slash = strrchr(path, '/');
    size_t length = slash ? (size_t)(slash - path) + 1 : 1;
    char *folder = lb_alloc(length + 1);
    if (!folder) return NULL;
    memcpy(folder, slash ? path : ".", length);
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

lb_status lb_name_file(const char *path, const lb_error *found, lb_error *error)
{
    bool named = strncmp(found->message, path, strlen(path)) == 0;
    return lb_error_set(error, found->status, "%s%s%s", named ? "" : path, named ? "" : ": ", found->message);
}
