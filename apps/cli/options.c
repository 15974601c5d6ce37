#include "cli/options.h"

#include <assert.h>
#include <getopt.h>
#include <string.h>

enum {
    /* Values that getopt_long returns: an index in the table, above all characters. */
    FIRST_OPTION = 256,
    FIRST_NEGATED = FIRST_OPTION + APP_MOST_OPTIONS, /* --no-FLAG */
    NAME = 48
};

/* The program's table for getopt_long. */
typedef struct getopt_table {
    struct option names[2 * APP_MOST_OPTIONS + 3];
    char negated[APP_MOST_OPTIONS][NAME];
    char letters[2 * APP_MOST_OPTIONS + 4];
    bool met[APP_MOST_OPTIONS]; /* options with a value on this command line */
} getopt_table;

static void make_table(const app_program *program, getopt_table *table)
{
    struct option *name = table->names;
    char *letter = table->letters;
    assert(program->option_count <= APP_MOST_OPTIONS);
    *letter++ = ':'; /* distinguishes a missing value from an unknown option */
    *letter++ = 'h';
    *letter++ = 'V';
    for (int i = 0; i < program->option_count; i++) {
        const app_option *option = &program->options[i];
        if (option->kind == APP_IS_HEADING || app_option_is_rare(option)) continue;
        int argument = option->kind == APP_IS_FLAG ? no_argument : required_argument;
        *name++ = (struct option){option->name, argument, NULL, FIRST_OPTION + i};
        if (option->kind == APP_IS_FLAG || option->optional) {
            snprintf(table->negated[i], NAME, "no-%s", option->name);
            *name++ = (struct option){table->negated[i], no_argument, NULL, FIRST_NEGATED + i};
        }
        if (option->letter) {
            *letter++ = option->letter;
            if (argument) *letter++ = ':';
        }
    }
    *letter = '\0';
    *name++ = (struct option){"help", no_argument, NULL, 'h'};
    *name++ = (struct option){"version", no_argument, NULL, 'V'};
    *name = (struct option){0};
}

static const app_option *find_option(const app_program *program, int code)
{
    if (code >= FIRST_NEGATED) return &program->options[code - FIRST_NEGATED];
    if (code >= FIRST_OPTION) return &program->options[code - FIRST_OPTION];
    for (int i = 0; i < program->option_count; i++) {
        if (program->options[i].letter == code) return &program->options[i];
    }
    return NULL;
}

/* `text` is NULL if the command line has ended */
static lb_status bad_value(const app_option *option, const char *text, lb_error *error)
{
    char expected[256], hint[APP_HINT] = "", words[LB_SETTING_WORDS];
    app_option_expects(option, expected, sizeof expected);
    if (text) app_option_hint(option, text, hint);
    const char *quote = text ? "\"" : "";
    return lb_error_set(error, LB_ERROR_ARGUMENT, "%s: expected %s, found %s%s%s%s",
                        app_option_words(option, words), expected, quote, text ? text : "nothing", quote,
                        hint);
}

/* The option for a setting; NULL if the program has none. */
static const app_option *find_setting(const app_program *program, const lb_setting *setting)
{
    for (int i = 0; i < program->option_count && setting; i++)
        if (program->options[i].setting == setting) return &program->options[i];
    return NULL;
}

const app_option *app_options_find(const app_program *program, const char *name)
{
    for (int i = 0; i < program->option_count; i++)
        if (program->options[i].name && strcmp(program->options[i].name, name) == 0)
            return &program->options[i];
    return NULL;
}

/* Forgets the values that a setting has been given as a list. */
static void forget_list(const app_program *program, const app_option *option)
{
    for (size_t i = 0; program->lists && option->setting && i < program->lists->count; i++) {
        char **text = program->lists->text;
        const size_t length = strlen(option->name);
        if (strncmp(text[i], option->name, length) != 0 || text[i][length] != '=') continue;
        lb_release(text[i]);
        memmove(&text[i], &text[i + 1], (--program->lists->count - i) * sizeof *text);
        return;
    }
}

/* Sets an option. A setting that has one value, not any text, may be given several, which are kept by its name. The
 * last value, or list, wins. */
