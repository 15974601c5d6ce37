#define _GNU_SOURCE /* NOLINT(bugprone-reserved-identifier): O_TMPFILE */
#include "proof/recorder.h"

#include "support/tempdir.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { DESCRIPTORS = 1024, NO_FILE = -1, FOLDER = -2 };

static proof_log *recording;
static proof_fault fault;
static int file_of[DESCRIPTORS]; /* of each open descriptor */

// NOLINTBEGIN(bugprone-reserved-identifier,cert-dcl37-c,cert-dcl51-cpp): names that the linker makes
int __real_open(const char *path, int flags, ...);
int __real_openat(int folder, const char *path, int flags, ...);
ssize_t __real_write(int fd, const void *bytes, size_t count);
int __real_fchmod(int fd, mode_t mode);
int __real_linkat(int from_folder, const char *from, int to_folder, const char *to, int flags);
int __real_rename(const char *from, const char *to);
int __real_mkdir(const char *path, mode_t mode);
int __real_unlink(const char *path);
int __real_unlinkat(int folder, const char *path, int flags);
int __real_ftruncate(int fd, off_t length);
int __wrap_open(const char *path, int flags, ...);
int __wrap_openat(int folder, const char *path, int flags, ...);
ssize_t __wrap_write(int fd, const void *bytes, size_t count);
int __wrap_fsync(int fd);
int __wrap_fchmod(int fd, mode_t mode);
int __wrap_linkat(int from_folder, const char *from, int to_folder, const char *to, int flags);
int __wrap_rename(const char *from, const char *to);
int __wrap_mkdir(const char *path, mode_t mode);
int __wrap_unlink(const char *path);
int __wrap_unlinkat(int folder, const char *path, int flags);
int __wrap_ftruncate(int fd, off_t length);
// NOLINTEND(bugprone-reserved-identifier,cert-dcl37-c,cert-dcl51-cpp)

/* The name of a file below the root; "" if it is elsewhere. */
static void name_in_root(int folder, const char *path, char name[PROOF_NAME])
{
    char whole[PATH_MAX] = "", link[64];
    size_t length = strlen(recording->root);
    if (*path != '/') {
        snprintf(link, sizeof link, "/proc/self/fd/%d", folder);
        ssize_t end = readlink(link, whole, sizeof whole - 1);
        whole[end > 0 ? end : 0] = '\0';
        strncat(whole, "/", sizeof whole - strlen(whole) - 1);
    }
    strncat(whole, path, sizeof whole - strlen(whole) - 1);
    char *dot = strstr(whole, "/.");
    if (dot && !dot[2]) *dot = '\0';
    bool inside = strncmp(whole, recording->root, length) == 0 && whole[length] == '/';
    snprintf(name, PROOF_NAME, "%s", inside ? whole + length + 1 : "");
    size_t end = strlen(name);
    if (end && name[end - 1] == '/') name[end - 1] = '\0';
}

static proof_op *add(proof_op_kind kind, int file)
{
    static proof_op spare;
    recording->overflowed = recording->overflowed || recording->ops == PROOF_OPS;
    proof_op *op = recording->overflowed ? &spare : &recording->op[recording->ops++];
    *op = (proof_op){.kind = kind, .file = file};
    return op;
}

/* Whether the operation that comes next has to fail; errno is then set. */
static bool fails(void)
{
    if (!recording || !fault.at || recording->ops + 1 != fault.at || !fault.reason) return false;
    fault.at = 0;
    errno = fault.reason;
    return true;
}

static int add_file(const char *name, mode_t mode)
{
    if (recording->files == PROOF_FILES) {
        recording->overflowed = true;
        return NO_FILE;
    }
    proof_file *file = &recording->file[recording->files];
    *file = (proof_file){.mode = mode};
    snprintf(file->name, sizeof file->name, "%s", name);
    return recording->files++;
}

static int known(int fd)
{
    return recording && fd >= 0 && fd < DESCRIPTORS ? file_of[fd] : NO_FILE;
}

