/* What commands do in place of drawing where the library is built without figures, as for Windows: charts beside other
 * results are left out, and a picture that is asked for is refused. */
#include "cli/commands.h"
#include "compare/comparison.h"

static lb_status refuse(lb_error *error)
{
    return lb_error_set(error, LB_ERROR_ARGUMENT,
                        "this program is built without figures; the page of `lookback report` draws them");
}

lb_status app_check_picture(const char *option, const char *output, lb_error *error)
{
    (void)option, (void)output;
    return refuse(error);
}

lb_status app_save_charts(const lb_chart *charts, int count, const char *path, lb_error *error)
{
    (void)charts, (void)count, (void)path;
    return refuse(error);
}

lb_status app_save_chart(const lb_chart *chart, const char *path, lb_error *error)
{
    static bool said;
    (void)chart, (void)path, (void)error;
    if (!said) app_note("there is no chart: this program is built without figures");
    said = true;
    return LB_OK;
}

lb_status app_draw_intervals(const app_result_table *table, const char *path, lb_error *error)
{
    (void)table;
    return app_save_chart(NULL, path, error);
}

int visualize_main(int argc, char **argv)
{
    lb_error error = {0};
    const app_program program = {.name = "visualize",
                                 .purpose =
                                     "Draws nothing: this program is built without figures. The page of "
                                     "`lookback report` shows where a model looks.",
                                 .operands = "[MODEL]...",
                                 .max_operands = argc};
    if (argc > 2) argc = 1; /* whatever it asks for, but help */
    int status = app_options(&program, &argc, &argv);
    return status == APP_RUN ? app_fail(refuse(&error) ? &error : NULL) : status;
}
