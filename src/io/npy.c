/* Arrays in NumPy files, for lb_npy_read and lb_npy_write. */
#include "io/path.h"
#include "lookback/io.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "base/alloc.h"
#include "io/file.h"
#include "io/safetensors.h"

static const char magic[] = "\x93NUMPY";

enum { MAGIC = sizeof magic - 1, VERSION_END = MAGIC + 2 };

/* The header: a Python dictionary like {'descr': '<f8', 'fortran_order': False, 'shape': (3, 4), }. */
typedef struct npy_header {
    lb_dtype dtype;
    bool fortran_order;
    lb_shape shape;
    char descr[8]; /* for messages */
} npy_header;

/* A position in the text of the header, and the end of the text. */
typedef struct cursor {
    const char *at, *end;
} cursor;

static void skip_blanks(cursor *c)
{
    while (c->at < c->end && strchr(" \t\r\n", *c->at) && *c->at) c->at++;
}

/* Skips `text`, and blanks before it, if it comes next. */
static bool accept(cursor *c, const char *text)
{
    size_t length = strlen(text);
    skip_blanks(c);
    if ((size_t)(c->end - c->at) < length || memcmp(c->at, text, length) != 0) return false;
    c->at += length;
    return true;
}

/* A string of Python without escapes, in ' or ". */
static bool parse_string(cursor *c, char *out, size_t size)
{
    char quote = accept(c, "'") ? '\'' : '"';
    if (quote == '"' && !accept(c, "\"")) return false;
    const char *close = memchr(c->at, quote, (size_t)(c->end - c->at));
    size_t length = close ? (size_t)(close - c->at) : size;
    if (length >= size) return false;
    memcpy(out, c->at, length);
    out[length] = '\0';
    c->at = close + 1;
    return true;
}

static bool parse_length(cursor *c, int64_t *length)
{
    skip_blanks(c);
    const char *begin = c->at;
    for (*length = 0; c->at < c->end && *c->at >= '0' && *c->at <= '9'; c->at++) {
        if (*length > (INT64_MAX - 9) / 10) return false;
        *length = 10 * *length + (*c->at - '0');
    }
    return c->at > begin;
}

/* "()", "(3,)", "(3, 4)". */
static bool parse_shape(cursor *c, lb_shape *shape)
{
    *shape = (lb_shape){0};
    if (!accept(c, "(")) return false;
    while (!accept(c, ")")) {
        if (shape->ndim == LB_MAX_DIMS || !parse_length(c, &shape->dim[shape->ndim++])) return false;
        if (accept(c, ",")) continue;
        return shape->ndim > 1 && accept(c, ")"); /* (3) is a number in brackets */
    }
    return true;
}

static bool parse_truth(cursor *c, bool *value)
{
    *value = accept(c, "True");
    return *value || accept(c, "False");
}

/* True if the text is a dictionary of exactly the three keys, in any order. */
static bool parse_dictionary(cursor c, npy_header *header)
{
    bool seen[3] = {false};
    if (!accept(&c, "{")) return false;
    while (!accept(&c, "}")) {
        static const char *const keys[] = {"descr", "fortran_order", "shape"};
        char key[16];
        size_t k = 0;
        if (!parse_string(&c, key, sizeof key) || !accept(&c, ":")) return false;
        while (k < 3 && strcmp(key, keys[k]) != 0) k++;
        if (k == 3 || seen[k]) return false;
        seen[k] = true;
        bool parsed = k == 0   ? parse_string(&c, header->descr, sizeof header->descr)
                      : k == 1 ? parse_truth(&c, &header->fortran_order)
                               : parse_shape(&c, &header->shape);
        if (!parsed) return false;
        if (accept(&c, ",")) continue;
        if (!accept(&c, "}")) return false;
        break;
    }
    skip_blanks(&c);
    return c.at == c.end && seen[0] && seen[1] && seen[2] &&
           lb_sizes_fit(header->shape.dim, header->shape.ndim, LB_MAX_DIMS);
}

