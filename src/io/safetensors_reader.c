/* Reads safetensors files: the header is checked when a file is opened, and tensors are read where they are asked
 * for. */
#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <zlib.h>

#include "base/alloc.h"
#include "base/bytes.h"
#include "io/file.h"
#include "io/json.h"
#include "io/path.h"
#include "io/safetensors.h"
#include "lookback/io.h"

struct lb_safetensors {
    char *path;
    unsigned char *bytes; /* the whole file */
    size_t size;
    unsigned char *data; /* after the header */
    size_t data_size;
    cJSON *header; /* owns names, keys and values */
    lb_safetensors_tensor *tensors;
    const lb_safetensors_tensor **by_name; /* sorted */
    size_t count;
    lb_safetensors_metadata *metadata; /* sorted by key */
    size_t metadata_count;
};

size_t lb_safetensors_bytes(const lb_safetensors_tensor *tensor)
{
    return (size_t)lb_shape_count(tensor->shape) * lb_dtype_size(tensor->dtype);
}

/* The value of an integer that is exact as a double; -1 for anything else. */
static int64_t whole_number(const cJSON *item)
{
    enum { EXACT_BITS = 53 };
    if (!cJSON_IsNumber(item)) return -1;
    double value = item->valuedouble;
    return value >= 0 && value < (double)(INT64_C(1) << EXACT_BITS) && value == floor(value) ? (int64_t)value
                                                                                             : -1;
}

/* Refuses a file whose first bytes are no length. */
static lb_status refuse_beginning(const lb_safetensors *file, uint64_t told, lb_error *error)
{
    char text[LB_FILE_KIND_TEXT];
    const lb_file_kind *kind = lb_file_kind_or_text(file->bytes, file->size);
    bool cut = file->size > LB_SAFETENSORS_LENGTH_BYTES && file->bytes[LB_SAFETENSORS_LENGTH_BYTES] == '{';
    if (kind && !cut)
        return lb_error_set(error, LB_ERROR_FORMAT, "%s: %s", file->path,
                            lb_file_kind_print(kind, file->path, "a model in safetensors", false, text));
    if (file->size < LB_SAFETENSORS_LENGTH_BYTES)
        return lb_error_set(error, LB_ERROR_FORMAT, "%s: found %zu bytes, too few for a safetensors file",
                            file->path, file->size);
    return lb_error_set(
        error, LB_ERROR_FORMAT,
        "%s: not safetensors, or truncated: expected a header of %llu bytes, but the file has %zu "
        "and the limit is %d",
        file->path, (unsigned long long)told, file->size, LB_SAFETENSORS_MAX_HEADER);
}

static lb_status parse_header(lb_safetensors *file, lb_error *error)
{
    if (file->size < LB_SAFETENSORS_LENGTH_BYTES) return refuse_beginning(file, 0, error);
    uint64_t told = lb_file_integer(file->bytes, LB_SAFETENSORS_LENGTH_BYTES);
    size_t most = file->size - LB_SAFETENSORS_LENGTH_BYTES;
    if (told > most || told > LB_SAFETENSORS_MAX_HEADER) return refuse_beginning(file, told, error);
    size_t length = (size_t)told;
    const char *text = (const char *)file->bytes + LB_SAFETENSORS_LENGTH_BYTES;
    if (length == 0 || text[0] != '{' || !lb_utf8_valid(text, length) || lb_json_find_zero(text, length))
        return lb_error_set(error, LB_ERROR_FORMAT, "%s: the header is not a JSON object in UTF-8",
                            file->path);
    if (lb_json_parse(text, length, NULL, &file->header) == LB_ERROR_MEMORY)
        return lb_out_of_memory_for(file->path, error);
    if (!cJSON_IsObject(file->header))
        return lb_error_set(error, LB_ERROR_FORMAT, "%s: the header is not valid JSON", file->path);
    file->data = file->bytes + LB_SAFETENSORS_LENGTH_BYTES + length;
    file->data_size = most - length;
    return LB_OK;
}

static int compare_metadata(const void *a, const void *b)
{
    return strcmp(((const lb_safetensors_metadata *)a)->key, ((const lb_safetensors_metadata *)b)->key);
}

