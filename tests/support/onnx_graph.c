#include "support/onnx_graph.h"

#include "base/alloc.h"
#include "support/pair_program.h"
#include "support/protobuf.h"
#include "support/suite.h"

#include <stdlib.h>
#include <string.h>

static int place_of(const lb_strings *names, const char *name)
{
    for (size_t i = 0; i < names->count; i++)
        if (strcmp(names->text[i], name) == 0) return (int)i;
    return -1;
}

static void add_name(lb_strings *names, const char *name)
{
    ck_assert_msg(place_of(names, name) < 0, "%s is there twice", name);
    ck_assert_int_eq(lb_strings_add(names, lb_alloc_string(name), NULL), LB_OK);
}

/* The text of a field, with room for its end. */
static void copy_text(support_bytes part, char text[32])
{
    ck_assert_int_lt(part.end - part.at, 32);
    strcpy(text, support_field_text(part));
}

int64_t support_onnx_count(const support_onnx_array *array)
{
    int64_t count = 1;
    for (int i = 0; i < array->dims; i++) count *= array->dim[i];
    return count;
}

support_onnx_array support_onnx_array_new(support_onnx_type type, int dims, const int64_t *dim)
{
    support_onnx_array array = {.type = type, .dims = dims};
    ck_assert_int_le(dims, SUPPORT_ONNX_DIMS);
    for (int i = 0; i < dims; i++) {
        ck_assert_int_ge(dim[i], 0);
        array.dim[i] = dim[i];
    }
    array.number = calloc((size_t)support_onnx_count(&array) + 1, sizeof *array.number);
    ck_assert_ptr_nonnull(array.number);
    return array;
}

/* A TensorProto. */
static support_onnx_array read_tensor(support_bytes tensor)
{
    int64_t dim[SUPPORT_ONNX_DIMS];
    int dims = 0;
    support_field each;
    for (support_bytes rest = tensor; support_next_field(&rest, &each);)
        if (each.number == 1) {
            ck_assert_int_lt(dims, SUPPORT_ONNX_DIMS);
            dim[dims++] = each.whole;
        }
    support_onnx_type type = (support_onnx_type)support_only_field(tensor, 2).whole;
    support_onnx_array array = support_onnx_array_new(type, dims, dim);
    support_bytes raw = support_only_field(tensor, 9).part;
    size_t width = type == SUPPORT_ONNX_INT64 ? 8 : 4;
    ck_assert(type == SUPPORT_ONNX_FLOAT || type == SUPPORT_ONNX_INT64);
    ck_assert_int_eq(raw.end - raw.at, support_onnx_count(&array) * (int64_t)width);
    for (int64_t i = 0; i < support_onnx_count(&array); i++) {
        uint64_t bits = 0;
        float number;
        for (size_t k = 0; k < width; k++) bits |= (uint64_t)raw.at[(size_t)i * width + k] << 8 * k;
        uint32_t low = (uint32_t)bits;
        memcpy(&number, &low, sizeof number);
        array.number[i] = type == SUPPORT_ONNX_INT64 ? (double)(int64_t)bits : (double)number;
    }
    return array;
}

/* An AttributeProto: its type says which field has the value. */
static support_onnx_attribute read_attribute(support_bytes message)
{
    enum { WHOLE = 2, TEXT = 3, LIST = 7 };
    support_onnx_attribute attribute = {.count = 0};
    support_field each;
    int64_t type = support_only_field(message, 20).whole;
    copy_text(support_only_field(message, 1).part, attribute.name);
    ck_assert(type == WHOLE || type == TEXT || type == LIST);
    for (support_bytes rest = message; support_next_field(&rest, &each);) {
        if (each.number == 4) copy_text(each.part, attribute.text);
        if (each.number != 3 && each.number != 8) continue;
        ck_assert(type == (each.number == 3 ? WHOLE : LIST) && attribute.count < SUPPORT_ONNX_DIMS);
        attribute.whole[attribute.count++] = each.whole;
    }
    ck_assert_int_eq(*attribute.text != '\0', type == TEXT);
    return attribute;
}

