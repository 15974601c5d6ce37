#include "cli/option.h"

#include "base/alloc.h"
#include "base/format.h"
#include "io/path.h"
#include "translate/file/text_model.h"

#include <assert.h>
#include <ctype.h>
#include <errno.h>
#include <limits.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

static bool has_range(const app_option *option)
{
    return option->min != 0 || option->max != 0;
}

static bool is_in_range(const app_option *option, double value)
{
    return !has_range(option) || (value >= option->min && value <= option->max);
}

bool app_option_is_rare(const app_option *option)
{
    return option->setting && option->setting->rare;
}

const char *app_option_words(const app_option *option, char words[LB_SETTING_WORDS])
{
    if (option->setting) return lb_setting_words(option->setting, words);
    snprintf(words, LB_SETTING_WORDS, "--%s", option->name);
    return words;
}

static bool is_opposite(const app_option *option)
{
    return option->setting && option->setting->opposite;
}

bool app_option_is_on(const app_option *option)
{
    if (option->kind != APP_IS_FLAG || !option->value.flag) return false;
    return option->zero_is_value ? *option->value.integer > 0 : *option->value.flag != is_opposite(option);
}

/* From a value as it is typed to that of its variable, and back: where zero is a value, a negative number stands for
 * it, and zero means "not given". */
static double exchanged(const app_option *option, double value)
{
    return option->zero_is_value ? value == 0 ? -1 : value < 0 ? 0 : value : value;
}

const char *app_option_value(const app_option *option, char number[APP_OPTION_NUMBER])
{
    double value;
    switch (option->kind) {
    case APP_IS_FLAG:
        if (option->zero_is_value && *option->value.integer == 0) return NULL;
        return app_option_is_on(option) ? "true" : "false";
    case APP_IS_INT:
        value = exchanged(option, *option->value.integer);
        snprintf(number, APP_OPTION_NUMBER, "%.0f", value);
        return is_in_range(option, value) ? number : NULL;
    case APP_IS_SEED:
        snprintf(number, APP_OPTION_NUMBER, "%ju", (uintmax_t)*option->value.seed);
        return number;
    case APP_IS_NUMBER:
        value = exchanged(option, *option->value.number);
        return is_in_range(option, value) ? lb_number_text(value, number) : NULL;
    case APP_IS_CHOICE:
        assert(*option->value.integer >= 0 && *option->value.integer < lb_choices(option->choices));
        return option->choices[*option->value.integer];
    case APP_IS_TEXT:
    case APP_IS_ONE_OF:
        return *option->value.text;
    default:
        return NULL;
    }
}

void app_option_expects(const app_option *option, char *text, size_t size)
{
    int length;
    switch (option->kind) {
    case APP_IS_SEED:
        snprintf(text, size, "a whole number from 0 to %ju", (uintmax_t)UINT64_MAX);
        break;
    case APP_IS_INT:
    case APP_IS_NUMBER:
        length = snprintf(text, size, "a %snumber", option->kind == APP_IS_INT ? "whole " : "");
        if (has_range(option))
            snprintf(text + length, size - (size_t)length, " from %.10g to %.10g", option->min, option->max);
        break;
    case APP_IS_CHOICE:
    case APP_IS_ONE_OF:
        lb_choices_text(option->choices, text, size);
        break;
    case APP_IS_TESTS:
        snprintf(text, size, "%s with letters, digits, - and _ in the name, and at most %d of them",
                 option->metavar, LB_MOST_TESTS);
        break;
    default:
        snprintf(text, size, "%s", option->metavar ? option->metavar : "true or false");
        break;
    }
}

void app_option_hint(const app_option *option, const char *text, char hint[APP_HINT])
{
    app_nearest nearest = {.word = text};
    for (const char *const *choice = option->choices; choice && *choice; choice++)
        app_nearest_try(&nearest, *choice);
    for (const lb_alias *alias = option->aliases; alias && alias->name; alias++)
        app_nearest_try(&nearest, alias->name);
    app_nearest_hint(&nearest, "", hint);
}

