/* A custom op, a custom attention that uses it, and a custom kind of model. Each model learns to sort short lists, is
 * saved and loaded, and sorts as before. docs/extending.md explains the code part by part. */
#include <lookback/engine.h>
#include <lookback/op.h>

#include <math.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- An op: y = x exp(t) with one number t, which is learnt. ---- */

static lb_status sharpen_shape(const lb_node *node, lb_shape *out)
{
    long long numbers = lb_count(node->in[1]);
    if (numbers != 1) return lb_op_fail(node, LB_ERROR_SHAPE, "found %lld numbers in t, expected 1", numbers);
    *out = node->in[0]->shape;
    return LB_OK;
}

static lb_status sharpen_forward(lb_node *node)
{
    const lb_tensor *x = node->in[0], *t = node->in[1];
    lb_real factor = (lb_real)exp((double)t->data[0]);
    for (int64_t i = 0; i < lb_count(x); i++) node->out[0]->data[i] = factor * x->data[i];
    return LB_OK;
}

static void sharpen_backward(lb_node *node)
{
    const lb_tensor *x = node->in[0], *t = node->in[1], *y = node->out[0];
    lb_real factor = (lb_real)exp((double)t->data[0]), slope = 0;
    for (int64_t i = 0; i < lb_count(x); i++) slope += y->grad[i] * y->data[i];
    if (lb_wants_grad(t)) t->grad[0] += slope;
    for (int64_t i = 0; i < lb_count(x) && lb_wants_grad(x); i++) x->grad[i] += factor * y->grad[i];
}

static lb_tensor *sharpen(lb_tensor *x, lb_tensor *t)
{
    static const lb_op op = {.name = "sharpen",
                             .operands = "x t",
                             .formula = "y = x exp(t)",
                             .derivative = "dx += exp(t) dy, dt += sum(y dy)",
                             .shape = sharpen_shape,
                             .forward = sharpen_forward,
                             .backward = sharpen_backward};
    return lb_op_apply(&op, LB_INPUTS(x, t), NULL, 0);
}

/* ---- An attention: a dot product that learns how sure it is. score(q, k) = exp(t) q'W k / sqrt(width) ---- */

typedef struct sure {
    lb_linear key; /* W */
    lb_tensor *t;  /* the factor's logarithm, so that the factor stays positive */
} sure;

static lb_status sure_init(lb_decoder_attention *attention, lb_params *params)
{
    const lb_decoder_attention_config *c = &attention->config;
    sure *own = attention->own = lb_params_alloc(params, sizeof *own);
    if (!own) return lb_params_status(params);
    own->t = lb_params_add(params, attention->name, "t", LB_SHAPE(1), (lb_init){LB_INIT_CONSTANT, 0});
    return lb_linear_init(&own->key, params, lb_params_scope(params, attention->name, "W"),
                          (lb_linear_config){.inputs = c->key, .outputs = c->query, .no_bias = true});
}

/* The keys are the same at every step. */
static void sure_prepare(const lb_decoder_attention *attention, lb_attended_memory *memory)
{
    const sure *own = attention->own;
    memory->keys = lb_linear_forward(&own->key, memory->keys);
}

static lb_attended_result sure_ask(const lb_decoder_attention *attention, lb_tensor *query,
                                   const lb_attended_memory *memory)
{
    const sure *own = attention->own;
    lb_real scale = 1 / (lb_real)sqrt((double)attention->config.query);
    lb_tensor *context = lb_attend_dot(sharpen(query, own->t), memory->keys, memory->values,
                                       lb_key_mask(memory->mask), NULL, 1, scale, 0);
    return (lb_attended_result){context, lb_op_output(context, 1)};
}

static const lb_attention_type sure_attention = {
    .name = "sure", .combines = true, .init = sure_init, .prepare = sure_prepare, .ask = sure_ask};

/* ---- A kind of model: one GRU reads, another one writes, and the writer copies the symbols that it attends to.
 * ---- */

typedef struct copier_config {
    int64_t vocabulary; /* of source and target */
    int64_t width;      /* of embeddings and states */
} copier_config;

typedef struct copier {
    lb_model base; /* comes first */
    copier_config config;
    lb_embedding embedding;
    lb_gru reader, writer;
    lb_linear output;
    lb_tensor *copies; /* the weight of copies in the logits */
} copier;

static const lb_model_kind copier_kind; /* the table of the functions below */

