/* Tells the scripts of shells, lookback.bash and others beside this file, which words may come next. */
#include "cli/commands.h"

#include <string.h>

static bool is_completed(const app_option *option)
{
    return option->kind != APP_IS_HEADING && !app_option_is_rare(option);
}

static void offer_commands(void)
{
    for (int i = 0; i < app_command_count; i++)
        printf("%s\t%s\n", app_commands[i].name, app_commands[i].about);
    puts("help\tlist the commands, or the options of one");
}

static void offer_options(const app_program *program)
{
    printf("--help\t%s\n--version\t%s\n", app_option_help.help, app_option_version.help);
    for (int i = 0; i < program->option_count; i++) {
        const app_option *option = &program->options[i];
        if (!is_completed(option)) continue;
        if (app_option_is_on(option))
            printf("--no-%s\tturn off: %s\n", option->name, option->help);
        else
            printf("--%s\t%s\n", option->name, option->help);
    }
}

/* Offers the values of an option, behind `length` bytes of `before`; of --set, those that are no options. */
static void offer_values(const app_program *program, const app_option *option, int length, const char *before)
{
    for (int i = 0; i < program->option_count && option->kind == APP_IS_SET; i++)
        if (app_option_is_rare(&program->options[i]))
            printf("%.*s%s=\n", length, before, program->options[i].name);
    for (const char *const *choice = option->choices; choice && *choice; choice++)
        printf("%.*s%s\n", length, before, *choice);
    for (const lb_alias *alias = option->aliases; alias && alias->name; alias++)
        printf("%.*s%s\n", length, before, alias->name);
    if (option->kind == APP_IS_TEXT && app_option_is_path(option))
        puts(strcmp(option->metavar, "DIR") == 0 ? ":directory" : ":file");
}

/* The option that a word of `length` bytes names by its letter or in full; NULL if there is none. */
static const app_option *option_of(const app_program *program, const char *word, size_t length)
{
    char name[64];
    for (int i = 0; i < program->option_count; i++) {
        const app_option *option = &program->options[i];
        if (!is_completed(option)) continue;
        if (length == 2 && word[0] == '-' && word[1] == option->letter) return option;
        snprintf(name, sizeof name, "--%s", option->name);
        if (strlen(name) == length && strncmp(word, name, length) == 0) return option;
    }
    return NULL;
}

/* Offers what may stand for the last of the words behind the command. Bash makes three words of --name=value. */
static void offer_arguments(const app_program *program, void *words)
{
    const char *const *word = words, *before = "";
    for (; word[1]; word++)
        if (strcmp(*word, "=") != 0) before = *word;
    size_t name = strncmp(*word, "--", 2) == 0 ? strcspn(*word, "=") : 0;
    bool has_value = (*word)[name] == '=' && name > 0;
    const app_option *option =
        has_value ? option_of(program, *word, name) : option_of(program, before, strlen(before));
    if (option && option->kind != APP_IS_FLAG)
        offer_values(program, option, has_value ? (int)name + 1 : 0, *word);
    else if (**word == '-' || !program->operands)
        offer_options(program);
    else
        puts(":file");
}

void app_command_read(const app_command *command, app_table_reader *reader, void *context)
{
    char name[32], *words[] = {name, NULL};
    snprintf(name, sizeof name, "%s", command->name);
    app_options_read_by(reader, context);
    command->main(1, words);
    app_options_read_by(NULL, NULL);
}

void app_complete(const char *const *words)
{
    const bool first = !words[0] || !words[1];
    const app_command *command = first ? NULL : app_command_find(words[0]);
    if (command)
        app_command_read(command, offer_arguments, (void *)(words + 1));
    else if (first || strcmp(words[0], "help") == 0)
        offer_commands();
    if (first) offer_options(&app_whole);
}
