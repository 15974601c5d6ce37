#include "base/team.h"

#include "base/clock.h"
#include "lookback/base.h"

#include <stdatomic.h>
#include <stdbool.h>

#ifdef _OPENMP

#    include <omp.h>
#    include <pthread.h>

enum {
    PATIENCE = 20000, /* nanoseconds of spinning: a meeting of threads that run takes less */
    GLANCES = 64,     /* between two looks at the clock */
    LINE = 64         /* bytes that processors pass on together */
};

/* A barrier. The last to arrive begins the next round. The others spin for a while, and then sleep: on a busy machine
 * they may be keeping the processor from the thread that they wait for. */
struct lb_meeting {
    _Alignas(LINE) atomic_int here; /* members that have arrived */
    _Alignas(LINE) atomic_uint round;
    pthread_mutex_t mutex; /* of those who sleep */
    pthread_cond_t begun;
};

static void meeting_init(lb_meeting *meeting)
{
    atomic_init(&meeting->here, 0);
    atomic_init(&meeting->round, 0);
    pthread_mutex_init(&meeting->mutex, NULL);
    pthread_cond_init(&meeting->begun, NULL);
}

static void meeting_free(lb_meeting *meeting)
{
    pthread_cond_destroy(&meeting->begun);
    pthread_mutex_destroy(&meeting->mutex);
}

static void relax(void)
{
#    if defined(__x86_64__)
    __builtin_ia32_pause();
#    elif defined(__aarch64__)
    __asm__ volatile("yield");
#    endif
}

/* Whether the round ends while it is still worth spinning. */
static bool spin(lb_meeting *meeting, unsigned round)
{
    int64_t begin = 0;
    for (;;) {
        for (int i = 0; i < GLANCES; i++) {
            if (atomic_load_explicit(&meeting->round, memory_order_acquire) != round) return true;
            relax();
        }
        int64_t now = lb_clock();
        if (begin == 0) begin = now;
        if (now - begin >= PATIENCE) return false;
    }
}

/* One thread alone has no meetings. */
static void meet(const lb_member *member, int which, int expected)
{
    if (expected == 1) return;
    lb_meeting *meeting = &member->meetings[which];
    unsigned round = atomic_load_explicit(&meeting->round, memory_order_relaxed);
    if (atomic_fetch_add_explicit(&meeting->here, 1, memory_order_acq_rel) + 1 < expected) {
        if (spin(meeting, round)) return;
        pthread_mutex_lock(&meeting->mutex);
        while (atomic_load_explicit(&meeting->round, memory_order_acquire) == round)
            pthread_cond_wait(&meeting->begun, &meeting->mutex);
        pthread_mutex_unlock(&meeting->mutex);
        return;
    }
    atomic_store_explicit(&meeting->here, 0, memory_order_relaxed);
    pthread_mutex_lock(&meeting->mutex);
    atomic_store_explicit(&meeting->round, round + 1, memory_order_release);
    pthread_mutex_unlock(&meeting->mutex);
    pthread_cond_broadcast(&meeting->begun);
}

void lb_team_meet(const lb_member *member)
{
    meet(member, member->group, member->grid.width);
}

void lb_team_meet_all(const lb_member *member)
{
    meet(member, member->grid.groups, (int)lb_grid_threads(member->grid));
}

static void run_together(lb_grid wanted, void (*work)(const lb_member *member, void *context), void *context)
{
    lb_meeting meetings[wanted.groups + 1]; /* a fixed number would take 12 kB of stack */
    for (int i = 0; i <= wanted.groups; i++) meeting_init(&meetings[i]);
        /* A region of fewer threads than the last one would end the others, and the next one would start them again. */
#    pragma omp parallel
    {
        int count = omp_get_num_threads(), number = omp_get_thread_num();
        lb_grid grid = lb_grid_threads(wanted) <= count ? wanted : (lb_grid){1, count};
        lb_member member = {grid, number / grid.width, number % grid.width, meetings};
        if (number < lb_grid_threads(grid)) work(&member, context);
    }
    for (int i = 0; i <= wanted.groups; i++) meeting_free(&meetings[i]);
}

#else

void lb_team_meet(const lb_member *member)
{
    (void)member;
}

void lb_team_meet_all(const lb_member *member)
{
    (void)member;
}

#endif

void lb_team_run(lb_grid grid, void (*work)(const lb_member *member, void *context), void *context)
{
#ifdef _OPENMP
    if (lb_grid_threads(grid) > 1) {
        run_together(grid, work, context);
        return;
    }
#else
    (void)grid;
#endif
    lb_member alone = {.grid = {1, 1}};
    work(&alone, context);
}
