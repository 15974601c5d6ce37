/* For targets whose inputs are safetensors files. Nearly all mutants have a right length of the header and a right
 * checksum, and half of them also offsets that fit the shapes: otherwise hardly any gets past these. */
#include "mutate.h"

#include "io/safetensors.h"

#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <zlib.h>

enum {
    LENGTH = LB_SAFETENSORS_LENGTH_BYTES,
    MOST_HEADER = 1 << 16,
    DIGITS_END = LB_SAFETENSORS_DIGITS_AT + 8
};

/* A file apart. */
typedef struct parts {
    char header[MOST_HEADER + 1];
    size_t header_size;
    uint8_t *data; /* after the header */
    size_t data_size;
} parts;

static bool take_apart(uint8_t *bytes, size_t size, parts *file)
{
    uint64_t length;
    if (size < LENGTH) return false;
    memcpy(&length, bytes, sizeof length);
    if (length > size - LENGTH || length > MOST_HEADER) return false;
    memcpy(file->header, bytes + LENGTH, length);
    file->header[length] = '\0';
    file->header_size = length;
    file->data = bytes + LENGTH + length;
    file->data_size = size - LENGTH - length;
    return true;
}

static size_t size_of_number(const char *dtype)
{
    static const char *const dtypes[] = {
#define DTYPE_NAME(name, numpy, bytes) #name,
        LB_DTYPE_LIST(DTYPE_NAME)
#undef DTYPE_NAME
    };
    static const size_t sizes[] = {
#define DTYPE_SIZE(name, numpy, bytes) bytes,
        LB_DTYPE_LIST(DTYPE_SIZE)
#undef DTYPE_SIZE
    };
    for (size_t i = 0; dtype && i < sizeof sizes / sizeof *sizes; i++)
        if (strcmp(dtypes[i], dtype) == 0) return sizes[i];
    return 1;
}

/* The bytes of one array; `most` + 1 if they are more. */
static double size_of_array(const cJSON *array, double most)
{
    const cJSON *length;
    double size = (double)size_of_number(cJSON_GetStringValue(cJSON_GetObjectItem(array, "dtype")));
    cJSON_ArrayForEach(length, cJSON_GetObjectItem(array, "shape")) size *= length->valuedouble;
    return size >= 0 && size <= most ? size : most + 1;
}

/* Sets all offsets by the shapes. Returns the bytes of data; `most` + 1, and some offsets are old, if they are more. */
static size_t set_offsets(cJSON *header, size_t most)
{
    size_t end = 0;
    for (cJSON *array = header->child; array && end <= most; array = array->next) {
        cJSON *offsets = cJSON_GetObjectItem(array, "data_offsets");
        cJSON *begin = cJSON_GetArrayItem(offsets, 0), *after = cJSON_GetArrayItem(offsets, 1);
        if (!begin || !after) continue;
        cJSON_SetNumberHelper(begin, (double)end);
        end += (size_t)size_of_array(array, (double)(most - end));
        cJSON_SetNumberHelper(after, (double)end);
    }
    return end;
}

/* Changes the header as a tree. False if it is no JSON, or became too long. */
static bool change_header(parts *file, uint64_t *state, size_t most, size_t *data_size)
{
    cJSON *tree = cJSON_ParseWithLength(file->header, file->header_size);
    if (!tree) return false;
    /* Half of the changes are to the few texts that describe a model, not to its many arrays. */
    cJSON *metadata = cJSON_GetObjectItem(tree, LB_SAFETENSORS_METADATA);
    mutate_tree(metadata && mutate_draw(state, 2) ? metadata : tree, state);
    if (mutate_draw(state, 2)) {
        size_t size = set_offsets(tree, most / 2);
        if (size <= most / 2) *data_size = size;
    }
    char *text = cJSON_PrintUnformatted(tree);
    size_t length = text ? strlen(text) : MOST_HEADER + 1;
    bool fits = length <= MOST_HEADER;
    if (fits) {
        memcpy(file->header, text, length + 1);
        file->header_size = length;
    }
    cJSON_free(text);
    cJSON_Delete(tree);
    return fits;
}

/* Writes a file of this header and `data_size` bytes of data: the old ones, then zeros. */
static size_t put_together(uint8_t *bytes, size_t most, const parts *file, size_t data_size)
{
    uint64_t length = file->header_size;
    size_t kept = file->data_size < data_size ? file->data_size : data_size;
    if (LENGTH + length + data_size > most) return 0;
    uint8_t *data = bytes + LENGTH + length;
    memmove(data, file->data, kept);
    memset(data + kept, 0, data_size - kept);
    memcpy(bytes, &length, sizeof length);
    memcpy(bytes + LENGTH, file->header, length);
    return LENGTH + length + data_size;
}

static void set_checksum(uint8_t *bytes, size_t size)
{
    static const char prefix[] = LB_SAFETENSORS_PREFIX;
    char digits[2 * sizeof(uLong) + 1];
    if (size < DIGITS_END || memcmp(bytes + LENGTH, prefix, sizeof prefix - 1) != 0) return;
    memcpy(bytes + LB_SAFETENSORS_DIGITS_AT, LB_SAFETENSORS_DIGITS, LB_SAFETENSORS_DIGIT_COUNT);
    snprintf(digits, sizeof digits, "%08lx", crc32_z(0, bytes, size));
    memcpy(bytes + LB_SAFETENSORS_DIGITS_AT, digits, LB_SAFETENSORS_DIGIT_COUNT);
}

/* The header as bytes, and its length is set; 0 if there is no room. */
static size_t change_header_bytes(uint8_t *bytes, size_t most, parts *file)
{
    file->header_size = LLVMFuzzerMutate((uint8_t *)file->header, file->header_size, MOST_HEADER);
    return put_together(bytes, most, file, file->data_size);
}

size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t size, size_t most, unsigned seed)
{
    static parts file;
    uint64_t state = seed;
    size_t way = mutate_draw(&state, 8), changed = 0;
    bool apart = take_apart(data, size, &file);
    size_t data_size = apart ? file.data_size : 0;
    if (apart && way < 5 && change_header(&file, &state, most, &data_size))
        changed = put_together(data, most, &file, data_size);
    else if (apart && way == 5)
        changed = change_header_bytes(data, most, &file);
    else if (apart && way == 6 && data_size > 0)
        changed = (size_t)(file.data - data) +
                  LLVMFuzzerMutate(file.data, data_size, most - (size_t)(file.data - data));
    if (changed == 0) changed = LLVMFuzzerMutate(data, size, most);
    if (mutate_draw(&state, 32)) set_checksum(data, changed);
    return changed;
}
