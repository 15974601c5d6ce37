#include "proof/mutate_json.h"

#include <stdlib.h>
#include <string.h>

enum { DEEPEST = 1500, LONGEST_TEXT = 20000, LONGEST_ARRAY = 3000 };

static int64_t count_nodes(const cJSON *tree)
{
    int64_t count = 0;
    for (const cJSON *item = tree->child; item; item = item->next) count += 1 + count_nodes(item);
    return count;
}

/* Node number `*left` below the tree, and its parent. */
static cJSON *find_node(cJSON *tree, int64_t *left, cJSON **parent)
{
    for (cJSON *item = tree->child; item; item = item->next) {
        *parent = tree;
        if ((*left)-- == 0) return item;
        cJSON *found = find_node(item, left, parent);
        if (found) return found;
    }
    return NULL;
}

static cJSON *random_node(cJSON *tree, cJSON **parent, proof_dice *dice)
{
    int64_t count = count_nodes(tree), left = (int64_t)proof_below(dice, (uint64_t)count);
    return count ? find_node(tree, &left, parent) : NULL;
}

static cJSON *long_text(proof_dice *dice)
{
    static char text[LONGEST_TEXT + 1];
    size_t length = (size_t)proof_below(dice, LONGEST_TEXT);
    memset(text, 'a' + (int)proof_below(dice, 26), length);
    text[length] = '\0';
    return cJSON_CreateString(text);
}

static cJSON *nested(proof_dice *dice)
{
    cJSON *tree = cJSON_CreateNumber(1);
    bool objects = proof_once_in(dice, 2);
    for (uint64_t depth = proof_below(dice, proof_once_in(dice, 2) ? DEEPEST : 4); depth > 0; depth--) {
        cJSON *outer = objects ? cJSON_CreateObject() : cJSON_CreateArray();
        if (objects)
            cJSON_AddItemToObject(outer, "a", tree);
        else
            cJSON_AddItemToArray(outer, tree);
        tree = outer;
    }
    return tree;
}

static cJSON *random_value(proof_dice *dice)
{
    static const char *const raw[] = {"0",
                                      "-1",
                                      "1",
                                      "2",
                                      "3",
                                      "4",
                                      "1.5",
                                      "0.99999",
                                      "1000000",
                                      "999999",
                                      "2147483647",
                                      "-2147483648",
                                      "4294967296",
                                      "65535",
                                      "1e300",
                                      "-1e300",
                                      "9007199254740992",
                                      "1e999",
                                      "-0",
                                      "1E5",
                                      "true",
                                      "false",
                                      "null",
                                      "[]",
                                      "{}",
                                      "nan",
                                      "01",
                                      "\"\"",
                                      "\"\\u0000\"",
                                      "\"\\ud800\"",
                                      "\"\xff\"",
                                      "[[]]"};
    static const char *const words[] = {"F32",
                                        "F64",
                                        "F16",
                                        "BF16",
                                        "I64",
                                        "U8",
                                        "BOOL",
                                        "F8",
                                        "seq2seq",
                                        "transformer",
                                        "ensemble",
                                        "additive",
                                        "dot",
                                        "none",
                                        "multi_head",
                                        "sort",
                                        "pairs",
                                        "nfd",
                                        "<pad>",
                                        "output.weight",
                                        "0.output.weight",
                                        "1",
                                        " ",
                                        "a\tb",
                                        "\xc3\xa9"};
    switch (proof_below(dice, 8)) {
    case 0:
        return long_text(dice);
    case 1:
        return nested(dice);
    case 2:
    case 3:
        return cJSON_CreateString(words[proof_below(dice, sizeof words / sizeof *words)]);
    case 4:
        return cJSON_CreateNumber((double)proof_below(dice, 12));
    default:
        return cJSON_CreateRaw(raw[proof_below(dice, sizeof raw / sizeof *raw)]);
    }
}

/* Replaces a node by another that keeps its name. */
static void replace(cJSON *parent, cJSON *node, cJSON *by)
{
    if (cJSON_IsObject(parent)) by->string = strdup(node->string ? node->string : "");
    cJSON_ReplaceItemViaPointer(parent, node, by);
}

static void rename_node(cJSON *tree, cJSON *node, proof_dice *dice)
{
    static const char *const names[] = {"",  "__metadata__", "shape", "a", "lookback.format",
                                        "0", "vocabulary"};
    cJSON *parent = tree, *other = random_node(tree, &parent, dice);
    const char *name = names[proof_below(dice, sizeof names / sizeof *names)];
    if (other && other->string && proof_once_in(dice, 2)) name = other->string;
    char *copy = strdup(name);
    if (node->string) free(node->string);
    node->string = copy;
}

static void repeat(cJSON *parent, const cJSON *node, uint64_t times)
{
    for (uint64_t i = 0; i < times; i++) {
        cJSON *copy = cJSON_Duplicate(node, 1);
        if (!copy) return;
        if (!cJSON_IsObject(parent))
            cJSON_AddItemToArray(parent, copy);
        else
            cJSON_AddItemToObject(parent, node->string ? node->string : "", copy);
    }
}

void proof_mutate_json(cJSON *tree, proof_dice *dice)
{
    cJSON *parent = tree, *node = random_node(tree, &parent, dice);
    if (!node) return;
    switch (proof_below(dice, 8)) {
    case 0:
        cJSON_Delete(cJSON_DetachItemViaPointer(parent, node));
        break;
    case 1:
        repeat(parent, node, 1);
        break;
    case 2:
        if (cJSON_IsObject(parent)) rename_node(tree, node, dice);
        break;
    case 3:
        if (cJSON_IsArray(parent)) repeat(parent, node, proof_below(dice, LONGEST_ARRAY));
        break;
    default:
        replace(parent, node, random_value(dice));
        break;
    }
}

static void replace_number(cJSON *tree, double from, double to)
{
    for (cJSON *item = tree->child; item; item = item->next) {
        if (cJSON_IsNumber(item) && item->valuedouble == from) cJSON_SetNumberValue(item, to);
        replace_number(item, from, to);
    }
}

void proof_resize_json(cJSON *header, cJSON *metadata, proof_dice *dice)
{
    static const double sizes[] = {0, 1, 2, 5, 7, 64, 300, 65535, 100000, 1000000, 3e9};
    double from = (double)(1 + proof_below(dice, 12));
    double to = sizes[proof_below(dice, sizeof sizes / sizeof *sizes)];
    replace_number(header, from, to);
    if (!proof_once_in(dice, 4)) replace_number(metadata, from, to);
}
