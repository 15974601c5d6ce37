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

/* The bytes of a lexicon, and where they are in the data; SIZE_MAX: nowhere. */
typedef struct proof_lexicon {
    unsigned char *bytes;
    size_t count, at;
} proof_lexicon;

static unsigned char *assemble(const char *header, size_t length, size_t data, const proof_lexicon *lexicon,
                               proof_dice *dice)
{
    uint64_t stored = length;
    size_t begin = sizeof stored + length;
    unsigned char *file = calloc(begin + data + sizeof(float), 1);
    if (!file) abort();
    memcpy(file, &stored, sizeof stored);
    memcpy(file + sizeof stored, header, length);
    fill_data(file + begin, data, dice);
    if (lexicon->at < data)
        memcpy(file + begin + lexicon->at, lexicon->bytes,
               lexicon->count < data - lexicon->at ? lexicon->count : data - lexicon->at);
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

/* ---- A lexicon that contradicts itself. ---- */

enum { LEXICON_HEAD = 12, WORD = 4, LEXICON_ROOM = 4096 };

static const cJSON *find_lexicon(const cJSON *header)
{
    const cJSON *array = cJSON_GetObjectItem(header, LB_LEXICON_ARRAY);
    return cJSON_GetArrayItem(cJSON_GetObjectItem(array, "data_offsets"), 0);
}

/* Changes a byte or the number of entries, leaves bytes out, or has some or an entry twice. Returns the new length. */
static size_t contradict(unsigned char *bytes, size_t count, proof_dice *dice)
{
    static const unsigned char odd[] = {0, 1, 2, 'a', 'z', ' ', '\t', '\n', 0x80, 0xC3, 0xFF};
    size_t at = LEXICON_HEAD + (size_t)proof_below(dice, count - LEXICON_HEAD);
    size_t some = 1 + (size_t)proof_below(dice, count - at);
    uint64_t change = proof_below(dice, 5);
    if (change == 0) bytes[at] = odd[proof_below(dice, sizeof odd)];
    if (change == 1)
        bytes[proof_below(dice, LEXICON_HEAD)] += (unsigned char)(1 + proof_below(dice, 2) * 254);
    if (change == 2) {
        memmove(bytes + at, bytes + at + some, count - at - some);
        return count - some;
    }
    if (change == 3) {
        while (at > LEXICON_HEAD && bytes[at - 1] != 0xFF) at--;
        const unsigned char *end = memchr(bytes + at, 0xFF, count - at);
        some = end ? (size_t)(end - bytes) + 1 - at : some;
    }
    if (change < 3 || count + some > LEXICON_ROOM) return count;
    memmove(bytes + at + some, bytes + at, count - at);
    return count + some;
}

/* The lexicon of a model, to be freed, with up to two contradictions, and mostly with the right checksum; NULL if it
 * has none. Its array gets the new length. */
static unsigned char *spoil_lexicon(cJSON *header, const unsigned char *data, proof_dice *dice, size_t *count)
{
    const cJSON *offset = find_lexicon(header);
    if (!offset) return NULL;
    unsigned char *bytes = calloc(LEXICON_ROOM, 1);
    if (!bytes) abort();
    *count = (size_t)(offset->next->valuedouble - offset->valuedouble);
    memcpy(bytes, data + (size_t)offset->valuedouble, *count);
    for (uint64_t changes = proof_below(dice, 3); changes > 0 && *count > LEXICON_HEAD; changes--)
        *count = contradict(bytes, *count, dice);
    uint32_t sum = (uint32_t)crc32_z(0, bytes + WORD, *count - WORD);
    for (int i = 0; i < WORD && !proof_once_in(dice, 40); i++) bytes[i] = (unsigned char)(sum >> 8 * i);
    const double length = (double)*count;
    cJSON_ReplaceItemInObject(cJSON_GetObjectItem(header, LB_LEXICON_ARRAY), "shape",
                              cJSON_CreateDoubleArray(&length, 1));
    return bytes;
}

unsigned char *proof_make_hostile(const unsigned char *model, size_t model_bytes, uint64_t seed,
                                  size_t *count)
{
    proof_dice dice = proof_dice_new(seed, "hostile");
    cJSON *header = parse_header(model), *metadata = cJSON_DetachItemFromObject(header, "__metadata__");
    uint64_t length;
    memcpy(&length, model, sizeof length);
    proof_lexicon lexicon = {.at = SIZE_MAX};
    lexicon.bytes = spoil_lexicon(header, model + sizeof length + length, &dice, &lexicon.count);
    open_texts(metadata);
    spoil_merges(metadata, &dice);
    for (uint64_t changes = proof_below(&dice, MOST_CHANGES + 1); changes > 0; changes--) {
        bool in_metadata = proof_once_in(&dice, 2);
        if (proof_once_in(&dice, 3))
            proof_resize_json(header, metadata, &dice);
        else
            proof_mutate_json(in_metadata ? metadata : header, &dice);
    }
    size_t data = model_bytes - sizeof length - (size_t)length;
    if (!proof_once_in(&dice, 5)) data = (size_t)fit_offsets(header);
    if (proof_once_in(&dice, 10)) data += (size_t)proof_below(&dice, 9);
    const cJSON *offset = find_lexicon(header);
    if (lexicon.bytes && cJSON_IsNumber(offset) && offset->valuedouble >= 0)
        lexicon.at = (size_t)offset->valuedouble;
    size_t header_length;
    char *text = print_header(header, metadata, &header_length);
    unsigned char *file = assemble(text, header_length, data, &lexicon, &dice);
    *count = sizeof length + header_length + data;
    free(lexicon.bytes);
    free(text);
    cJSON_Delete(header);
    cJSON_Delete(metadata);
    return file;
}
