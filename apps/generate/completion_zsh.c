#include "generate/completion.h"

#include "cli/option.h"

/* Text for single quotes, with backslashes before characters that are special to _arguments. */
static void put_quoted(const char *text, FILE *out)
{
    for (; *text; text++) {
        if (*text == '\'') {
            fputs("'\\''", out);
        } else {
            if (*text == '[' || *text == ']' || *text == ':' || *text == '\\') fputc('\\', out);
            fputc(*text, out);
        }
    }
}

static const char begin[] = "#compdef lookback\n"
                            "_lookback() {\n"
                            "  local curcontext=$curcontext state line\n"
                            "  typeset -A opt_args\n"
                            "  local -a commands\n"
                            "  commands=(\n";

static void about(const char *name, const char *text, FILE *out)
{
    fprintf(out, "    '%s:", name);
    put_quoted(text, out);
    fputs("'\n", out);
}

static const char options_begin[] =
    "  )\n"
    "  _arguments -C '(- *)'{-h,--help}'[print this]' '(- *)'{-V,--version}'[print the version]' \\\n"
    "    '1:command:->command' '*::argument:->argument'\n"
    "  case $state in\n"
    "  command) _describe -t commands command commands ;;\n"
    "  argument)\n"
    "    case $words[1] in\n"
    "    help) _describe -t commands command commands ;;\n";

static const char *const values[] = {[APP_VALUE_WORDS] = "(",
                                     [APP_VALUE_FILE] = "_files",
                                     [APP_VALUE_FOLDER] = "_files -/",
                                     [APP_VALUE_OTHER] = ""};

/* No blank follows the name of a setting. */
static const char *const settings[] = {[APP_VALUE_WORDS] = "{compadd -S \"\" -- "};

static void put_value(const app_option *option, FILE *out)
{
    if (app_value_of(option) == APP_VALUE_NONE) return;
    fprintf(out, ":%s:", option->metavar);
    if (option->kind == APP_IS_SET)
        app_value_put(option, settings, "}", out);
    else
        app_value_put(option, values, ")", out);
}

static void put_option(const app_option *option, FILE *out)
{
    const char *negation = app_option_is_on(option) ? "no-" : "";
    bool value = app_value_of(option) != APP_VALUE_NONE;
    fputs(" \\\n        ", out);
    if (option->letter)
        fprintf(out, "'(-%c --%s%s)'{-%c%s,--%s%s%s}'[", option->letter, negation, option->name,
                option->letter, value ? "+" : "", negation, option->name, value ? "=" : "");
    else
        fprintf(out, "'--%s%s%s[", negation, option->name, value ? "=" : "");
    if (app_option_is_on(option)) fputs("turn off\\: ", out);
    put_quoted(option->help, out);
    fputc(']', out);
    put_value(option, out);
    fputc('\'', out);
}

static void command(const app_program *program, FILE *out)
{
    fprintf(out,
            "    %s)\n      _arguments -s -S \\\n        '(- *)'{-h,--help}'[print this]' "
            "'(- *)'{-V,--version}'[print the version]'",
            program->name);
    for (int i = 0; i < program->option_count; i++)
        if (app_is_completed(&program->options[i])) put_option(&program->options[i], out);
    if (program->operands) fputs(" \\\n        '*:file:_files'", out);
    fputs("\n      ;;\n", out);
}

static const char end[] = "    esac\n"
                          "    ;;\n"
                          "  esac\n"
                          "}\n"
                          "_lookback \"$@\"\n";

const app_completion app_completion_zsh = {"zsh", begin, about, options_begin, command, end};
