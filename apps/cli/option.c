#include "cli/option.h"

#include "base/alloc.h"

#include <ctype.h>
#include <errno.h>
#include <limits.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

void app_option_expects(const app_option *option, char *text, size_t size)
{
    bool any = option->min == 0 && option->max == 0;
    switch (option->kind) {
    case APP_IS_INT:
        if (any) {
            snprintf(text, size, "a whole number");
        } else {
            snprintf(text, size, "a whole number from %.0f to %.0f", option->min, option->max);
        }
        break;
    case APP_IS_SEED:
        snprintf(text, size, "a whole number from 0 to %ju", (uintmax_t)UINT64_MAX);
        break;
    case APP_IS_NUMBER:
        if (any) {
            snprintf(text, size, "a number");
        } else {
            snprintf(text, size, "a number from %.10g to %.10g", option->min, option->max);
        }
        break;
    case APP_IS_CHOICE: {
        size_t used = 0;
        for (const char *const *choice = option->choices; *choice && used < size; choice++) {
            const char *joint = choice == option->choices ? "" : choice[1] ? ", " : " or ";
            used += (size_t)snprintf(text + used, size - used, "%s%s", joint, *choice);
        }
        break;
    }
    default:
        snprintf(text, size, "%s", option->metavar);
        break;
    }
}

static bool read_int(const app_option *option, const char *text)
{
    char *end;
    errno = 0;
    long long value = strtoll(text, &end, 10);
    bool any = option->min == 0 && option->max == 0;
    double min = any ? INT_MIN : option->min, max = any ? INT_MAX : option->max;
    if (errno || end == text || *end || (double)value < min || (double)value > max) return false;
    *option->value.integer = (int)value;
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
    bool any = option->min == 0 && option->max == 0;
    /* Zero often means the default: a number that is too small for a double must not become one. */
    bool lost = value == 0 && errno == ERANGE;
    if (end == text || *end || !isfinite(value) || lost) return false;
    if (!any && (value < option->min || value > option->max)) return false;
    *option->value.number = value;
    return true;
}

static bool read_choice(const app_option *option, const char *text)
{
    for (int i = 0; option->choices[i]; i++) {
        if (strcmp(option->choices[i], text) == 0) {
            *option->value.integer = i;
            return true;
        }
    }
    for (const app_alias *alias = option->aliases; alias && alias->name; alias++) {
        if (strcmp(alias->name, text) == 0) {
            *option->value.integer = alias->choice;
            return true;
        }
    }
    return false;
}

static bool add_text(app_texts *texts, const char *text)
{
    size_t bytes = texts->count * sizeof *texts->text;
    const char **grown = lb_alloc_grow((void *)texts->text, bytes, bytes + sizeof *grown);
    if (!grown) return false;
    grown[texts->count++] = text;
    texts->text = grown;
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
        return read_choice(option, text);
    case APP_IS_TEXT:
        if (!*text && is_name(option)) return false;
        *option->value.text = text;
        return true;
    case APP_IS_TEXTS:
        return add_text(option->value.texts, text);
    case APP_IS_FLAG:
        *option->value.flag = true;
        return true;
    default:
        return false;
    }
}