/* `existed`: the file that had the name before. */
static void opened(int fd, int flags, const char *name, int existed)
{
    struct stat info;
    if (fd < 0 || fd >= DESCRIPTORS) return;
    file_of[fd] = NO_FILE;
    if (fstat(fd, &info) != 0) return;
    if (S_ISDIR(info.st_mode)) {
        file_of[fd] = FOLDER;
    } else if (S_ISREG(info.st_mode) && (flags & O_ACCMODE) != O_RDONLY) {
        bool nameless = (flags & O_TMPFILE) == O_TMPFILE;
        if (!nameless && !*name) return;
        bool made = nameless || existed == NO_FILE;
        file_of[fd] = made ? add_file("", info.st_mode & 07777) : existed;
        if (made && !nameless)
            snprintf(add(PROOF_LINK, file_of[fd])->name, PROOF_NAME, "%s", name);
        else if (flags & O_TRUNC)
            add(PROOF_TRUNCATE, file_of[fd]);
    }
}

static int open_in(int folder, const char *path, int flags, mode_t mode)
{
    char name[PROOF_NAME];
    if (!recording) return __real_openat(folder, path, flags, mode);
    name_in_root(folder, path, name);
    int existed = proof_log_find(recording, recording->ops, name);
    if ((flags & O_TMPFILE) == O_TMPFILE && fault.no_names) {
        errno = EOPNOTSUPP;
        return -1;
    }
    if ((flags & O_ACCMODE) != O_RDONLY && fails()) return -1;
    int fd = __real_openat(folder, path, flags, mode);
    opened(fd, flags, name, existed);
    return fd;
}

static mode_t mode_of(int flags, va_list rest)
{
    return flags & O_CREAT || (flags & O_TMPFILE) == O_TMPFILE ? va_arg(rest, mode_t) : 0;
}

int __wrap_open(const char *path, int flags, ...)
{
    va_list rest;
    va_start(rest, flags);
    mode_t mode = mode_of(flags, rest);
    va_end(rest);
    return open_in(AT_FDCWD, path, flags, mode);
}

int __wrap_openat(int folder, const char *path, int flags, ...)
{
    va_list rest;
    va_start(rest, flags);
    mode_t mode = mode_of(flags, rest);
    va_end(rest);
    return open_in(folder, path, flags, mode);
}

ssize_t __wrap_write(int fd, const void *bytes, size_t count)
{
    int file = known(fd);
    if (file < 0) return __real_write(fd, bytes, count);
    if (fails()) return -1;
    if (fault.at && recording->ops + 1 == fault.at && count > 1) count /= 2;
    off_t offset = lseek(fd, 0, SEEK_CUR);
    ssize_t written = __real_write(fd, bytes, count);
    if (written <= 0) return written;
    proof_op *op = add(PROOF_WRITE, file);
    op->bytes = malloc((size_t)written);
    if (!op->bytes) abort();
    memcpy(op->bytes, bytes, (size_t)written);
    op->offset = (size_t)offset;
    op->count = (size_t)written;
    return written;
}

int __wrap_fsync(int fd)
{
    int file = known(fd);
    if (file == NO_FILE) return 0;
    if (fails()) return -1;
    proof_op *op = add(file == FOLDER ? PROOF_SYNC_FOLDER : PROOF_SYNC_FILE, file);
    if (file == FOLDER) name_in_root(fd, ".", op->name);
    return 0;
}

int __wrap_fchmod(int fd, mode_t mode)
{
    if (known(fd) >= 0 && fails()) return -1;
    if (known(fd) >= 0) add(PROOF_MODE, known(fd))->mode = mode;
    return __real_fchmod(fd, mode);
}

int __wrap_ftruncate(int fd, off_t length)
{
    if (known(fd) >= 0 && fails()) return -1;
    if (known(fd) >= 0) add(PROOF_TRUNCATE, known(fd))->offset = (size_t)length;
    return __real_ftruncate(fd, length);
}