static bool read_int(const app_option *option, const char *text)
{
    char *end;
    errno = 0;
    long long value = strtoll(text, &end, 10);
    if (errno || end == text || *end || value < INT_MIN || value > INT_MAX) return false;
    if (!is_in_range(option, (double)value)) return false;
    *option->value.integer = (int)exchanged(option, (double)value);
    return true;
}

static bool read_seed(const app_option *option, const char *text)
{
    char *end;
    errno = 0;
    unsigned long long value = strtoull(text, &end, 10);
    if (errno || end == text || *end || *text == '-') return false;
    *option->value.seed = value;
    return true;
}

static bool read_number(const app_option *option, const char *text)
{
    char *end;
    errno = 0;
    double value = strtod(text, &end);
    /* Zero often means the default: a number that is too small for a double must not become one. */
    bool lost = value == 0 && errno == ERANGE;
    if (end == text || *end || !isfinite(value) || lost) return false;
    if (!is_in_range(option, value)) return false;
    *option->value.number = exchanged(option, value);
    return true;
}

static bool read_flag(const app_option *option, const char *text)
{
    bool on = strcmp(text, "true") == 0;
    if (!on && strcmp(text, "false") != 0) return false;
    if (option->zero_is_value)
        *option->value.integer = on ? 1 : -1;
    else
        *option->value.flag = on != is_opposite(option);
    return true;
}

static bool read_choice(const app_option *option, const char *text)
{
    int choice = 0;
    const lb_alias *alias = option->aliases;
    int (*compare)(const char *, const char *) = option->kind == APP_IS_ONE_OF ? strcasecmp : strcmp;
    while (option->choices[choice] && compare(option->choices[choice], text) != 0) choice++;
    while (alias && alias->name && strcmp(alias->name, text) != 0) alias++;
    if (!option->choices[choice] && !(alias && alias->name)) return false;
    if (!option->choices[choice]) choice = alias->choice;
    if (option->kind == APP_IS_CHOICE)
        *option->value.integer = choice;
    else
        *option->value.text = option->choices[choice];
    return true;
}

enum { MOST_VARIABLES = 256 };

static const void *variables[MOST_VARIABLES]; /* set so far; ends with NULL */

void app_option_note_set(const void *variable)
{
    int at = 0;
    while (at < MOST_VARIABLES - 1 && variables[at] && variables[at] != variable) at++;
    assert(at < MOST_VARIABLES - 1); /* the last stays NULL */
    variables[at] = variable;
}

bool app_option_was_set(const void *variable)
{
    for (int i = 0; i < MOST_VARIABLES && variables[i]; i++)
        if (variables[i] == variable) return true;
    return false;
}

bool app_option_is_path(const app_option *option)
{
    static const char *const paths[] = {"FILE", "DIR", "MODEL", "MODEL2", NULL};
    return option->metavar && app_is_one_of(option->metavar, paths);
}

/* An empty text names nothing. */
static bool is_name(const app_option *option)
{
    return app_option_is_path(option) || strcmp(option->metavar, "LIST") == 0;
}

bool app_option_set(const app_option *option, const char *text)
{
    size_t end;
    app_option_note_set(option->value.flag); /* the address is the same for any type */
    /* strtod and similar functions would skip a blank */
    switch (option->kind) {
    case APP_IS_INT:
        return !isspace((unsigned char)*text) && read_int(option, text);
    case APP_IS_SEED:
        return !isspace((unsigned char)*text) && read_seed(option, text);
    case APP_IS_NUMBER:
        return !isspace((unsigned char)*text) && read_number(option, text);
    case APP_IS_CHOICE:
    case APP_IS_ONE_OF:
        return read_choice(option, text);
    case APP_IS_TEXT:
        if (!*text && is_name(option)) return false;
        *option->value.text = text;
        return true;
    case APP_IS_TEXTS:
        if (!*text && is_name(option)) return false;
        return !lb_strings_add(option->value.texts, lb_alloc_string(text), NULL);
    case APP_IS_TESTS:
        end = strcspn(text, "=");
        return text[end] && lb_setting_add_test(option->value.tests, text, end, text + end + 1);
    case APP_IS_FLAG:
        return read_flag(option, text);
    default:
        return false;
    }
}

