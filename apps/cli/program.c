/* The beginning of a program, from its command line to its work. */
#include "base/instruction_set.h"
#include "cli/config.h"

#include <lookback/tensor.h>

#include <stdlib.h>

static app_table_reader *table_reader;
static void *table_context;

void app_options_read_by(app_table_reader *reader, void *context)
{
    table_reader = reader;
    table_context = context;
}

int app_isa, app_threads;

/* The library reads the variable when it first computes, and so do the programs that this one starts. */
static lb_status choose_instruction_set(lb_error *error)
{
    const bool given = app_option_was_set(&app_isa);
    if (given && !lb_os_set_variable(LB_SET_VARIABLE, lb_instruction_set_names[app_isa]))
        return lb_error_set(error, LB_ERROR_MEMORY, "out of memory for the environment");
    return lb_instruction_set_check(given ? "--isa" : LB_SET_VARIABLE, error);
}

/* Ranks that cannot share the work would each do all of it. */
static lb_status share(const app_program *program, const lb_group *group, lb_error *error)
{
    if (app_options_find(program, "threads")) app_ranks_set_threads(app_threads);
    if (program->group)
        *program->group = group;
    else if (group)
        return lb_error_set(
            error, LB_ERROR_ARGUMENT,
            "expected no mpirun, found %d ranks: this command cannot share its work; to use several "
            "processors, split the file or the list of kinds, and use xargs -P",
            group->size);
    return LB_OK;
}

/* `status` is that of the command line: the ranks report its error once. */
static int begin_program(const app_program *program, lb_status status, lb_error *error)
{
    const lb_group *group = NULL;
    lb_error found = {0};
    bool alone = program->alone && *program->alone;
    if (!alone && app_ranks_join(&group, program->name, &found)) return app_ranks_leave(app_fail(&found));
    if (!status) status = choose_instruction_set(error);
    if (!status) status = share(program, group, error);
    if (status) return app_ranks_leave(app_fail(error));
    if (!program->group) app_ranks_leave(0); /* it is alone */
    return APP_RUN;
}

int app_options(const app_program *program, int *argc, char ***argv)
{
    lb_error error = {0};
    app_request request;
    if (table_reader) {
        table_reader(program, table_context);
        return 0;
    }
    app_let_threads_sleep(*argv);
    app_start(program->name);
    int count = *argc;
    char **words = *argv;
    lb_status status = app_options_parse(program, argc, argv, &request, &error);
    if (request == APP_REQUEST_RUN) {
        int exit_status = begin_program(program, status, &error);
        if (exit_status != APP_RUN || !program->config || !program->config->file) return exit_status;
        *argc = count;
        *argv = words;
        if (app_config_add(program, argc, argv, &error)) return app_fail(&error);
        app_ranks_set_threads(app_threads); /* the file may say so */
        return APP_RUN;
    }
    if (request == APP_REQUEST_HELP || request == APP_REQUEST_HELP_ALL)
        app_options_help(program, request == APP_REQUEST_HELP_ALL, stdout);
    if (request == APP_REQUEST_VERSION)
        printf("%s (Lookback) %s\n%s\nloops for %s\n", app_name(program->name), lb_version(),
               lb_kernel_name(), lb_instruction_set_name());
    return app_close_stdout(0);
}
