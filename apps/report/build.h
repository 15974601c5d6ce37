/* Makes a report: applies a model to texts and gathers what the page shows. */
#ifndef APP_REPORT_BUILD_H
#define APP_REPORT_BUILD_H

#include "base/buffer.h"
#include "report/about.h"

/** What the command line asks for. */
typedef struct app_report_asked {
    app_report_about about; /* its beam is set here */
    const char *output;     /* file of the page */
    const char *engine;     /* file of the engine, which the page carries with the model; NULL: neither */
    lb_strings inputs;      /* texts instead of a file */
    lb_pair_format format;  /* of the lines of the file; a model has its own symbol rules */
    int batch, beam, details, heads_off;
    bool once;      /* one row for each source, and any of its targets is right */
    bool all_heads; /* keep heads apart, however large the page becomes */
    double length_penalty;
} app_report_asked;

/** What the program says about a report. */
typedef struct app_report_made {
    int64_t pairs, unreadable, detailed, bad_frames;
    int64_t means; /* detailed pairs with the mean over their heads */
    size_t bytes;  /* of data and weights in the page */
} app_report_made;

/** Makes the report and writes it. Errors: those of reading model and pairs, of decoding, and of writing. */
LB_MUST_USE lb_status app_report_build(const app_report_asked *asked, app_report_made *made, lb_error *error);

#endif
