/* How many threads a training computes with: as many as its steps are fastest with, which depends on the model, the
 * machine, and what else runs there. No result depends on it. Nothing here reads a clock.
 * docs/adr/0008-threads.md says why. */
#ifndef LB_THREAD_CHOICE_H
#define LB_THREAD_CHOICE_H

enum {
    LB_THREAD_NUMBERS = 11, /* 1024, 512 ... 1 */
    LB_THREAD_PASSES = 3    /* of a comparison over its numbers: what disturbs one window does not decide */
};

/** What the steps of windows took for their work, the least first. */
typedef struct lb_thread_windows {
    int count;
    double cost[LB_THREAD_PASSES];
} lb_thread_windows;

/** The numbers to choose from are most, most / 2, most / 4 ... 1, and known by their place in this order. */
typedef struct lb_thread_choice {
    int most, count;
    int chosen, next;        /* the best one as far as is known, and that of the next step */
    int unsteady;            /* steps left that do not count */
    int passes, first, last; /* left over the numbers that are compared; 0: none are */
    double ns, work;         /* of this window: steps one after the other with one number */
    double spent, since;     /* ns of the last comparison; ns since */
    lb_thread_windows windows[LB_THREAD_NUMBERS]; /* of the last comparison */
} lb_thread_choice;

/** Begins with `most` threads. */
lb_thread_choice lb_thread_choice_of(int most);

/** The threads for the next step. */
int lb_thread_choice_next(const lb_thread_choice *choice);

/** The threads for what is not a step, such as an evaluation. */
int lb_thread_choice_best(const lb_thread_choice *choice);

/** Notes the nanoseconds of a step, and its work, such as the number of its tokens, by which steps are comparable. */
void lb_thread_choice_note(lb_thread_choice *choice, double ns, double work);

#endif
