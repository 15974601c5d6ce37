#include "plot/png.h"

#include "io/file.h"
#include "tensor/alloc.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <zlib.h>

enum { CHANNELS = 3, FILTERS = 5, CHUNK_FRAME = 12 /* length, type, checksum */ };

static const unsigned char signature[8] = {0x89, 'P', 'N', 'G', '\r', '\n', 0x1A, '\n'};

static void *zlib_alloc(void *unused, unsigned count, unsigned size)
{
    (void)unused;
    return lb_alloc((size_t)count * size);
}

static void zlib_free(void *unused, void *memory)
{
    (void)unused;
    lb_release(memory);
}

static unsigned char *put_u32(unsigned char *out, unsigned long value)
{
    for (int shift = 24; shift >= 0; shift -= 8) *out++ = (unsigned char)(value >> shift & 0xFF);
    return out;
}

/* Frames the `size` bytes at out + 8, which are there already; returns what comes behind the chunk. */
static unsigned char *close_chunk(unsigned char *out, const char *type, size_t size)
{
    put_u32(out, (unsigned long)size);
    memcpy(out + 4, type, 4);
    unsigned long sum = crc32_z(0, out + 4, size + 4);
    return put_u32(out + 8 + size, sum);
}

static int paeth(int left, int up, int corner)
{
    int guess = left + up - corner;
    int to_left = abs(guess - left), to_up = abs(guess - up), to_corner = abs(guess - corner);
    if (to_left <= to_up && to_left <= to_corner) return left;
    return to_up <= to_corner ? up : corner;
}

/* What a filter expects of a byte, from the bytes to the left, above, and above to the left. */
static int predict(int filter, int left, int up, int corner)
{
    switch (filter) {
    case 1:
        return left;
    case 2:
        return up;
    case 3:
        return (left + up) / 2;
    case 4:
        return paeth(left, up, corner);
    default:
        return 0;
    }
}

/* Writes a row as its filter's number and its differences from what the filter predicts; returns how large those are. */
static long filter_row(unsigned char *out, int filter, const uint8_t *row, const uint8_t *above, size_t bytes)
{
    long sum = 0;
    *out++ = (unsigned char)filter;
    for (size_t i = 0; i < bytes; i++) {
        int left = i < CHANNELS ? 0 : row[i - CHANNELS], up = above ? above[i] : 0;
        int corner = i < CHANNELS || !above ? 0 : above[i - CHANNELS];
        out[i] = (unsigned char)(row[i] - predict(filter, left, up, corner));
        sum += out[i] < 128 ? out[i] : 256 - out[i];
    }
    return sum;
}

/* Hands all rows to `stream`, each with the filter that leaves least. `line` has room for FILTERS filtered rows. */
static int compress_rows(z_stream *stream, const lb_canvas *canvas, unsigned char *line)
{
    int height = lb_canvas_height(canvas), result = Z_OK;
    size_t bytes = (size_t)lb_canvas_width(canvas) * CHANNELS;
    for (int y = 0; y < height && result == Z_OK; y++) {
        const uint8_t *row = lb_canvas_pixels(canvas) + (size_t)y * bytes;
        const uint8_t *above = y > 0 ? row - bytes : NULL;
        int best = 0;
        long least = 0;
        for (int filter = 0; filter < FILTERS; filter++) {
            long sum = filter_row(line + (size_t)filter * (bytes + 1), filter, row, above, bytes);
            if (filter > 0 && sum >= least) continue;
            best = filter;
            least = sum;
        }
        stream->next_in = line + (size_t)best * (bytes + 1);
        stream->avail_in = (uInt)(bytes + 1);
        result = deflate(stream, y + 1 < height ? Z_NO_FLUSH : Z_FINISH);
    }
    return result;
}

/* The whole file, or NULL if there is no memory for it. */
static unsigned char *encode(const lb_canvas *canvas, double dpi, size_t *count)
{
    size_t bytes = (size_t)lb_canvas_width(canvas) * CHANNELS, height = (size_t)lb_canvas_height(canvas);
    z_stream stream = {.zalloc = zlib_alloc, .zfree = zlib_free};
    if (deflateInit(&stream, Z_DEFAULT_COMPRESSION) != Z_OK) return NULL;
    size_t room = deflateBound(&stream, (uLong)((bytes + 1) * height));
    unsigned char *file = lb_alloc(sizeof signature + 4 * CHUNK_FRAME + 13 + 9 + room);
    unsigned char *line = lb_alloc((bytes + 1) * FILTERS);
    int result = Z_MEM_ERROR;
    if (file && line) {
        memcpy(file, signature, sizeof signature);
        unsigned char *out = file + sizeof signature;
        put_u32(put_u32(out + 8, (unsigned long)lb_canvas_width(canvas)), (unsigned long)height);
        memcpy(out + 16, (unsigned char[]){8, 2, 0, 0, 0},
               5); /* 8 bits, RGB, deflate, filters, no interlace */
        out = close_chunk(out, "IHDR", 13);
        if (dpi > 0) {
            unsigned long per_metre = (unsigned long)lround(dpi / 0.0254);
            *put_u32(put_u32(out + 8, per_metre), per_metre) = 1; /* the unit is the metre */
            out = close_chunk(out, "pHYs", 9);
        }
        stream.next_out = out + 8;
        stream.avail_out = (uInt)room;
        result = compress_rows(&stream, canvas, line);
        out = close_chunk(out, "IDAT", stream.total_out);
        *count = (size_t)(close_chunk(out, "IEND", 0) - file);
    }
    deflateEnd(&stream);
    lb_release(line);
    if (result == Z_STREAM_END) return file;
    lb_release(file);
    return NULL;
}

lb_status lb_png_write(const lb_canvas *canvas, double dpi, const char *path, lb_error *error)
{
    lb_status status = lb_canvas_status(canvas, error);
    if (status != LB_OK) return status;
    size_t count = 0;
    unsigned char *file = encode(canvas, dpi, &count);
    if (!file) return lb_error_set(error, LB_ERROR_MEMORY, "%s: out of memory", path);
    status = lb_file_write_atomic(path, file, count, error);
    lb_release(file);
    return status;
}
