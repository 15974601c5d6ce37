/* The processors that this process may use. */
#ifndef LB_PROCESSORS_H
#define LB_PROCESSORS_H

/** As many as its CPU set has, or as many as the time lasts that its control group grants: the smaller number, at least
 *  1. With a quota of 1.5 processors, 2. */
int lb_processors(void);

/** The processors that a quota of control groups grants, such as 1.5; INFINITY without a quota.
 *  `groups` is a file like /proc/self/cgroup, `mounted` a folder like /sys/fs/cgroup.
 *  Source: the kernel's documents cgroup-v2 (cpu.max) and scheduler/sched-bwc (version 1). The limits of all groups
 *          above apply, too. */
double lb_granted_processors(const char *groups, const char *mounted);

#endif