static lb_status index_metadata(lb_safetensors *file, const cJSON *map, lb_error *error)
{
    if (!cJSON_IsObject(map))
        return lb_error_set(error, LB_ERROR_FORMAT, "%s: %s is not an object", file->path,
                            LB_SAFETENSORS_METADATA);
    if (file->metadata)
        return lb_error_set(error, LB_ERROR_FORMAT, "%s: %s occurs twice", file->path,
                            LB_SAFETENSORS_METADATA);
    size_t count = (size_t)cJSON_GetArraySize(map);
    file->metadata = lb_alloc(count * sizeof *file->metadata);
    if (!file->metadata) return lb_out_of_memory_for(file->path, error);
    for (const cJSON *item = map->child; item; item = item->next) {
        if (!cJSON_IsString(item))
            return lb_error_set(error, LB_ERROR_FORMAT, "%s: metadata '%.80s' is not a string", file->path,
                                item->string);
        file->metadata[file->metadata_count++] = (lb_safetensors_metadata){item->string, item->valuestring};
    }
    qsort(file->metadata, count, sizeof *file->metadata, compare_metadata);
    for (size_t i = 1; i < count; i++)
        if (compare_metadata(&file->metadata[i - 1], &file->metadata[i]) == 0)
            return lb_error_set(error, LB_ERROR_FORMAT, "%s: metadata key '%.80s' occurs twice", file->path,
                                file->metadata[i].key);
    return LB_OK;
}

static bool parse_shape(const cJSON *list, lb_shape *shape)
{
    if (!cJSON_IsArray(list)) return false;
    *shape = (lb_shape){0};
    for (const cJSON *item = list->child; item; item = item->next) {
        if (shape->ndim == LB_MAX_DIMS) return false;
        shape->dim[shape->ndim++] = whole_number(item);
    }
    return lb_sizes_fit(shape->dim, shape->ndim, LB_MAX_DIMS);
}

/* Reads the entry of one array in the header. */
static lb_status parse_tensor(const lb_safetensors *file, const cJSON *item, lb_safetensors_tensor *tensor,
                              lb_error *error)
{
    const char *path = file->path, *name = item->string;
    const cJSON *dtype = cJSON_GetObjectItemCaseSensitive(item, "dtype");
    const cJSON *shape = cJSON_GetObjectItemCaseSensitive(item, "shape");
    const cJSON *offsets = cJSON_GetObjectItemCaseSensitive(item, "data_offsets");
    if (!cJSON_IsObject(item) || cJSON_GetArraySize(item) != 3 || !cJSON_IsString(dtype) ||
        !cJSON_IsArray(offsets) || cJSON_GetArraySize(offsets) != 2)
        return lb_error_set(error, LB_ERROR_FORMAT,
                            "%s: '%.80s' is not an object with dtype, shape and two data_offsets", path,
                            name);
    tensor->name = name;
    if (!lb_dtype_find(dtype->valuestring, lb_dtype_name, &tensor->dtype))
        return lb_error_set(error, LB_ERROR_FORMAT, "%s: '%.80s' has the unsupported dtype %.20s", path, name,
                            dtype->valuestring);
    if (!parse_shape(shape, &tensor->shape))
        return lb_error_set(error, LB_ERROR_FORMAT,
                            "%s: the shape of '%.80s' is not a list of up to %d valid lengths", path, name,
                            LB_MAX_DIMS);
    int64_t begin = whole_number(offsets->child), end = whole_number(offsets->child->next);
    if (begin < 0 || end < begin || (uint64_t)end > file->data_size)
        return lb_error_set(
            error, LB_ERROR_FORMAT,
            "%s: the data_offsets of '%.80s' are outside the %zu bytes of data: damaged or truncated", path,
            name, file->data_size);
    uint64_t expected = (uint64_t)lb_shape_count(tensor->shape) * lb_dtype_size(tensor->dtype);
    char text[LB_SHAPE_TEXT];
    if ((uint64_t)(end - begin) != expected)
        return lb_error_set(error, LB_ERROR_FORMAT,
                            "%s: '%.80s' has %llu bytes of data, expected %llu for %s of %s", path, name,
                            (unsigned long long)(end - begin), (unsigned long long)expected,
                            lb_shape_format(tensor->shape, text), lb_dtype_name(tensor->dtype));
    tensor->data = file->data + begin;
    return LB_OK;
}

static lb_status parse_tensors(lb_safetensors *file, lb_error *error)
{
    size_t most = (size_t)cJSON_GetArraySize(file->header);
    file->tensors = lb_alloc(most * sizeof *file->tensors);
    file->by_name = lb_alloc(most * sizeof *file->by_name);
    if (!file->tensors || !file->by_name) return lb_out_of_memory_for(file->path, error);
    for (const cJSON *item = file->header->child; item; item = item->next) {
        lb_status status;
        if (strcmp(item->string, LB_SAFETENSORS_METADATA) == 0)
            status = index_metadata(file, item, error);
        else
            status = parse_tensor(file, item, &file->tensors[file->count++], error);
        if (status) return status;
    }
    return LB_OK;
}

