/* Reads, writes and closes open files by calls of POSIX. mingw-w64 has most of them, so this is compiled for Windows,
 * too. */
#ifdef _WIN32
#    define _FILE_OFFSET_BITS 64
#endif
#include "os/os.h"

#include <errno.h>
#include <unistd.h>

#ifdef _WIN32
#    include <io.h>

#    undef ftruncate
#    define fsync     _commit
#    define ftruncate _chsize_s

/* There, what is read moves the place of the descriptor. */
static int pread(int descriptor, void *bytes, unsigned count, int64_t place)
{
    const int64_t before = lseek(descriptor, 0, SEEK_CUR);
    const int held = lseek(descriptor, place, SEEK_SET) < 0 ? -1 : read(descriptor, bytes, count);
    const int reason = errno;
    (void)lseek(descriptor, before, SEEK_SET);
    errno = reason;
    return held;
}
#endif

lb_os_handle lb_os_input(void)
{
    return (lb_os_handle){-1};
}

bool lb_os_close(lb_os_handle handle)
{
    return handle.number < 0 || close(lb_os_descriptor(handle)) == 0;
}

void lb_os_drop(lb_os_handle *handle)
{
    int reason = errno;
    if (lb_os_is_open(*handle)) (void)lb_os_close(*handle);
    *handle = (lb_os_handle){0};
    errno = reason;
}

/* Reads at the place of the handle, or at another that is not negative. */
static int64_t read_all_at(lb_os_handle handle, int64_t place, char *bytes, size_t count)
{
    size_t held = 0;
    while (held < count) {
        unsigned room = lb_os_at_once(count - held);
        int64_t got =
            place < 0 ? lb_os_read(handle, bytes + held, room)
                      : pread(lb_os_descriptor(handle), bytes + held, room, (off_t)(place + (int64_t)held));
        if (got < 0 && errno == EINTR) continue;
        if (got < 0) return -1;
        if (got == 0) break;
        held += (size_t)got;
    }
    return (int64_t)held;
}

int64_t lb_os_read_all(lb_os_handle handle, void *bytes, size_t count)
{
    return read_all_at(handle, -1, bytes, count);
}

int64_t lb_os_read_at(lb_os_handle handle, int64_t place, void *bytes, size_t count)
{
    if (place >= 0) return read_all_at(handle, place, bytes, count);
    errno = EINVAL;
    return -1;
}

bool lb_os_write_all(lb_os_handle handle, const void *bytes, size_t count)
{
    const char *from = bytes;
    while (count > 0) {
        int64_t written = write(lb_os_descriptor(handle), from, lb_os_at_once(count));
        if (written < 0 && errno == EINTR) continue;
        if (written < 0) return false;
        from += written;
        count -= (size_t)written;
    }
    return true;
}

bool lb_os_go(lb_os_handle handle, int64_t place)
{
    return lseek(lb_os_descriptor(handle), (off_t)place, SEEK_SET) == place;
}

bool lb_os_cut(lb_os_handle handle, int64_t bytes)
{
    return ftruncate(lb_os_descriptor(handle), (off_t)bytes) == 0;
}

bool lb_os_sync(lb_os_handle handle)
{
    return fsync(lb_os_descriptor(handle)) == 0;
}
