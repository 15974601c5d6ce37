/* A group of processes without MPI: threads, which give each other what they exchange. */
#ifndef SUPPORT_GROUP_H
#define SUPPORT_GROUP_H

#include <lookback/train.h>

#include <stddef.h>

enum { SUPPORT_MOST_THREADS = 8 };

/** One thread as a process, "rank 1 on a thread". */
typedef struct support_member {
    lb_group group;
    struct support_post *office;
} support_member;

/** Runs a function in `size` threads, each as one process of a group. `arguments` are as many structures of
 *  `argument_bytes`, which begin with a support_member, to be filled in. */
void support_run_group(int size, void *(*body)(void *), void *arguments, size_t argument_bytes);

#endif
