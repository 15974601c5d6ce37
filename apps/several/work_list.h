/* A list of trainings that the ranks of mpirun share out. Alone, a process takes one after the other. */
#ifndef APP_WORK_LIST_H
#define APP_WORK_LIST_H

#include <lookback/train.h>

/** Trainings 0 to count - 1. */
typedef struct app_work_list app_work_list;

/** What there is to do. */
typedef enum app_work {
    APP_WORK_TAKEN, /* a training is ours */
    APP_WORK_BUSY,  /* what is left is in training: ask again later, since it may fail */
    APP_WORK_OVER   /* all trainings have ended */
} app_work;

/** How a training ended. */
typedef enum app_work_end {
    APP_WORK_DONE,
    APP_WORK_FAILED, /* the ranks that have not tried it will */
    APP_WORK_STOPPED /* it may be taken again */
} app_work_end;

/** Begins the list; all ranks call it. The first rank has made `folder` and is alone in it. What the others know of each
 *  other is the file .work there: its locks end with their ranks. `group` may be NULL, and must outlive the list.
 *  Memory: closed with app_work_list_close; NULL after an error.
 *  Errors: LB_ERROR_ARGUMENT for a rank whose number of trainings or build is not that of the first; LB_ERROR_WRITE,
 *          also where a file system has no locks; LB_ERROR_MEMORY; those of the exchange. */
LB_MUST_USE app_work_list *app_work_list_open(const lb_group *group, const char *folder, size_t count,
                                              lb_error *error);

/** Takes the next training. `*again` says that somebody has begun it since the list was opened, and has not finished it.
 *  All ranks see the end of the list together.
 *  Errors: LB_ERROR_WRITE; those of the exchange. */
LB_MUST_USE lb_status app_work_list_take(app_work_list *list, app_work *work, size_t *training, bool *again,
                                         lb_error *error);

/** Gives back a training that was taken. Errors: LB_ERROR_WRITE. */
LB_MUST_USE lb_status app_work_list_give_back(app_work_list *list, size_t training, app_work_end end,
                                              lb_error *error);

/** Whether a training has ended, as of the last app_work_list_take: `*rank` is the one that has finished it, or -1 if
 *  every rank has failed. */
bool app_work_list_has_ended(const app_work_list *list, size_t training, int *rank);

/** Waits a moment where others have what is left. */
void app_work_list_wait(void);

/** Closes the list; the first rank removes its file. NULL is allowed. */
void app_work_list_close(app_work_list *list);

#endif
