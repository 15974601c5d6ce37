/* Writes safetensors files: a header that is made first, then the tensors, into a file that appears when it is
 * whole. */
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <zlib.h>

#include "base/alloc.h"
#include "base/buffer.h"
#include "base/bytes.h"
#include "io/file.h"
#include "io/path.h"
#include "io/safetensors.h"
#include "lookback/io.h"

typedef struct content {
    const lb_safetensors_tensor **tensors; /* in the order of the file */
    int64_t tensor_count;
    const lb_safetensors_metadata *metadata;
    int64_t metadata_count;
} content;

/* A string that occurs twice in `strings`, or NULL. Sorts them. */
static const char *find_repeated(const char **strings, size_t count)
{
    if (count > 1) qsort(strings, count, sizeof *strings, lb_compare_strings);
    for (size_t i = 1; i < count; i++)
        if (strcmp(strings[i - 1], strings[i]) == 0) return strings[i];
    return NULL;
}

static bool is_utf8(const char *text)
{
    return lb_utf8_valid(text, strlen(text));
}

static lb_status check_tensors(const char *path, const content *c, const char **names, lb_error *error)
{
    for (int64_t i = 0; i < c->tensor_count; i++) {
        const char *name = c->tensors[i]->name;
        char shape[LB_SHAPE_TEXT];
        names[i] = name;
        if (!is_utf8(name))
            return lb_error_set(error, LB_ERROR_ARGUMENT, "%s: array name '%.80s' is not UTF-8", path, name);
        if (strcmp(name, LB_SAFETENSORS_METADATA) == 0)
            return lb_error_set(error, LB_ERROR_ARGUMENT, "%s: an array cannot be named '%s'", path, name);
        if (!lb_sizes_fit(c->tensors[i]->shape.dim, c->tensors[i]->shape.ndim, LB_MAX_DIMS))
            return lb_error_set(error, LB_ERROR_ARGUMENT, "%s: '%.80s' has the invalid shape %s", path, name,
                                lb_shape_format(c->tensors[i]->shape, shape));
    }
    const char *repeated = find_repeated(names, (size_t)c->tensor_count);
    if (!repeated) return LB_OK;
    return lb_error_set(error, LB_ERROR_ARGUMENT, "%s: two arrays are named '%.80s'", path, repeated);
}

static lb_status check_metadata(const char *path, const content *c, const char **keys, lb_error *error)
{
    for (int64_t i = 0; i < c->metadata_count; i++) {
        const char *key = c->metadata[i].key;
        keys[i] = key;
        if (!is_utf8(key) || !is_utf8(c->metadata[i].value))
            return lb_error_set(error, LB_ERROR_ARGUMENT, "%s: the metadata of key '%.80s' is not UTF-8",
                                path, key);
        if (strcmp(key, LB_SAFETENSORS_CHECKSUM_KEY) == 0 || strcmp(key, LB_SAFETENSORS_FORMAT_KEY) == 0)
            return lb_error_set(error, LB_ERROR_ARGUMENT,
                                "%s: metadata key '%s' is reserved for the checksum", path, key);
    }
    const char *repeated = find_repeated(keys, (size_t)c->metadata_count);
    if (!repeated) return LB_OK;
    return lb_error_set(error, LB_ERROR_ARGUMENT, "%s: metadata key '%.80s' occurs twice", path, repeated);
}

static lb_status check_content(const char *path, const content *c, lb_error *error)
{
    int64_t most = c->tensor_count > c->metadata_count ? c->tensor_count : c->metadata_count;
    const char **strings = lb_alloc((size_t)most * sizeof *strings);
    if (!strings) return lb_out_of_memory_for(path, error);
    lb_status status = check_tensors(path, c, strings, error);
    if (!status) status = check_metadata(path, c, strings, error);
    lb_release(strings);
    return status;
}

/* Wide numbers first, so that no array is unaligned; otherwise in the given order. */
static void sort_by_width(const lb_safetensors_tensor *tensors, size_t count,
                          const lb_safetensors_tensor **sorted)
{
    for (size_t width = sizeof(double); width > 0; width /= 2)
        for (size_t i = 0; i < count; i++)
            if (lb_dtype_size(tensors[i].dtype) == width) *sorted++ = &tensors[i];
}

static void print_tensor(lb_buffer *json, const lb_safetensors_tensor *tensor, size_t begin)
{
    lb_json_open(json, tensor->name, "{");
    lb_json_string(json, "dtype", lb_dtype_name(tensor->dtype));
    lb_json_open(json, "shape", "[");
    for (int d = 0; d < tensor->shape.ndim; d++) lb_json_whole(json, NULL, tensor->shape.dim[d]);
    lb_buffer_print(json, "],\"data_offsets\":[%zu,%zu]}", begin, begin + lb_safetensors_bytes(tensor));
}

