#include "io/file_hash.h"

#include "base/alloc.h"
#include "base/bytes.h"
#include "io/own_file.h"
#include "io/path.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <unistd.h>

enum { PIECE = 1 << 20 };

/* Up to PIECE bytes, fewer only at the end of the file; -1 with errno set. */
static ssize_t read_piece(int descriptor, char *bytes)
{
    size_t held = 0;
    while (held < PIECE) {
        ssize_t got = read(descriptor, bytes + held, PIECE - held);
        if (got < 0 && errno == EINTR) continue;
        if (got < 0) return -1;
        if (got == 0) break;
        held += (size_t)got;
    }
    return (ssize_t)held;
}

static bool hash_pieces(int descriptor, char *piece, uint64_t *hash, uint64_t *bytes)
{
    ssize_t got = PIECE;
    while (got == PIECE) {
        got = read_piece(descriptor, piece);
        if (got <= 0) break;
        *hash = lb_hash_long(*hash, piece, (size_t)got);
        *bytes += (uint64_t)got;
    }
    return got >= 0;
}

lb_status lb_file_hash(const char *path, uint64_t *hash, uint64_t *bytes, lb_error *error)
{
    *hash = LB_HASH;
    *bytes = 0;
    char *piece = lb_alloc(PIECE);
    if (!piece) return lb_error_set(error, LB_ERROR_MEMORY, "%s: out of memory", path);
    lb_status status = lb_own_check_content(path, error);
    int descriptor = status ? -1 : open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
    if (!status && (descriptor < 0 || !hash_pieces(descriptor, piece, hash, bytes)))
        status = lb_cannot_read(path, strerror(errno), error);
    if (descriptor >= 0) close(descriptor);
    lb_release(piece);
    return status;
}
