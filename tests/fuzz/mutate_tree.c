/* One random change to a JSON tree. */
#include "mutate.h"

#include <stdlib.h>
#include <string.h>

enum { LONGEST = 4096 };

static const double numbers[] = {0,          1,          -1,           2,    0.5,    1e308, -0.0, 255,
                                 2147483647, 2147483648, 4294967296.0, 1e16, 1e-300, 3,     65535};
static const char *const strings[] = {"", "\t", "\n", " ", "<pad>", "nfd", "F32", "I64", "1e400", "\xcc\x81"};

#define COUNT(array) (sizeof(array) / sizeof *(array))

size_t mutate_draw(uint64_t *state, size_t count)
{
    uint64_t x = *state += UINT64_C(0x9E3779B97F4A7C15); /* SplitMix64 */
    x = (x ^ (x >> 30)) * UINT64_C(0xBF58476D1CE4E5B9);
    x = (x ^ (x >> 27)) * UINT64_C(0x94D049BB133111EB);
    return (size_t)((x ^ (x >> 31)) % count);
}

static size_t count_below(const cJSON *item)
{
    size_t count = 0;
    for (const cJSON *child = item->child; child; child = child->next) count += 1 + count_below(child);
    return count;
}

/* The n-th item below `item`, and its parent. */
static cJSON *find_below(cJSON *item, size_t *n, cJSON **parent)
{
    *parent = item;
    for (cJSON *child = item->child; child; child = child->next) {
        if ((*n)-- == 0) return child;
        cJSON *found = find_below(child, n, parent);
        if (found) return found;
        *parent = item;
    }
    return NULL;
}

static cJSON *choose(cJSON *root, uint64_t *state, cJSON **parent)
{
    size_t count = count_below(root), n = count ? mutate_draw(state, count) : 0;
    return count ? find_below(root, &n, parent) : NULL;
}

/* Gives an item the value of another one, which is freed, and keeps its place and name. */
static void become(cJSON *item, cJSON *value)
{
    if (!value) return;
    cJSON old = *item;
    item->type = value->type;
    item->child = value->child;
    item->valuestring = value->valuestring;
    item->valueint = value->valueint;
    item->valuedouble = value->valuedouble;
    value->type = old.type;
    value->child = old.child;
    value->valuestring = old.valuestring;
    cJSON_Delete(value);
}

/* A text changed as bytes; the result is freed by cJSON_free. */
static char *change_bytes(const char *text)
{
    size_t length = strlen(text);
    if (length > LONGEST) return NULL;
    uint8_t *bytes = cJSON_malloc(LONGEST + 1);
    if (!bytes) return NULL;
    memcpy(bytes, text, length);
    length = LLVMFuzzerMutate(bytes, length, LONGEST);
    bytes[length] = '\0';
    return (char *)bytes;
}

static char *change_text(const char *text, uint64_t *state)
{
    cJSON *inner = *text == '{' || *text == '[' ? cJSON_Parse(text) : NULL;
    if (!inner || mutate_draw(state, 8) == 0) {
        cJSON_Delete(inner);
        return change_bytes(text);
    }
    mutate_tree(inner, state);
    char *changed = cJSON_PrintUnformatted(inner);
    cJSON_Delete(inner);
    return changed;
}

static cJSON *invent(uint64_t *state)
{
    switch (mutate_draw(state, 6)) {
    case 0:
        return cJSON_CreateString(strings[mutate_draw(state, COUNT(strings))]);
    case 1:
        return cJSON_CreateBool(mutate_draw(state, 2) == 0);
    case 2:
        return mutate_draw(state, 2) ? cJSON_CreateArray() : cJSON_CreateObject();
    case 3:
        return cJSON_CreateNull();
    default:
        return cJSON_CreateNumber(numbers[mutate_draw(state, COUNT(numbers))]);
    }
}

/* A value that is near the old one. */
static void adjust(cJSON *item, uint64_t *state)
{
    if (cJSON_IsNumber(item)) {
        double value = item->valuedouble;
        double near[] = {value + 1, value - 1, value * 2, -value, value / 2, value * 65536};
        cJSON_SetNumberHelper(item, near[mutate_draw(state, COUNT(near))]);
    } else if (cJSON_IsString(item)) {
        char *text = change_text(item->valuestring, state);
        if (text) become(item, cJSON_CreateString(text));
        cJSON_free(text);
    } else if (cJSON_IsBool(item)) {
        become(item, cJSON_CreateBool(!cJSON_IsTrue(item)));
    } else {
        cJSON_AddItemToArray(item, invent(state)); /* without a name, in an object: printed as "" */
    }
}

static void rename_item(cJSON *item, cJSON *root, uint64_t *state)
{
    cJSON *parent, *other = choose(root, state, &parent);
    char *name = NULL;
    if (!item->string) return;
    if (mutate_draw(state, 2) == 0 && other && other->string)
        name = change_bytes(other->string);
    else
        name = change_bytes(item->string);
    if (!name) return;
    cJSON_free(item->string);
    item->string = name;
}

/* The item once more, after its siblings. */
static void repeat(cJSON *parent, const cJSON *item)
{
    cJSON *copy = cJSON_Duplicate(item, 1);
    if (copy && item->string)
        cJSON_AddItemToObject(parent, item->string, copy);
    else
        cJSON_AddItemToArray(parent, copy);
}

void mutate_tree(cJSON *root, uint64_t *state)
{
    cJSON *parent, *elsewhere, *item = choose(root, state, &parent);
    if (!item) return;
    switch (mutate_draw(state, 9)) {
    case 0:
        cJSON_Delete(cJSON_DetachItemViaPointer(parent, item));
        break;
    case 1:
        become(item, invent(state));
        break;
    case 2:
        repeat(parent, item);
        break;
    case 3:
        rename_item(item, root, state);
        break;
    case 4:
        become(item, cJSON_Duplicate(choose(root, state, &elsewhere), 1));
        break;
    default:
        adjust(item, state);
        break;
    }
}
