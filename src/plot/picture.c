/* Pictures as files: the canvas for each format, and its file. PNG is written here; an SVG or PDF document comes from
 * its canvas. */
#include "plot/canvas_internal.h"

#include "base/alloc.h"
#include "base/bytes.h"
#include "io/file.h"

#include <math.h>
#include <string.h>
#include <zlib.h>

lb_canvas *lb_canvas_open(const lb_canvas_config *config, lb_error *error)
{
    static bool (*const open[])(lb_canvas *) = {
        [LB_FORMAT_PNG] = lb_pixels_open, [LB_FORMAT_SVG] = lb_svg_open, [LB_FORMAT_PDF] = lb_pdf_open};
    int width = config->width, height = config->height;
    if (width < 1 || height < 1 || width > LB_CANVAS_MAX_SIDE || height > LB_CANVAS_MAX_SIDE)
        return lb_null(lb_error_set(error, LB_ERROR_ARGUMENT,
                                    "canvas: found %d x %d pixels, expected 1 to %d per side", width, height,
                                    LB_CANVAS_MAX_SIDE));
    lb_canvas *canvas = lb_alloc_zero(sizeof *canvas);
    if (canvas) canvas->config = *config;
    if (canvas && open[config->format](canvas)) return canvas;
    lb_canvas_free(canvas);
    return lb_null(
        lb_error_set(error, LB_ERROR_MEMORY, "canvas: out of memory for %d x %d pixels", width, height));
}

/* zlib compresses better than stb_image_write's own code, and handles running out of memory. */
static unsigned char *deflate_all(unsigned char *data, int count, int *compressed_count, int level);
#define STBIW_ZLIB_COMPRESS                             deflate_all
#define STBIW_MALLOC(size)                              lb_alloc(size)
#define STBIW_REALLOC_SIZED(memory, old_size, new_size) lb_alloc_grow(memory, old_size, new_size)
#define STBIW_REALLOC(memory, new_size)                 NULL
#define STBIW_FREE(memory)                              lb_release(memory)
#define STB_IMAGE_WRITE_STATIC
#define STBI_WRITE_NO_STDIO
#define STB_IMAGE_WRITE_IMPLEMENTATION
#if defined(__GNUC__)
#    pragma GCC diagnostic ignored "-Wunused-function" /* reported at the end of the file: no push and pop */
#endif
#include <stb_image_write.h>

/* stb_image_write leaks the compressed data when its last allocation fails; this pointer lets us free it. */
static _Thread_local unsigned char *compressed;

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

static unsigned char *deflate_all(unsigned char *data, int count, int *compressed_count, int level)
{
    z_stream stream = {.zalloc = zlib_alloc, .zfree = zlib_free};
    if (deflateInit(&stream, level < Z_BEST_COMPRESSION ? level : Z_BEST_COMPRESSION) != Z_OK) return NULL;
    uLong room = deflateBound(&stream, (uLong)count);
    compressed = lb_alloc(room);
    if (compressed) {
        stream.next_in = data;
        stream.avail_in = (uInt)count;
        stream.next_out = compressed;
        stream.avail_out = (uInt)room;
        deflate(&stream, Z_FINISH); /* deflateBound left room for all of it */
    }
    *compressed_count = (int)stream.total_out;
    deflateEnd(&stream);
    return compressed;
}

enum { HEADER = 33 /* signature and IHDR */, PHYSICAL = 21 /* a pHYs chunk */ };

static void put_u32(unsigned char *out, unsigned long value)
{
    for (int i = 0; i < 4; i++) out[i] = (unsigned char)(value >> (24 - 8 * i) & 0xFF);
}

/* The chunk with the printed size of a pixel. */
static void make_physical(double dpi, unsigned char chunk[PHYSICAL])
{
    unsigned long per_metre = (unsigned long)lround(dpi / 0.0254);
    put_u32(chunk, 9);
    memcpy(chunk + 4, "pHYs", 4);
    put_u32(chunk + 8, per_metre);
    put_u32(chunk + 12, per_metre);
    chunk[16] = 1; /* the unit is the metre */
    put_u32(chunk + 17, crc32(0, chunk + 4, 13));
}

/* The pixels for stb_image_write, [height, width, channels]; NULL if memory runs out. */
static unsigned char *pixels_of(const lb_canvas *canvas, int channels)
{
    int width = lb_canvas_about(canvas)->width, height = lb_canvas_about(canvas)->height;
    unsigned char *pixels = lb_alloc((size_t)width * (size_t)height * (size_t)channels), *to = pixels;
    for (int y = 0; y < height && pixels; y++)
        for (int x = 0; x < width; x++, to += channels) {
            lb_color color = lb_canvas_pixel(canvas, x, y);
            memcpy(to, (const uint8_t[]){color.red, color.green, color.blue, color.alpha}, (size_t)channels);
        }
    return pixels;
}

/* Source: W3C 2003, "Portable Network Graphics (PNG) Specification", second edition. */
static lb_status write_png(const lb_canvas *canvas, const char *path, lb_error *error)
{
    lb_status status = lb_canvas_status(canvas, error);
    if (status != LB_OK) return status;
    const lb_canvas_config *c = lb_canvas_about(canvas);
    int count = 0, channels = c->transparent ? 4 : 3;
    unsigned char *pixels = pixels_of(canvas, channels), *file = NULL;
    compressed = NULL;
    if (pixels)
        file = stbi_write_png_to_mem(pixels, c->width * channels, c->width, c->height, channels, &count);
    lb_release(pixels);
    if (!file) {
        lb_release(compressed);
        return lb_error_set(error, LB_ERROR_MEMORY, "%s: out of memory", path);
    }
    unsigned char physical[PHYSICAL];
    make_physical(c->dpi, physical);
    const lb_bytes parts[] = {
        {file, HEADER}, {physical, c->dpi > 0 ? PHYSICAL : 0}, {file + HEADER, (size_t)count - HEADER}};
    status = lb_file_write_parts(path, parts, sizeof parts / sizeof *parts, error);
    lb_release(file);
    return status;
}

static bool ends_with(const char *path, const char *end)
{
    size_t length = strlen(path), wanted = strlen(end);
    return length >= wanted && lb_same_letters(path + length - wanted, end, wanted);
}

lb_format lb_picture_format(const char *path)
{
    return ends_with(path, ".svg") ? LB_FORMAT_SVG : ends_with(path, ".pdf") ? LB_FORMAT_PDF : LB_FORMAT_PNG;
}

lb_status lb_picture_write(lb_canvas *canvas, const char *path, lb_error *error)
{
    if (lb_canvas_about(canvas)->format == LB_FORMAT_PNG) return write_png(canvas, path, error);
    const void *bytes;
    size_t count;
    lb_status status = lb_canvas_document(canvas, &bytes, &count, error);
    return status ? status : lb_file_write_atomic(path, bytes, count, error);
}
