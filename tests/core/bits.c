/* Prints the bits of short trainings: a hash of the weights and of the outputs of a beam, for each of some models, and
 * one of all. tests/package/same_sums.sh compares those of compilers; CMakeLists.txt has the last one of
 * LOOKBACK_ISA=portable, which is the same everywhere. */
#include "base/bytes.h"
#include "support/sorting.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

enum { STEPS = 8, BATCH = 24, BEAM = 5 };

typedef struct training {
    const char *name;
    support_sorter model;
} training;

#define SEQ2SEQ(...)                                                                                         \
    {                                                                                                        \
        .seq2seq = {.embed = 21, .hidden = 37, __VA_ARGS__ }                                                 \
    }
#define TRANSFORMER(...)                                                                                     \
    {                                                                                                        \
        .transformer = {.width = 40, .feed_forward = 75, __VA_ARGS__ }                                       \
    }

static const training trainings[] = {
    {"additive", SEQ2SEQ(.bidirectional = true, .layers = 2, .dropout = (lb_real)0.1)},
    {"none", SEQ2SEQ(.attention = LB_ATTENTION_NONE, .cell = LB_CELL_LSTM)},
    {"general", SEQ2SEQ(.attention = LB_ATTENTION_GENERAL, .tied = true)},
    {"multi-head", {.seq2seq = {.embed = 48, .hidden = 48, .attention = LB_ATTENTION_MULTI_HEAD}}},
    {"sparse", SEQ2SEQ(.attention_weights = LB_SPARSEMAX, .output = LB_ENTMAX)},
    {"hard", SEQ2SEQ(.attention = LB_ATTENTION_HARD)},
    {"monotonic-1", SEQ2SEQ(.attention = LB_ATTENTION_MONOTONIC_1)},
    {"local-p", SEQ2SEQ(.attention = LB_ATTENTION_LOCAL_P)},
    {"coverage", SEQ2SEQ(.attention = LB_ATTENTION_COVERAGE)},
    {"location", SEQ2SEQ(.attention = LB_ATTENTION_LOCATION)},
    {"copying", SEQ2SEQ(.copy = true)},
    {"transformer", TRANSFORMER(.dropout = (lb_real)0.1)},
    {"rotary", TRANSFORMER(.positions = LB_POSITIONAL_ROTARY, .attention_weights = LB_ENTMAX)},
    {"fire", TRANSFORMER(.positions = LB_POSITIONAL_FIRE, .softcap = 20)},
    {"alibi", TRANSFORMER(.positions = LB_POSITIONAL_ALIBI, .copy = true)},
};

/* The same on machines with the other order of bytes. */
static uint64_t hash_number(uint64_t hash, double x)
{
    uint64_t bits;
    unsigned char bytes[sizeof bits];
    memcpy(&bits, &x, sizeof bits);
    for (size_t i = 0; i < sizeof bits; i++) bytes[i] = (unsigned char)(bits >> 8 * i);
    return lb_hash(hash, bytes, sizeof bytes);
}

static uint64_t hash_outputs(uint64_t hash, const support_sorting *s)
{
    lb_tape_reset(s->tape);
    const lb_batch batch = lb_sort_batch(&s->task, s->tape, BATCH, STEPS);
    const lb_beam beam = lb_beam_search(s->model, batch.source, (lb_beam_config){.beam = BEAM, .limit = 12});
    for (int64_t i = 0; i < beam.batch * beam.n_best; i++) {
        const lb_hypothesis *h = &beam.hypothesis[i];
        for (int64_t at = 0; at < h->length; at++) hash = hash_number(hash, h->id[at]);
        hash = hash_number(hash, h->score);
    }
    return hash;
}

static lb_status train(const training *t, uint64_t *weights, uint64_t *outputs)
{
    const lb_sort_task task = {.max_value = 40, .min_length = 3, .max_length = 9, .seed = 3};
    support_sorting s;
    lb_status status = support_sorting_open(&s, task, t->model);
    for (int step = 0; step < STEPS && !status; step++) status = support_sorting_step(&s, BATCH, step, NULL);
    const int64_t size = status ? 0 : lb_params_size(s.params);
    for (int64_t i = 0; i < size; i++)
        *weights = hash_number(*weights, (double)lb_params_values(s.params)[i]);
    if (!status) {
        *outputs = hash_outputs(*outputs, &s);
        status = lb_tape_status(s.tape);
    }
    if (status) fprintf(stderr, "%s: %s\n", t->name, s.tape ? lb_tape_error(s.tape) : "out of memory");
    support_sorting_close(&s);
    return status;
}

int main(void)
{
    uint64_t all = LB_HASH;
    for (size_t i = 0; i < sizeof trainings / sizeof *trainings; i++) {
        uint64_t weights = LB_HASH, outputs = LB_HASH;
        if (train(&trainings[i], &weights, &outputs)) return 1;
        printf("%-12s %016" PRIx64 " %016" PRIx64 "\n", trainings[i].name, weights, outputs);
        all = hash_number(hash_number(all, (double)(weights >> 11)), (double)(outputs >> 11));
    }
    printf("%-12s %016" PRIx64 "\n", "all", all);
    return 0;
}
