#include "support/tempdir.h"

#include <dirent.h>
#include <fcntl.h>
#ifndef _WIN32
#    include <glob.h>
#endif
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static char folder[SUPPORT_PATH];
static pid_t owner; /* a forked child inherits the folder's name, but must not remove it */

static void stop(const char *what)
{
    perror(what);
    exit(EXIT_FAILURE);
}

static void join(char path[SUPPORT_PATH], const char *parent, const char *name)
{
    if (snprintf(path, SUPPORT_PATH, "%s/%s", parent, name) >= SUPPORT_PATH) stop("path too long");
}

static int is_child(const struct dirent *entry)
{
    return strcmp(entry->d_name, ".") != 0 && strcmp(entry->d_name, "..") != 0;
}

static void remove_tree(const char *path)
{
    DIR *dir = opendir(path);
    if (dir) {
        for (struct dirent *entry; (entry = readdir(dir)) != NULL;) {
            if (!is_child(entry)) continue;
            char child[SUPPORT_PATH];
            struct stat info;
            join(child, path, entry->d_name);
            if (lstat(child, &info) == 0 && S_ISDIR(info.st_mode)) {
                chmod(child, 0700);
                remove_tree(child);
            } else {
                unlink(child);
            }
        }
        closedir(dir);
    }
    rmdir(path);
}

static void remove_folder(void)
{
    if (owner != getpid()) return;
    chmod(folder, 0700);
    remove_tree(folder);
}

char *support_tempdir(void)
{
    if (owner == getpid()) return folder;
    const char *parent = getenv("TMPDIR");
    join(folder, parent && *parent ? parent : "/tmp", "lookback-test-XXXXXX");
    if (!mkdtemp(folder)) stop(folder);
    owner = getpid();
    atexit(remove_folder);
    return folder;
}

const char *support_path(const char *name)
{
    static struct known {
        struct known *next;
        char path[SUPPORT_PATH];
    } * all;
    char path[SUPPORT_PATH];
    join(path, support_tempdir(), name);
    for (const struct known *k = all; k; k = k->next)
        if (strcmp(k->path, path) == 0) return k->path;
    struct known *made = malloc(sizeof *made);
    if (!made) stop(path);
    made->next = all;
    strcpy(made->path, path);
    all = made;
    return made->path;
}

size_t support_file_count(void)
{
    DIR *dir = opendir(support_tempdir());
    if (!dir) stop(folder);
    size_t count = 0;
    for (struct dirent *entry; (entry = readdir(dir)) != NULL;) count += is_child(entry) ? 1 : 0;
    closedir(dir);
    return count;
}

#ifndef _WIN32
size_t support_match_count(const char *pattern)
{
    glob_t found;
    int failed = glob(support_path(pattern), GLOB_NOSORT, NULL, &found);
    if (failed && failed != GLOB_NOMATCH) stop(pattern);
    size_t count = failed ? 0 : found.gl_pathc;
    if (!failed) globfree(&found);
    return count;
}
#endif

void support_write_file(const char *path, const void *bytes, size_t count)
{
#ifndef _WIN32    /* where the name stays as long as the old file is open */
    unlink(path); /* after truncating an old file, some file systems wait for the disk at fclose */
#endif
    FILE *file = fopen(path, "wb");
    if (!file || (count && fwrite(bytes, 1, count, file) != count) || fclose(file) != 0) stop(path);
}

int support_next_descriptor(void)
{
    int descriptor = open("/dev/null", O_RDONLY);
    const int number = descriptor;
    if (descriptor < 0 || close(descriptor) != 0) stop("/dev/null");
    return number;
}

char *support_read_file(const char *path, size_t *count)
{
    FILE *file = fopen(path, "rb");
    if (!file || fseek(file, 0, SEEK_END) != 0) stop(path);
    long size = ftell(file);
    char *bytes = size < 0 ? NULL : malloc((size_t)size + 1);
    rewind(file);
    if (!bytes || fread(bytes, 1, (size_t)size, file) != (size_t)size) stop(path);
    fclose(file);
    bytes[size] = '\0';
    *count = (size_t)size;
    return bytes;
}