/* Arrays are in the order of their positions; at the same one, the empty array is first, then the name decides. */
static int compare_places(const void *first, const void *second)
{
    const lb_safetensors_tensor *a = first, *b = second;
    const unsigned char *at_a = a->data, *at_b = b->data;
    if (at_a != at_b) return at_a < at_b ? -1 : 1;
    size_t bytes_a = lb_safetensors_bytes(a), bytes_b = lb_safetensors_bytes(b);
    if (bytes_a != bytes_b) return bytes_a < bytes_b ? -1 : 1;
    return strcmp(a->name, b->name);
}

static lb_status check_coverage(lb_safetensors *file, lb_error *error)
{
    const unsigned char *covered = file->data;
    qsort(file->tensors, file->count, sizeof *file->tensors, compare_places);
    for (size_t i = 0; i < file->count; i++) {
        const lb_safetensors_tensor *tensor = &file->tensors[i];
        const unsigned char *begin = tensor->data;
        if (begin != covered)
            return lb_error_set(error, LB_ERROR_FORMAT, "%s: the data of '%.80s' %s", file->path,
                                tensor->name,
                                begin < covered ? "overlaps another array" : "has a gap before it");
        covered = begin + lb_safetensors_bytes(tensor);
    }
    size_t left = file->data_size - (size_t)(covered - file->data);
    if (left == 0) return LB_OK;
    return lb_error_set(error, LB_ERROR_FORMAT, "%s: %zu bytes at the end belong to no array", file->path,
                        left);
}

static int compare_names(const void *a, const void *b)
{
    return strcmp((*(const lb_safetensors_tensor *const *)a)->name,
                  (*(const lb_safetensors_tensor *const *)b)->name);
}

static lb_status index_names(lb_safetensors *file, lb_error *error)
{
    for (size_t i = 0; i < file->count; i++) file->by_name[i] = &file->tensors[i];
    qsort(file->by_name, file->count, sizeof *file->by_name, compare_names);
    for (size_t i = 1; i < file->count; i++)
        if (compare_names(&file->by_name[i - 1], &file->by_name[i]) == 0)
            return lb_error_set(error, LB_ERROR_FORMAT, "%s: two arrays are named '%.80s'", file->path,
                                file->by_name[i]->name);
    return LB_OK;
}

/* The checksum of the file as eight digits; false if it does not begin like our files. */
static bool compute_checksum(const lb_safetensors *file, const char *stored,
                             char digits[LB_SAFETENSORS_DIGIT_COUNT + 1])
{
    const char *header = (const char *)file->bytes + LB_SAFETENSORS_LENGTH_BYTES;
    if (strncmp(header, LB_SAFETENSORS_PREFIX, sizeof LB_SAFETENSORS_PREFIX - 1) != 0) return false;
    /* The prefix ends where the stored digits begin; with this many digits, they are within the header. */
    if (strlen(stored) != LB_SAFETENSORS_DIGIT_COUNT) return false;
    size_t rest = LB_SAFETENSORS_DIGITS_AT + LB_SAFETENSORS_DIGIT_COUNT;
    uLong crc = crc32_z(0, file->bytes, LB_SAFETENSORS_DIGITS_AT);
    crc = crc32_z(crc, (const unsigned char *)LB_SAFETENSORS_DIGITS, LB_SAFETENSORS_DIGIT_COUNT);
    crc = crc32_z(crc, file->bytes + rest, file->size - rest);
    snprintf(digits, LB_SAFETENSORS_DIGIT_COUNT + 1, "%08lx", crc);
    return true;
}

static lb_status check_checksum(const lb_safetensors *file, lb_error *error)
{
    const char *stored = lb_safetensors_metadata_value(file, LB_SAFETENSORS_CHECKSUM_KEY);
    if (!stored && !lb_safetensors_metadata_value(file, LB_SAFETENSORS_FORMAT_KEY)) return LB_OK;
    char computed[LB_SAFETENSORS_DIGIT_COUNT + 1];
    if (!stored || !compute_checksum(file, stored, computed))
        return lb_error_set(error, LB_ERROR_FORMAT,
                            "%s: the checksum is not where it belongs: the file is damaged, or another "
                            "program rewrote it and kept %s and %s in the metadata",
                            file->path, LB_SAFETENSORS_CHECKSUM_KEY, LB_SAFETENSORS_FORMAT_KEY);
    if (strcmp(stored, computed) == 0) return LB_OK;
    return lb_error_set(error, LB_ERROR_FORMAT, "%s: found checksum %s, expected %.20s: the file is damaged",
                        file->path, computed, stored);
}

