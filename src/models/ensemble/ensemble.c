#include "models/ensemble/ensemble.h"

#include "base/alloc.h"
#include "lookback/op.h"
#include "models/decode/model.h"

#include <string.h>

/* The state of an ensemble: the states of its members. */
static lb_decoder_state *new_states(lb_tape *tape, const lb_ensemble *e)
{
    return lb_tape_alloc(tape, (size_t)e->count * sizeof(lb_decoder_state));
}

static lb_decoder_state encode(const lb_model *model, lb_tokens source)
{
    const lb_ensemble *e = (const lb_ensemble *)model;
    lb_decoder_state *states = new_states(source.tape, e);
    for (int i = 0; states && i < e->count; i++) states[i] = lb_model_encode(e->member[i], source);
    return lb_tape_status(source.tape) ? NULL : states;
}

/* The mean of a part of each member, by their weights if they have some. */
static lb_tensor *mean(const lb_ensemble *e, lb_tensor *const *parts)
{
    lb_tensor *sum = NULL;
    for (int i = 0; i < e->count; i++) {
        lb_tensor *part = e->weight ? lb_scale(parts[i], (lb_real)e->weight[i]) : parts[i];
        sum = i ? lb_add(sum, part) : part;
    }
    return e->weight || e->count == 1 ? sum : lb_scale(sum, 1 / (lb_real)e->count);
}

/* The weights of a member, as many maps as those of the ensemble: if members differ, the mean over the heads of the
 * last layer. */
static lb_tensor *common_weights(const lb_ensemble *e, const lb_model *member, lb_tensor *weights)
{
    int64_t maps = member->layers * member->heads;
    if (maps == e->base.layers * e->base.heads || !lb_is_sound(weights)) return weights;
    lb_shape one = weights->shape;
    one.dim[1] = 1;
    return lb_reshape(lb_mean(lb_slice(weights, 1, maps - member->heads, member->heads), 1), one);
}

static lb_model_step decode(const lb_model *model, lb_decoder_state from, lb_tokens target_in)
{
    const lb_ensemble *e = (const lb_ensemble *)model;
    lb_tape *tape = target_in.tape;
    const lb_decoder_state *before = from;
    lb_decoder_state *after = new_states(tape, e);
    lb_tensor **logits = lb_tape_alloc(tape, (size_t)e->count * sizeof(lb_tensor *));
    lb_tensor **weights = lb_tape_alloc(tape, (size_t)e->count * sizeof(lb_tensor *));
    if (!before || !after || !logits || !weights)
        return (lb_model_step){.logits = lb_tape_fail(tape, LB_ERROR_MEMORY, "out of memory")};
    bool attends = e->base.heads > 0;
    for (int i = 0; i < e->count; i++) {
        lb_model_step step = e->member[i]->kind->decode(e->member[i], before[i], target_in);
        /* Sparsemax of probabilities is these probabilities. */
        logits[i] = e->base.output == LB_SPARSEMAX ? lb_model_probabilities(e->member[i], step.logits)
                                                   : lb_log_softmax(step.logits);
        weights[i] = attends ? common_weights(e, e->member[i], step.weights) : NULL;
        after[i] = step.state;
    }
    attends = attends && lb_tape_status(tape) == LB_OK;
    return (lb_model_step){mean(e, logits), attends ? mean(e, weights) : NULL, after};
}

static lb_decoder_state select_rows(const lb_model *model, lb_tape *tape, lb_decoder_state from,
                                    const int64_t *row, int64_t count)
{
    const lb_ensemble *e = (const lb_ensemble *)model;
    const lb_decoder_state *before = from;
    lb_decoder_state *after = new_states(tape, e);
    for (int i = 0; before && after && i < e->count; i++)
        after[i] = e->member[i]->kind->select(e->member[i], tape, before[i], row, count);
    return after;
}

const lb_model_kind lb_ensemble_kind = {
    .name = "ensemble",
    .encode = encode,
    .decode = decode,
    .select = select_rows,
};

bool lb_is_ensemble(const lb_model *model)
{
    return model->kind == &lb_ensemble_kind || model->kind == &lb_vote_kind;
}

double lb_ensemble_weight(const lb_ensemble *ensemble, int64_t member)
{
    return ensemble->weight ? ensemble->weight[member] : 1 / (double)ensemble->count;
}

/* Attention of different sizes has one map in common. */
static void find_common_map(lb_model *base, const lb_model *const *members, int count)
{
    bool attends = true;
    for (int i = 0; i < count; i++) attends = attends && members[i]->layers * members[i]->heads > 0;
    if (base->heads == 0 && attends) base->layers = base->heads = 1;
}

/* Adds the memory of a member during decoding, and of averaging. */
static void add_sizes(lb_model *base, const lb_model *member)
{
    if (member->layers != base->layers || member->heads != base->heads) base->layers = base->heads = 0;
    base->step_reals += member->step_reals + 3 * member->target_vocab;
    base->state_reals += member->state_reals + 2 * member->layers * member->heads;
    if (member->positions && (!base->positions || member->positions < base->positions))
        base->positions = member->positions;
}

lb_status lb_ensemble_init(lb_ensemble *ensemble, const lb_model *const *members, int64_t count,
                           lb_error *error)
{
    if (count < 1)
        return lb_error_set(error, LB_ERROR_ARGUMENT,
                            "invalid ensemble: found %lld models, expected at least 1", (long long)count);
    lb_model base = {.kind = &lb_ensemble_kind,
                     .source_vocab = members[0]->source_vocab,
                     .target_vocab = members[0]->target_vocab,
                     .layers = members[0]->layers,
                     .heads = members[0]->heads,
                     .from_end = members[0]->from_end};
    bool votes = false;
    for (int i = 0; i < count; i++) {
        const lb_model *m = members[i];
        if (m->source_vocab != base.source_vocab || m->target_vocab != base.target_vocab)
            return lb_error_set(
                error, LB_ERROR_ARGUMENT,
                "invalid ensemble: the vocabularies differ: model 0 has %lld source and %lld target "
                "symbols, model %d has %lld and %lld",
                (long long)base.source_vocab, (long long)base.target_vocab, i, (long long)m->source_vocab,
                (long long)m->target_vocab);
        votes = votes || m->from_end != base.from_end;
        add_sizes(&base, m);
        if (m->output != LB_SOFTMAX) base.output = LB_SPARSEMAX;
        base.copies = base.copies || m->copies;
    }
    if (votes) { /* without a common step; they need no more memory than if they decoded together */
        base.kind = &lb_vote_kind;
        base.from_end = false;
    }
    /* A model that copies needs to know from where. */
    if (votes || base.copies) find_common_map(&base, members, (int)count);
    *ensemble = (lb_ensemble){.base = base, .member = members, .count = count};
    return LB_OK;
}

lb_status lb_ensemble_weigh(lb_ensemble *ensemble, lb_params *params, const double *weight, lb_error *error)
{
    size_t bytes = (size_t)ensemble->count * sizeof *weight;
    double *copy = lb_params_alloc(params, bytes);
    if (!copy) return lb_no_memory(error, "an ensemble");
    ensemble->weight = memcpy(copy, weight, bytes);
    return LB_OK;
}