/* "<f4": a byte order ('|' for none, '=', which NumPy writes nowhere, for '<'), then the name. */
static bool find_dtype(npy_header *header)
{
    const char *descr = header->descr;
    if (!*descr || !descr[1] || !lb_dtype_find(descr + 1, lb_dtype_numpy_name, &header->dtype)) return false;
    return *descr == '<' || *descr == '=' || (*descr == '|' && lb_dtype_size(header->dtype) == 1);
}

static lb_status refuse(const char *path, lb_bytes file, lb_error *error)
{
    char text[LB_FILE_KIND_TEXT];
    const lb_file_kind *kind = lb_file_kind_or_text(file.data, file.count);
    if (!kind || (file.count > MAGIC && memcmp(file.data, magic, MAGIC) == 0))
        return lb_error_set(error, LB_ERROR_FORMAT, "%s: not a .npy file of version 1, 2 or 3", path);
    return lb_error_set(error, LB_ERROR_FORMAT, "%s: %s", path,
                        lb_file_kind_print(kind, path, "a .npy file", false, text));
}

/* Reads the header and finds the data after it. */
static lb_status parse_header(const char *path, lb_bytes file, npy_header *header, lb_bytes *data,
                              lb_error *error)
{
    const unsigned char *bytes = file.data;
    size_t length_bytes = file.count > MAGIC && bytes[MAGIC] == 1 ? 2 : 4, begin = VERSION_END + length_bytes;
    if (file.count < begin || memcmp(bytes, magic, MAGIC) != 0 || bytes[MAGIC] < 1 || bytes[MAGIC] > 3)
        return refuse(path, file, error);
    uint32_t length = (uint32_t)lb_file_integer(bytes + VERSION_END, length_bytes);
    if (length > file.count - begin)
        return lb_error_set(error, LB_ERROR_FORMAT,
                            "%s: expected a header of %" PRIu32 " bytes, found only %zu", path, length,
                            file.count - begin);
    const char *text = (const char *)bytes + begin;
    if (!parse_dictionary((cursor){text, text + length}, header))
        return lb_error_set(
            error, LB_ERROR_FORMAT,
            "%s: expected a header with descr, fortran_order and a shape of up to %d dimensions", path,
            LB_MAX_DIMS);
    if (!find_dtype(header))
        return lb_error_set(error, LB_ERROR_FORMAT,
                            "%s: found dtype '%s', expected <f2, <f4, <f8, <i4, <i8, |u1 or |b1", path,
                            header->descr);
    *data = (lb_bytes){text + length, file.count - begin - length};
    return LB_OK;
}

/* Converts from Fortran order to C order. `stored` counts with the first dimension fastest. */
static void copy_transposed(const npy_header *header, const unsigned char *from, double *out)
{
    int64_t index[LB_MAX_DIMS] = {0}, count = lb_shape_count(header->shape);
    size_t size = lb_dtype_size(header->dtype);
    for (int64_t stored = 0; stored < count; stored++) {
        int64_t place = 0;
        for (int d = 0; d < header->shape.ndim; d++) place = place * header->shape.dim[d] + index[d];
        lb_dtype_to_double(header->dtype, from + (size_t)stored * size, 1, &out[place]);
        for (int d = 0; d < header->shape.ndim && ++index[d] == header->shape.dim[d]; d++) index[d] = 0;
    }
}

/* Parses a file, whose numbers are changed to the order of bytes of the machine. */
static lb_status parse(const char *path, unsigned char *bytes, size_t size, lb_shape *shape, double **values,
                       lb_error *error)
{
    npy_header header = {0};
    lb_bytes data = {0};
    lb_status status = parse_header(path, (lb_bytes){bytes, size}, &header, &data, error);
    if (status) return status;
    size_t count = (size_t)lb_shape_count(header.shape), expected = count * lb_dtype_size(header.dtype);
    char text[LB_SHAPE_TEXT];
    if (data.count != expected)
        return lb_error_set(error, LB_ERROR_FORMAT, "%s: found %zu bytes of data, expected %zu for %s of %s",
                            path, data.count, expected, lb_shape_format(header.shape, text), header.descr);
    *values = lb_alloc(count * sizeof **values);
    if (!*values) return lb_out_of_memory_for(path, error);
    *shape = header.shape;
    lb_file_order(bytes + (size - data.count), count, lb_dtype_size(header.dtype));
    if (header.fortran_order)
        copy_transposed(&header, data.data, *values);
    else
        lb_dtype_to_double(header.dtype, data.data, count, *values);
    return LB_OK;
}

