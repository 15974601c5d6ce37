/* Prints --help from the table of options. */
#include "cli/options.h"

#include <assert.h>
#include <string.h>

enum { WIDTH = 80, LEFT = 64, TEXT = 768 };

const app_option app_option_help = {.name = "help", .letter = 'h', .help = "print this", .kind = APP_IS_FLAG};
const app_option app_option_version = {
    .name = "version", .letter = 'V', .help = "print the version", .kind = APP_IS_FLAG};

/* "  -b, --batch N", or "      --[no-]NAME" for a flag that is on by default. */
static int format_left(const app_option *option, char left[LEFT])
{
    char letter[8] = "    ";
    if (option->letter) snprintf(letter, sizeof letter, "-%c, ", option->letter);
    bool value = option->kind != APP_IS_FLAG;
    if (app_option_is_rare(option))
        return snprintf(left, LEFT, "      %s=%s", option->name, value ? option->metavar : "true");
    const char *negation = app_option_is_on(option) ? "[no-]" : "";
    return snprintf(left, LEFT, "  %s--%s%s%s%s", letter, negation, option->name, value ? " " : "",
                    value ? option->metavar : "");
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
    char number[APP_OPTION_NUMBER];
    const char *value = option->kind != APP_IS_FLAG ? app_option_value(option, number)
                        : app_option_is_on(option)  ? "on"
                                                    : NULL;
    const char *mark = value && strcmp(value, "0") == 0 ? "; 0: " : "; default: ";
    const char *end = strstr(option->help, mark); /* of the purpose; behind it is the default, in words */
    size_t used = (size_t)snprintf(text, size, "%.*s", (int)(end ? end - option->help : TEXT), option->help);
    for (const char *const *choice = option->choices; choice && *choice && used < size; choice++) {
        const char *alias = alias_of(option, (int)(choice - option->choices));
        used +=
            (size_t)snprintf(text + used, size - used, "%s%s%s%s", choice == option->choices ? ": " : ", ",
                             *choice, alias ? " or " : "", alias ? alias : "");
    }
    if (end) value = end + strlen(mark);
    if (value && used < size) snprintf(text + used, size - used, " (default: %s)", value);
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

int app_options_list(const app_program *program, bool all, const app_option *listed[APP_MOST_OPTIONS + 1])
{
    static const app_option heading = APP_HEADING("Only by --set NAME=VALUE");
    const app_option *end = program->options + program->option_count;
    int count = 0, rare = 0;
    for (const app_option *option = program->options; option < end; option++)
        if (app_option_is_rare(option))
            rare++;
        else if (all || option->usual) /* no heading is usual */
            listed[count++] = option;
    if (all && rare > 0) listed[count++] = &heading;
    for (const app_option *option = program->options; option < end && all; option++)
        if (app_option_is_rare(option)) listed[count++] = option;
    assert(count <= APP_MOST_OPTIONS + 1);
    return count;
}

/* The column where the texts begin. */
static int indent_of(const app_option *const *shown, int count)
{
    char left[LEFT];
    int indent = format_left(&app_option_version, left);
    for (int i = 0; i < count; i++) {
        int length = shown[i]->kind == APP_IS_HEADING ? 0 : format_left(shown[i], left);
        if (length > indent) indent = length;
    }
    return indent + 2;
}

void app_options_help(const app_program *program, bool all, FILE *out)
{
    const app_option *shown[APP_MOST_OPTIONS + 1];
    int options = 0, count = app_options_list(program, all, shown);
    all = all || count == 0;
    if (all) count = app_options_list(program, all, shown);
    int indent = indent_of(shown, count);
    fprintf(out, "usage: %s [OPTION]...%s%s\n", app_name(program->name), program->operands ? " " : "",
            program->operands ? program->operands : "");
    print_wrapped(program->purpose, 0, "", out);
    fputc('\n', out);
    for (int i = 0; i < program->option_count; i++)
        options += program->options[i].kind != APP_IS_HEADING && !app_option_is_rare(&program->options[i]);
    if (!all) fprintf(out, "The most common of %d options; --help --all shows them all\n", options);
    for (int i = 0; i < count; i++) {
        if (shown[i]->kind == APP_IS_HEADING)
            fprintf(out, "%s%s\n", i ? "\n" : "", shown[i]->help);
        else
            print_option(shown[i], indent, out);
    }
    fputc('\n', out);
    print_option(&app_option_help, indent, out);
    print_option(&app_option_version, indent, out);
    if (program->example_count > 0) fputs("\nExamples\n", out);
    app_examples_print(program->examples, program->example_count, out);
}
