/* Why a model cannot be exported, as ONNX or as a C file. */
#ifndef APP_HINDRANCE_H
#define APP_HINDRANCE_H

#include <lookback/models.h>

/** What of a model cannot be exported, as the subject of a sentence: "coverage" and "attention". `what` is NULL if
 *  nothing is in the way, and `kind` if that has no name. */
typedef struct app_hindrance {
    const char *kind, *what;
} app_hindrance;

#endif
