/* The command line of every command of lookback, with its own table of options. The first byte chooses the command; the
 * rest are the arguments, one per line. */
#include "cli/commands.h"
#include "fuzz.h"

#include <stdlib.h>
#include <string.h>

enum { MOST_ARGUMENTS = 64 };

typedef struct command_line {
    int count;
    char *words[MOST_ARGUMENTS + 2];
} command_line;

/* Splits the text, in place. */
static command_line split(char *text)
{
    static char name[] = "fuzz";
    command_line line = {.count = 1, .words = {name}};
    while (text && line.count <= MOST_ARGUMENTS) {
        line.words[line.count++] = text;
        text = strchr(text, '\n');
        if (text) *text++ = '\0';
    }
    return line;
}

/* Receives the table of a command, and parses the command line by it. */
static void parse(const app_program *program, void *context)
{
    command_line *line = context;
    lb_error error = {0};
    app_request request;
    int count = line->count;
    char **operands = line->words;
    lb_status status = app_options_parse(program, &count, &operands, &request, &error);
    fuzz_require_told(status == LB_OK, &error);
    if (status || request != APP_REQUEST_RUN) return;
    fuzz_require(count >= program->min_operands && count <= program->max_operands,
                 "a command has as many operands as it takes");
    for (int i = 0; i < count; i++) fuzz_require(operands[i] != NULL, "every operand is a text");
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    const app_command *command = &app_commands[fuzz_byte(&data, &size) % app_command_count];
    char *text = fuzz_text(data, size), name[] = "fuzz", *words[] = {name, NULL};
    command_line line = split(text);
    app_options_read_by(parse, &line);
    command->main(1, words);
    app_options_read_by(NULL, NULL);
    free(text);
    return 0;
}
