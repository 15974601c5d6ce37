#include "cli/commands.h"

#include "cli/option.h"

#include <string.h>

/* The kind of value of an option. */
typedef enum value_kind {
    VALUE_NONE, /* a flag */
    VALUE_WORDS,
    VALUE_FILE, /* or a folder: a model may be either */
    VALUE_FOLDER,
    VALUE_OTHER /* a number or free text */
} value_kind;

/* Whether a command line can have it by a name of its own. */
static bool is_completed(const app_option *option)
{
    return option->kind != APP_IS_HEADING && !app_option_is_rare(option);
}

static value_kind value_of(const app_option *option)
{
    if (option->kind == APP_IS_FLAG) return VALUE_NONE;
    if (option->choices) return VALUE_WORDS;
    if (option->kind != APP_IS_TEXT) return VALUE_OTHER;
    if (strcmp(option->metavar, "DIR") == 0) return VALUE_FOLDER;
    return app_option_is_path(option) ? VALUE_FILE : VALUE_OTHER;
}

/* Prints what `as` has for the kind of value of an option. After that of VALUE_WORDS come the choices and aliases, with
 * blanks between them, and `end`. */
static void put_value(const app_option *option, const char *const *as, const char *end)
{
    value_kind kind = value_of(option);
    fputs(as[kind], stdout);
    if (kind != VALUE_WORDS) return;
    for (const char *const *choice = option->choices; *choice; choice++)
        printf("%s%s", choice == option->choices ? "" : " ", *choice);
    for (const lb_alias *alias = option->aliases; alias && alias->name; alias++) printf(" %s", alias->name);
    fputs(end, stdout);
}

/* Puts text into single quotes: `quote` stands for one of them, and special characters have a backslash in front. */
static void put_escaped(const char *text, const char *quote, const char *special)
{
    for (; *text; text++) {
        if (*text != '\'' && strchr(special, *text)) putchar('\\');
        if (*text == '\'')
            fputs(quote, stdout);
        else
            putchar(*text);
    }
}

/* ---- bash. ---- */

static const char bash_begin[] =
    "# Completion of lookback in bash.\n"
    "_lookback() {\n"
    "    local cur=${COMP_WORDS[COMP_CWORD]} prev=${COMP_WORDS[COMP_CWORD - 1]}\n"
    "    local commands options= operands=none value=\n"
    "    COMPREPLY=()\n"
    "    # --name=value comes as three words.\n"
    "    if [[ $cur == = ]]; then\n"
    "        cur=\n"
    "    elif [[ $prev == = ]] && ((COMP_CWORD > 2)); then\n"
    "        prev=${COMP_WORDS[COMP_CWORD - 2]}\n"
    "    fi\n"
    "    commands='";

static void bash_about(const char *name, const char *text)
{
    (void)text;
    printf("%s ", name);
}

static const char bash_options[] = "'\n"
                                   "    if ((COMP_CWORD == 1)); then\n"
                                   "        options=\"$commands --help --version\"\n"
                                   "    elif [[ ${COMP_WORDS[1]} == help ]]; then\n"
                                   "        options=$commands\n"
                                   "    fi\n"
                                   "    ((COMP_CWORD == 1)) || case ${COMP_WORDS[1]} in\n";

static const char *const bash_values[] = {
    [VALUE_WORDS] = "'", [VALUE_FILE] = ":file", [VALUE_FOLDER] = ":folder", [VALUE_OTHER] = ":other"};

static void put_bash_value(const app_option *option)
{
    if (value_of(option) == VALUE_NONE) return;
    fputs("        ", stdout);
    if (option->letter) printf("-%c | ", option->letter);
    printf("--%s) value=", option->name);
    put_value(option, bash_values, "'");
    fputs(" ;;\n", stdout);
}

static void bash_command(const app_program *program)
{
    printf("    %s)\n        options='--help --version", program->name);
    for (int i = 0; i < program->option_count; i++) {
        const app_option *option = &program->options[i];
        if (!is_completed(option)) continue;
        printf(" --%s%s", app_option_is_on(option) ? "no-" : "", option->name);
    }
    printf("'\n        operands=%s\n        case $prev in\n", program->operands ? ":file" : "none");
    for (int i = 0; i < program->option_count; i++)
        if (is_completed(&program->options[i])) put_bash_value(&program->options[i]);
    fputs("        esac\n        ;;\n", stdout);
}

static const char bash_end[] = "    esac\n"
                               "    if [[ -z $value ]]; then\n"
                               "        value=$options\n"
                               "        [[ $cur == -* || $operands == none ]] || value=$operands\n"
                               "    fi\n"
                               "    case $value in\n"
                               "    :other) ;;\n"
                               "    :file)\n"
                               "        compopt -o filenames 2>/dev/null\n"
                               "        mapfile -t COMPREPLY < <(compgen -f -- \"$cur\")\n"
                               "        ;;\n"
                               "    :folder)\n"
                               "        compopt -o filenames 2>/dev/null\n"
                               "        mapfile -t COMPREPLY < <(compgen -d -- \"$cur\")\n"
                               "        ;;\n"
                               "    *)\n"
                               "        [[ $value != *= ]] || compopt -o nospace 2>/dev/null\n"
                               "        mapfile -t COMPREPLY < <(compgen -W \"$value\" -- \"$cur\")\n"
                               "        ;;\n"
                               "    esac\n"
                               "}\n"
                               "complete -F _lookback lookback\n";