static lb_status set_value(const app_program *program, const app_option *option, const char *value,
                           lb_error *error)
{
    const bool single = option->setting && option->kind != APP_IS_TEXT && option->kind != APP_IS_TESTS;
    forget_list(program, option);
    if (!program->lists || !single || !strchr(value, ','))
        return app_option_set(option, value) ? LB_OK : bad_value(option, value, error);
    return lb_strings_print(program->lists, error, "%s=%s", option->name, value);
}

/* NAME=VALUE. A flag by the name of its field may be the opposite of its option. */
static lb_status set_by_name(const app_program *program, const char *text, lb_error *error)
{
    char name[NAME];
    const char *value = text + strcspn(text, "=");
    snprintf(name, sizeof name, "%.*s", (int)(value - text), text);
    for (char *letter = name; *letter; letter++)
        if (*letter == '-') *letter = '_';
    const lb_setting *setting = lb_setting_find(name);
    const app_option *option = find_setting(program, setting);
    if (!*value || !option)
        return lb_error_set(
            error, LB_ERROR_ARGUMENT,
            "--set: expected NAME=VALUE, with a name that %s --help --all lists, found \"%s\"",
            app_name(program->name), text);
    value++;
    if (setting->opposite && strcmp(name, setting->name) == 0)
        value = strcmp(value, "true") == 0 ? "false" : strcmp(value, "false") == 0 ? "true" : value;
    return set_value(program, option, value, error);
}

/* Refuses a word that asks for a setting as if it were an option, although only --set sets it. */
static lb_status check_rare(const app_program *program, char *const *words, lb_error *error)
{
    char name[NAME];
    const char *word = *words, *equals = strchr(word, '='), *next = words[1];
    int length = (int)strcspn(word, "="), dashes = strncmp(word, "--no-", 5) == 0 ? 5 : 2;
    if (strncmp(word, "--", 2) != 0) return LB_OK;
    snprintf(name, sizeof name, "%.*s", length - dashes, word + dashes);
    const lb_setting *setting = lb_setting_find(name);
    if (!setting || !setting->rare || !find_setting(program, setting)) return LB_OK;
    const char *value = setting->type == LB_SETTING_FLAG ? (dashes == 5 ? "false" : "true")
                        : equals                         ? equals + 1
                        : next                           ? next
                                                         : setting->metavar;
    return lb_error_set(error, LB_ERROR_ARGUMENT, "unknown option %.*s; write --set %s=%s", length, word,
                        lb_setting_option(setting, name), value);
}

/* getopt_long has rejected an option; `words` begin with the current argument. */
static lb_status bad_option(const app_program *program, const getopt_table *table, char *const *words,
                            lb_error *error)
{
    const char *word = *words;
    lb_status status = check_rare(program, words, error);
    if (status) return status;
    const struct option *known = table->names;
    while (optopt && known->name && known->val != optopt) known++;
    if (optopt && known->name)
        return lb_error_set(error, LB_ERROR_ARGUMENT, "--%s: takes no value", known->name);
    if (optopt)
        return lb_error_set(error, LB_ERROR_ARGUMENT, "unknown option -%c; see %s --help", optopt,
                            app_name(program->name));
    char text[NAME], hint[APP_HINT], all[LB_MESSAGE_LENGTH / 2] = "";
    int length = (int)strcspn(word, "="), matches = 0;
    size_t used = 0;
    app_nearest nearest = {.word = text};
    snprintf(text, sizeof text, "%.*s", length - 2, word + 2);
    for (const struct option *name = table->names; name->name; name++) {
        app_nearest_try(&nearest, name->name);
        if (!*text || strncmp(name->name, text, strlen(text)) != 0 || used >= sizeof all) continue;
        used += (size_t)snprintf(all + used, sizeof all - used, "%s--%s", matches++ ? ", " : "", name->name);
    }
    if (matches < 2)
        return lb_error_set(error, LB_ERROR_ARGUMENT, "unknown option %.*s%s; see %s --help", length, word,
                            app_nearest_hint(&nearest, "--", hint), app_name(program->name));
    return lb_error_set(error, LB_ERROR_ARGUMENT, "ambiguous option %.*s, expected one of %s; see %s --help",
                        length, word, all, app_name(program->name));
}

