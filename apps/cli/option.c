#include "cli/option.h"

#include "base/alloc.h"

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

/* The shortest text that reads back as the same number. */
static const char *print_number(double value, char number[APP_OPTION_NUMBER])
{
    enum { FEW = 6, ALL = 17 };
    for (int digits = FEW; digits <= ALL; digits++) {
        snprintf(number, APP_OPTION_NUMBER, "%.*g", digits, value);
        if (strtod(number, NULL) == value) break;
    }
    return number;
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
    return option->kind == APP_IS_FLAG && option->value.flag && *option->value.flag != is_opposite(option);
}

void app_option_turn(const app_option *option, bool on)
{
    *option->value.flag = on != is_opposite(option);
}

/* Where zero is a value, a negative number stands for it, and zero means "not given". */
static double shown(const app_option *option, double value)
{
    bool zero_is_value = option->setting && option->setting->zero_is_value;
    return zero_is_value ? value == 0 ? -1 : value < 0 ? 0 : value : value;
}

const char *app_option_value(const app_option *option, char number[APP_OPTION_NUMBER])
{
    double value;
    switch (option->kind) {
    case APP_IS_FLAG:
        return app_option_is_on(option) ? "true" : "false";
    case APP_IS_INT:
        value = shown(option, *option->value.integer);
        snprintf(number, APP_OPTION_NUMBER, "%.0f", value);
        return is_in_range(option, value) ? number : NULL;
    case APP_IS_SEED:
        snprintf(number, APP_OPTION_NUMBER, "%ju", (uintmax_t)*option->value.seed);
        return number;
    case APP_IS_NUMBER:
        value = shown(option, *option->value.number);
        return is_in_range(option, value) ? print_number(value, number) : NULL;
    case APP_IS_CHOICE:
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
    switch (option->kind) {
    case APP_IS_INT:
        if (has_range(option))
            snprintf(text, size, "a whole number from %.0f to %.0f", option->min, option->max);
        else
            snprintf(text, size, "a whole number");
        break;
    case APP_IS_SEED:
        snprintf(text, size, "a whole number from 0 to %ju", (uintmax_t)UINT64_MAX);
        break;
    case APP_IS_NUMBER:
        if (has_range(option))
            snprintf(text, size, "a number from %.10g to %.10g", option->min, option->max);
        else
            snprintf(text, size, "a number");
        break;
    case APP_IS_CHOICE:
    case APP_IS_ONE_OF:
        lb_choices_text(option->choices, text, size);
        break;
    default:
        snprintf(text, size, "%s", option->metavar ? option->metavar : "true or false");
        break;
    }
}

lb_status app_option_hint(const app_option *option, const char *text, char hint[APP_HINT], lb_error *error)
{
    app_nearest nearest = {.word = text};
    lb_status status = LB_OK;
    for (const char *const *choice = option->choices; choice && *choice && !status; choice++)
        status = app_nearest_try(&nearest, *choice, error);
    for (const lb_alias *alias = option->aliases; alias && alias->name && !status; alias++)
        status = app_nearest_try(&nearest, alias->name, error);
    app_nearest_hint(&nearest, "", hint);
    return status;
}

static double stored(const app_option *option, double value)
{
    return option->setting && option->setting->zero_is_value && value == 0 ? -1 : value;
}

static bool read_int(const app_option *option, const char *text)
{
    char *end;
    errno = 0;
    long long value = strtoll(text, &end, 10);
    if (errno || end == text || *end || value < INT_MIN || value > INT_MAX) return false;
    if (!is_in_range(option, (double)value)) return false;
    *option->value.integer = (int)stored(option, (double)value);
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
    *option->value.number = stored(option, value);
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

static void remember(const void *variable)
{
    int at = 0;
    while (at < MOST_VARIABLES - 1 && variables[at] && variables[at] != variable) at++;
    variables[at] = variable;
}

bool app_option_was_set(const void *variable)
{
    for (int i = 0; i < MOST_VARIABLES && variables[i]; i++)
        if (variables[i] == variable) return true;
    return false;
}

void app_options_forget(void)
{
    memset((void *)variables, 0, sizeof variables);
}

bool app_option_is_path(const app_option *option)
{
    static const char *const paths[] = {"FILE", "DIR", "MODEL", "MODEL2"};
    for (size_t i = 0; i < sizeof paths / sizeof *paths; i++)
        if (option->metavar && strcmp(option->metavar, paths[i]) == 0) return true;
    return false;
}

/* An empty text names nothing. */
static bool is_name(const app_option *option)
{
    return app_option_is_path(option) || strcmp(option->metavar, "LIST") == 0;
}

bool app_option_set(const app_option *option, const char *text)
{
    remember(option->value.flag); /* the address is the same for any type */
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
        return !lb_strings_add(option->value.texts, lb_alloc_string(text), NULL);
    case APP_IS_FLAG:
        app_option_turn(option, true);
        return true;
    default:
        return false;
    }
}
