/* The model of a worker. */
#ifndef ENGINE_MODEL_H
#define ENGINE_MODEL_H

#include <lookback/translate.h>

/** The model that is trained or open; NULL if there is none. */
lb_translator *engine_model(void);

#endif
