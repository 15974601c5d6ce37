/* The table of a benchmark. */
#ifndef BENCH_TABLE_H
#define BENCH_TABLE_H

#include <cJSON.h>

/** Prints the table of what was measured on standard output. `bench` has what bench_table writes: machine, runs. Gives
 *  it "targets": what should be reached, what was, and whether that will do. */
void bench_table_print(cJSON *bench);

#endif
