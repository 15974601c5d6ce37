/* lookback export: the ONNX files of a model compute what the library computes, run by an interpreter of their ops
 * (support/onnx_run.c). Every parameter is random, so that each of them counts, and rows have different lengths. */
#include "models/decode/model.h"
#include "support/onnx_graph.h"
#include "support/pair_program.h"
#include "support/suite.h"
#include "support/tempdir.h"
#include "translate/file/text_model.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define LOOKBACK BIN_DIR "/lookback"

enum { SOURCES = 9, TARGETS = 8, ROWS = 3, SOURCE = 5, TARGET = 4 };

static const double TOLERANCE = 5e-6;

static const int32_t source_id[ROWS * SOURCE] = {4, 8, 5, 3, 6, 7, 6, 0, 0, 0, 5, 4, 4, 8, 0};
static const int32_t source_lengths[ROWS] = {5, 2, 4};
static const int32_t target_id[ROWS * TARGET] = {LB_BOS, 4, 7, 5, LB_BOS, 6, 6, 3, LB_BOS, 5, 4, 7};

/* A model as tests make it, and what the library finds. */
typedef struct made {
    int number; /* in its list, for messages */
    lb_text_model text;
    lb_tape *tape;
    lb_model_step step; /* all steps at once */
} made;

static void add_symbols(lb_vocabulary *vocabulary, int64_t count)
{
    static const char *const symbols[] = {"a", "b", "c", "d", "e"};
    ck_assert_int_eq(lb_vocabulary_add(vocabulary, symbols, (int32_t)(count - LB_FIRST_TOKEN), NULL), LB_OK);
}

static made begin(int number)
{
    made m = {.number = number,
              .text = {.params = lb_params_new(5),
                       .source = lb_vocabulary_new_reserved(NULL),
                       .target = lb_vocabulary_new_reserved(NULL),
                       .longest_source = 8,
                       .longest_target = 8},
              .tape = lb_tape_new()};
    add_symbols(m.text.source, SOURCES);
    add_symbols(m.text.target, TARGETS);
    lb_tape_set_mode(m.tape, LB_MODE_EVALUATE);
    return m;
}

/* Initial values have zeros and ones that would hide a fault. */
static void randomize(lb_params *params)
{
    lb_rng rng = {.seed = 11};
    for (int64_t i = 0; i < lb_params_size(params); i++)
        lb_params_values(params)[i] = (lb_real)(0.4 * lb_rng_normal(rng, (uint64_t)i));
}

static void compute(made *m, lb_model *model)
{
    m->text.model = model;
    ck_assert_msg(model && !lb_params_status(m->text.params), "%s", lb_params_error(m->text.params));
    randomize(m->text.params);
    lb_tokens source = {m->tape, ROWS, SOURCE, source_id, source_lengths};
    lb_tokens target = {m->tape, ROWS, TARGET, target_id, NULL};
    m->step = lb_model_decode(model, lb_model_encode(model, source), target, SOURCE);
    ck_assert_msg(!lb_tape_status(m->tape), "%s", lb_tape_error(m->tape));
}

static void finish(made *m)
{
    lb_tape_free(m->tape);
    lb_text_model_free(&m->text);
}

static void set_ids(const support_onnx_graph *graph, const char *name, int dims, const int64_t *dim,
                    const int32_t *id, int64_t stride)
{
    support_onnx_array ids = support_onnx_array_new(SUPPORT_ONNX_INT64, dims, dim);
    for (int64_t i = 0; i < support_onnx_count(&ids); i++) ids.number[i] = id[i * stride];
    support_onnx_set(graph, name, &ids);
    free(ids.number);
}

/* Numbers of a step against those of the library, which have an axis of steps before their last one. */
static void compare(const made *m, const support_onnx_array *found, const lb_tensor *expected, int64_t heads,
                    int64_t step, const char *what)
{
    int64_t width = lb_dim(expected, -1);
    ck_assert_int_eq(support_onnx_count(found), ROWS * heads * width);
    for (int64_t i = 0; i < support_onnx_count(found); i++) {
        double wanted = (double)expected->data[(i / width * TARGET + step) * width + i % width];
        SUPPORT_CHECK(fabs(found->number[i] - wanted) < TOLERANCE,
                      "model %d, %s, step %lld, number %lld: %.7g, not %.7g", m->number, what,
                      (long long)step, (long long)i, found->number[i], wanted);
    }
}

static void check_shape(const support_onnx_array *x, int dims, const int64_t *dim)
{
    ck_assert_int_eq(x->dims, dims);
    for (int i = 0; i < dims; i++) ck_assert_int_eq(x->dim[i], dim[i]);
}

