#include "support/strangers.h"

#include "base/bytes.h"
#include "support/suite.h"
#include "support/tempdir.h"

#include <lookback/lookback.h>
#include <lookback/op.h>

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { LARGEST = 3999 };

typedef char text[SUPPORT_STRANGER_TEXT];

static const char *pick(const char *const *from, int count, uint64_t bits)
{
    return from[bits % (uint64_t)count];
}

#define PICK(from, bits) pick(from, LB_LENGTH(from), bits)

/* Three to eight letters, alternating consonants and vowels. */
static void make_word(const uint32_t bits[4], text source)
{
    static const char *const consonants[] = {"b", "d", "f", "k", "l", "m", "n", "p", "r", "s", "t", "v"};
    static const char *const vowels[] = {"a", "e", "i", "o", "u"};
    uint64_t rest = bits[1] + ((uint64_t)bits[2] << 32);
    int length = 3 + (int)(bits[0] % 6);
    source[0] = '\0';
    for (int i = 0; i < length; i++, rest /= 12)
        strcat(source, i % 2 ? PICK(vowels, rest) : PICK(consonants, rest));
}

static void make_noun(const uint32_t bits[4], text source)
{
    static const char *const onsets[] = {"b", "d", "g", "l",  "m",  "n",  "p",
                                         "r", "t", "v", "bl", "gr", "st", "tr"};
    static const char *const vowels[] = {"a", "e", "i", "o", "u"};
    static const char *const endings[] = {"t",  "n",  "lp", "ck", "ss", "x", "tz", "ch", "sh",
                                          "ty", "dy", "y",  "f",  "fe", "o", "lo", "to", "ng"};
    source[0] = '\0';
    for (uint32_t i = 0; i < 1 + bits[0] % 2; i++) {
        strcat(source, PICK(onsets, bits[1] >> (8 * i)));
        strcat(source, PICK(vowels, bits[2] >> (8 * i)));
    }
    strcat(source, PICK(endings, bits[3]));
}

static void make_source(support_stranger kind, const uint32_t bits[4], text source)
{
    switch (kind) {
    case SUPPORT_REVERSED:
        make_word(bits, source);
        break;
    case SUPPORT_ROMAN:
        snprintf(source, sizeof(text), "%d", 1 + (int)(bits[0] % LARGEST));
        break;
    default:
        make_noun(bits, source);
        break;
    }
}

static void reverse(const char *source, text target)
{
    size_t length = strlen(source);
    for (size_t i = 0; i < length; i++) target[i] = source[length - 1 - i];
    target[length] = '\0';
}

static void write_roman(int number, text target)
{
    static const struct {
        int value;
        const char *sign;
    } signs[] = {{1000, "M"}, {900, "CM"}, {500, "D"}, {400, "CD"}, {100, "C"}, {90, "XC"}, {50, "L"},
                 {40, "XL"},  {10, "X"},   {9, "IX"},  {5, "V"},    {4, "IV"},  {1, "I"}};
    target[0] = '\0';
    for (int i = 0; i < LB_LENGTH(signs); i++)
        for (; number >= signs[i].value; number -= signs[i].value) strcat(target, signs[i].sign);
}

static bool ends_with(const char *word, const char *end)
{
    size_t length = strlen(word), of_end = strlen(end);
    return length >= of_end && strcmp(word + length - of_end, end) == 0;
}

static void write_plural(const char *noun, text target)
{
    static const char *const hissing[] = {"s", "x", "z", "ch", "sh"};
    size_t length = strlen(noun);
    bool after_vowel = length > 1 && strchr("aeiou", noun[length - 2]), hisses = false;
    for (int i = 0; i < LB_LENGTH(hissing); i++) hisses = hisses || ends_with(noun, hissing[i]);
    int kept = (int)length;
    const char *end = "s";
    if (hisses || (ends_with(noun, "o") && !after_vowel)) end = "es";
    if (ends_with(noun, "y") && !after_vowel) end = "ies", kept -= 1;
    if (ends_with(noun, "f")) end = "ves", kept -= 1;
    if (ends_with(noun, "fe")) end = "ves", kept -= 2;
    snprintf(target, sizeof(text), "%.*s%s", kept, noun, end);
}

void support_stranger_target(support_stranger kind, const char *source, char target[SUPPORT_STRANGER_TEXT])
{
    switch (kind) {
    case SUPPORT_REVERSED:
        reverse(source, target);
        break;
    case SUPPORT_ROMAN:
        write_roman(atoi(source), target);
        break;
    default:
        write_plural(source, target);
        break;
    }
}

static bool is_known(const text *sources, int count, const char *source)
{
    for (int i = 0; i < count; i++)
        if (strcmp(sources[i], source) == 0) return true;
    return false;
}

static void write_pairs(support_stranger kind, const text *sources, int count, const char *name)
{
    FILE *file = fopen(support_path(name), "w");
    ck_assert_ptr_nonnull(file);
    for (int i = 0; i < count; i++) {
        text target;
        support_stranger_target(kind, sources[i], target);
        fprintf(file, "%s\t%s\n", sources[i], target);
    }
    ck_assert_int_eq(fclose(file), 0);
}

void support_write_stranger(support_stranger kind, const char *train, int train_count, const char *dev,
                            int dev_count)
{
    text *sources = malloc((size_t)(train_count + dev_count) * sizeof *sources);
    ck_assert_ptr_nonnull(sources);
    uint64_t at = 0;
    for (int i = 0; i < train_count + dev_count; i++) do {
            lb_rng_block block = lb_rng_bits((lb_rng){.seed = 1, .stream = (uint32_t)kind}, at++);
            make_source(kind, block.word, sources[i]);
        } while (is_known((const text *)sources, i, sources[i]));
    write_pairs(kind, (const text *)sources, train_count, train);
    write_pairs(kind, (const text *)(sources + train_count), dev_count, dev);
    free(sources);
}
