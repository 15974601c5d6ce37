#include "train/exchange.h"

#include "base/alloc.h"
#include "train/group.h"

#include <pthread.h>
#include <signal.h>

/* Large enough for the latency of a message not to count, small enough for the first one to be soon on its way. */
enum { CHUNK = 1 << 18 };

struct lb_exchange {
    const lb_group *group;
    lb_shards *shards;
    lb_real *grads; /* [size] */
    int64_t size;
    lb_real *room; /* [CHUNK], for what comes from others */
    /* Shared with the thread: */
    int64_t final, left; /* the gradients from `final` on are final; those before `left` are not added yet */
    bool ends;
    lb_error error; /* of the first chunk that failed */
    bool has_thread;
    pthread_t thread;
    pthread_mutex_t mutex;
    pthread_cond_t changed;
};

static int64_t first_of_chunk(const lb_exchange *e)
{
    return (e->left - 1) / CHUNK * CHUNK;
}

static void add_chunk(const lb_exchange *e, int64_t first, int64_t end, lb_error *error)
{
    lb_shards_add_range(e->shards, first, end - first);
    error->status = lb_group_add(e->group, e->grads + first, end - first, e->room, error);
}

/* Beside backward, as chunks become final. */
static void *work(void *context)
{
    lb_exchange *e = context;
    pthread_mutex_lock(&e->mutex);
    while (!e->ends) {
        if (e->left == 0 || e->error.status || e->final > first_of_chunk(e)) {
            pthread_cond_wait(&e->changed, &e->mutex);
            continue;
        }
        lb_error found = {0};
        int64_t first = first_of_chunk(e), end = e->left;
        pthread_mutex_unlock(&e->mutex);
        add_chunk(e, first, end, &found);
        pthread_mutex_lock(&e->mutex);
        e->error = found;
        e->left = first;
        pthread_cond_broadcast(&e->changed);
    }
    pthread_mutex_unlock(&e->mutex);
    return NULL;
}

/* Signals are for the other threads. Without a thread, everything is added at the end. */
static void start(lb_exchange *e)
{
    sigset_t all, before;
    pthread_mutex_init(&e->mutex, NULL);
    pthread_cond_init(&e->changed, NULL);
    if (!e->group || !e->group->any_thread) return;
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before);
    e->has_thread = pthread_create(&e->thread, NULL, work, e) == 0;
    pthread_sigmask(SIG_SETMASK, &before, NULL);
}

lb_exchange *lb_exchange_new(const lb_group *group, lb_shards *shards, lb_params *params, lb_error *error)
{
    lb_exchange *e = lb_alloc_zero(sizeof *e);
    lb_real *room = lb_group_size(group) > 1 ? lb_alloc(CHUNK * sizeof *room) : NULL;
    if (!e || (lb_group_size(group) > 1 && !room)) {
        lb_release(e);
        lb_release(room);
        lb_error_set(error, LB_ERROR_MEMORY, "out of memory for the gradients of others");
        return NULL;
    }
    *e = (lb_exchange){.group = group,
                       .shards = shards,
                       .grads = lb_params_grads(params),
                       .size = lb_params_size(params),
                       .room = room};
    start(e);
    return e;
}

bool lb_exchange_begin(lb_exchange *e)
{
    pthread_mutex_lock(&e->mutex);
    e->left = e->final = e->size;
    pthread_mutex_unlock(&e->mutex);
    return e->has_thread;
}

void lb_exchange_final(void *exchange, int64_t from)
{
    lb_exchange *e = exchange;
    pthread_mutex_lock(&e->mutex);
    e->final = from;
    pthread_cond_broadcast(&e->changed);
    pthread_mutex_unlock(&e->mutex);
}

lb_status lb_exchange_finish(lb_exchange *e, lb_error *error)
{
    lb_exchange_final(e, 0);
    pthread_mutex_lock(&e->mutex);
    while (e->left > 0 && !e->error.status)
        if (e->has_thread) {
            pthread_cond_wait(&e->changed, &e->mutex);
        } else {
            int64_t first = first_of_chunk(e);
            add_chunk(e, first, e->left, &e->error);
            e->left = first;
        }
    pthread_mutex_unlock(&e->mutex);
    return e->error.status ? lb_error_set(error, e->error.status, "%s", e->error.message) : LB_OK;
}

void lb_exchange_free(lb_exchange *e)
{
    if (!e) return;
    pthread_mutex_lock(&e->mutex);
    e->ends = true;
    pthread_cond_broadcast(&e->changed);
    pthread_mutex_unlock(&e->mutex);
    if (e->has_thread) pthread_join(e->thread, NULL);
    pthread_cond_destroy(&e->changed);
    pthread_mutex_destroy(&e->mutex);
    lb_release(e->room);
    lb_release(e);
}
