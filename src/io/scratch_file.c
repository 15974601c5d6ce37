#define _GNU_SOURCE /* NOLINT(bugprone-reserved-identifier): O_TMPFILE */
#include "io/scratch_file.h"

#include "io/file.h"
#include "io/path.h"

#include <assert.h>
#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

/* A file without a name in the folder of `path`, with room on the disk for `count` bytes: a disk that is full later
 * would end the process. */
static int open_nameless(const char *path, size_t count)
{
    int descriptor = -1;
#ifdef O_TMPFILE
    char *folder = lb_folder_of(path);
    if (!folder) return -1;
    descriptor = open(folder, O_TMPFILE | O_RDWR | O_CLOEXEC, 0600);
    lb_release(folder);
    if (descriptor >= 0 && posix_fallocate(descriptor, 0, (off_t)count) != 0) {
        close(descriptor);
        return -1;
    }
#else
    (void)path;
    (void)count;
#endif
    return descriptor;
}

bool lb_scratch_get(lb_scratch *scratch, size_t count, const char *beside)
{
    int descriptor = beside && count >= LB_SCRATCH_LEAST ? open_nameless(beside, count) : -1;
    void *bytes = MAP_FAILED;
    assert(count > 0);
    if (descriptor >= 0) {
        bytes = mmap(NULL, count, PROT_READ | PROT_WRITE, MAP_SHARED, descriptor, 0);
        close(descriptor);
    }
    bool mapped = bytes != MAP_FAILED;
    if (!mapped) bytes = lb_alloc(count);
    *scratch = (lb_scratch){.bytes = bytes, .count = bytes ? count : 0, .mapped = mapped};
    return bytes != NULL;
}

void lb_scratch_free(lb_scratch *scratch)
{
    if (scratch->mapped)
        munmap(scratch->bytes, scratch->count);
    else
        lb_release(scratch->bytes);
    *scratch = (lb_scratch){0};
}

static lb_status copy_file(lb_scratch *scratch, int descriptor, const char *path, lb_error *error)
{
    struct stat info;
    if (fstat(descriptor, &info) != 0) return lb_cannot_read(path, strerror(errno), error);
    if (!S_ISREG(info.st_mode)) return lb_cannot_read(path, "not a regular file", error);
    if (info.st_size == 0) return lb_error_set(error, LB_ERROR_FORMAT, "%s: found an empty file", path);
    if ((uintmax_t)info.st_size > SIZE_MAX) return lb_cannot_read(path, strerror(EFBIG), error);
    size_t count = (size_t)info.st_size;
    if (!lb_scratch_get(scratch, count, path))
        return lb_error_set(error, LB_ERROR_MEMORY, "%s: out of memory for %zu bytes", path, count);
    size_t held;
    if (!lb_read_all(descriptor, scratch->bytes, count, &held))
        return lb_cannot_read(path, strerror(errno), error);
    return held == count ? LB_OK : lb_cannot_read(path, "it has been shortened", error);
}

lb_status lb_scratch_read(lb_scratch *scratch, const char *path, lb_error *error)
{
    *scratch = (lb_scratch){0};
    int descriptor = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
    if (descriptor < 0) return lb_cannot_read(path, strerror(errno), error);
    lb_status status = copy_file(scratch, descriptor, path, error);
    close(descriptor);
    if (status) lb_scratch_free(scratch);
    return status;
}