/* ---- Files that options name. ---- */

/* Files that do not exist yet: without memory for their folders, two that have one name count as one. */
static bool will_be_one(const char *a, const char *b)
{
    lb_os_info x, y;
    if (strcmp(lb_os_name_of(a), lb_os_name_of(b)) != 0) return false;
    char *folder = lb_folder_of(a), *other_folder = lb_folder_of(b);
    bool known =
        folder && other_folder && lb_os_info_at(folder, true, &x) && lb_os_info_at(other_folder, true, &y);
    lb_release(folder);
    lb_release(other_folder);
    return known ? lb_os_is_one(&x, &y) : strcmp(a, b) == 0;
}

static bool is_same_file(const char *a, const char *b)
{
    lb_os_info x, y;
    bool exists = lb_os_info_at(a, true, &x), other_exists = lb_os_info_at(b, true, &y);
    if (exists && other_exists) return x.kind == LB_OS_IS_FILE && lb_os_is_one(&x, &y);
    return !exists && !other_exists && will_be_one(a, b);
}

/* Whether `named` is the file, or a folder that has it as its model. */
static bool has(const char *named, const char *file)
{
    char *model = lb_model_path(named, NULL);
    bool same = model && is_same_file(file, model);
    lb_release(model);
    return same;
}

/* Whether the shell redirects this file to standard input. */
static bool is_standard_input(const char *file)
{
    lb_os_info x, y;
    return lb_os_info_at(file, true, &x) && x.kind == LB_OS_IS_FILE && lb_os_info_of(lb_os_input(), &y) &&
           lb_os_is_one(&x, &y);
}

/* File number `number` that an option names, from 0; NULL behind the last. */
static const char *named_by(const app_option *option, int number)
{
    const lb_test *tests = option->kind == APP_IS_TESTS ? option->value.tests : NULL;
    if (tests) return number < LB_MOST_TESTS && *tests[number].name ? tests[number].file : NULL;
    const lb_strings *texts = option->kind == APP_IS_TEXTS ? option->value.texts : NULL;
    if (texts) return app_option_is_path(option) && number < (int)texts->count ? texts->text[number] : NULL;
    bool one = number == 0 && option->kind == APP_IS_TEXT && app_option_is_path(option);
    return one ? *option->value.text : NULL;
}

static lb_status refuse(const app_option *option, const char *dashes, const char *other, lb_error *error)
{
    char words[LB_SETTING_WORDS];
    return lb_error_set(error, LB_ERROR_ARGUMENT, "%s and %s%.160s: found one file, %.160s, expected two",
                        app_option_words(option, words), dashes, other, *option->value.text);
}

static lb_status check_output(const app_option *output, const app_option *options, int option_count,
                              char *const *operands, int operand_count, lb_error *error)
{
    const char *file = *output->value.text;
    for (int i = 0; i < option_count; i++) {
        const app_option *other = &options[i];
        const char *named;
        for (int n = 0; other != output && (named = named_by(other, n)) != NULL; n++)
            if (has(named, file)) return refuse(output, "--", other->name, error);
    }
    for (int i = 0; i < operand_count; i++)
        if (has(operands[i], file)) return refuse(output, "", operands[i], error);
    return is_standard_input(file) ? refuse(output, "", "standard input", error) : LB_OK;
}

lb_status app_option_files_check(const app_option *options, int option_count, char *const *operands,
                                 int operand_count, lb_error *error)
{
    lb_status status = LB_OK;
    for (int i = 0; i < option_count && !status; i++)
        if (options[i].writes && *options[i].value.text)
            status = check_output(&options[i], options, option_count, operands, operand_count, error);
    return status;
}
