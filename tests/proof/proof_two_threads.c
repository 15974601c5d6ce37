/* Two models on two threads of one process, each with OpenMP threads of its own: both train and write what they would alone,
 * bit for bit. */
#include "proof/campaign.h"
#include "support/sorting.h"

#include <lookback/lookback.h>

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

enum { JOBS = 2, STEPS = 8, LIMIT = 12, ROWS = 5 };

static const uint64_t FNV_BASIS = 14695981039346656037u, FNV_PRIME = 1099511628211u;

/* What a thread trains, and the hash of the weights and outputs. */
typedef struct job {
    support_sorter sorter;
    lb_sort_task task;
    int64_t batch;
    int threads;
    lb_status status;
    uint64_t hash;
} job;

static void add(uint64_t *hash, const void *bytes, size_t count)
{
    const unsigned char *byte = bytes;
    for (size_t i = 0; i < count; i++) *hash = (*hash ^ byte[i]) * FNV_PRIME;
}

static void *work(void *argument)
{
    job *j = argument;
    support_sorting s;
    lb_set_threads(j->threads);
    j->hash = FNV_BASIS;
    j->status = support_sorting_open(&s, j->task, j->sorter);
    for (int step = 0; step < STEPS && !j->status; step++)
        j->status = support_sorting_step(&s, j->batch, step, NULL);
    if (!j->status) {
        add(&j->hash, lb_params_values(s.params), (size_t)lb_params_size(s.params) * sizeof(lb_real));
        lb_tape_reset(s.tape);
        lb_tokens source = lb_sort_batch_from(&j->task, LB_SPLIT_TEST, s.tape, ROWS, 0).source;
        lb_decoded found = lb_greedy(s.model, source, LIMIT);
        j->status = lb_tape_status(s.tape);
        if (!j->status) add(&j->hash, found.id, (size_t)(found.batch * found.length) * sizeof *found.id);
    }
    support_sorting_close(&s);
    return NULL;
}

static job draw_job(proof_dice *dice)
{
    job j = {.batch = 1 + (int64_t)proof_below(dice, 40), .threads = 1 + (int)proof_below(dice, 3)};
    j.task =
        (lb_sort_task){.max_value = 9, .min_length = 1, .max_length = 6, .seed = proof_below(dice, 1000)};
    int64_t size = 4 * (1 + (int64_t)proof_below(dice, 12));
    if (proof_once_in(dice, 2))
        j.sorter.transformer = (lb_transformer_config){.width = size, .heads = 2, .layers = 1};
    else
        j.sorter.seq2seq = (lb_seq2seq_config){.embed = size / 2, .hidden = size, .dropout = (lb_real)0.1};
    return j;
}

static void start(pthread_t *thread, job *j)
{
    if (pthread_create(thread, NULL, work, j) != 0) abort();
}

static void try_two(const proof *p, proof_count *count, uint64_t seed)
{
    proof_dice dice = proof_dice_new(seed, "two threads");
    job alone[JOBS], together[JOBS];
    pthread_t thread[JOBS];
    for (int i = 0; i < JOBS; i++) {
        alone[i] = together[i] = draw_job(&dice);
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
