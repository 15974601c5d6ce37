#include "models/decode/model.h"

#include "autograd/class_loss.h"
#include "autograd/tape.h"
#include "base/transcendental.h"
#include "lookback/models.h"
#include "lookback/op.h"
#include "lookback/ops.h"
#include "nn/layers.h"
#include "tensor/shape.h"
#include "tensor/softmax_row.h"

#include <math.h>
#include <string.h>

static bool has_shape(const lb_tensor *tensor, lb_shape shape)
{
    return lb_is_sound(tensor) && lb_shape_equal(tensor->shape, shape);
}

const char *lb_model_kind_lacks(const lb_model_kind *kind)
{
    if (!kind->name) return "name";
    if (kind->search) return kind->force ? NULL : "force";
    return !kind->encode ? "encode" : !kind->decode ? "decode" : !kind->select ? "select" : NULL;
}

lb_decoder_state lb_model_encode(const lb_model *model, lb_tokens source)
{
    const char *lacks = lb_model_kind_lacks(model->kind);
    if (!lacks && model->kind->encode) return model->kind->encode(model, source);
    if (lacks)
        lb_tape_fail(source.tape, LB_ERROR_ARGUMENT, "model kind '%.80s' has no %s",
                     model->kind->name ? model->kind->name : "", lacks);
    else
        lb_tape_fail(source.tape, LB_ERROR_ARGUMENT,
                     "a model of the kind %.80s has no steps, such as one whose members write in different "
                     "directions: decode it with lb_beam_search",
                     model->kind->name);
    return NULL;
}

lb_model_step lb_model_decode(const lb_model *model, lb_decoder_state state, lb_tokens target_in,
                              int64_t source_length)
{
    lb_tape *tape = target_in.tape;
    int64_t maps = model->layers * model->heads;
    lb_shape logits = LB_SHAPE(target_in.batch, target_in.length, model->target_vocab),
             weights = LB_SHAPE(target_in.batch, maps, target_in.length, source_length);
    if (!model->kind->decode)
        return (lb_model_step){.logits = lb_tape_fail(tape, LB_ERROR_ARGUMENT, "no steps")};
    lb_model_step step = model->kind->decode(model, state, target_in);
    if (lb_tape_status(tape)) return step;
    if (has_shape(step.logits, logits) && (maps == 0 || has_shape(step.weights, weights))) return step;
    char logits_text[LB_SHAPE_TEXT], weights_text[LB_SHAPE_TEXT];
    step.logits =
        lb_tape_fail(tape, LB_ERROR_SHAPE, "model kind %.80s did not return logits %s%s%s", model->kind->name,
                     lb_shape_format(logits, logits_text), maps ? " with weights " : "",
                     maps ? lb_shape_format(weights, weights_text) : "");
    return step;
}

int64_t lb_decoding_limit(int64_t source_length)
{
    return 2 * source_length + 8;
}

int64_t lb_model_limit(const lb_model *model, int64_t limit)
{
    return model->positions && model->positions < limit ? model->positions : limit;
}

double lb_score_of(double log_probability, int64_t tokens, double penalty)
{
    return log_probability / lb_pow64((double)tokens, penalty < 0 ? 0 : penalty);
}

lb_tensor *lb_model_forward(const lb_model *model, lb_tokens source, lb_tokens target_in)
{
    if (model->kind->forward) return model->kind->forward(model, source, target_in);
    return lb_model_decode(model, lb_model_encode(model, source), target_in, source.length).logits;
}

const char *const lb_loss_names[] = {
    [LB_SOFTMAX] = "cross-entropy", [LB_SPARSEMAX] = "sparsemax", [LB_ENTMAX] = "entmax", NULL};

/* The first of `classes` tokens that can be written. */
static int64_t first_written(int64_t classes)
{
    return classes > LB_FIRST_WRITTEN ? LB_FIRST_WRITTEN : 0;
}

