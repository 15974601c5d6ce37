#include "support/group.h"

#include "support/suite.h"

#include <pthread.h>
#include <stdio.h>
#include <string.h>

enum { MOST = SUPPORT_MOST_THREADS };

/* A place for what each thread sends to each other one. */
typedef struct support_post {
    pthread_mutex_t mutex;
    pthread_cond_t changed;
    const void *sent[MOST][MOST]; /* from, to */
    bool taken[MOST][MOST];
} post;

static lb_status exchange(void *context, int partner, const void *send, size_t send_bytes, void *receive,
                          size_t receive_bytes, lb_error *error)
{
    support_member *m = context;
    post *p = m->office;
    int self = m->group.rank;
    (void)send_bytes;
    (void)error;
    pthread_mutex_lock(&p->mutex);
    p->sent[self][partner] = send;
    p->taken[self][partner] = false;
    pthread_cond_broadcast(&p->changed);
    while (!p->sent[partner][self]) pthread_cond_wait(&p->changed, &p->mutex);
    memcpy(receive, p->sent[partner][self], receive_bytes);
    p->sent[partner][self] = NULL;
    p->taken[partner][self] = true;
    pthread_cond_broadcast(&p->changed);
    while (!p->taken[self][partner]) pthread_cond_wait(&p->changed, &p->mutex);
    pthread_mutex_unlock(&p->mutex);
    return LB_OK;
}

void support_run_group(int size, void *(*body)(void *), void *arguments, size_t argument_bytes)
{
    post office = {.mutex = PTHREAD_MUTEX_INITIALIZER, .changed = PTHREAD_COND_INITIALIZER};
    pthread_t thread[MOST];
    for (int i = 0; i < size; i++) {
        support_member *m = (support_member *)(void *)((char *)arguments + (size_t)i * argument_bytes);
        *m = (support_member){.office = &office};
        m->group = (lb_group){.context = m, .rank = i, .size = size, .exchange = exchange};
        snprintf(m->group.name, sizeof m->group.name, "rank %d on a thread", i);
    }
    for (int i = 0; i < size; i++)
        ck_assert_int_eq(
            pthread_create(&thread[i], NULL, body, (char *)arguments + (size_t)i * argument_bytes), 0);
    for (int i = 0; i < size; i++) pthread_join(thread[i], NULL);
}
