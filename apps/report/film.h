/* The film of a training in a report. */
#ifndef APP_REPORT_FILM_H
#define APP_REPORT_FILM_H

#include "report/data.h"

/** Prints "film":[...] from film.jsonl in the folder of the model; [] if there is none. Of a long training it shows
 *  frames of at most 60 evaluations, evenly spaced, with the first and the last one. Lines that are no frames are left
 *  out, and counted in `*bad`. Errors: LB_ERROR_OPEN; LB_ERROR_MEMORY. */
LB_MUST_USE lb_status app_report_film_print(const char *model, app_report_data *report, int64_t *bad,
                                            lb_error *error);

#endif