int __wrap_linkat(int from_folder, const char *from, int to_folder, const char *to, int flags)
{
    int fd;
    if (!recording) return __real_linkat(from_folder, from, to_folder, to, flags);
    if (fails() || __real_linkat(from_folder, from, to_folder, to, flags) != 0) return -1;
    char name[PROOF_NAME], followed[PATH_MAX];
    bool open = sscanf(from, "/proc/self/fd/%d", &fd) == 1;
    bool follow = !open && flags & AT_SYMLINK_FOLLOW && realpath(from, followed);
    name_in_root(from_folder, follow ? followed : from, name);
    proof_op *op = add(PROOF_LINK, open ? known(fd) : proof_log_find(recording, recording->ops, name));
    name_in_root(to_folder, to, op->name);
    return 0;
}

int __wrap_rename(const char *from, const char *to)
{
    if (!recording) return __real_rename(from, to);
    if (fails() || __real_rename(from, to) != 0) return -1;
    char name[PROOF_NAME];
    name_in_root(AT_FDCWD, from, name);
    proof_op *op = add(PROOF_RENAME, proof_log_find(recording, recording->ops, name));
    memcpy(op->from, name, sizeof name);
    name_in_root(AT_FDCWD, to, op->name);
    return 0;
}

int __wrap_mkdir(const char *path, mode_t mode)
{
    char name[PROOF_NAME];
    if (!recording) return __real_mkdir(path, mode);
    if (fails() || __real_mkdir(path, mode) != 0) return -1;
    name_in_root(AT_FDCWD, path, name);
    if (*name) memcpy(add(PROOF_FOLDER, FOLDER)->name, name, sizeof name);
    return 0;
}

int __wrap_unlinkat(int folder, const char *path, int flags)
{
    if (!recording) return __real_unlinkat(folder, path, flags);
    if (fails() || __real_unlinkat(folder, path, flags) != 0) return -1;
    char name[PROOF_NAME];
    name_in_root(folder, path, name);
    memcpy(add(PROOF_UNLINK, proof_log_find(recording, recording->ops, name))->name, name, sizeof name);
    return 0;
}

int __wrap_unlink(const char *path)
{
    return recording ? __wrap_unlinkat(AT_FDCWD, path, 0) : __real_unlink(path);
}

void proof_record(proof_log *log, const char *root, proof_fault planned)
{
    *log = (proof_log){0};
    snprintf(log->root, sizeof log->root, "%s", root);
    for (int fd = 0; fd < DESCRIPTORS; fd++) file_of[fd] = NO_FILE;
    fault = planned;
    recording = log;
}

void proof_record_file(proof_log *log, const char *name)
{
    char path[PATH_MAX];
    struct stat info;
    snprintf(path, sizeof path, "%s/%s", log->root, name);
    if (stat(path, &info) != 0) abort();
    proof_log *running = recording;
    recording = log;
    int file = add_file(name, info.st_mode & 07777);
    recording = running;
    log->file[file].bytes = (unsigned char *)support_read_file(path, &log->file[file].count);
}

void proof_record_stop(void)
{
    recording = NULL;
}

int proof_log_find(const proof_log *log, int ops, const char *name)
{
    if (!*name) return NO_FILE;
    for (int i = ops; i-- > 0;) {
        const proof_op *op = &log->op[i];
        bool here = strcmp(op->name, name) == 0;
        if (here && (op->kind == PROOF_LINK || op->kind == PROOF_RENAME)) return op->file;
        if (here && op->kind == PROOF_UNLINK) return NO_FILE;
        if (op->kind == PROOF_RENAME && strcmp(op->from, name) == 0) return NO_FILE;
    }
    for (int f = 0; f < log->files; f++)
        if (strcmp(log->file[f].name, name) == 0) return f;
    return NO_FILE;
}

void proof_log_free(proof_log *log)
{
    for (int f = 0; f < log->files; f++) free(log->file[f].bytes);
    for (int i = 0; i < log->ops; i++) free(log->op[i].bytes);
}
