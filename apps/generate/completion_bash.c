#include "generate/completion.h"

#include "cli/option.h"

static const char begin[] = "# Completion of lookback in bash.\n"
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

static void about(const char *name, const char *text, FILE *out)
{
    (void)text;
    fprintf(out, "%s ", name);
}

static const char options_begin[] = "'\n"
                                    "    if ((COMP_CWORD == 1)); then\n"
                                    "        options=\"$commands --help --version\"\n"
                                    "    elif [[ ${COMP_WORDS[1]} == help ]]; then\n"
                                    "        options=$commands\n"
                                    "    fi\n"
                                    "    ((COMP_CWORD == 1)) || case ${COMP_WORDS[1]} in\n";

static const char *const values[] = {[APP_VALUE_WORDS] = "'",
                                     [APP_VALUE_FILE] = ":file",
                                     [APP_VALUE_FOLDER] = ":folder",
                                     [APP_VALUE_OTHER] = ":other"};

static void put_value(const app_option *option, FILE *out)
{
    if (app_value_of(option) == APP_VALUE_NONE) return;
    fputs("        ", out);
    if (option->letter) fprintf(out, "-%c | ", option->letter);
    fprintf(out, "--%s) value=", option->name);
    app_value_put(option, values, "'", out);
    fputs(" ;;\n", out);
}

static void command(const app_program *program, FILE *out)
{
    fprintf(out, "    %s)\n        options='--help --version", program->name);
    for (int i = 0; i < program->option_count; i++) {
        const app_option *option = &program->options[i];
        if (!app_is_completed(option)) continue;
        fprintf(out, " --%s%s", app_option_is_on(option) ? "no-" : "", option->name);
    }
    fprintf(out, "'\n        operands=%s\n        case $prev in\n", program->operands ? ":file" : "none");
    for (int i = 0; i < program->option_count; i++)
        if (app_is_completed(&program->options[i])) put_value(&program->options[i], out);
    fputs("        esac\n        ;;\n", out);
}

static const char end[] = "    esac\n"
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

const app_completion app_completion_bash = {"bash", begin, about, options_begin, command, end};
