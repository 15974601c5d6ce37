/* The table of a benchmark. */
#ifndef BENCH_TABLE_H
#define BENCH_TABLE_H

#include <cJSON.h>

/** Prints the table of the measurements on standard output. `bench` is the output of bench_table: machine, runs. Adds
 *  "targets" to it: the target, the result, and whether the target was met. */
void bench_table_print(cJSON *bench);

#endif
