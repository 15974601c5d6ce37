#include "io/scratch_file.h"

#include "io/path.h"

#include <assert.h>
#include <errno.h>
#include <string.h>

bool lb_scratch_get(lb_scratch *scratch, size_t count, const char *beside)
{
    assert(count > 0);
    void *bytes = beside && count >= LB_SCRATCH_LEAST ? lb_os_map_beside(beside, count) : NULL;
    const bool mapped = bytes;
    if (!mapped) bytes = lb_alloc(count);
    *scratch = (lb_scratch){.bytes = bytes, .count = bytes ? count : 0, .mapped = mapped};
    return bytes != NULL;
}

void lb_scratch_free(lb_scratch *scratch)
{
    if (scratch->mapped)
        lb_os_unmap(scratch->bytes, scratch->count);
    else
        lb_release(scratch->bytes);
    *scratch = (lb_scratch){0};
}

static lb_status copy_file(lb_scratch *scratch, lb_os_handle file, const char *path, lb_error *error)
{
    lb_os_info info;
    if (!lb_os_info_of(file, &info)) return lb_cannot_read(path, strerror(errno), error);
    if (info.kind != LB_OS_IS_FILE) return lb_cannot_read(path, "not a regular file", error);
    if (info.bytes == 0) return lb_error_set(error, LB_ERROR_FORMAT, "%s: found an empty file", path);
    if ((uint64_t)info.bytes > SIZE_MAX) return lb_cannot_read(path, strerror(EFBIG), error);
    size_t count = (size_t)info.bytes;
    if (!lb_scratch_get(scratch, count, path))
        return lb_error_set(error, LB_ERROR_MEMORY, "%s: out of memory for %zu bytes", path, count);
    int64_t held = lb_os_read_all(file, scratch->bytes, count);
    if (held < 0) return lb_cannot_read(path, strerror(errno), error);
    return (size_t)held == count ? LB_OK : lb_cannot_read(path, "it has been shortened", error);
}

lb_status lb_scratch_read(lb_scratch *scratch, const char *path, lb_error *error)
{
    *scratch = (lb_scratch){0};
    lb_os_handle file = lb_os_open(path, LB_OS_READ | LB_OS_NO_WAIT);
    if (!lb_os_is_open(file)) return lb_cannot_read(path, strerror(errno), error);
    lb_status status = copy_file(scratch, file, path, error);
    lb_os_drop(&file);
    if (status) lb_scratch_free(scratch);
    return status;
}
