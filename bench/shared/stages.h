/* How a training step divides its time among its stages. */
#ifndef BENCH_STAGES_H
#define BENCH_STAGES_H

#include <cJSON.h>

/** Begins to add up the time of each stage, without that of the stages inside it. */
void bench_stages_begin(void);

/** Stops, and adds an object with the milliseconds of each stage per step, after `steps` steps. */
void bench_stages_add(cJSON *object, int steps);

#endif
