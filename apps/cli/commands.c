#include "cli/commands.h"

#include <string.h>

const app_command app_commands[] = {
#define COMMAND(name, about) {#name, about, name##_main},
    APP_PROGRAM_LIST(COMMAND)
#undef COMMAND
};

const int app_command_count = sizeof app_commands / sizeof *app_commands;

static const app_example first_steps[] = {
    {"1. Train a small model on pairs.tsv: a source, a tab and a target on each line. "
     "Leave out --hidden and --steps for a better one.",
     "lookback train pairs.tsv --hidden 64 --steps 300 --out out"},
    {"2. Apply it to other texts, one on each line.", "lookback predict out < words.txt > predicted.tsv"},
    {"3. Measure it on pairs it has not seen.", "lookback evaluate out test.tsv"},
    {"4. Draw where it looks while it reads a text.", "lookback visualize out --input abc -o attention.png"},
};

const app_program app_whole = {
    .name = "lookback",
    .purpose =
        "Trains sequence-to-sequence models with attention on a CPU, applies and evaluates them, and shows "
        "what the attention looks at.",
    .operands = "COMMAND [ARGUMENT]...",
    .examples = first_steps,
    .example_count = sizeof first_steps / sizeof *first_steps,
};

const app_command *app_command_find(const char *name)
{
    for (int i = 0; i < app_command_count; i++)
        if (strcmp(app_commands[i].name, name) == 0) return &app_commands[i];
    return NULL;
}
