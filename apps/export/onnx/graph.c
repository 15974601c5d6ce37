#include "export/onnx/graph.h"

#include "base/alloc.h"
#include "base/format.h"

#include <assert.h>
#include <ctype.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

/* ---- Protobuf messages. ---- */

/* How the value of a field is stored. */
enum { VARINT = 0, COUNTED = 2 };

/* Seven bits a byte, the lowest first; all but the last byte have the highest bit set. */
static void add_varint(lb_buffer *message, uint64_t value)
{
    do {
        unsigned char byte = (unsigned char)((value & 0x7F) | (value > 0x7F ? 0x80 : 0));
        lb_buffer_add(message, &byte, 1);
        value >>= 7;
    } while (value);
}

static void add_tag(lb_buffer *message, int field, int stored)
{
    add_varint(message, (uint64_t)field << 3 | (uint64_t)stored);
}

void protobuf_whole(lb_buffer *message, int field, int64_t value)
{
    add_tag(message, field, VARINT);
    add_varint(message, (uint64_t)value);
}

/* Adds a field of bytes. */
static void protobuf_bytes(lb_buffer *message, int field, const void *bytes, size_t count)
{
    add_tag(message, field, COUNTED);
    add_varint(message, count);
    lb_buffer_add(message, bytes, count);
}

void protobuf_text(lb_buffer *message, int field, const char *text)
{
    protobuf_bytes(message, field, text, strlen(text));
}

void protobuf_message(lb_buffer *message, int field, lb_buffer *part)
{
    message->failed = message->failed || part->failed;
    protobuf_bytes(message, field, part->text, part->length);
    lb_release(part->text);
    *part = (lb_buffer){0};
}

static void add_low_bytes(lb_buffer *raw, uint64_t bits, size_t count)
{
    unsigned char bytes[sizeof bits];
    for (size_t i = 0; i < count; i++) bytes[i] = (unsigned char)(bits >> 8 * i);
    lb_buffer_add(raw, bytes, count);
}

void protobuf_raw_floats(lb_buffer *raw, const lb_real *x, int64_t count)
{
    for (int64_t i = 0; i < count; i++) {
        float number = (float)x[i];
        uint32_t bits;
        memcpy(&bits, &number, sizeof bits);
        add_low_bytes(raw, bits, sizeof bits);
    }
}

/* ---- The graph. ---- */

/* The numbers of fields in onnx.proto. */
enum { GRAPH_NODE = 1, GRAPH_NAME = 2, GRAPH_INITIALIZER = 5, GRAPH_INPUT = 11, GRAPH_OUTPUT = 12 };
enum { NODE_INPUT = 1, NODE_OUTPUT = 2, NODE_NAME = 3, NODE_OP_TYPE = 4 };
enum {
    ATTRIBUTE = 5,
    ATTRIBUTE_NAME = 1,
    ATTRIBUTE_I = 3,
    ATTRIBUTE_S = 4,
    ATTRIBUTE_INTS = 8,
    ATTRIBUTE_TYPE = 20
};
enum { TYPE_INT = 2, TYPE_STRING = 3, TYPE_INTS = 7 };
enum { TENSOR_DIMS = 1, TENSOR_DATA_TYPE = 2, TENSOR_NAME = 8, TENSOR_RAW_DATA = 9 };
enum { VALUE_NAME = 1, VALUE_TYPE = 2, TYPE_TENSOR = 1, TENSOR_ELEM_TYPE = 1, TENSOR_SHAPE = 2 };
enum { SHAPE_DIM = 1, DIM_VALUE = 1, DIM_PARAM = 2 };

enum { NAME = 96 };

void onnx_graph_free(onnx_graph *graph)
{
    lb_buffer *const all[] = {&graph->nodes, &graph->tensors, &graph->inputs, &graph->outputs,
                              &graph->attributes};
    for (size_t i = 0; i < sizeof all / sizeof *all; i++) lb_release(all[i]->text);
    lb_strings_free(&graph->names);
}