static lb_status copier_init(copier *c, lb_params *params, const char *name, copier_config config)
{
    *c = (copier){.config = config};
    c->base = (lb_model){.kind = &copier_kind,
                         .source_vocab = config.vocabulary,
                         .target_vocab = config.vocabulary,
                         .layers = 1,
                         .heads = 1,
                         .step_reals = 16 * config.width,
                         .state_reals = config.width + config.vocabulary};
    lb_gru_config gru = {.input = config.width, .hidden = config.width};
    lb_embedding_init(&c->embedding, params, lb_params_scope(params, name, "embedding"), config.vocabulary,
                      config.width, 0.1);
    lb_gru_init(&c->reader, params, lb_params_scope(params, name, "reader"), gru);
    lb_gru_init(&c->writer, params, lb_params_scope(params, name, "writer"), gru);
    lb_linear_init(&c->output, params, lb_params_scope(params, name, "output"),
                   (lb_linear_config){.inputs = config.width, .outputs = config.vocabulary});
    c->copies = lb_params_add(params, name, "copies", LB_SHAPE(1), (lb_init){LB_INIT_CONSTANT, 5});
    return lb_params_status(params);
}

/* The state of the writer, and what it attends to. */
typedef struct copier_state {
    lb_tensor *keys;    /* [batch, S, width]: the reader's outputs */
    lb_tensor *symbols; /* [batch, S, vocabulary]: 1 at the symbol of the position */
    lb_tensor *mask;    /* [batch, S] */
    lb_tensor *state;   /* [batch, width] */
} copier_state;

static lb_tensor *symbols_of(lb_tokens source, int64_t vocabulary)
{
    lb_tensor *symbols = lb_tensor_new(source.tape, LB_SHAPE(source.batch, source.length, vocabulary), NULL);
    for (int64_t i = 0; i < source.batch * source.length && lb_is_sound(symbols); i++)
        symbols->data[i * vocabulary + source.id[i]] = 1;
    return symbols;
}

static lb_decoder_state copier_encode(const lb_model *model, lb_tokens source)
{
    const copier *c = (const copier *)model;
    copier_state *s = lb_tape_alloc(source.tape, sizeof *s);
    lb_gru_result read = lb_gru_forward_tokens(&c->reader, &c->embedding, source, NULL);
    if (!s || lb_tape_status(source.tape)) return NULL;
    *s = (copier_state){.keys = read.outputs, .mask = lb_tokens_mask(source), .state = read.final[0]};
    s->symbols = symbols_of(source, c->config.vocabulary);
    return s;
}

/* The values of this attention are the symbols themselves: it copies what it attends to. */
static lb_model_step copier_decode(const lb_model *model, lb_decoder_state from, lb_tokens target_in)
{
    const copier *c = (const copier *)model;
    const copier_state *before = from;
    copier_state *after = lb_tape_alloc(target_in.tape, sizeof *after);
    if (!before || !after) /* the first error is kept: this one counts only without memory */
        return (lb_model_step){.logits = lb_tape_fail(target_in.tape, LB_ERROR_MEMORY, "out of memory")};
    lb_gru_result written = lb_gru_forward_tokens(&c->writer, &c->embedding, target_in, &before->state);
    lb_real scale = 1 / (lb_real)sqrt((double)c->config.width);
    lb_tensor *seen = lb_attend_dot(written.outputs, before->keys, before->symbols, lb_key_mask(before->mask),
                                    NULL, 1, scale, 0);
    lb_tensor *logits = lb_add(lb_linear_forward(&c->output, written.outputs), lb_mul(seen, c->copies));
    *after = *before;
    if (written.final) after->state = written.final[0];
    return (lb_model_step){logits, lb_op_output(seen, 1), after};
}

/* The state of some rows of the batch: beam search follows several hypotheses of one source. */
static lb_decoder_state copier_select(const lb_model *model, lb_tape *tape, lb_decoder_state from,
                                      const int64_t *row, int64_t count)
{
    (void)model;
    const copier_state *before = from;
    copier_state *after = lb_tape_alloc(tape, sizeof *after);
    if (!before || !after) return NULL;
    *after = (copier_state){.keys = lb_select_rows(tape, before->keys, row, count),
                            .symbols = lb_select_rows(tape, before->symbols, row, count),
                            .mask = lb_select_rows(tape, before->mask, row, count),
                            .state = lb_select_rows(tape, before->state, row, count)};
    return after;
}

