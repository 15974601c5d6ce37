/* How far a training is, as a bar. */
#ifndef APP_STEP_PROGRESS_H
#define APP_STEP_PROGRESS_H

#include "common/progress.h"

#include <lookback/translate.h>

/** Shows a step of a run. Zero is a progress that has not begun; app_progress_end ends it. A run that goes on begins where
 *  it stands: time left counts the steps of this session only. */
void app_show_step(app_progress *progress, const lb_training_run *run, const lb_training_step *step);

#endif