/* One step, and what it hands on. */
static void run_step(const made *m, const support_onnx_graph *decoder, int64_t step)
{
    const lb_model *model = m->text.model;
    set_ids(decoder, "symbol", 1, (const int64_t[]){ROWS}, target_id + step, TARGET);
    support_onnx_run(decoder);
    const support_onnx_array *logits = support_onnx_value(decoder, "logits");
    check_shape(logits, 2, (const int64_t[]){ROWS, TARGETS});
    compare(m, logits, m->step.logits, 1, step, "logits");
    if (model->heads) {
        const support_onnx_array *weights = support_onnx_value(decoder, "attention");
        check_shape(weights, 4, (const int64_t[]){ROWS, model->layers, model->heads, SOURCE});
        compare(m, weights, m->step.weights, model->layers * model->heads, step, "attention");
    }
    for (size_t i = 0; i < decoder->outputs.count; i++) {
        const char *name = decoder->outputs.text[i];
        if (strncmp(name, "next_", 5) == 0)
            support_onnx_set(decoder, name + 5, support_onnx_value(decoder, name));
    }
}

static void expect_the_same(made *m)
{
    support_result result = {0};
    ck_assert_int_eq(lb_text_model_save(support_path("model.safetensors"), &m->text, NULL), LB_OK);
    SUPPORT_RUN(&result, NULL, LOOKBACK, "export", "model.safetensors", "--quiet", "-o", "g2p.onnx");
    support_expect(&result, 0, "", "");
    support_result_free(&result);
    support_onnx_graph encoder = support_onnx_open("g2p.encoder.onnx");
    support_onnx_graph decoder = support_onnx_open("g2p.decoder.onnx");
    set_ids(&encoder, "source", 2, (const int64_t[]){ROWS, SOURCE}, source_id, 1);
    support_onnx_run(&encoder);
    for (size_t i = 0; i < encoder.outputs.count; i++)
        support_onnx_set(&decoder, encoder.outputs.text[i],
                         support_onnx_value(&encoder, encoder.outputs.text[i]));
    for (int64_t step = 0; step < TARGET; step++) run_step(m, &decoder, step);
    support_onnx_close(&encoder);
    support_onnx_close(&decoder);
}

static const lb_seq2seq_config recurrent[] = {
    {.attention = LB_ATTENTION_ADDITIVE, .bidirectional = true},
    {.attention = LB_ATTENTION_ADDITIVE, .cell = LB_CELL_LSTM, .layers = 2, .tied = true},
    {.attention = LB_ATTENTION_DOT, .layers = 2},
    {.attention = LB_ATTENTION_SCALED_DOT, .cell = LB_CELL_LSTM},
    {.attention = LB_ATTENTION_GENERAL, .layers = 2, .bidirectional = true, .tied = true},
    {.attention = LB_ATTENTION_GENERAL, .cell = LB_CELL_LSTM, .bidirectional = true},
    {.attention = LB_ATTENTION_MULTI_HEAD, .heads = 2, .layers = 2, .bidirectional = true},
    {.attention = LB_ATTENTION_MULTI_HEAD, .heads = 3, .cell = LB_CELL_LSTM},
    {.attention = LB_ATTENTION_NONE, .cell = LB_CELL_LSTM, .layers = 2, .bidirectional = true},
    {.attention = LB_ATTENTION_NONE, .tied = true},
};

START_TEST(test_export_onnx_of_a_recurrent_model_computes_what_the_library_does)
{
    for (size_t i = 0; SUPPORT_ROW(i, recurrent); i++) {
        made m = begin((int)i);
        lb_seq2seq_config config = recurrent[i];
        config.source_vocab = SOURCES;
        config.target_vocab = TARGETS;
        config.embed = 5;
        config.hidden = 6;
        lb_seq2seq *model = lb_params_alloc(m.text.params, sizeof *model);
        ck_assert_int_eq(lb_seq2seq_init(model, m.text.params, "", config), LB_OK);
        compute(&m, &model->base);
        expect_the_same(&m);
        finish(&m);
    }
}
END_TEST

static const lb_transformer_config transformers[] = {
    {.heads = 4, .layers = 2},
    {.heads = 2, .layers = 3, .positions = LB_POSITIONAL_LEARNED, .max_length = 8, .tied = true},
    {.heads = 4, .kv_heads = 2, .layers = 2, .positions = LB_POSITIONAL_NONE, .softcap = 1.5},
    {.heads = 1, .layers = 1, .post_norm = true},
    {.heads = 2, .layers = 1, .positions = LB_POSITIONAL_RANDOM},
};

START_TEST(test_export_onnx_of_a_transformer_computes_what_the_library_does)
{
    for (size_t i = 0; SUPPORT_ROW(i, transformers); i++) {
        made m = begin((int)i);
        lb_transformer_config config = transformers[i];
        config.source_vocab = SOURCES;
        config.target_vocab = TARGETS;
        config.width = 8;
        config.feed_forward = 12;
        lb_transformer *model = lb_params_alloc(m.text.params, sizeof *model);
        ck_assert_int_eq(lb_transformer_init(model, m.text.params, "", config), LB_OK);
        compute(&m, &model->base);
        expect_the_same(&m);
        finish(&m);
    }
}
END_TEST
