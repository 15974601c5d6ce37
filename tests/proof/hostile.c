#include "proof/hostile.h"

#include "io/safetensors.h"
#include "proof/campaign.h"
#include "proof/mutate_json.h"
#include "translate/file/text_model.h"

#include <cjson/cJSON.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <zlib.h>

enum { MOST_DATA = 1 << 20, MOST_CHANGES = 4 };

static cJSON *parse_header(const unsigned char *model)
{
    uint64_t length;
    memcpy(&length, model, sizeof length);
    cJSON *header = cJSON_ParseWithLength((const char *)model + sizeof length, (size_t)length);
    if (!header) abort();
    return header;
}

/* Texts of the metadata that hold JSON become trees, so that they can be changed inside. */
static void open_texts(cJSON *metadata)
{
    for (cJSON *item = metadata->child, *next; item; item = next) {
        next = item->next;
        cJSON *tree = cJSON_Parse(item->valuestring);
        if (!tree) continue;
        tree->string = strdup(item->string);
        cJSON_ReplaceItemViaPointer(metadata, item, tree);
    }
}

static int64_t bytes_of(const cJSON *array)
{
    static const struct {
        const char *name;
        int bytes;
    } dtypes[] = {{"F32", 4}, {"F64", 8}, {"F16", 2}, {"BF16", 2},
                  {"I64", 8}, {"I32", 4}, {"U8", 1},  {"BOOL", 1}};
    const char *dtype = cJSON_GetStringValue(cJSON_GetObjectItem(array, "dtype"));
    const cJSON *shape = cJSON_GetObjectItem(array, "shape"), *length;
    double bytes = 4;
    for (size_t i = 0; dtype && i < sizeof dtypes / sizeof *dtypes; i++)
        if (strcmp(dtype, dtypes[i].name) == 0) bytes = dtypes[i].bytes;
    cJSON_ArrayForEach(length, shape) bytes *= cJSON_IsNumber(length) ? length->valuedouble : 1;
    return bytes >= 0 && bytes < MOST_DATA ? (int64_t)bytes : 0;
}

/* Makes the offsets fit the shapes, so that the reader goes on to what comes after them. Returns the end. */
static int64_t fit_offsets(cJSON *header)
{
    int64_t end = 0;
    cJSON *array;
    cJSON_ArrayForEach(array, header)
    {
        cJSON *offsets = cJSON_GetObjectItem(array, "data_offsets");
        if (!cJSON_IsArray(offsets) || end > MOST_DATA) continue;
        const int64_t bytes = bytes_of(array);
        const double places[2] = {(double)end, (double)(end + bytes)};
        cJSON_ReplaceItemInObject(array, "data_offsets", cJSON_CreateDoubleArray(places, 2));
        end += bytes;
    }
    return end;
}

/* Random numbers of one sort: a file with NaN must be refused for that, but others must get further. */
static void fill_data(unsigned char *data, size_t count, proof_dice *dice)
{
    static const float extremes[] = {3e38F, -3e38F, 1e-40F, 1e19F, 0};
    uint64_t sort = proof_below(dice, 6);
    for (size_t i = 0; i + sizeof(float) <= count; i += sizeof(float)) {
        float value = (float)proof_below(dice, 2000) / 1000 - 1;
        if (sort == 0) value = extremes[proof_below(dice, sizeof extremes / sizeof *extremes)];
        if (sort == 1) value *= 1e4F;
        uint32_t bits = (uint32_t)proof_below(dice, UINT32_MAX);
        memcpy(data + i, sort == 2 ? (const void *)&bits : &value, sizeof value);
    }
}

static void add_text(char **text, size_t *length, const char *more)
{
    size_t count = strlen(more);
    *text = realloc(*text, *length + count + 1);
    if (!*text) abort();
    memcpy(*text + *length, more, count + 1);
    *length += count;
}

static void add_json(char **text, size_t *length, const cJSON *json)
{
    char *printed = cJSON_PrintUnformatted(json);
    add_text(text, length, printed ? printed : "null");
    free(printed);
}

/* A string of JSON with this content. */
static void add_string(char **text, size_t *length, const char *content)
{
    cJSON *string = cJSON_CreateString(content);
    add_json(text, length, string);
    cJSON_Delete(string);
}

static void add_metadata(char **text, size_t *length, const cJSON *metadata)
{
    const cJSON *item;
    cJSON_ArrayForEach(item, metadata)
    {
        if (item->string && strncmp(item->string, "lookback.crc32", 14) == 0) continue;
        add_text(text, length, ",");
        add_string(text, length, item->string ? item->string : "");
        add_text(text, length, ":");
        char *inner = cJSON_IsString(item) ? NULL : cJSON_PrintUnformatted(item);
        add_string(text, length, inner ? inner : cJSON_IsString(item) ? item->valuestring : "");
        free(inner);
    }
}

