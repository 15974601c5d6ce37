#include "support/lesson.h"

#include "support/suite.h"
#include "support/tempdir.h"

#include <ctype.h>
#include <dirent.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int compare_names(const void *a, const void *b)
{
    return strcmp(a, b);
}

static bool is_lesson(const char *name)
{
    return isdigit((unsigned char)name[0]) && isdigit((unsigned char)name[1]) && name[2] == '_';
}

support_names support_lesson_files(const char *folder, const char *suffix)
{
    support_names names = {0};
    DIR *dir = opendir(folder);
    for (struct dirent *entry; dir && (entry = readdir(dir)) != NULL;) {
        size_t length = strlen(entry->d_name), end = strlen(suffix);
        if (!is_lesson(entry->d_name) || length < end || strcmp(entry->d_name + length - end, suffix) != 0)
            continue;
        if (names.count == SUPPORT_LESSONS) {
            fprintf(stderr, "%s: too many files\n", folder); /* main calls this too: no ck_assert */
            exit(EXIT_FAILURE);
        }
        snprintf(names.name[names.count++], SUPPORT_LESSON_NAME, "%.*s", (int)(length - end), entry->d_name);
    }
    if (dir) closedir(dir);
    qsort(names.name, (size_t)names.count, sizeof names.name[0], compare_names);
    return names;
}

bool support_names_hold(const support_names *names, const char *name)
{
    for (int i = 0; i < names->count; i++)
        if (strcmp(names->name[i], name) == 0) return true;
    return false;
}

support_lines support_cut_lines(char *text)
{
    support_lines lines = {0};
    while (*text) {
        char *end = text + strcspn(text, "\n"), *next = *end ? end + 1 : end;
        while (end > text && isspace((unsigned char)end[-1])) end--;
        *end = '\0';
        ck_assert_int_lt(lines.count, SUPPORT_LINES);
        lines.line[lines.count++] = text + strspn(text, " \t");
        text = next;
    }
    return lines;
}

int support_find_lines(const support_lines *block, const support_lines *text,
                       bool (*same)(const char *, const char *))
{
    for (int at = 0; at + block->count <= text->count; at++) {
        int equal = 0;
        while (equal < block->count && same(text->line[at + equal], block->line[equal])) equal++;
        if (equal == block->count) return at;
    }
    return -1;
}

int support_count_blocks(const char *name, const support_lines *page, const char *fence,
                         const support_lines *source, bool (*same)(const char *, const char *))
{
    int blocks = 0;
    for (int i = 0; i < page->count; i++) {
        if (strcmp(page->line[i], fence) != 0) continue;
        support_lines block = {0};
        while (++i < page->count && strcmp(page->line[i], "```") != 0)
            block.line[block.count++] = page->line[i];
        ck_assert_msg(block.count > 0, "%s.md: an empty block", name);
        ck_assert_msg(support_find_lines(&block, source, same) >= 0,
                      "%s.md: the block that begins with '%s' is not what the source has", name,
                      block.line[0]);
        blocks++;
    }
    return blocks;
}

/* A number in a text. */
typedef struct number {
    size_t length; /* 0: no number */
    int decimals;
    double value, unit; /* of the last digit */
} number;

static number read_number(const char *text)
{
    size_t sign = strchr("+-", *text) != NULL && *text, digits = strspn(text + sign, "0123456789");
    if (digits == 0) return (number){0};
    const char *point = text + sign + digits;
    size_t decimals = *point == '.' ? strspn(point + 1, "0123456789") : 0;
    const char *exponent = point + (decimals ? 1 + decimals : 0);
    char *end = NULL;
    double value = strtod(text, &end), power = *exponent == 'e' ? strtod(exponent + 1, NULL) : 0;
    return (number){.length = (size_t)(end - text),
                    .decimals = (int)decimals,
                    .value = value,
                    .unit = pow(10, power - (double)decimals)};
}

static bool same_number(number expected, number found)
{
    return expected.decimals == found.decimals && fabs(expected.value - found.value) <= 1.5 * expected.unit;
}

bool support_same_line(const char *expected, const char *found)
{
    bool measured = strstr(expected, "measured") != NULL;
    while (*expected && *found) {
        size_t blank = strspn(expected, " \t"), blank_found = strspn(found, " \t");
        if ((blank > 0) != (blank_found > 0)) return false;
        expected += blank;
        found += blank_found;
        number a = read_number(expected), b = read_number(found);
        bool both = a.length > 0 && b.length > 0;
        if (both && (measured || (a.decimals > 0 && same_number(a, b)))) {
            expected += a.length;
            found += b.length;
        } else if (*expected == *found && a.decimals == 0) {
            expected += *expected ? 1 : 0;
            found += *found ? 1 : 0;
        } else {
            return false;
        }
    }
    return !*expected && !*found;
}
