/* Runs teams of threads, and lets them wait for each other. Here two groups of three, {.groups = 2, .width = 3}:
 *
 *               place 0    place 1    place 2
 *             +----------+----------+----------+
 *     group 0 | thread 0 | thread 1 | thread 2 |   barriers[0]: these three wait here in lb_team_barrier
 *             +----------+----------+----------+
 *     group 1 | thread 3 | thread 4 | thread 5 |   barriers[1]: the same for the second group
 *             +----------+----------+----------+
 *                                                  barriers[2]: all six, in lb_team_barrier_all
 *
 * and three threads at a barrier that has been passed seven times:
 *
 *                          arrived   round
 *     the first arrives    0 -> 1      7        spins, and then sleeps, until the round is no longer 7
 *     the second arrives   1 -> 2      7        the same
 *     the last arrives     2 -> 3      7
 *                          3 -> 0    7 -> 8     empties the barrier, begins the next round, and wakes the others */
#include "base/threads.h"

#include "base/alloc.h"
#include "base/progress.h"

#include <stdatomic.h>
#include <stdbool.h>

#ifdef _OPENMP

#    include <omp.h>
#    include <pthread.h>

enum {
    PATIENCE = 20000, /* nanoseconds of spinning: threads that run arrive sooner */
    GLANCES = 64,     /* between two looks at the clock */
    LINE = 64         /* bytes that processors pass on together */
};

/* The last thread to arrive begins the next round. The others spin for a while, and then sleep: on a busy machine they
 * may be keeping the processor from the thread that they wait for. */
struct lb_barrier {
    _Alignas(LINE) atomic_int arrived; /* threads, in this round */
    _Alignas(LINE) atomic_uint round;
    pthread_mutex_t mutex; /* of the threads that sleep */
    pthread_cond_t begun;
};

static void barrier_init(lb_barrier *barrier)
{
    atomic_init(&barrier->arrived, 0);
    atomic_init(&barrier->round, 0);
    pthread_mutex_init(&barrier->mutex, NULL);
    pthread_cond_init(&barrier->begun, NULL);
}

static void barrier_free(lb_barrier *barrier)
{
    pthread_cond_destroy(&barrier->begun);
    pthread_mutex_destroy(&barrier->mutex);
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
static bool spin(lb_barrier *barrier, unsigned round)
{
    int64_t begin = 0;
    for (;;) {
        for (int i = 0; i < GLANCES; i++) {
            if (atomic_load_explicit(&barrier->round, memory_order_acquire) != round) return true;
            relax();
        }
        int64_t now = lb_os_clock();
        if (begin == 0) begin = now;
        if (now - begin >= PATIENCE) return false;
    }
}

/* A thread alone does not wait. */
static void wait_at_barrier(const lb_team_thread *thread, int which, int expected)
{
    if (expected == 1) return;
    lb_barrier *barrier = &thread->barriers[which];
    unsigned round = atomic_load_explicit(&barrier->round, memory_order_relaxed);
    if (atomic_fetch_add_explicit(&barrier->arrived, 1, memory_order_acq_rel) + 1 < expected) {
        if (spin(barrier, round)) return;
        pthread_mutex_lock(&barrier->mutex);
        while (atomic_load_explicit(&barrier->round, memory_order_acquire) == round)
            pthread_cond_wait(&barrier->begun, &barrier->mutex);
        pthread_mutex_unlock(&barrier->mutex);
        return;
    }
    atomic_store_explicit(&barrier->arrived, 0, memory_order_relaxed);
    pthread_mutex_lock(&barrier->mutex);
    atomic_store_explicit(&barrier->round, round + 1, memory_order_release);
    pthread_mutex_unlock(&barrier->mutex);
    pthread_cond_broadcast(&barrier->begun);
}

static void run_threads(lb_grid wanted, void (*work)(const lb_team_thread *thread, void *context),
                        void *context)
{
    lb_barrier barriers[wanted.groups + 1]; /* a fixed number would take 12 kB of stack */
    for (int i = 0; i <= wanted.groups; i++) barrier_init(&barriers[i]);
        /* A region of fewer threads than the last one would end the others, and the next one would start them again. */
#    pragma omp parallel
    {
        int count = omp_get_num_threads(), number = omp_get_thread_num();
        lb_grid grid = lb_grid_threads(wanted) <= count ? wanted : (lb_grid){1, count};
        lb_team_thread thread = {grid, number / grid.width, number % grid.width, barriers};
        if (number < lb_grid_threads(grid)) work(&thread, context);
    }
    for (int i = 0; i <= wanted.groups; i++) barrier_free(&barriers[i]);
}

#else

static void wait_at_barrier(const lb_team_thread *thread, int which, int expected)
{
    (void)thread, (void)which, (void)expected;
}

static void run_threads(lb_grid wanted, void (*work)(const lb_team_thread *thread, void *context),
                        void *context)
{
    (void)wanted;
    work(&(lb_team_thread){.grid = {1, 1}}, context);
}

#endif

void lb_team_barrier(const lb_team_thread *thread)
{
    assert(thread->group < thread->grid.groups && thread->place < thread->grid.width);
    wait_at_barrier(thread, thread->group, thread->grid.width);
}

void lb_team_barrier_all(const lb_team_thread *thread)
{
    wait_at_barrier(thread, thread->grid.groups, lb_narrow(lb_grid_threads(thread->grid)));
}

void lb_team_run(lb_grid grid, void (*work)(const lb_team_thread *thread, void *context), void *context)
{
    assert(grid.groups > 0 && grid.width > 0);
    if (lb_grid_threads(grid) > 1)
        run_threads(grid, work, context);
    else
        work(&(lb_team_thread){.grid = {1, 1}}, context);
}
