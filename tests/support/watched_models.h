/* Small models with every kind of attention and of position, and what their watcher sees. */
#ifndef SUPPORT_WATCHED_MODELS_H
#define SUPPORT_WATCHED_MODELS_H

#include "autograd/op.h"
#include "lookback/models.h"
#include "models/built_in.h"
#include "support/suite.h"
#include "tensor/shape.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const int32_t source_id[] = {4, 6, 5, 7, 5, 0}, source_lengths[] = {3, 2};
static const int32_t in_id[] = {LB_BOS, 4, 5, 6, LB_BOS, 5, 7, 0}, in_lengths[] = {4, 3};

enum { BATCH = 2, SOURCE = 3, STEPS = 4, VOCABULARY = 8, LOGITS = BATCH * STEPS * VOCABULARY, POINTS = 1000 };

typedef struct subject {
    char name[64];
    lb_params *params;
    const lb_model *model;
    lb_seq2seq seq2seq;
    lb_transformer transformer;
} subject;

static inline void make_seq2seq(subject *s, lb_seq2seq_config config, bool backward)
{
    *s = (subject){.params = lb_params_new(5), .model = &s->seq2seq.base};
    config.source_vocab = config.target_vocab = VOCABULARY;
    config.embed = 3;
    if (!config.hidden) config.hidden = 4;
    config.heads = 2;
    config.embedding_deviation = 1;
    ck_assert_msg(lb_seq2seq_init(&s->seq2seq, s->params, "", config) == LB_OK, "%s",
                  lb_params_error(s->params));
    s->seq2seq.base.from_end = backward;
    snprintf(s->name, sizeof s->name, "%s, %s, %d layers%s", lb_attention_names[config.attention],
             lb_cell_names[config.cell], (int)s->seq2seq.config.layers, backward ? ", backward" : "");
}

static inline void make_transformer(subject *s, lb_transformer_config config)
{
    *s = (subject){.params = lb_params_new(5), .model = &s->transformer.base};
    config.source_vocab = config.target_vocab = VOCABULARY;
    config.width = 8;
    config.heads = 4;
    ck_assert_msg(lb_transformer_init(&s->transformer, s->params, "", config) == LB_OK, "%s",
                  lb_params_error(s->params));
    snprintf(s->name, sizeof s->name, "transformer, positions %s", lb_positional_names[config.positions]);
}

/* Calls it with each model of a list that has every kind of attention and of position. */
static inline void for_each_model(void (*check)(const subject *s))
{
    static const lb_transformer_config transformers[] = {
        {.kv_heads = 2, .softcap = 0.5, .window = 1, .positions = LB_POSITIONAL_RELATIVE},
        {.positions = LB_POSITIONAL_ROTARY, .post_norm = true, .attention_weights = LB_SPARSEMAX},
        {.positions = LB_POSITIONAL_ALIBI, .copy = true, .dropout = 0.5F},
        {.positions = LB_POSITIONAL_LEARNED, .feature_positions = true, .window = 1, .layers = 1},
        {.layers = 3, .tied = true, .attention_weights = LB_ENTMAX},
        {.no_self_attention = true, .no_feed_forward = true, .positions = LB_POSITIONAL_NONE}};
    subject s;
    for (int kind = 0; lb_attention_names[kind]; kind++)
        for (int variant = 0; variant < 4; variant++) {
            bool hard = lb_built_in_attentions[kind]->predict != NULL;
            bool copies = variant == 3 && !lb_built_in_attentions[kind]->copying_needs;
            lb_seq2seq_config config = {.attention = (lb_attention_kind)kind,
                                        .cell = variant & 1 ? LB_CELL_LSTM : LB_CELL_GRU,
                                        .layers = 1 + variant / 2,
                                        .tied = variant == 1,
                                        .copy = copies,
                                        .dropout = variant == 2 ? (lb_real)0.5 : 0,
                                        .attention_weights =
                                            hard ? LB_SOFTMAX : (lb_normalizer)(variant % 3)};
            bool square = kind == LB_ATTENTION_DOT || kind == LB_ATTENTION_SCALED_DOT;
            config.bidirectional = variant != 1 && !square;
            make_seq2seq(&s, config, variant == 2);
            if (copies)
                ck_assert_int_eq(
                    lb_model_set_copies(&s.seq2seq.base, (const int32_t[]){0, 0, 0, 3, 4, 5, 6, 7}, NULL),
                    LB_OK);
            check(&s);
            lb_params_free(s.params);
        }
    for (int i = 0; i < LB_LENGTH(transformers); i++) {
        make_transformer(&s, transformers[i]);
        if (transformers[i].feature_positions) s.transformer.source_features->data[6] = 1;
        check(&s);
        lb_params_free(s.params);
    }
}

/* The values of a run, in the order of its points. */
typedef struct recording {
    lb_watch_point point[POINTS];
    lb_shape shape[POINTS];
    lb_real *value[POINTS];
    int count, played;
    bool hard; /* its weights cannot be replaced */
} recording;

static inline lb_tensor *record(void *context, const lb_watch_point *point, lb_tensor *value)
{
    recording *r = context;
    size_t bytes = (size_t)lb_count(value) * sizeof *value->data;
    ck_assert_int_lt(r->count, POINTS);
    r->point[r->count] = *point;
    r->shape[r->count] = value->shape;
    r->value[r->count] = memcpy(malloc(bytes), value->data, bytes);
    r->count++;
    return value;
}

static inline void end_recording(recording *r)
{
    for (int i = 0; i < r->count; i++) free(r->value[i]);
    *r = (recording){0};
}

static inline void run(const lb_model *model, const int32_t *id, lb_watcher watch, lb_real logits[LOGITS])
{
    lb_tape *tape = lb_tape_new();
    lb_tape_set_mode(tape, LB_MODE_EVALUATE);
    lb_watch(tape, watch);
    lb_tokens source = {tape, BATCH, SOURCE, id, source_lengths},
              in = {tape, BATCH, STEPS, in_id, in_lengths};
    lb_tensor *found = lb_model_forward(model, source, in);
    ck_assert_msg(lb_tape_status(tape) == LB_OK, "%s", lb_tape_error(tape));
    memcpy(logits, found->data, LOGITS * sizeof *logits);
    lb_tape_free(tape);
}

/* The points of a run, a line for each: name, layer, head, step, shape. */
static inline void list(const lb_model *model, char *text, size_t room)
{
    lb_real logits[LOGITS];
    recording seen = {0};
    char shape[LB_SHAPE_TEXT];
    run(model, source_id, (lb_watcher){record, &seen}, logits);
    size_t used = 0;
    for (int i = 0; i < seen.count; i++)
        used += (size_t)snprintf(text + used, room - used, "%s %d %d %d %s\n", seen.point[i].name,
                                 (int)seen.point[i].layer, (int)seen.point[i].head, (int)seen.point[i].step,
                                 lb_shape_format(seen.shape[i], shape));
    ck_assert_uint_lt(used, room);
    end_recording(&seen);
}

#endif