lb_status lb_npy_read(const char *path, lb_shape *shape, double **values, lb_error *error)
{
    void *bytes;
    size_t count;
    *values = NULL;
    lb_status status = lb_file_read(path, 0, &bytes, &count, error);
    if (status) return status;
    status = parse(path, bytes, count, shape, values, error);
    lb_release(bytes);
    return status;
}

/* Writes the header like NumPy: magic, version 1.0, length, dictionary, padded with blanks and a newline so that the
 * data begin at a multiple of LB_ALIGNMENT. Returns its length. */
static size_t format_header(char *out, size_t size, lb_dtype dtype, lb_shape shape)
{
    enum { BEGIN = VERSION_END + 2 };
    size_t at = BEGIN;
    at += (size_t)snprintf(out + at, size - at, "{'descr': '<%s', 'fortran_order': False, 'shape': (",
                           lb_dtype_numpy_name(dtype));
    for (int d = 0; d < shape.ndim; d++)
        at += (size_t)snprintf(out + at, size - at,
                               shape.ndim == 1 ? "%" PRId64 ","
                               : d             ? ", %" PRId64
                                               : "%" PRId64,
                               shape.dim[d]);
    at += (size_t)snprintf(out + at, size - at, "), }");
    size_t end = lb_align_up(at + 1);
    memset(out + at, ' ', end - at);
    out[end - 1] = '\n';
    size_t length = end - BEGIN;
    memcpy(out, magic, MAGIC);
    out[MAGIC] = 1;
    out[MAGIC + 1] = 0;
    out[VERSION_END] = (char)(length & 255);
    out[VERSION_END + 1] = (char)(length >> 8);
    return end;
}

/* The values as the file has them; NULL without memory. Release them. */
static void *format_values(const double *values, size_t count, lb_dtype dtype)
{
    size_t width = lb_dtype_size(dtype);
    void *numbers = lb_alloc(count * width);
    if (!numbers) return NULL;
    if (dtype == LB_DTYPE_F32)
        for (size_t i = 0; i < count; i++) ((float *)numbers)[i] = (float)values[i];
    else if (count)
        memcpy(numbers, values, count * width);
    lb_file_order(numbers, count, width);
    return numbers;
}

lb_status lb_npy_write(const double *values, lb_shape shape, lb_dtype dtype, const char *path,
                       lb_error *error)
{
    enum { LONGEST_HEADER = 4 * LB_ALIGNMENT };
    char header[LONGEST_HEADER];
    if (dtype != LB_DTYPE_F32 && dtype != LB_DTYPE_F64)
        return lb_error_set(error, LB_ERROR_ARGUMENT, "%s: cannot write an array as %s, expected F32 or F64",
                            path, lb_dtype_name(dtype));
    if (!lb_sizes_fit(shape.dim, shape.ndim, LB_MAX_DIMS))
        return lb_error_set(error, LB_ERROR_ARGUMENT, "%s: invalid shape", path);
    size_t count = (size_t)lb_shape_count(shape);
    void *numbers = format_values(values, count, dtype);
    if (!numbers) return lb_out_of_memory_for(path, error);
    const lb_bytes parts[] = {{header, format_header(header, sizeof header, dtype, shape)},
                              {numbers, count * lb_dtype_size(dtype)}};
    lb_status status = lb_file_write_parts(path, parts, 2, error);
    lb_release(numbers);
    return status;
}