onnx_value onnx_name(onnx_graph *graph, const char *format, ...)
{
    char name[NAME];
    va_list arguments;
    va_start(arguments, format);
    lb_vsnprintf(name, sizeof name, format, arguments);
    va_end(arguments);
    graph->failed = graph->failed || lb_strings_add(&graph->names, lb_alloc_string(name), NULL);
    return graph->failed ? "" : graph->names.text[graph->names.count - 1];
}

/* Completes an attribute. */
static void add_attribute(onnx_graph *graph, lb_buffer *attribute, const char *name, int type)
{
    protobuf_text(attribute, ATTRIBUTE_NAME, name);
    protobuf_whole(attribute, ATTRIBUTE_TYPE, type);
    protobuf_message(&graph->attributes, ATTRIBUTE, attribute);
}

void onnx_set(onnx_graph *graph, const char *attribute, int64_t value)
{
    lb_buffer message = {0};
    protobuf_whole(&message, ATTRIBUTE_I, value);
    add_attribute(graph, &message, attribute, TYPE_INT);
}

void onnx_set_list(onnx_graph *graph, const char *attribute, const int64_t *value, int64_t count)
{
    lb_buffer message = {0};
    for (int64_t i = 0; i < count; i++) protobuf_whole(&message, ATTRIBUTE_INTS, value[i]);
    add_attribute(graph, &message, attribute, TYPE_INTS);
}

void onnx_set_text(onnx_graph *graph, const char *attribute, const char *value)
{
    lb_buffer message = {0};
    protobuf_text(&message, ATTRIBUTE_S, value);
    add_attribute(graph, &message, attribute, TYPE_STRING);
}

static void add_node(onnx_graph *graph, const char *op, const onnx_value *read, int made,
                     const onnx_value *out)
{
    lb_buffer node = {0};
    for (; *read; read++) protobuf_text(&node, NODE_INPUT, *read);
    for (int i = 0; i < made; i++) protobuf_text(&node, NODE_OUTPUT, out[i]);
    protobuf_text(&node, NODE_NAME, out[0]);
    protobuf_text(&node, NODE_OP_TYPE, op);
    lb_buffer_add(&node, graph->attributes.text, graph->attributes.length);
    node.failed = node.failed || graph->attributes.failed;
    lb_release(graph->attributes.text);
    graph->attributes = (lb_buffer){0};
    protobuf_message(&graph->nodes, GRAPH_NODE, &node);
}

void onnx_add(onnx_graph *graph, const char *op, const onnx_value *read, int made, onnx_value *out)
{
    for (int i = 0; i < made; i++) out[i] = onnx_name(graph, "%s_%lld", op, (long long)graph->names.count);
    add_node(graph, op, read, made, out);
}

onnx_value onnx_add_one(onnx_graph *graph, const char *op, const onnx_value *read)
{
    onnx_value out;
    onnx_add(graph, op, read, 1, &out);
    return out;
}

onnx_value onnx_tensor(onnx_graph *graph, onnx_value name, onnx_type type, lb_shape shape, lb_buffer *raw)
{
    lb_buffer tensor = {0};
    for (int i = 0; i < shape.ndim; i++) protobuf_whole(&tensor, TENSOR_DIMS, shape.dim[i]);
    protobuf_whole(&tensor, TENSOR_DATA_TYPE, type);
    protobuf_text(&tensor, TENSOR_NAME, name);
    protobuf_message(&tensor, TENSOR_RAW_DATA, raw);
    protobuf_message(&graph->tensors, GRAPH_INITIALIZER, &tensor);
    return name;
}

static onnx_value add_constant(onnx_graph *graph, onnx_type type, lb_shape shape, lb_buffer *raw)
{
    return onnx_tensor(graph, onnx_name(graph, "constant_%lld", (long long)graph->names.count), type, shape,
                       raw);
}