/* A NodeProto reads what has been made before, and makes what is new. */
static support_onnx_node read_node(support_bytes message, lb_strings *names)
{
    support_onnx_node node = {.reads = 0};
    support_field each;
    copy_text(support_only_field(message, 4).part, node.op);
    for (support_bytes rest = message; support_next_field(&rest, &each);) {
        const char *name = support_field_text(each.part);
        ck_assert(node.reads < SUPPORT_ONNX_OPERANDS && node.attributes < SUPPORT_ONNX_OPERANDS);
        if (each.number == 1) {
            int place = place_of(names, name);
            ck_assert_msg(place >= 0 || !*name, "%s is not made yet", name);
            node.in[node.reads++] = place;
        }
        if (each.number == 5) node.attribute[node.attributes++] = read_attribute(each.part);
    }
    for (support_bytes rest = message; support_next_field(&rest, &each);) {
        if (each.number != 2) continue;
        ck_assert_int_lt(node.makes, SUPPORT_ONNX_OPERANDS);
        node.out[node.makes++] = (int)names->count;
        add_name(names, support_field_text(each.part));
    }
    return node;
}

/* A GraphProto. All constants and inputs are known before the first node. */
static support_onnx_graph read_graph(support_bytes message)
{
    support_onnx_graph g = {.nodes = 0};
    support_field each;
    size_t fields = 0, values = 0;
    for (support_bytes rest = message; support_next_field(&rest, &each);) fields++;
    g.node = calloc(fields, sizeof *g.node);
    g.value = calloc(fields * SUPPORT_ONNX_OPERANDS, sizeof *g.value);
    g.constant = calloc(fields * SUPPORT_ONNX_OPERANDS, sizeof *g.constant);
    ck_assert(g.node && g.value && g.constant);
    for (support_bytes rest = message; support_next_field(&rest, &each);) {
        if (each.number != 5 && each.number != 11) continue;
        values = g.names.count;
        add_name(&g.names, support_field_text(support_only_field(each.part, each.number == 5 ? 8 : 1).part));
        g.constant[values] = each.number == 5;
        if (each.number == 5) g.value[values] = read_tensor(each.part);
        if (each.number == 11) add_name(&g.inputs, g.names.text[values]);
    }
    for (support_bytes rest = message; support_next_field(&rest, &each);)
        if (each.number == 1) g.node[g.nodes++] = read_node(each.part, &g.names);
    for (support_bytes rest = message; support_next_field(&rest, &each);)
        if (each.number == 12)
            add_name(&g.outputs, support_field_text(support_only_field(each.part, 1).part));
    return g;
}

support_onnx_graph support_onnx_open(const char *name)
{
    size_t count;
    char *content = support_content(name, &count);
    support_bytes file = {(const unsigned char *)content, (const unsigned char *)content + count};
    support_onnx_graph graph = read_graph(support_only_field(file, 7).part);
    for (size_t i = 0; i < graph.outputs.count; i++) support_onnx_value(&graph, graph.outputs.text[i]);
    free(content);
    return graph;
}

void support_onnx_close(support_onnx_graph *graph)
{
    for (size_t i = 0; i < graph->names.count; i++) free(graph->value[i].number);
    free(graph->node);
    free(graph->value);
    free(graph->constant);
    lb_strings_free(&graph->names);
    lb_strings_free(&graph->inputs);
    lb_strings_free(&graph->outputs);
}

support_onnx_array *support_onnx_value(const support_onnx_graph *graph, const char *name)
{
    int place = place_of(&graph->names, name);
    ck_assert_msg(place >= 0, "there is no %s", name);
    return &graph->value[place];
}

void support_onnx_set(const support_onnx_graph *graph, const char *name, const support_onnx_array *array)
{
    support_onnx_array *value = support_onnx_value(graph, name);
    ck_assert(place_of(&graph->inputs, name) >= 0 && array->number);
    support_onnx_array copy = support_onnx_array_new(array->type, array->dims, array->dim);
    memcpy(copy.number, array->number, (size_t)support_onnx_count(array) * sizeof *copy.number);
    free(value->number);
    *value = copy;
}