static lb_status check_operands(const app_program *program, int count, char **operands, lb_error *error)
{
    if (count < program->min_operands) {
        return lb_error_set(error, LB_ERROR_ARGUMENT, "expected %s; see %s --help", program->operands,
                            app_name(program->name));
    }
    if (count > program->max_operands) {
        const char *further = operands[program->max_operands], *targets = "targets";
        char hint[APP_HINT] = "";
        if (!app_options_find(program, targets)) targets = "train-targets";
        if (app_options_find(program, targets) && lb_os_may(further, LB_OS_READ))
            snprintf(hint, sizeof hint, "; if it has the targets, put --%s before it", targets);
        return lb_error_set(error, LB_ERROR_ARGUMENT,
                            "unexpected argument \"%s\", expected %s%s%s; see %s --help", further,
                            program->operands ? "only " : "none", program->operands ? program->operands : "",
                            hint, app_name(program->name));
    }
    return LB_OK;
}

/* Makes the operand the value of its option, unless the command line has the option, too. */
static lb_status take_operand(const app_program *program, int *argc, char ***argv, const bool *met,
                              lb_error *error)
{
    if (!program->operand_of || *argc == 0) return LB_OK;
    const app_option *option = app_options_find(program, program->operand_of);
    if (met[option - program->options])
        return lb_error_set(error, LB_ERROR_ARGUMENT, "--%s and %.160s: expected only one of them",
                            program->operand_of, **argv);
    if (!app_option_set(option, **argv)) return bad_value(option, **argv, error);
    *argc -= 1;
    *argv += 1;
    return LB_OK;
}

/* Some options end the program before the other words are read; of those, --help looks for --all only. */
static app_request request_of(int code, char *const *words)
{
    if (code == 'V') return APP_REQUEST_VERSION;
    if (code != 'h') return APP_REQUEST_RUN;
    while (*words && strcmp(*words, "--all") != 0) words++;
    return *words ? APP_REQUEST_HELP_ALL : APP_REQUEST_HELP;
}

/* `code` is that of an option, or of its negation; its value is in optarg. Of two files the first would be lost. */
static lb_status take_option(const app_program *program, int code, bool *met, lb_error *error)
{
    const app_option *option = find_option(program, code);
    bool negated = code >= FIRST_NEGATED, *before = &met[option - program->options];
    if (option->kind == APP_IS_SET) return set_by_name(program, optarg, error);
    if (negated && option->optional) {
        *option->value.text = NULL;
        *before = false;
        return LB_OK;
    }
    if (*before && option->kind == APP_IS_TEXT && *optarg && strcmp(option->metavar, "FILE") == 0)
        return lb_error_set(error, LB_ERROR_ARGUMENT, "--%s: found %.160s and %.160s, expected only one",
                            option->name, *option->value.text, optarg);
    const char *value = option->kind != APP_IS_FLAG ? optarg : negated ? "false" : "true";
    *before = true;
    return set_value(program, option, value, error);
}

lb_status app_options_parse(const app_program *program, int *argc, char ***argv, app_request *request,
                            lb_error *error)
{
    getopt_table table = {0};
    make_table(program, &table);
    *request = APP_REQUEST_RUN;
    opterr = 0;
    optind = 0; /* glibc: start over */
    for (;;) {
        int code = getopt_long(*argc, *argv, table.letters, table.names, NULL);
        if (code == -1) break;
        *request = request_of(code, *argv + optind);
        if (*request != APP_REQUEST_RUN) return LB_OK;
        if (code == '?') return bad_option(program, &table, *argv + optind - 1, error);
        if (code == ':') return bad_value(find_option(program, optopt), NULL, error);
        lb_status status = take_option(program, code, table.met, error);
        if (status) return status;
    }
    *argc -= optind;
    *argv += optind;
    lb_status status = check_operands(program, *argc, *argv, error);
    if (!status) status = take_operand(program, argc, argv, table.met, error);
    return status ? status
                  : app_option_files_check(program->options, program->option_count, *argv, *argc, error);
}
