/* Two models on two threads of one process, each with OpenMP threads of its own: both train and write what they would
 * alone, bit for bit. */
#include "proof/campaign.h"
#include "proof/sorting_job.h"

#include <pthread.h>
#include <stdlib.h>

enum { JOBS = 2 };

static void *work(void *job)
{
    proof_sorting_work(job);
    return NULL;
}

static void start(pthread_t *thread, proof_sorting_job *j)
{
    if (pthread_create(thread, NULL, work, j) != 0) abort();
}

static void try_two(const proof *p, proof_count *count, uint64_t seed)
{
    proof_dice dice = proof_dice_new(seed, "two threads");
    proof_sorting_job alone[JOBS], together[JOBS];
    pthread_t thread[JOBS];
    for (int i = 0; i < JOBS; i++) {
        alone[i] = together[i] = proof_sorting_draw(&dice);
        start(&thread[i], &alone[i]);
        pthread_join(thread[i], NULL);
    }
    for (int i = 0; i < JOBS; i++) start(&thread[i], &together[i]);
    for (int i = 0; i < JOBS; i++) pthread_join(thread[i], NULL);
    for (int i = 0; i < JOBS; i++) {
        count->trials++;
        if (alone[i].status || together[i].status)
            proof_fail(p, count, seed, "thread %d ends with status %d alone and %d together", i,
                       alone[i].status, together[i].status);
        else if (alone[i].hash != together[i].hash)
            proof_fail(p, count, seed, "thread %d: hash %016llx alone, %016llx together", i,
                       (unsigned long long)alone[i].hash, (unsigned long long)together[i].hash);
    }
}

int main(int argc, char **argv)
{
    proof p = proof_begin("proof_two_threads", argc, argv);
    proof_count *count = proof_kind(&p, "models");
    uint64_t seed = p.seed;
    do try_two(&p, count, seed++);
    while (proof_has_time(&p));
    return proof_end(&p);
}
