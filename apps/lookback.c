/* lookback: one program for all. Which one is asked for says the first argument, or the name by which it was called. */
#include "common/report.h"
#include "programs.h"

#include <lookback/tensor.h>
#include <stdio.h>
#include <string.h>

static const struct program {
    const char *name, *about;
    int (*main)(int argc, char **argv);
} programs[] = {
#define PROGRAM(name, about) {#name, about, name##_main},
    APP_PROGRAM_LIST(PROGRAM)
#undef PROGRAM
};

enum { PROGRAMS = sizeof programs / sizeof *programs };

static const struct program *find(const char *name)
{
    const char *slash = strrchr(name, '/');
    const char *base = slash ? slash + 1 : name;
    for (int i = 0; i < PROGRAMS; i++)
        if (strcmp(programs[i].name, base) == 0) return &programs[i];
    return NULL;
}

static int help(void)
{
    printf("usage: lookback COMMAND [ARGUMENT]...\n"
           "Trains sequence-to-sequence models with attention and shows what the attention looks at.\n\n");
    for (int i = 0; i < PROGRAMS; i++) printf("  %-18s %s\n", programs[i].name, programs[i].about);
    printf("\n`lookback COMMAND --help` lists what a command takes.\n");
    return app_close_stdout(0);
}

int main(int argc, char **argv)
{
    const struct program *called = argc > 0 ? find(argv[0]) : NULL;
    if (called) return called->main(argc, argv);
    app_start("lookback");
    const char *command = argc > 1 ? argv[1] : "";
    const struct program *asked = strchr(command, '/') ? NULL : find(command);
    if (asked) return asked->main(argc - 1, argv + 1);
    if (strcmp(command, "--help") == 0 || strcmp(command, "-h") == 0 || strcmp(command, "help") == 0)
        return help();
    if (strcmp(command, "--version") == 0) {
        printf("lookback %s\n%s\n", lb_version(), lb_kernel_name());
        return app_close_stdout(0);
    }
    app_note(*command ? "there is no command \"%s\"; `lookback --help` lists them"
                      : "which command? `lookback --help` lists them%s",
             command);
    return lb_status_exit(LB_ERROR_ARGUMENT);
}
