/* Finds the word that a misspelt one was probably meant to be. */
#include "cli/option.h"

#include <lookback/metrics.h>

#include <ctype.h>
#include <stdio.h>
#include <string.h>

enum { LONGEST_NAME = 32 };

static lb_sequence letters(const char *name, int32_t id[LONGEST_NAME])
{
    lb_sequence sequence = {.id = id};
    for (; name[sequence.length] && sequence.length < LONGEST_NAME; sequence.length++)
        id[sequence.length] = tolower((unsigned char)name[sequence.length]);
    return sequence;
}

/* Whether one name is the other with words and a dash in front, as train-targets is of targets. Short ones are by
 * chance. */
static bool ends_with_word(const char *name, const char *end)
{
    enum { SHORT = 4 };
    size_t length = strlen(name), of_end = strlen(end);
    return of_end > SHORT && length > of_end && name[length - of_end - 1] == '-' &&
           strcmp(name + length - of_end, end) == 0 && strncmp(name, "no-", 3) != 0;
}

void app_nearest_try(app_nearest *nearest, const char *name)
{
    int32_t a[LONGEST_NAME], b[LONGEST_NAME];
    int64_t distance;
    size_t length = strlen(nearest->word);
    if (lb_edit_distance(letters(nearest->word, a), letters(name, b), &distance, NULL)) return;
    if (length > 0 && distance > 1 && strncmp(nearest->word, name, length) == 0) distance = 1;
    if (distance > 1 && (ends_with_word(name, nearest->word) || ends_with_word(nearest->word, name)))
        distance = 1;
    if (!nearest->name || distance < nearest->distance) {
        nearest->distance = distance;
        nearest->name = name;
    }
}

const char *app_nearest_hint(const app_nearest *nearest, const char *before, char hint[APP_HINT])
{
    enum { FEW = 4, MANY = 10 }; /* letters; swapping two letters counts as two edits */
    size_t length = strlen(nearest->word);
    int64_t slips = length < FEW ? 1 : length < MANY ? 2 : 3;
    hint[0] = '\0';
    if (nearest->name && nearest->distance <= slips)
        snprintf(hint, APP_HINT, " (did you mean %s%s?)", before, nearest->name);
    return hint;
}

bool app_is_one_of(const char *word, const char *const *words)
{
    return words && lb_choice_find(words, word) >= 0;
}