/* The configuration of the model in a file. */
static const lb_config_field copier_fields[] = {
    {"vocabulary", offsetof(copier_config, vocabulary), LB_CONFIG_SIZE, LB_CONFIG_NEEDED, NULL},
    {"width", offsetof(copier_config, width), LB_CONFIG_SIZE, LB_CONFIG_NEEDED, NULL},
    {0},
};

static char *copier_config_json(const lb_model *model)
{
    return lb_config_write(copier_fields, &((const copier *)model)->config);
}

static lb_model *copier_restore(lb_params *params, const char *name, const char *json,
                                const lb_extensions *own, lb_error *error)
{
    (void)own; /* for models that contain others */
    copier_config config = {0};
    if (lb_config_read(copier_fields, json, &config, error)) return NULL;
    copier *c = lb_params_alloc(params, sizeof *c);
    if (!c || copier_init(c, params, name, config)) return lb_config_fail(params, error);
    return &c->base;
}

static const lb_model_kind copier_kind = {.name = "copier",
                                          .encode = copier_encode,
                                          .decode = copier_decode,
                                          .select = copier_select,
                                          .config_json = copier_config_json,
                                          .restore = copier_restore};

/* ---- The custom kinds, for loading such files ---- */

static const lb_model_kind *const kinds[] = {&copier_kind, NULL};
static const lb_attention_type *const attentions[] = {&sure_attention, NULL};
static const lb_extensions extensions = {.kinds = kinds, .attentions = attentions};

/* ---- The lists: digits, and the same digits in order ---- */

enum { LISTS = 200, SHORTEST = 2, LONGEST = 5, DIGITS = 10, VOCABULARY = LB_FIRST_TOKEN + DIGITS };

enum { TRAINING, TEST }; /* streams of random numbers */

static int by_value(const void *a, const void *b)
{
    return *(const int32_t *)a - *(const int32_t *)b;
}

/* `count` lists from number `first` on, at most LISTS. Each is a function of its stream and its number. */
static lb_batch draw(uint32_t stream, lb_tape *tape, int64_t count, int64_t first)
{
    int32_t list[LISTS * LONGEST] = {0}, sorted[LISTS * LONGEST], length[LISTS];
    for (int64_t row = 0; row < count; row++) {
        lb_rng rng = {.seed = 7, .stream = stream, .step = (uint32_t)(first + row)};
        length[row] = SHORTEST + (int32_t)lb_rng_below(rng, LONGEST, LONGEST - SHORTEST + 1);
        for (int32_t i = 0; i < length[row]; i++)
            list[row * LONGEST + i] = LB_FIRST_TOKEN + (int32_t)lb_rng_below(rng, (uint64_t)i, DIGITS);
    }
    memcpy(sorted, list, sizeof list);
    for (int64_t row = 0; row < count; row++)
        qsort(sorted + row * LONGEST, (size_t)length[row], sizeof *sorted, by_value);
    return lb_tokens_batch(lb_tokens_from(tape, list, length, count, LONGEST),
                           lb_tokens_from(tape, sorted, length, count, LONGEST));
}

/* ---- Training, a file, and the outputs before and after ---- */

enum { STEPS = 300, BATCH = 32 };

static lb_tensor *loss(void *model, lb_tape *tape, int64_t step, int64_t *tokens)
{
    lb_batch batch = draw(TRAINING, tape, BATCH, step * BATCH);
    for (int64_t row = 0; row < batch.target_out.batch; row++) *tokens += batch.target_out.lengths[row];
    return lb_cross_entropy(lb_model_forward(model, batch.source, batch.target_in), batch.target_out, LB_PAD);
}

static lb_status evaluate(void *model, lb_tape *tape, lb_evaluation *found)
{
    lb_tape_reset(tape);
    lb_batch batch = draw(TEST, tape, LISTS, 0);
    lb_decoded decoded = lb_greedy(model, batch.source, LONGEST + 1);
    int64_t sorted = 0;
    for (int64_t row = 0; row < decoded.batch; row++) {
        int32_t length = batch.source.lengths[row];
        sorted +=
            decoded.lengths[row] == length &&
            memcmp(decoded.id + row * decoded.length, batch.target_out.id + row * batch.target_out.length,
                   (size_t)length * sizeof *decoded.id) == 0;
    }
    found->exact_match = (double)sorted / LISTS;
    return lb_tape_status(tape);
}