/* The arrays cover the data exactly once, in the order of the file. */
static void order_data(lb_safetensors *file)
{
    unsigned char *at = file->data;
    for (size_t i = 0; i < file->count; i++) {
        const lb_safetensors_tensor *tensor = &file->tensors[i];
        lb_file_order(at, (size_t)lb_shape_count(tensor->shape), lb_dtype_size(tensor->dtype));
        at += lb_safetensors_bytes(tensor);
    }
}

static lb_status read_file(lb_safetensors *file, const char *path, lb_error *error)
{
    void *bytes;
    lb_status status = lb_file_read(path, 0, &bytes, &file->size, error);
    file->bytes = bytes;
    file->path = lb_alloc_string(path);
    if (!status && !file->path) status = lb_out_of_memory_for(path, error);
    if (!status) status = parse_header(file, error);
    if (!status) status = parse_tensors(file, error);
    if (!status) status = check_coverage(file, error);
    if (!status) status = index_names(file, error);
    if (!status) status = check_checksum(file, error);
    if (!status) order_data(file);
    return status;
}

lb_safetensors *lb_safetensors_open(const char *path, lb_error *error)
{
    lb_safetensors *file = lb_alloc_zero(sizeof *file);
    lb_status status = file ? read_file(file, path, error) : lb_out_of_memory_for(path, error);
    if (!status) return file;
    lb_safetensors_close(file);
    return NULL;
}

void lb_safetensors_close(lb_safetensors *file)
{
    if (!file) return;
    lb_release(file->metadata);
    lb_release(file->by_name);
    lb_release(file->tensors);
    cJSON_Delete(file->header);
    lb_release(file->path);
    lb_release(file->bytes);
    lb_release(file);
}

int64_t lb_safetensors_count(const lb_safetensors *file)
{
    return (int64_t)file->count;
}

const lb_safetensors_tensor *lb_safetensors_at(const lb_safetensors *file, int64_t index)
{
    return index >= 0 && index < (int64_t)file->count ? &file->tensors[index] : NULL;
}

const lb_safetensors_tensor *lb_safetensors_find(const lb_safetensors *file, const char *name)
{
    const lb_safetensors_tensor wanted = {.name = name}, *key = &wanted;
    const lb_safetensors_tensor **found =
        bsearch(&key, file->by_name, file->count, sizeof *file->by_name, compare_names);
    return found ? *found : NULL;
}

const char *lb_safetensors_metadata_value(const lb_safetensors *file, const char *key)
{
    if (!file->metadata) return NULL;
    const lb_safetensors_metadata wanted = {.key = key},
                                  *found = bsearch(&wanted, file->metadata, file->metadata_count,
                                                   sizeof *file->metadata, compare_metadata);
    return found ? found->value : NULL;
}

lb_status lb_safetensors_expect(const lb_safetensors *file, const char *name, lb_shape shape,
                                const lb_safetensors_tensor **tensor, lb_error *error)
{
    char has[LB_SHAPE_TEXT], expected[LB_SHAPE_TEXT];
    const lb_safetensors_tensor *found = lb_safetensors_find(file, name);
    if (tensor) *tensor = found;
    if (!found) return lb_error_set(error, LB_ERROR_FORMAT, "%s: array '%.80s' not found", file->path, name);
    if (lb_shape_equal(found->shape, shape)) return LB_OK;
    return lb_error_set(error, LB_ERROR_SHAPE, "%s: '%.80s' has shape %s, expected %s", file->path, name,
                        lb_shape_format(found->shape, has), lb_shape_format(shape, expected));
}

lb_status lb_safetensors_read(const lb_safetensors *file, const char *name, lb_shape shape, lb_real *out,
                              lb_error *error)
{
    const lb_safetensors_tensor *tensor;
    lb_status status = lb_safetensors_expect(file, name, shape, &tensor, error);
    if (!status) lb_dtype_to_real(tensor->dtype, tensor->data, (size_t)lb_shape_count(shape), out);
    return status;
}
