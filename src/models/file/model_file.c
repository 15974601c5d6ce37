/* Models and checkpoints in files. Both are safetensors, which io/safetensors_writer.c writes:
 *
 *     +----------+--------------------------------------------+------------+------------+-----
 *     | length   | {"__metadata__":{...},"NAME":{...},...}    | numbers of | numbers of |
 *     | uint64   | JSON, with spaces at its end               | array 0    | array 1    | ...
 *     +----------+--------------------------------------------+------------+------------+-----
 *     ^ byte 0   ^ byte 8                                     ^ byte 8 + length, a multiple of 64
 *
 * Numbers are little-endian, and arrays follow each other without gaps. Each parameter is an array, in the order of
 * lb_params; extra ones, such as those of an optimiser, come after them, but wider numbers before all others:
 *
 *     "source_embedding.weight":{"dtype":"F32","shape":[104,64],"data_offsets":[0,26624]}
 *
 * "__metadata__" has texts, in this order:
 *
 *     +--------------------+--------------------------------------------------------------------+
 *     | lookback.crc32     | CRC-32 of the whole file, as if its 8 hexadecimal digits were 0    |
 *     | lookback.format    | "1"                                                                |
 *     +--------------------+--------------------------------------------------------------------+
 *     | lookback.model     | name of the kind of the model; a checkpoint has no model           |
 *     | lookback.config    | its configuration, JSON: io/config_fields.c                        |
 *     | lookback.direction | "backward"; without it, the model writes forward                   |
 *     +--------------------+--------------------------------------------------------------------+
 *     | of the caller      | vocabularies and the record of a training: translate/file/         |
 *     +--------------------+--------------------------------------------------------------------+
 */
#include "lookback/models.h"

#include "base/alloc.h"
#include "io/json.h"
#include "io/safetensors.h"
#include "lookback/op.h"
#include "models/attention/copying.h"
#include "models/file/model_formats.h"
#include "nn/params.h"
#include "tensor/arrays.h"

#include <string.h>

/* ---- Checkpoints: parameters and whatever else the caller adds. ---- */

lb_status lb_checkpoint_save(const lb_params *params, const char *path, lb_checkpoint_extra extra,
                             lb_error *error)
{
    int64_t count = lb_params_count(params), all_count = count + extra.tensor_count;
    lb_safetensors_tensor *all = lb_alloc((size_t)all_count * sizeof *all);
    if (!all) return lb_error_set(error, LB_ERROR_MEMORY, "%s: out of memory while saving", path);
    for (int64_t i = 0; i < count; i++) {
        const lb_tensor *tensor = lb_params_tensor(params, i);
        all[i] = (lb_safetensors_tensor){.name = lb_params_name(params, i),
                                         .dtype = LB_DTYPE_REAL,
                                         .shape = tensor->shape,
                                         .data = tensor->data};
    }
    for (int64_t i = 0; i < extra.tensor_count; i++) all[count + i] = extra.tensors[i];
    lb_status status =
        lb_safetensors_write(all, all_count, extra.metadata, extra.metadata_count, path, error);
    lb_release(all);
    return status;
}

lb_status lb_checkpoint_read(const lb_safetensors *file, const char *name, lb_shape shape, lb_real *out,
                             lb_error *error)
{
    lb_error found = {0};
    if (lb_safetensors_read(file, name, shape, out, &found))
        return lb_error_set(error, LB_ERROR_FORMAT, "%s", found.message);
    int64_t bad = lb_first_not_finite(out, lb_shape_count(shape));
    if (bad < 0) return LB_OK;
    return lb_error_set(error, LB_ERROR_FORMAT, "array '%.80s': found %g at index %lld, expected a number",
                        name, (double)out[bad], (long long)bad);
}

lb_status lb_checkpoint_load(const lb_safetensors *file, lb_params *params, lb_error *error)
{
    lb_status status = LB_OK;
    for (int i = 0; i < lb_params_count(params) && !status; i++) {
        lb_tensor *tensor = lb_params_tensor(params, i);
        status = lb_checkpoint_read(file, lb_params_name(params, i), tensor->shape, tensor->data, error);
    }
    return status;
}

lb_tensor *lb_checkpoint_tensor(lb_tape *tape, const lb_safetensors *file, const char *name)
{
    lb_error error = {0};
    const lb_safetensors_tensor *array = lb_safetensors_find(file, name);
    lb_tensor *tensor = lb_tensor_new(tape, array ? array->shape : (lb_shape){0}, NULL);
    if (!lb_is_sound(tensor)) return tensor;
    lb_status status = lb_safetensors_read(file, name, tensor->shape, tensor->data, &error);
    return status ? lb_tape_fail(tape, status, "%s", error.message) : tensor;
}

/* ---- Models: also their kind and configuration. ---- */

static const char MODEL_KEY[] = "lookback.model";

/* A file without a direction is of a model that writes forward. */
static const char BACKWARD[] = "backward";

enum { MOST_METADATA = 16, OWN_METADATA = 3 };

