/* Writes the graphs of a model as two ONNX files, each with the metadata for reading and writing texts. */
#include "export/onnx/layers.h"

#include "base/alloc.h"
#include "data/lists/sort_task.h"
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
    return length > ending && !strchr(lb_os_separators, path[length - ending - 1]) &&
           strcmp(path + length - ending, ENDING) == 0;
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

lb_status app_onnx_write(const lb_text_model *model, app_onnx_add *add, const lb_safetensors *file,
                         const char *path, lb_error *error)
{
    enum { PARTS = 2 };
    static const char *const parts[PARTS] = {"encoder", "decoder"};
    onnx_graphs graphs = {.encoder = {.params = model->params}, .decoder = {.params = model->params}};
    onnx_graph *const graph[PARTS] = {&graphs.encoder, &graphs.decoder};
    lb_buffer name[PARTS] = {{0}}, message[PARTS] = {{0}};
    lb_bytes bytes[PARTS];
    lb_new_file files[PARTS];
    bool failed = false;
    add(model->model, &graphs);
    for (int i = 0; i < PARTS; i++) {
        lb_buffer_print(&name[i], "%.*s.%s%s", (int)(strlen(path) - (sizeof ENDING - 1)), path, parts[i],
                        ENDING);
        add_part(graph[i], file, parts[i], &message[i]);
        failed = failed || name[i].failed || message[i].failed;
        bytes[i] = (lb_bytes){message[i].text, message[i].length};
        files[i] = (lb_new_file){name[i].text, &bytes[i], 1};
    }
    lb_status status = failed ? lb_no_memory(error, NULL) : lb_file_write_all(files, PARTS, error);
    for (int i = 0; i < PARTS; i++) {
        lb_release(name[i].text);
        lb_release(message[i].text);
        onnx_graph_free(graph[i]);
    }
    return status;
}