LB_KERNEL_OF(lb_real, largest_of, (int64_t count, const lb_real *x), (count, x))
{
    return lb_largest_inline(count, x);
}

int32_t lb_argmax(const lb_real *logits, int64_t classes)
{
    lb_real wanted = largest_of(classes, logits);
    for (int64_t i = 0; i < classes; i++)
        if (logits[i] == wanted) return (int32_t)i;
    return 0; /* NaNs have no largest */
}

int32_t lb_model_likeliest(const lb_real *logits, int64_t classes)
{
    int64_t first = first_written(classes);
    return (int32_t)first + lb_argmax(logits + first, classes - first);
}

/* The logits, with -inf for what is never written. */
static lb_tensor *hide_unwritten(lb_tensor *logits)
{
    if (!lb_is_sound(logits)) return logits;
    int64_t classes = lb_dim(logits, -1), first = first_written(classes);
    lb_tensor *mask = lb_tensor_new(logits->tape, LB_SHAPE(classes), NULL);
    for (int64_t i = first; i < classes && lb_is_sound(mask); i++) mask->data[i] = 1;
    return lb_masked_fill(logits, mask, -(lb_real)INFINITY);
}

lb_tensor *lb_model_probabilities(const lb_model *model, lb_tensor *logits)
{
    return lb_normalized(hide_unwritten(logits), model->output);
}

lb_tensor *lb_model_log_probabilities(const lb_model *model, lb_tensor *logits)
{
    if (model->output == LB_SOFTMAX) return lb_log_softmax(hide_unwritten(logits));
    return lb_log(lb_model_probabilities(model, logits));
}

lb_tensor *lb_model_loss(const lb_model *model, lb_tensor *logits, lb_tokens targets, const lb_real *weights,
                         int32_t ignored, lb_real smoothing)
{
    return lb_entmax_loss_of(logits, (lb_class_loss){.targets = targets,
                                                     .ignored = ignored,
                                                     .smoothing = smoothing,
                                                     .normalizer = model->output,
                                                     .weights = weights});
}

lb_tensor *lb_select_rows(lb_tape *tape, const lb_tensor *x, const int64_t *row, int64_t count)
{
    if (!x) return NULL;
    if (lb_tape_shares(tape) && lb_is_sound(x) && lb_tape_lasts(tape, x->data)) return lb_on_tape(tape, x);
    lb_shape shape = x->shape;
    size_t length = (size_t)lb_shape_stride(shape, 0);
    shape.dim[0] = count;
    lb_tensor *selected = lb_tensor_uninitialised(tape, shape);
    for (int64_t i = 0; i < count && lb_is_sound(selected); i++)
        memcpy(selected->data + (size_t)i * length, x->data + (size_t)row[i] * length,
               length * sizeof *x->data);
    return selected;
}

lb_tokens lb_tokens_select(lb_tape *tape, lb_tokens tokens, const int64_t *row, int64_t count)
{
    int32_t *id, *lengths;
    if (tokens.batch == 0) return tokens;
    lb_tokens selected = lb_tokens_new(tape, count, tokens.length, &id, &lengths);
    for (int64_t i = 0; i < selected.batch; i++) {
        memcpy(id + i * tokens.length, tokens.id + row[i] * tokens.length,
               (size_t)tokens.length * sizeof *id);
        lengths[i] = tokens.lengths[row[i]];
    }
    return selected;
}

lb_tokens lb_tokens_copy(lb_tokens tokens, int32_t **id, int32_t **lengths)
{
    lb_tokens copy = lb_tokens_new(tokens.tape, tokens.batch, tokens.length, id, lengths);
    if (copy.batch == 0) return copy;
    memcpy(*id, tokens.id, (size_t)(tokens.batch * tokens.length) * sizeof **id);
    memcpy(*lengths, tokens.lengths, (size_t)tokens.batch * sizeof **lengths);
    return copy;
}
