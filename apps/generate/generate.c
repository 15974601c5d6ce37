/* Manual pages and completions, from the table of options of each command. */
#include "generate/generate.h"
#include "cli/commands.h"
#include "console/console.h"

#include <stdio.h>
#include <string.h>

/* Makes a command pass its table to the reader. */
static void read_command(const app_command *command, app_table_reader *reader, void *context)
{
    char name[32], *words[] = {name, NULL};
    snprintf(name, sizeof name, "%s", command->name);
    app_options_read_by(reader, context);
    command->main(1, words);
    app_options_read_by(NULL, NULL);
}

static void write_page(const app_program *program, void *about)
{
    app_manual_command(program, about, stdout);
}

static void write_completion(const app_program *program, void *shell)
{
    ((const app_completion *)shell)->command(program, stdout);
}

static void complete(const app_completion *shell)
{
    fputs(shell->begin, stdout);
    for (int i = 0; i < app_command_count; i++)
        shell->about(app_commands[i].name, app_commands[i].about, stdout);
    shell->about("help", "list the commands, or the options of one", stdout);
    fputs(shell->options, stdout);
    for (int i = 0; i < app_command_count; i++)
        read_command(&app_commands[i], write_completion, (void *)shell);
    fputs(shell->end, stdout);
}

int app_generate(const char *const *words)
{
    const char *what = words[0] ? words[0] : "", *name = words[0] ? words[1] : NULL;
    const app_command *command = name ? app_command_find(name) : NULL;
    const app_completion *shell = app_completion_find(what);
    bool page = strcmp(what, "man") == 0;
    if ((page && name && !command) || (!page && (name || !shell))) {
        app_warn("generate: expected man, man COMMAND, bash, zsh or fish");
        return lb_status_exit(LB_ERROR_ARGUMENT);
    }
    if (!page)
        complete(shell);
    else if (command)
        read_command(command, write_page, (void *)command->about);
    else
        app_manual_whole(stdout);
    return app_close_stdout(0);
}
