#include "common/options.h"

#include "common/report.h"
#include "common/threads.h"

#include <assert.h>
#include <ctype.h>
#include <errno.h>
#include <getopt.h>
#include <limits.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum {
    MAX_OPTIONS = 62,
    /* What getopt_long returns: a position in the table, beyond all characters. */
    FIRST_OPTION = 256,
    HELP = FIRST_OPTION + MAX_OPTIONS,
    VERSION
};

/* The program's table as getopt_long wants it. */
typedef struct getopt_table {
    struct option names[MAX_OPTIONS + 3];
    char letters[2 * MAX_OPTIONS + 3];
} getopt_table;

static void make_table(const app_program *program, getopt_table *table)
{
    struct option *name = table->names;
    char *letter = table->letters;
    assert(program->option_count <= MAX_OPTIONS);
    *letter++ = ':'; /* a missing value is told from an unknown option */
    *letter++ = 'h';
    for (int i = 0; i < program->option_count; i++) {
        const app_option *option = &program->options[i];
        if (option->kind == APP_IS_HEADING) continue;
        int argument = option->kind == APP_IS_FLAG ? no_argument : required_argument;
        *name++ = (struct option){option->name, argument, NULL, FIRST_OPTION + i};
        if (option->letter) {
            *letter++ = option->letter;
            if (argument) *letter++ = ':';
        }
    }
    *letter = '\0';
    *name++ = (struct option){"help", no_argument, NULL, HELP};
    *name++ = (struct option){"version", no_argument, NULL, VERSION};
    *name = (struct option){0};
}

static const app_option *find_option(const app_program *program, int code)
{
    if (code >= FIRST_OPTION && code < HELP) return &program->options[code - FIRST_OPTION];
    for (int i = 0; i < program->option_count; i++) {
        if (program->options[i].letter == code) return &program->options[i];
    }
    return NULL;
}

/* "a whole number from 1 to 65536" */
static void describe(const app_option *option, char *text, size_t size)
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
    double value = strtod(text, &end);
    bool any = option->min == 0 && option->max == 0;
    if (end == text || *end || !isfinite(value)) return false;
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
    return false;
}

static bool read_value(const app_option *option, const char *text)
{
    /* strtod and its kin would skip a blank */
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
        *option->value.text = text;
        return true;
    case APP_IS_FLAG:
        *option->value.flag = true;
        return true;
    default:
        return false;
    }
}

/* `text` is NULL if the command line ended there */
static lb_status bad_value(const app_option *option, const char *text, lb_error *error)
{
    char expected[256];
    describe(option, expected, sizeof expected);
    if (!text) {
        return lb_error_set(error, LB_ERROR_ARGUMENT, "--%s: expected %s, found nothing", option->name,
                            expected);
    }
    return lb_error_set(error, LB_ERROR_ARGUMENT, "--%s: expected %s, found \"%s\"", option->name, expected,
                        text);
}

/* getopt_long has refused an option; `word` is the argument that it had come to. */
static lb_status bad_option(const app_program *program, const getopt_table *table, const char *word,
                            lb_error *error)
{
    if (optopt >= FIRST_OPTION) {
        const struct option *name = table->names;
        while (name->val != optopt) name++;
        return lb_error_set(error, LB_ERROR_ARGUMENT, "--%s: takes no value", name->name);
    }
    if (optopt)
        return lb_error_set(error, LB_ERROR_ARGUMENT, "unknown option -%c; see %s --help", optopt,
                            program->name);
    int length = (int)strcspn(word, "="), matches = 0;
    for (const struct option *name = table->names; name->name; name++) {
        matches += length > 2 && strncmp(name->name, word + 2, (size_t)length - 2) == 0;
    }
    return lb_error_set(error, LB_ERROR_ARGUMENT, "%s option %.*s; see %s --help",
                        matches > 1 ? "ambiguous" : "unknown", length, word, program->name);
}

static lb_status check_operands(const app_program *program, int count, char **operands, lb_error *error)
{
    if (count < program->min_operands) {
        return lb_error_set(error, LB_ERROR_ARGUMENT, "expected %s; see %s --help", program->operands,
                            program->name);
    }
    if (count > program->max_operands) {
        return lb_error_set(error, LB_ERROR_ARGUMENT, "unexpected argument \"%s\"; see %s --help",
                            operands[program->max_operands], program->name);
    }
    return LB_OK;
}

lb_status app_options_parse(const app_program *program, int *argc, char ***argv, app_request *request,
                            lb_error *error)
{
    getopt_table table = {0};
    make_table(program, &table);
    *request = APP_REQUEST_RUN;
    opterr = 0;
    optind = 0; /* glibc: start anew */
    for (;;) {
        int code = getopt_long(*argc, *argv, table.letters, table.names, NULL);
        if (code == -1) break;
        if (code == HELP || code == 'h' || code == VERSION) {
            *request = code == VERSION ? APP_REQUEST_VERSION : APP_REQUEST_HELP;
            return LB_OK;
        }
        if (code == '?') return bad_option(program, &table, (*argv)[optind - 1], error);
        const app_option *option = find_option(program, code == ':' ? optopt : code);
        if (code == ':') return bad_value(option, NULL, error);
        if (!read_value(option, optarg)) return bad_value(option, optarg, error);
    }
    *argc -= optind;
    *argv += optind;
    return check_operands(program, *argc, *argv, error);
}

static void print_version(const app_program *program)
{
    printf("%s (Lookback) %s\n", program->name, LOOKBACK_VERSION);
    if (program->kernel) printf("%s\n", program->kernel);
}

int app_options(const app_program *program, int *argc, char ***argv)
{
    lb_error error = {0};
    app_request request;
    app_settle_threads(*argv);
    app_start(program->name);
    if (app_options_parse(program, argc, argv, &request, &error) != LB_OK) return app_fail(&error);
    if (request == APP_REQUEST_RUN) return APP_RUN;
    if (request == APP_REQUEST_HELP) app_options_help(program, stdout);
    if (request == APP_REQUEST_VERSION) print_version(program);
    return app_close_stdout(0);
}
