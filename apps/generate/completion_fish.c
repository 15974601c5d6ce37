#include "generate/completion.h"

#include "cli/option.h"

static void put_quoted(const char *before, const char *text, FILE *out)
{
    fprintf(out, "'%s", before);
    for (; *text; text++) {
        if (*text == '\'' || *text == '\\') fputc('\\', out);
        fputc(*text, out);
    }
    fputc('\'', out);
}

static const char begin[] = "# Completion of lookback in fish.\n"
                            "function __lookback_at_command\n"
                            "    set -l words (commandline -opc)\n"
                            "    test (count $words) -eq 1\n"
                            "    or test (count $words) -eq 2 -a $words[2] = help\n"
                            "end\n"
                            "function __lookback_in\n"
                            "    set -l words (commandline -opc)\n"
                            "    test (count $words) -gt 1\n"
                            "    and test $words[2] = $argv[1]\n"
                            "end\n"
                            "complete -c lookback -f\n";

static void about(const char *name, const char *text, FILE *out)
{
    fprintf(out, "complete -c lookback -n __lookback_at_command -a %s -d ", name);
    put_quoted("", text, out);
    fputc('\n', out);
}

static const char options_begin[] = "complete -c lookback -s h -l help -d 'print this'\n"
                                    "complete -c lookback -s V -l version -d 'print the version'\n";

static const char *const values[] = {[APP_VALUE_NONE] = "",
                                     [APP_VALUE_WORDS] = " -x -a '",
                                     [APP_VALUE_FILE] = " -r -F",
                                     [APP_VALUE_FOLDER] = " -x -a '(__fish_complete_directories)'",
                                     [APP_VALUE_OTHER] = " -x"};

static void put_option(const char *name, const app_option *option, FILE *out)
{
    fprintf(out, "complete -c lookback -n '__lookback_in %s'", name);
    if (option->letter) fprintf(out, " -s %c", option->letter);
    fprintf(out, " -l %s%s", app_option_is_on(option) ? "no-" : "", option->name);
    app_value_put(option, values, "'", out);
    fputs(" -d ", out);
    put_quoted(app_option_is_on(option) ? "turn off: " : "", option->help, out);
    fputc('\n', out);
}

static void command(const app_program *program, FILE *out)
{
    if (program->operands) fprintf(out, "complete -c lookback -n '__lookback_in %s' -F\n", program->name);
    for (int i = 0; i < program->option_count; i++)
        if (app_is_completed(&program->options[i])) put_option(program->name, &program->options[i], out);
}

const app_completion app_completion_fish = {"fish", begin, about, options_begin, command, ""};
