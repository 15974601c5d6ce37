#include "proof/limits.h"

#include <lookback/base.h>

#include <cjson/cJSON.h>
#include <malloc.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdlib.h>
#include <sys/time.h>
#include <unistd.h>

/* A trial that waits for something uses no processor time; on a busy machine, others may wait for long. */
enum { MOST_WAIT_SECONDS = 60 };

static atomic_size_t live, most;

static void *allocate(size_t bytes)
{
    void *memory = malloc(bytes);
    size_t now = memory ? atomic_fetch_add(&live, malloc_usable_size(memory)) + bytes : 0;
    size_t before = atomic_load(&most);
    bool stored = now <= before;
    while (!stored) stored = atomic_compare_exchange_weak(&most, &before, now) || now <= before;
    return memory;
}

static void release(void *memory)
{
    atomic_fetch_sub(&live, malloc_usable_size(memory));
    free(memory);
}

void proof_watch_memory(void)
{
    lb_set_allocator(&(lb_allocator){allocate, release});
}

static void set_seconds(int seconds)
{
    setitimer(ITIMER_PROF, &(struct itimerval){.it_value.tv_sec = seconds}, NULL);
    alarm(seconds ? MOST_WAIT_SECONDS : 0);
}

void proof_limits_begin(void)
{
    cJSON_InitHooks(&(cJSON_Hooks){allocate, release});
    atomic_store(&most, atomic_load(&live));
    set_seconds(1);
}

size_t proof_limits_end(void)
{
    set_seconds(0);
    cJSON_InitHooks(NULL); /* between trials, the campaign has trees of its own */
    return atomic_load(&most);
}