static lb_status train(const char *name, lb_model *model, lb_params *params, lb_error *error)
{
    lb_train_history history = {0};
    lb_trainer_config config = {.params = params,
                                .context = model,
                                .loss = loss,
                                .evaluate = evaluate,
                                .steps = STEPS,
                                .evaluate_every = STEPS,
                                .schedule = {.kind = LB_SCHEDULE_COSINE, .lr = 0.01, .period = STEPS},
                                .optimizer = {.clip_norm = 1}};
    lb_status status = lb_train(config, &history, error);
    if (!status)
        printf("%s: %.0f %% of %d lists sorted\n", name, 100 * lb_train_best(&history)->dev.exact_match,
               LISTS);
    lb_release(history.points);
    return status;
}

static lb_decoded decode(const lb_model *model, lb_tape *tape)
{
    return lb_greedy(model, draw(TEST, tape, LISTS, 0).source, LONGEST + 1);
}

static bool same_outputs(lb_decoded a, lb_decoded b)
{
    size_t bytes = (size_t)(a.batch * a.length) * sizeof *a.id;
    return a.batch == b.batch && a.length == b.length && memcmp(a.id, b.id, bytes) == 0;
}

static lb_status compare(const lb_model *trained, const lb_model *loaded, lb_error *error)
{
    lb_tape *tape = lb_tape_new();
    if (!tape) return lb_error_set(error, LB_ERROR_MEMORY, "out of memory");
    lb_decoded before = decode(trained, tape), after = decode(loaded, tape);
    lb_status status = lb_tape_status(tape);
    if (status)
        lb_error_set(error, status, "%s", lb_tape_error(tape));
    else
        printf("saved and loaded: %s outputs\n", same_outputs(before, after) ? "the same" : "other");
    lb_tape_free(tape);
    return status;
}

static lb_status save_and_load(const lb_model *model, const lb_params *params, const char *path,
                               lb_error *error)
{
    lb_status status = lb_model_save(model, params, path, (lb_checkpoint_extra){0}, error);
    if (status) return status;
    lb_safetensors *file = lb_safetensors_open(path, error);
    if (!file) return error->status;
    lb_params *others = lb_params_new(0);
    const lb_model *loaded = others ? lb_model_load(file, others, &extensions, error) : NULL;
    status = loaded ? compare(model, loaded, error) : others ? error->status : LB_ERROR_MEMORY;
    lb_params_free(others);
    lb_safetensors_close(file);
    return status;
}

static lb_model *new_seq2seq(lb_params *params)
{
    lb_seq2seq *model = lb_params_alloc(params, sizeof *model);
    lb_seq2seq_config config = {.source_vocab = VOCABULARY,
                                .target_vocab = VOCABULARY,
                                .embed = 16,
                                .hidden = 32,
                                .own_attention = &sure_attention};
    return model && !lb_seq2seq_init(model, params, "", config) ? &model->base : NULL;
}

static lb_model *new_copier(lb_params *params)
{
    copier *model = lb_params_alloc(params, sizeof *model);
    copier_config config = {.vocabulary = VOCABULARY, .width = 32};
    return model && !copier_init(model, params, "", config) ? &model->base : NULL;
}

static lb_status show(const char *name, lb_model *(*make)(lb_params *params), const char *folder,
                      lb_error *error)
{
    char path[512];
    snprintf(path, sizeof path, "%s/%s.safetensors", folder, name);
    lb_params *params = lb_params_new(1);
    if (!params) return lb_error_set(error, LB_ERROR_MEMORY, "out of memory");
    lb_model *model = make(params);
    lb_status status = lb_params_status(params);
    if (status) lb_error_set(error, status, "%s", lb_params_error(params));
    if (!status) status = train(name, model, params, error);
    if (!status) status = save_and_load(model, params, path, error);
    lb_params_free(params);
    return status;
}

int main(int argc, char **argv)
{
    lb_error error = {0};
    const char *folder = argc > 1 ? argv[1] : ".";
    lb_set_threads(1); /* in such a small model, threads would only wait for each other */
    lb_status status = show("sure", new_seq2seq, folder, &error);
    if (!status) status = show("copier", new_copier, folder, &error);
    if (status) fprintf(stderr, "own_model: %s\n", error.message);
    return lb_status_exit(status);
}