static const app_completion bash = {"bash", bash_begin, bash_about, bash_options, bash_command, bash_end};

/* ---- zsh. ---- */

static const char zsh_begin[] = "#compdef lookback\n"
                                "_lookback() {\n"
                                "  local curcontext=$curcontext state line\n"
                                "  typeset -A opt_args\n"
                                "  local -a commands\n"
                                "  commands=(\n";

/* What _arguments reads in single quotes. */
static const char zsh_quote[] = "'\\''", zsh_special[] = "[]:\\";

static void zsh_about(const char *name, const char *text)
{
    printf("    '%s:", name);
    put_escaped(text, zsh_quote, zsh_special);
    fputs("'\n", stdout);
}

static const char zsh_options[] =
    "  )\n"
    "  _arguments -C '(- *)'{-h,--help}'[print this]' '(- *)'{-V,--version}'[print the version]' \\\n"
    "    '1:command:->command' '*::argument:->argument'\n"
    "  case $state in\n"
    "  command) _describe -t commands command commands ;;\n"
    "  argument)\n"
    "    case $words[1] in\n"
    "    help) _describe -t commands command commands ;;\n";

static const char *const zsh_values[] = {
    [VALUE_WORDS] = "(", [VALUE_FILE] = "_files", [VALUE_FOLDER] = "_files -/", [VALUE_OTHER] = ""};

/* No blank follows the name of a setting. */
static const char *const zsh_settings[] = {[VALUE_WORDS] = "{compadd -S \"\" -- "};

static void put_zsh_value(const app_option *option)
{
    if (value_of(option) == VALUE_NONE) return;
    printf(":%s:", option->metavar);
    if (option->kind == APP_IS_SET)
        put_value(option, zsh_settings, "}");
    else
        put_value(option, zsh_values, ")");
}

static void put_zsh_option(const app_option *option)
{
    const char *negation = app_option_is_on(option) ? "no-" : "";
    bool value = value_of(option) != VALUE_NONE;
    fputs(" \\\n        ", stdout);
    if (option->letter)
        printf("'(-%c --%s%s)'{-%c%s,--%s%s%s}'[", option->letter, negation, option->name, option->letter,
               value ? "+" : "", negation, option->name, value ? "=" : "");
    else
        printf("'--%s%s%s[", negation, option->name, value ? "=" : "");
    if (app_option_is_on(option)) fputs("turn off\\: ", stdout);
    put_escaped(option->help, zsh_quote, zsh_special);
    putchar(']');
    put_zsh_value(option);
    putchar('\'');
}

static void zsh_command(const app_program *program)
{
    printf("    %s)\n      _arguments -s -S \\\n        '(- *)'{-h,--help}'[print this]' "
           "'(- *)'{-V,--version}'[print the version]'",
           program->name);
    for (int i = 0; i < program->option_count; i++)
        if (is_completed(&program->options[i])) put_zsh_option(&program->options[i]);
    if (program->operands) fputs(" \\\n        '*:file:_files'", stdout);
    fputs("\n      ;;\n", stdout);
}

static const char zsh_end[] = "    esac\n"
                              "    ;;\n"
                              "  esac\n"
                              "}\n"
                              "_lookback \"$@\"\n";

static const app_completion zsh = {"zsh", zsh_begin, zsh_about, zsh_options, zsh_command, zsh_end};

/* ---- fish. ---- */

static void put_fish_quoted(const char *before, const char *text)
{
    printf("'%s", before);
    put_escaped(text, "\\'", "\\");
    putchar('\'');
}

static const char fish_begin[] = "# Completion of lookback in fish.\n"
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

static void fish_about(const char *name, const char *text)
{
    printf("complete -c lookback -n __lookback_at_command -a %s -d ", name);
    put_fish_quoted("", text);
    putchar('\n');
}

static const char fish_options[] = "complete -c lookback -s h -l help -d 'print this'\n"
                                   "complete -c lookback -s V -l version -d 'print the version'\n";

static const char *const fish_values[] = {[VALUE_NONE] = "",
                                          [VALUE_WORDS] = " -x -a '",
                                          [VALUE_FILE] = " -r -F",
                                          [VALUE_FOLDER] = " -x -a '(__fish_complete_directories)'",
                                          [VALUE_OTHER] = " -x"};

static void put_fish_option(const char *name, const app_option *option)
{
    printf("complete -c lookback -n '__lookback_in %s'", name);
    if (option->letter) printf(" -s %c", option->letter);
    printf(" -l %s%s", app_option_is_on(option) ? "no-" : "", option->name);
    put_value(option, fish_values, "'");
    fputs(" -d ", stdout);
    put_fish_quoted(app_option_is_on(option) ? "turn off: " : "", option->help);
    putchar('\n');
}

static void fish_command(const app_program *program)
{
    if (program->operands) printf("complete -c lookback -n '__lookback_in %s' -F\n", program->name);
    for (int i = 0; i < program->option_count; i++)
        if (is_completed(&program->options[i])) put_fish_option(program->name, &program->options[i]);
}

static const app_completion fish = {"fish", fish_begin, fish_about, fish_options, fish_command, ""};

const app_completion *app_completion_find(const char *shell)
{
    static const app_completion *const all[] = {&bash, &zsh, &fish};
    for (size_t i = 0; i < sizeof all / sizeof *all; i++)
        if (strcmp(all[i]->shell, shell) == 0) return all[i];
    return NULL;
}