onnx_value onnx_number(onnx_graph *graph, double value)
{
    lb_buffer raw = {0};
    lb_real number = (lb_real)value;
    protobuf_raw_floats(&raw, &number, 1);
    return add_constant(graph, ONNX_FLOAT, (lb_shape){0}, &raw);
}

onnx_value onnx_wholes(onnx_graph *graph, const int64_t *value, int64_t count)
{
    lb_buffer raw = {0};
    for (int64_t i = 0; i < (count ? count : 1); i++) add_low_bytes(&raw, (uint64_t)value[i], sizeof *value);
    return add_constant(graph, ONNX_INT64, count ? LB_SHAPE(count) : (lb_shape){0}, &raw);
}

const char *onnx_name_of(const onnx_graph *graph, const lb_tensor *parameter)
{
    int64_t i = 0;
    while (i < lb_params_count(graph->params) && lb_params_tensor(graph->params, i) != parameter) i++;
    assert(i < lb_params_count(graph->params));
    return lb_params_name(graph->params, i);
}

onnx_value onnx_weight(onnx_graph *graph, const lb_tensor *parameter)
{
    lb_buffer raw = {0};
    const char *name = onnx_name_of(graph, parameter);
    for (size_t i = 0; i < graph->names.count; i++)
        if (strcmp(graph->names.text[i], name) == 0) return graph->names.text[i];
    protobuf_raw_floats(&raw, parameter->data, lb_count(parameter));
    return onnx_tensor(graph, onnx_name(graph, "%s", name), ONNX_FLOAT, parameter->shape, &raw);
}

/* A ValueInfoProto. */
static void describe(lb_buffer *values, int field, const char *name, onnx_type type, const char *axes)
{
    lb_buffer value = {0}, shape = {0}, tensor = {0}, kind = {0};
    for (const char *axis = axes; *axis; axis += strspn(axis, " ")) {
        lb_buffer dimension = {0};
        size_t length = strcspn(axis, " ");
        if (isdigit((unsigned char)*axis))
            protobuf_whole(&dimension, DIM_VALUE, strtoll(axis, NULL, 10));
        else
            protobuf_bytes(&dimension, DIM_PARAM, axis, length);
        protobuf_message(&shape, SHAPE_DIM, &dimension);
        axis += length;
    }
    protobuf_whole(&tensor, TENSOR_ELEM_TYPE, type);
    protobuf_message(&tensor, TENSOR_SHAPE, &shape);
    protobuf_message(&kind, TYPE_TENSOR, &tensor);
    protobuf_text(&value, VALUE_NAME, name);
    protobuf_message(&value, VALUE_TYPE, &kind);
    protobuf_message(values, field, &value);
}

void onnx_input(onnx_graph *graph, const char *name, onnx_type type, const char *axes)
{
    describe(&graph->inputs, GRAPH_INPUT, name, type, axes);
}

/* An output with a name of its own needs a node. */
void onnx_output(onnx_graph *graph, onnx_value value, const char *name, const char *axes)
{
    add_node(graph, "Identity", (const onnx_value[]){value, NULL}, 1, &name);
    describe(&graph->outputs, GRAPH_OUTPUT, name, ONNX_FLOAT, axes);
}

void onnx_graph_end(onnx_graph *graph, const char *name, lb_buffer *message)
{
    lb_buffer *const parts[] = {&graph->nodes, &graph->tensors, &graph->inputs, &graph->outputs};
    message->failed = message->failed || graph->failed;
    for (size_t i = 0; i < sizeof parts / sizeof *parts; i++) {
        message->failed = message->failed || parts[i]->failed;
        lb_buffer_add(message, parts[i]->text, parts[i]->length);
        lb_release(parts[i]->text);
        *parts[i] = (lb_buffer){0};
    }
    protobuf_text(message, GRAPH_NAME, name);
}
