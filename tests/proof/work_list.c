#include "proof/work_list.h"

#include <signal.h>
#include <string.h>

/* A turn of a list, in seconds. */
static const double TURN = 0.5;

typedef struct turn {
    const proof *p;
    proof_list *list;
    proof_count *count;
} turn;

static void run_turn(void *context)
{
    const turn *t = context;
    proof limited = *t->p;
    /* The same clock as the campaign's, from now on. */
    limited.seconds = proof_elapsed(t->p) + TURN;
    if (t->list->begin) t->list->begin();
    uint64_t i = t->list->next;
    do {
        t->p->shared->at = i;
        t->count->trials++;
        t->list->trial(t->count, t->p->seed + i);
    } while (++i < t->list->total && proof_has_time(&limited) && proof_has_time(t->p));
}

void proof_run_lists(const proof *p, proof_list *lists, int count)
{
    bool busy;
    do {
        busy = false;
        for (int l = 0; l < count; l++) {
            proof_list *list = &lists[l];
            if (list->next == list->total) continue;
            turn t = {p, list, proof_kind(p, list->of)};
            p->shared->at = list->next;
            int died = proof_in_child(run_turn, &t);
            if (died)
                proof_fail(p, t.count, p->seed + p->shared->at, "%s: a trial %s (%s)", list->of,
                           died == SIGPROF || died == SIGALRM ? "took more than a second" : "crashed",
                           strsignal(died));
            list->next = p->shared->at + 1;
            busy = busy || list->next < list->total;
        }
    } while (busy && proof_has_time(p));
}