/* The header, padded so that the data begin at a multiple of LB_ALIGNMENT. */
static void print_header(lb_buffer *json, const content *c)
{
    lb_buffer_print(json, "%s%s\",\"%s\":\"1\"", LB_SAFETENSORS_PREFIX, LB_SAFETENSORS_DIGITS,
                    LB_SAFETENSORS_FORMAT_KEY);
    for (int64_t i = 0; i < c->metadata_count; i++)
        lb_json_string(json, c->metadata[i].key, c->metadata[i].value);
    lb_buffer_print(json, "}");
    size_t begin = 0;
    for (int64_t i = 0; i < c->tensor_count; begin += lb_safetensors_bytes(c->tensors[i++]))
        print_tensor(json, c->tensors[i], begin);
    lb_buffer_print(json, "}");
    size_t end = LB_SAFETENSORS_LENGTH_BYTES + json->length;
    lb_buffer_print(json, "%*s", (int)(lb_align_up(end) - end), "");
}

static void fill_in_checksum(char *header, const lb_bytes *parts, size_t part_count)
{
    uLong crc = 0;
    for (size_t p = 0; p < part_count; p++)
        if (parts[p].count)
            crc = crc32_z(crc, parts[p].data, parts[p].count); /* NULL would start again at 0 */
    char digits[LB_SAFETENSORS_DIGIT_COUNT + 1];
    snprintf(digits, sizeof digits, "%08lx", crc);
    memcpy(header + LB_SAFETENSORS_DIGITS_AT - LB_SAFETENSORS_LENGTH_BYTES, digits,
           LB_SAFETENSORS_DIGIT_COUNT);
}

/* The data as the file has them: where they are, or, if the machine has another order of bytes, in one `*copy`.
 * False without memory for it. */
static bool order_data(const content *c, lb_bytes *parts, unsigned char **copy)
{
    size_t total = 0, at = 0;
    for (int64_t i = 0; i < c->tensor_count; i++) {
        parts[i] = (lb_bytes){c->tensors[i]->data, lb_safetensors_bytes(c->tensors[i])};
        total += parts[i].count;
    }
    if (!lb_big_endian) return true;
    *copy = lb_alloc(total);
    if (!*copy) return false;
    for (int64_t i = 0; i < c->tensor_count; at += parts[i++].count) {
        size_t width = lb_dtype_size(c->tensors[i]->dtype);
        if (parts[i].count) memcpy(*copy + at, parts[i].data, parts[i].count);
        lb_file_order(*copy + at, parts[i].count / width, width);
        parts[i].data = *copy + at;
    }
    return true;
}

/* Assembles the file. `parts` has room for all arrays and two more. */
static lb_status write_content(const char *path, const content *c, lb_bytes *parts, lb_error *error)
{
    lb_buffer header = {0};
    print_header(&header, c);
    unsigned char *copy = NULL;
    lb_status status;
    if (header.failed || !order_data(c, parts + 2, &copy)) {
        status = lb_out_of_memory_for(path, error);
    } else if (header.length > LB_SAFETENSORS_MAX_HEADER) {
        status = lb_error_set(error, LB_ERROR_ARGUMENT,
                              "%s: names and metadata take %zu bytes, expected at most %d", path,
                              header.length, LB_SAFETENSORS_MAX_HEADER);
    } else {
        uint64_t length = header.length;
        lb_file_order(&length, 1, sizeof length);
        parts[0] = (lb_bytes){&length, sizeof length};
        parts[1] = (lb_bytes){header.text, header.length};
        fill_in_checksum(header.text, parts, (size_t)(c->tensor_count + 2));
        status = lb_file_write_parts(path, parts, (size_t)(c->tensor_count + 2), error);
    }
    lb_release(copy);
    lb_release(header.text);
    return status;
}

lb_status lb_safetensors_write(const lb_safetensors_tensor *tensors, int64_t tensor_count,
                               const lb_safetensors_metadata *metadata, int64_t metadata_count,
                               const char *path, lb_error *error)
{
    if (tensor_count < 0 || metadata_count < 0)
        return lb_error_set(error, LB_ERROR_ARGUMENT,
                            "%s: found %lld arrays and %lld texts, expected no fewer than 0", path,
                            (long long)tensor_count, (long long)metadata_count);
    for (int64_t i = 0; i < tensor_count; i++)
        if (!lb_dtype_exists(tensors[i].dtype))
            return lb_error_set(error, LB_ERROR_ARGUMENT, "%s: '%.80s' has dtype %d, which there is not",
                                path, tensors[i].name, (int)tensors[i].dtype);
    const lb_safetensors_tensor **sorted = lb_alloc((size_t)tensor_count * sizeof *sorted);
    lb_bytes *parts = lb_alloc((size_t)(tensor_count + 2) * sizeof *parts);
    lb_status status;
    if (sorted && parts) {
        sort_by_width(tensors, (size_t)tensor_count, sorted);
        content c = {sorted, tensor_count, metadata, metadata_count};
        status = check_content(path, &c, error);
        if (!status) status = write_content(path, &c, parts, error);
    } else {
        status = lb_out_of_memory_for(path, error);
    }
    lb_release(parts);
    lb_release(sorted);
    return status;
}
