#include "common/step_progress.h"

#include <stdio.h>

void app_show_step(app_progress *progress, const lb_training_run *run, const lb_training_step *step)
{
    char rate[APP_SHORT], exact[APP_SHORT] = "";
    if (!progress->updated) {
        app_progress_config config = {.unit = run->name, .first = step->step - 1, .total = run->steps};
        app_progress_init(progress, config);
    }
    if (step->last) snprintf(exact, sizeof exact, "  exact match %.3f", step->last->measure);
    app_progress_update(progress, step->step, "loss %.4f%s  %s tokens/s", step->loss, exact,
                        app_short_count(step->seconds > 0 ? step->tokens / step->seconds : 0, rate));
}