/* Bytes that a model may need besides its values: in all, and for each array of its file. */
enum { LEAST_ROOM = 1 << 20, ROOM_OF_ARRAY = 4096 };

lb_status lb_model_save(const lb_model *model, const lb_params *params, const char *path,
                        lb_checkpoint_extra extra, lb_error *error)
{
    lb_safetensors_metadata all[MOST_METADATA];
    if (extra.metadata_count > MOST_METADATA - OWN_METADATA)
        return lb_error_set(error, LB_ERROR_ARGUMENT, "%s: found more than %d metadata entries", path,
                            MOST_METADATA - OWN_METADATA);
    const lb_model_kind *const kinds[] = {model->kind, NULL};
    lb_status status = lb_extensions_check(&(lb_extensions){.kinds = kinds}, error);
    if (status) return status;
    char *config = lb_model_config_json(model);
    if (!config) return lb_error_set(error, LB_ERROR_MEMORY, "%s: out of memory while saving", path);
    /* A model that cannot be read must not replace one that can. */
    status = lb_json_check_length(LB_CONFIG_KEY, config, error);
    size_t count = 0;
    all[count++] = (lb_safetensors_metadata){MODEL_KEY, model->kind->name};
    all[count++] = (lb_safetensors_metadata){LB_CONFIG_KEY, config};
    if (model->from_end) all[count++] = (lb_safetensors_metadata){LB_DIRECTION_KEY, BACKWARD};
    for (int64_t i = 0; i < extra.metadata_count; i++) all[count++] = extra.metadata[i];
    extra.metadata = all;
    extra.metadata_count = (int64_t)count;
    if (!status) status = lb_checkpoint_save(params, path, extra, error);
    lb_release(config);
    return status;
}

static lb_status check_array(const void *context, const char *name, lb_shape shape, lb_error *error)
{
    return lb_safetensors_expect(context, name, shape, NULL, error);
}

/* The numbers of all arrays, each with a gap after it. */
static int64_t count_numbers(const lb_safetensors *file)
{
    int64_t numbers = 0;
    const lb_safetensors_tensor *array;
    for (int64_t i = 0; (array = lb_safetensors_at(file, i)) != NULL; i++)
        numbers += lb_shape_count(array->shape) + LB_ALIGNMENT / (int64_t)sizeof(lb_real);
    return numbers;
}

/* Builds the model that the file describes. Every parameter is looked up in the file before there is memory for it, and
 * so is what modules need besides: a small file cannot ask for a large model. */
static lb_model *restore(const lb_safetensors *file, const lb_model_kind *kind, lb_params *params,
                         const char *config, const lb_extensions *own, lb_error *error)
{
    lb_error found = {0};
    const lb_params_source source = {file, check_array,
                                     LEAST_ROOM + ROOM_OF_ARRAY * (size_t)lb_safetensors_count(file),
                                     count_numbers(file)};
    lb_params_take_from(params, &source);
    lb_model *model = lb_model_restore(kind, params, "", config, own, &found);
    lb_params_take_from(params, NULL);
    /* The code that refuses an array or a configuration cannot know that it comes from a file. */
    if (found.status == LB_ERROR_ARGUMENT || found.status == LB_ERROR_SHAPE) found.status = LB_ERROR_FORMAT;
    if (!model && (lb_params_status(params) || found.status == LB_ERROR_MEMORY))
        lb_error_set(error, found.status, "%s", found.message);
    else if (!model)
        lb_error_set(error, found.status, "%s: %s: %.200s", LB_CONFIG_KEY, found.message, config);
    return model;
}

static lb_status read_direction(const lb_safetensors *file, lb_model *model, lb_error *error)
{
    const char *direction = lb_safetensors_metadata_value(file, LB_DIRECTION_KEY);
    if (!direction) return LB_OK;
    if (strcmp(direction, BACKWARD) != 0)
        return lb_error_set(error, LB_ERROR_FORMAT, "%s: found \"%.40s\", expected \"%s\"", LB_DIRECTION_KEY,
                            direction, BACKWARD);
    model->from_end = true;
    return LB_OK;
}

lb_model *lb_model_load(const lb_safetensors *file, lb_params *params, const lb_extensions *own,
                        lb_error *error)
{
    if (lb_extensions_check(own, error)) return NULL;
    const char *name = lb_safetensors_metadata_value(file, MODEL_KEY);
    const char *text = lb_safetensors_metadata_value(file, LB_CONFIG_KEY);
    if (!name || !text)
        return lb_null(
            lb_error_set(error, LB_ERROR_FORMAT,
                         "the file has weights, but no model description: %s is missing from its metadata",
                         name ? LB_CONFIG_KEY : MODEL_KEY));
    if (lb_json_check_length(LB_CONFIG_KEY, text, error)) return NULL;
    const lb_model_kind *kind = lb_model_kind_find(name, own, error);
    lb_model *model = kind ? restore(file, kind, params, text, own, error) : NULL;
    if (!model || read_direction(file, model, error)) return NULL;
    if (lb_checkpoint_load(file, params, error)) return NULL;
    return lb_copying_check(model, error) == LB_OK ? model : NULL;
}
