#include "proof/sorting_job.h"

#include <lookback/lookback.h>

enum { STEPS = 8, LIMIT = 12, ROWS = 5 };

static const uint64_t FNV_BASIS = 14695981039346656037u, FNV_PRIME = 1099511628211u;

static void add(uint64_t *hash, const void *bytes, size_t count)
{
    const unsigned char *byte = bytes;
    for (size_t i = 0; i < count; i++) *hash = (*hash ^ byte[i]) * FNV_PRIME;
}

void proof_sorting_work(proof_sorting_job *j)
{
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
}

proof_sorting_job proof_sorting_draw(proof_dice *dice)
{
    proof_sorting_job j = {.batch = 1 + (int64_t)proof_below(dice, 40),
                           .threads = 1 + (int)proof_below(dice, 3)};
    j.task =
        (lb_sort_task){.max_value = 9, .min_length = 1, .max_length = 6, .seed = proof_below(dice, 1000)};
    int64_t size = 4 * (1 + (int64_t)proof_below(dice, 12));
    if (proof_once_in(dice, 2))
        j.sorter.transformer = (lb_transformer_config){.width = size, .heads = 2, .layers = 1};
    else
        j.sorter.seq2seq = (lb_seq2seq_config){.embed = size / 2, .hidden = size, .dropout = (lb_real)0.1};
    return j;
}
