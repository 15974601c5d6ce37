#include "io/set_aside.h"

#include "base/alloc.h"
#include "io/file.h"
#include "io/path.h"

#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { MOST = 10000, SUFFIX = 32 };

static void choose_name(const char *path, int number, char *name, size_t size)
{
    const char *slash = strrchr(path, '/'), *dot = strrchr(slash ? slash : path, '.');
    size_t stem = dot ? (size_t)(dot - path) : strlen(path);
    snprintf(name, size, "%.*s.old-%d%s", (int)stem, path, number, path + stem);
}

static bool link_or_rename(const char *path, const char *name)
{
    if (linkat(AT_FDCWD, path, AT_FDCWD, name, AT_SYMLINK_FOLLOW) == 0) return true;
    /* No links on this file system, or the file is on another one. */
    return errno != EEXIST && errno != ENOENT && rename(path, name) == 0;
}

/* `name` receives the first free name, under which the file is then, or the one that it has. */
static bool keep(const char *path, const struct stat *file, char *name, size_t size)
{
    struct stat found;
    for (int number = 1; number < MOST; number++) {
        choose_name(path, number, name, size);
        bool taken = lstat(name, &found) == 0;
        if (taken && found.st_dev == file->st_dev && found.st_ino == file->st_ino) return true;
        if (taken) continue;
        if (link_or_rename(path, name)) return true;
        if (errno != EEXIST) return false;
    }
    errno = EEXIST;
    return false;
}

lb_status lb_set_aside(const char *path, char **kept, lb_error *error)
{
    struct stat file;
    size_t size = strlen(path) + SUFFIX;
    *kept = NULL;
    if (stat(path, &file) != 0)
        return errno == ENOENT ? LB_OK : lb_cannot_write(path, strerror(errno), error);
    char *name = lb_alloc(size);
    if (!name) return lb_error_set(error, LB_ERROR_MEMORY, "%s: out of memory", path);
    /* The name has to be on the disk before the file is replaced. */
    if (keep(path, &file, name, size) && lb_file_sync_name(name)) {
        *kept = name;
        return LB_OK;
    }
    lb_error_set(error, LB_ERROR_WRITE, "%s: cannot keep it under another name: %s", path, strerror(errno));
    lb_release(name);
    return LB_ERROR_WRITE;
}
