#include "export/onnx/layers.h"

#include "data/sort_task.h"
#include "io/file.h"

#include <string.h>

/* The numbers of fields in onnx.proto. */
enum { MODEL_IR_VERSION = 1, MODEL_PRODUCER_NAME = 2, MODEL_PRODUCER_VERSION = 3, MODEL_GRAPH = 7 };
enum { MODEL_OPSET_IMPORT = 8, OPSET_VERSION = 2, MODEL_METADATA = 14, ENTRY_KEY = 1, ENTRY_VALUE = 2 };

/* Opset 17 came with version 8 of the format. */
enum { IR_VERSION = 8, OPSET = 17 };

static const char ENDING[] = ".onnx";

bool app_onnx_is_name(const char *path)
{
    size_t length = strlen(path), ending = sizeof ENDING - 1;
    return length > ending && path[length - ending - 1] != '/' && strcmp(path + length - ending, ENDING) == 0;
}

static void add_entry(lb_buffer *message, const char *key, const char *value)
{
    lb_buffer entry = {0};
    if (!value) return;
    protobuf_text(&entry, ENTRY_KEY, key);
    protobuf_text(&entry, ENTRY_VALUE, value);
    protobuf_message(message, MODEL_METADATA, &entry);
}

/* Metadata come first, where they are found without reading the graph. */
static void add_metadata(const lb_safetensors *file, lb_buffer *message)
{
    static const char *const keys[] = {
        "lookback.model",         "lookback.config",      LB_DIRECTION_KEY,      LB_SORT_TASK_KEY,
        LB_SOURCE_VOCABULARY_KEY, LB_SOURCE_SUBWORDS_KEY, LB_TARGET_SUBWORDS_KEY};
    const char *target = lb_safetensors_metadata_value(file, LB_TARGET_VOCABULARY_KEY);
    for (size_t i = 0; i < sizeof keys / sizeof *keys; i++)
        add_entry(message, keys[i], lb_safetensors_metadata_value(file, keys[i]));
    if (!target) target = lb_safetensors_metadata_value(file, LB_SOURCE_VOCABULARY_KEY); /* it is the same */
    add_entry(message, LB_TARGET_VOCABULARY_KEY, target);
}

/* A ModelProto, with the name of its graph. */
static void add_part(onnx_graph *graph, const lb_safetensors *file, const char *part, lb_buffer *message)
{
    lb_buffer opset = {0}, body = {0};
    add_metadata(file, message);
    protobuf_whole(message, MODEL_IR_VERSION, IR_VERSION);
    protobuf_text(message, MODEL_PRODUCER_NAME, "lookback");
    protobuf_text(message, MODEL_PRODUCER_VERSION, lb_version());
    onnx_graph_end(graph, part, &body);
    protobuf_message(message, MODEL_GRAPH, &body);
    protobuf_whole(&opset, OPSET_VERSION, OPSET);
    protobuf_message(message, MODEL_OPSET_IMPORT, &opset);
}

/* `path` is NAME.onnx; the files are NAME.encoder.onnx and NAME.decoder.onnx. */
static lb_status write_parts(onnx_graphs *graphs, const lb_safetensors *file, const char *path,
                             lb_error *error)
{
    lb_buffer encoder = {0}, decoder = {0}, names[2] = {{0}, {0}};
    int stem = (int)(strlen(path) - (sizeof ENDING - 1));
    lb_buffer_print(&names[0], "%.*s.encoder%s", stem, path, ENDING);
    lb_buffer_print(&names[1], "%.*s.decoder%s", stem, path, ENDING);
    add_part(&graphs->encoder, file, "encoder", &encoder);
    add_part(&graphs->decoder, file, "decoder", &decoder);
    const lb_bytes first = {encoder.text, encoder.length}, second = {decoder.text, decoder.length};
    lb_status status = LB_OK;
    if (encoder.failed || decoder.failed || names[0].failed || names[1].failed)
        status = lb_error_set(error, LB_ERROR_MEMORY, "out of memory");
    else
        status = lb_file_write_all((lb_new_file[]){{names[0].text, &first, 1}, {names[1].text, &second, 1}},
                                   2, error);
    lb_buffer *const buffers[] = {&encoder, &decoder, &names[0], &names[1]};
    for (size_t i = 0; i < sizeof buffers / sizeof *buffers; i++) lb_release(buffers[i]->text);
    return status;
}

lb_status app_onnx_write(const lb_text_model *model, app_onnx_add *add, const lb_safetensors *file,
                         const char *path, lb_error *error)
{
    onnx_graphs graphs = {.encoder = {.params = model->params}, .decoder = {.params = model->params}};
    add(model->model, &graphs);
    lb_status status = write_parts(&graphs, file, path, error);
    onnx_graph_free(&graphs.encoder);
    onnx_graph_free(&graphs.decoder);
    return status;
}
