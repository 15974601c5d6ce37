/* For the command lines of fuzz_options.c: adds an argument that an option of the command takes, or almost takes. */
#include "mutate.h"

#include "cli/commands.h"

#include <stdio.h>
#include <string.h>

enum { LONGEST = 256, VALUE = 64 };

/* An argument to be made, with the line end before it. */
typedef struct addition {
    uint64_t state;
    char text[LONGEST];
} addition;

static void choose_value(const app_option *option, uint64_t *state, char value[VALUE])
{
    static const char *const texts[] = {"",      "0",    "-1", "1e-3",     "nan", "inf",
                                        "1e400", "0x10", "1 ", "\xc3\xa9", "=",   "18446744073709551616"};
    size_t choices = 0;
    snprintf(value, VALUE, "%s", texts[mutate_draw(state, sizeof texts / sizeof *texts)]);
    while (option->choices && option->choices[choices]) choices++;
    size_t way = mutate_draw(state, 4);
    if (choices && way)
        snprintf(value, VALUE, "%s", option->choices[mutate_draw(state, choices)]);
    else if (way == 1)
        snprintf(value, VALUE, "%.17g", option->min - (double)mutate_draw(state, 2));
    else if (way == 2)
        snprintf(value, VALUE, "%.17g", option->max + (double)mutate_draw(state, 2));
}

/* Receives the table of the command. */
static void make_argument(const app_program *program, void *context)
{
    addition *made = context;
    char value[VALUE];
    const app_option *option = &program->options[mutate_draw(&made->state, (size_t)program->option_count)];
    if (option->kind == APP_IS_HEADING) return;
    choose_value(option, &made->state, value);
    size_t way = mutate_draw(&made->state, 8);
    if (way == 0 && option->letter)
        snprintf(made->text, LONGEST, "\n-%c%s", option->letter, value);
    else if (way == 1)
        snprintf(made->text, LONGEST, "\n--no-%s", option->name);
    else if (way == 2) /* a part of a name, which may be ambiguous */
        snprintf(made->text, LONGEST, "\n--%.*s=%s",
                 (int)(1 + mutate_draw(&made->state, strlen(option->name))), option->name, value);
    else if (way == 3 || option->kind == APP_IS_FLAG)
        snprintf(made->text, LONGEST, "\n--%s", option->name);
    else
        snprintf(made->text, LONGEST, "\n--%s%c%s", option->name, way == 4 ? '\n' : '=', value);
}

size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t size, size_t most, unsigned seed)
{
    addition made = {.state = seed};
    char name[] = "fuzz", *words[] = {name, NULL};
    if (size == 0 || mutate_draw(&made.state, 2)) return LLVMFuzzerMutate(data, size, most);
    app_options_read_by(make_argument, &made);
    app_commands[data[0] % app_command_count].main(1, words);
    app_options_read_by(NULL, NULL);
    size_t length = strlen(made.text);
    if (length == 0 || size + length > most) return LLVMFuzzerMutate(data, size, most);
    memcpy(data + size, made.text, length);
    return size + length;
}
