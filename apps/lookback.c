/* lookback: one program for all commands. The command is the first argument, or the name by which the program was
 * called. */
#include "base/instruction_set.h"
#include "cli/commands.h"
#include "cli/option.h"
#include "console/console.h"

#include <lookback/tensor.h>
#include <stdio.h>
#include <string.h>

enum { CALLED = 64 };

static void print_commands(void)
{
    printf("usage: lookback COMMAND [ARGUMENT]...\n"
           "Trains sequence-to-sequence models with attention on a CPU, applies and measures\n"
           "them, and shows what the attention looks at.\n\n"
           "Commands\n");
    for (int i = 0; i < app_command_count; i++)
        printf("  %-10s  %s\n", app_commands[i].name, app_commands[i].about);
    printf("\n`lookback help COMMAND` lists the options of a command.\n\n"
           "From pairs of texts to a picture of the attention\n");
    app_examples_print(app_whole.examples, app_whole.example_count, stdout);
}

static int run_command(const app_command *command, int argc, char **argv)
{
    static char called[CALLED];
    snprintf(called, sizeof called, "lookback %s", argv[0]);
    app_called_as(called);
    return app_ranks_leave(command->main(argc, argv));
}

/* `names` are the valid words. `remedy` is said if the word is like none of them. */
static int unknown(const char *kind, const char *word, const char *const *names, int count,
                   const char *remedy)
{
    char hint[APP_HINT];
    app_nearest nearest = {.word = word};
    for (int i = 0; i < count; i++) app_nearest_try(&nearest, names[i]);
    app_nearest_hint(&nearest, "", hint);
    app_warn("unknown %s \"%s\"%s; see lookback --help", kind, word, *hint ? hint : remedy);
    return lb_status_exit(LB_ERROR_ARGUMENT);
}

static int unknown_command(const char *word)
{
    static const char *const names[] = {
#define NAME(name, about) #name,
        APP_PROGRAM_LIST(NAME) "help", "version"
#undef NAME
    };
    bool file = lb_os_exists(word);
    return unknown("command", word, names, sizeof names / sizeof *names,
                   file ? ", expected a command before the file, such as data or train" : "");
}

static int unknown_option(const char *word)
{
    static const char *const names[] = {"--help", "--version"};
    char remedy[LB_MESSAGE_LENGTH];
    snprintf(remedy, sizeof remedy, ", expected a command before it: lookback COMMAND %s", word);
    return unknown("option", word, names, sizeof names / sizeof *names, remedy);
}

static const char *const help_words[] = {"help", "--help", "-h", NULL};
static const char *const version_words[] = {"version", "--version", "-V", NULL};

/* `lookback help [COMMAND [--all]]` */
static int help(int argc, char **argv)
{
    static char option[] = "--help";
    if (argc < 2 || app_is_one_of(argv[1], help_words) || app_is_one_of(argv[1], version_words)) {
        print_commands();
        return app_close_stdout(0);
    }
    const app_command *asked = app_command_find(argv[1]);
    if (!asked) return unknown_command(argv[1]);
    char *words[] = {argv[1], option, argv[2], NULL};
    return run_command(asked, argc > 2 ? 3 : 2, words);
}

#ifdef APP_OPENMP_INSIDE
/* Before the constructor of the runtime of OpenMP, which reads the environment. */
__attribute__((constructor(101))) static void settle_threads(void)
{
    app_choose_threads();
}
#endif

/* What a training needs with its threads, whose stacks are as large: docs/install.md. */
static bool has_stack(void)
{
    enum { NEEDED = 128 };
    const uint64_t stack = lb_os_limit_of(LB_OS_STACK) / 1024;
    if (stack >= NEEDED) return true;
    app_warn("found a stack of %llu kB (ulimit -s), expected at least %d", (unsigned long long)stack, NEEDED);
    return false;
}

int main(int argc, char **argv)
{
    if (!has_stack()) return lb_status_exit(LB_ERROR_MEMORY);
    if (argc > 1 && strcmp(argv[1], "generate") == 0) return app_generate((const char *const *)argv + 2);
    app_let_threads_sleep(argv); /* before any argument is removed */
    const char *path = argc > 0 ? argv[0] : "", *slash = strrchr(path, '/');
    const char *name = slash ? slash + 1 : path;
    /* The command of a link, such as `visualize`. `train_sort` is older than `lookback`. */
    const app_command *linked = app_command_find(strcmp(name, "train_sort") == 0 ? "sort" : name);
    app_called_as(linked ? name : "lookback");
    if (linked) return app_ranks_leave(linked->main(argc, argv));
    if (argc < 2) {
        print_commands();
        return app_close_stdout(lb_status_exit(LB_ERROR_ARGUMENT));
    }
    const char *word = argv[1];
    if (app_is_one_of(word, help_words)) return help(argc - 1, argv + 1);
    if (app_is_one_of(word, version_words)) {
        printf("lookback %s\n%s\nloops for %s\n", lb_version(), lb_kernel_name(), lb_instruction_set_name());
        return app_close_stdout(0);
    }
    const app_command *asked = app_command_find(word);
    if (!asked) return *word == '-' ? unknown_option(word) : unknown_command(word);
    return run_command(asked, argc - 1, argv + 1);
}
