/* Charts that commands write, where the library has figures; figures/not_drawn.c stands in where it has none. */
#include "console/console.h"
#include "io/path.h"

#include <string.h>
#include <strings.h>

lb_status app_check_picture(const char *option, const char *output, lb_error *error)
{
    static const char *const ends[] = {".png", ".svg", ".pdf"};
    size_t length = strlen(output);
    for (int i = 0; i < 3 && length >= 4; i++)
        if (strcasecmp(output + length - 4, ends[i]) == 0) return LB_OK;
    return lb_error_set(error, LB_ERROR_ARGUMENT,
                        "%s: expected a name that ends in .png, .svg or .pdf, found \"%s\"", option, output);
}

lb_status app_save_charts(const lb_chart *charts, int count, const char *path, lb_error *error)
{
    lb_panel panels[APP_CHARTS];
    for (int i = 0; i < count; i++) panels[i] = lb_chart_panel(&charts[i]);
    return lb_figure_save(&(lb_figure){.panels = panels, .count = count}, path, error);
}

lb_status app_save_chart(const lb_chart *chart, const char *path, lb_error *error)
{
    lb_status status = lb_own_check(path, "a file", error);
    return status ? status : app_save_charts(chart, 1, path, error);
}
