#include "cli/options.h"

#include "console/console.h"

#include <string.h>

enum { WIDTH = 80, LEFT = 64, VALUE = 256, TEXT = 768 };

const char app_rare_heading[] = "Only by --set NAME=VALUE";
const app_option app_option_help = {.name = "help", .letter = 'h', .help = "print this", .kind = APP_IS_FLAG};
const app_option app_option_version = {
    .name = "version", .letter = 'V', .help = "print the version", .kind = APP_IS_FLAG};

/* "  -b, --batch N", or "      --[no-]NAME" for a flag that is on by default. */
static int format_left(const app_option *option, char left[LEFT])
{
    char letter[8] = "    ";
    if (option->letter) snprintf(letter, sizeof letter, "-%c, ", option->letter);
    bool value = option->kind != APP_IS_FLAG;
    if (option->setting && app_option_is_rare(option))
        return snprintf(left, LEFT, "      %s=%s", option->setting->name, value ? option->metavar : "true");
    const char *negation = app_option_is_on(option) ? "[no-]" : "";
    return snprintf(left, LEFT, "  %s--%s%s%s%s", letter, negation, option->name, value ? " " : "",
                    value ? option->metavar : "");
}

static void format_default(const app_option *option, char text[VALUE])
{
    char number[APP_OPTION_NUMBER];
    const char *value = option->kind != APP_IS_FLAG ? app_option_value(option, number)
                        : app_option_is_on(option)  ? "on"
                                                    : NULL;
    text[0] = '\0';
    if (value) snprintf(text, VALUE, " (%s)", value);
}

/* Prints the text, starting at column `indent`. At WIDTH it wraps to the next line, which begins with `margin`. */
static void print_wrapped(const char *text, int indent, const char *margin, FILE *out)
{
    int column = indent;
    for (const char *word = text; *word;) {
        int length = (int)strcspn(word, " ");
        if (column > indent && column + 1 + length > WIDTH) {
            fprintf(out, "\n%-*s", indent, margin);
            column = indent;
        }
        column += fprintf(out, "%s%.*s", column > indent ? " " : "", length, word);
        word += length + (int)strspn(word + length, " ");
    }
    fputc('\n', out);
}

static const char *alias_of(const app_option *option, int choice)
{
    for (const lb_alias *alias = option->aliases; alias && alias->name; alias++)
        if (alias->choice == choice) return alias->name;
    return NULL;
}

void app_option_describe(const app_option *option, char *text, size_t size)
{
    char value[VALUE];
    format_default(option, value);
    size_t used = (size_t)snprintf(text, size, "%s", option->help);
    const bool listed = option->kind != APP_IS_SET;
    for (const char *const *choice = option->choices; listed && choice && *choice && used < size; choice++) {
        const char *alias = alias_of(option, (int)(choice - option->choices));
        used +=
            (size_t)snprintf(text + used, size - used, "%s%s%s%s", choice == option->choices ? ": " : ", ",
                             *choice, alias ? " or " : "", alias ? alias : "");
    }
    if (used < size) snprintf(text + used, size - used, "%s", value);
}

static void print_option(const app_option *option, int indent, FILE *out)
{
    char left[LEFT], text[TEXT];
    format_left(option, left);
    app_option_describe(option, text, sizeof text);
    fprintf(out, "%-*s", indent, left);
    print_wrapped(text, indent, "", out);
}

void app_examples_print(const app_example *examples, int count, FILE *out)
{
    for (int i = 0; i < count; i++) {
        fputs(i ? "\n  # " : "  # ", out);
        print_wrapped(examples[i].about, 4, "  #", out);
        fprintf(out, "  %s\n", examples[i].command);
    }
}

/* Rare options are shown only with all others, and behind them. */
static bool is_shown(const app_option *option, bool all)
{
    return app_option_is_rare(option) ? all : all || option->usual;
}

/* The column where the texts begin. */
static int indent_of(const app_program *program, bool all)
{
    char left[LEFT];
    int indent = format_left(&app_option_version, left);
    for (int i = 0; i < program->option_count; i++) {
        const app_option *option = &program->options[i];
        if (option->kind == APP_IS_HEADING || !is_shown(option, all)) continue;
        int length = format_left(option, left);
        if (length > indent) indent = length;
    }
    return indent + 2;
}

static void count_options(const app_program *program, int *options, int *usual)
{
    *options = *usual = 0;
    for (int i = 0; i < program->option_count; i++) {
        bool rare = app_option_is_rare(&program->options[i]);
        *options += program->options[i].kind != APP_IS_HEADING && !rare;
        *usual += program->options[i].usual && !rare;
    }
}

static void print_rare(const app_program *program, int indent, FILE *out)
{
    bool any = false;
    for (int i = 0; i < program->option_count; i++) {
        const app_option *option = &program->options[i];
        if (!app_option_is_rare(option)) continue;
        if (!any) fprintf(out, "\n%s\n", app_rare_heading);
        any = true;
        print_option(option, indent, out);
    }
}

void app_options_help(const app_program *program, bool all, FILE *out)
{
    int options, usual;
    count_options(program, &options, &usual);
    all = all || usual == 0;
    int indent = indent_of(program, all);
    fprintf(out, "usage: %s [OPTION]...%s%s\n", app_name(program->name), program->operands ? " " : "",
            program->operands ? program->operands : "");
    print_wrapped(program->purpose, 0, "", out);
    fputc('\n', out);
    if (!all) fprintf(out, "The most common of %d options; --help --all shows them all\n", options);
    for (int i = 0; i < program->option_count; i++) {
        const app_option *option = &program->options[i];
        if (app_option_is_rare(option) || (!all && !option->usual)) continue; /* no heading is usual */
        if (option->kind == APP_IS_HEADING)
            fprintf(out, "%s%s\n", i ? "\n" : "", option->help);
        else
            print_option(option, indent, out);
    }
    if (all) print_rare(program, indent, out);
    fputc('\n', out);
    print_option(&app_option_help, indent, out);
    print_option(&app_option_version, indent, out);
    if (program->example_count > 0) fputs("\nExamples\n", out);
    app_examples_print(program->examples, program->example_count, out);
}