/* The text of the header; the checksum, which comes first, has zeros as digits. */
static char *print_header(const cJSON *header, const cJSON *metadata, size_t *length)
{
    char *text = NULL;
    *length = 0;
    add_text(&text, length, LB_SAFETENSORS_PREFIX LB_SAFETENSORS_DIGITS "\"");
    add_metadata(&text, length, metadata);
    add_text(&text, length, "}");
    const cJSON *array;
    cJSON_ArrayForEach(array, header)
    {
        add_text(&text, length, ",");
        add_string(&text, length, array->string ? array->string : "");
        add_text(&text, length, ":");
        add_json(&text, length, array);
    }
    add_text(&text, length, "}");
    return text;
}

static unsigned char *assemble(const char *header, size_t length, size_t data, proof_dice *dice)
{
    uint64_t stored = length;
    size_t begin = sizeof stored + length;
    unsigned char *file = calloc(begin + data + sizeof(float), 1);
    if (!file) abort();
    memcpy(file, &stored, sizeof stored);
    memcpy(file + sizeof stored, header, length);
    fill_data(file + begin, data, dice);
    char digits[LB_SAFETENSORS_DIGIT_COUNT + 1];
    snprintf(digits, sizeof digits, "%08lx", crc32_z(0, file, begin + data));
    memcpy(file + LB_SAFETENSORS_DIGITS_AT, digits, LB_SAFETENSORS_DIGIT_COUNT);
    return file;
}

/* Merges that nobody learned: too many, of themselves, of parts that do not exist, two for one pair, and pieces that
 * double in length. */
static cJSON *hostile_merges(proof_dice *dice)
{
    static const char *const lines[] = {"a b\n",   "ab c\n", "c \u00e9\n", "\u2581 ab\n", "a b\n",
                                        "ab ab\n", "ab a\n", "xyz a\n",    "b \n",        " \n",
                                        "a b c\n", "abc\n",  "\n",         "a b"};
    char piece[1024] = {'a'}, *text = NULL;
    size_t length = 0;
    add_text(&text, &length, "");
    for (uint64_t doubled = proof_once_in(dice, 3) ? proof_below(dice, 10) : 0; doubled > 0; doubled--) {
        for (int i = 0; i < 2; i++) {
            add_text(&text, &length, piece);
            add_text(&text, &length, i ? "\n" : " ");
        }
        size_t half = strlen(piece);
        memcpy(piece + half, piece, half);
    }
    bool many = proof_once_in(dice, 100);
    for (uint64_t count = many ? 1000000 : proof_below(dice, 9); count > 0; count--)
        add_text(&text, &length, lines[proof_below(dice, sizeof lines / sizeof *lines)]);
    cJSON *merges = cJSON_CreateString(text);
    free(text);
    return merges;
}

/* Replaces the merges of a model that has some, or those of its targets only. */
static void spoil_merges(cJSON *metadata, proof_dice *dice)
{
    if (!cJSON_GetObjectItem(metadata, LB_SOURCE_SUBWORDS_KEY) || proof_once_in(dice, 4)) return;
    if (proof_once_in(dice, 3))
        cJSON_AddItemToObject(metadata, LB_TARGET_SUBWORDS_KEY, hostile_merges(dice));
    else
        cJSON_ReplaceItemInObject(metadata, LB_SOURCE_SUBWORDS_KEY, hostile_merges(dice));
}

unsigned char *proof_make_hostile(const unsigned char *model, size_t model_bytes, uint64_t seed,
                                  size_t *count)
{
    proof_dice dice = proof_dice_new(seed, "hostile");
    cJSON *header = parse_header(model), *metadata = cJSON_DetachItemFromObject(header, "__metadata__");
    open_texts(metadata);
    spoil_merges(metadata, &dice);
    for (uint64_t changes = proof_below(&dice, MOST_CHANGES + 1); changes > 0; changes--) {
        bool in_metadata = proof_once_in(&dice, 2);
        if (proof_once_in(&dice, 3))
            proof_resize_json(header, metadata, &dice);
        else
            proof_mutate_json(in_metadata ? metadata : header, &dice);
    }
    uint64_t length;
    memcpy(&length, model, sizeof length);
    size_t data = model_bytes - sizeof length - (size_t)length;
    if (!proof_once_in(&dice, 5)) data = (size_t)fit_offsets(header);
    if (proof_once_in(&dice, 10)) data += (size_t)proof_below(&dice, 9);
    size_t header_length;
    char *text = print_header(header, metadata, &header_length);
    unsigned char *file = assemble(text, header_length, data, &dice);
    *count = sizeof length + header_length + data;
    free(text);
    cJSON_Delete(header);
    cJSON_Delete(metadata);
    return file;
}
