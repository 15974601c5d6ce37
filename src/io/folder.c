#include "io/folder.h"

#include "base/alloc.h"
#include "io/file.h"

#include <errno.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static bool make_one(const char *path)
{
    struct stat found;
    /* A power failure must not take the folder away when files in it have been saved. */
    if (mkdir(path, 0777) == 0) return lb_file_sync_name(path);
    return errno == EEXIST && stat(path, &found) == 0 && S_ISDIR(found.st_mode);
}

/* Creates the folder and its parents. After an error, `path` ends with the folder that could not be created. */
static bool make_all(char *path)
{
    size_t length = strlen(path);
    for (size_t i = 1; i <= length; i++) {
        if (path[i] != '/' && path[i] != '\0') continue;
        path[i] = '\0';
        if (!make_one(path)) return false;
        if (i < length) path[i] = '/';
    }
    return true;
}

lb_status lb_folder_make(const char *folder, lb_error *error)
{
    if (*folder == '\0')
        return lb_error_set(error, LB_ERROR_WRITE, "cannot write to a folder with an empty name");
    char *path = lb_alloc_string(folder);
    if (!path) return lb_error_set(error, LB_ERROR_MEMORY, "%s: out of memory", folder);
    lb_status status = LB_OK;
    if (!make_all(path) || access(folder, W_OK | X_OK) != 0)
        status = lb_error_set(error, LB_ERROR_WRITE, "cannot write to %s: %s", path,
                              strerror(errno == EEXIST ? ENOTDIR : errno));
    lb_release(path);
    return status;
}
