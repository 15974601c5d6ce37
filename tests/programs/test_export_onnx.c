/* lookback export: the ONNX files of a model, read back field by field, which takes seconds. tests/onnx/ compares their
 * outputs with predict. */
#include "base/strings.h"
#include "support/pair_model.h"
#include "support/pair_program.h"
#include "support/suite.h"
#include "support/tempdir.h"

#include "base/alloc.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define LOOKBACK BIN_DIR "/lookback"

static support_result result;

/* Bytes of a message that are still to be read. */
typedef struct bytes {
    const unsigned char *at, *end;
} bytes;

/* A field: its number, and the value of an integer or the bytes of anything else. */
typedef struct field {
    int number;
    int64_t whole;
    bytes part;
} field;

static int64_t read_varint(bytes *from)
{
    uint64_t value = 0;
    int shift = 0;
    do {
        ck_assert(from->at < from->end && shift < 64);
        value |= (uint64_t)(*from->at & 0x7F) << shift;
        shift += 7;
    } while (*from->at++ & 0x80);
    return (int64_t)value;
}

static bool next_field(bytes *from, field *found)
{
    if (from->at == from->end) return false;
    int64_t tag = read_varint(from);
    *found = (field){.number = (int)(tag >> 3), .whole = read_varint(from)};
    if (tag % 8 == 0) return true;
    ck_assert_int_eq(tag % 8, 2);
    ck_assert(found->whole <= from->end - from->at);
    found->part = (bytes){from->at, from->at + found->whole};
    from->at = found->part.end;
    return true;
}

static const char *text_of(bytes part)
{
    static char text[4096];
    snprintf(text, sizeof text, "%.*s", (int)(part.end - part.at), (const char *)part.at);
    return text;
}

/* The field with this number, of which a message has only one. */
static field only(bytes message, int number)
{
    field each, found = {0};
    while (next_field(&message, &each))
        if (each.number == number) {
            ck_assert_int_eq(found.number, 0);
            found = each;
        }
    ck_assert_int_eq(found.number, number);
    return found;
}

static void add(lb_strings *to, const char *text)
{
    ck_assert_int_eq(lb_strings_add(to, lb_alloc_string(text), NULL), LB_OK);
}

static bool has(const lb_strings *among, const char *text)
{
    for (size_t i = 0; i < among->count; i++)
        if (strcmp(among->text[i], text) == 0) return true;
    return false;
}

/* A graph: the names of its inputs and outputs, and of all values. */
typedef struct graph {
    lb_strings inputs, outputs, values;
} graph;

/* A name that no other value has. */
static void add_value(graph *g, const char *name)
{
    ck_assert_msg(!has(&g->values, name), "%s is made twice", name);
    add(&g->values, name);
}

/* A TensorProto has as many bytes as its shape and its type say. */
static void read_tensor(bytes tensor, graph *g)
{
    int64_t count = 1;
    field each;
    for (bytes rest = tensor; next_field(&rest, &each);)
        if (each.number == 1) count *= each.whole;
    int64_t type = only(tensor, 2).whole, bytes_each = type == 7 ? 8 : 4;
    ck_assert(type == 1 || type == 7);
    ck_assert_int_eq(only(tensor, 9).whole, count * bytes_each);
    add_value(g, text_of(only(tensor, 8).part));
}

/* A NodeProto reads what has been made before. */
static void read_node(bytes node, graph *g)
{
    field each;
    for (bytes rest = node; next_field(&rest, &each);)
        if (each.number == 1 && each.whole > 0)
            ck_assert_msg(has(&g->values, text_of(each.part)), "%s is not made yet", text_of(each.part));
    for (bytes rest = node; next_field(&rest, &each);)
        if (each.number == 2) add_value(g, text_of(each.part));
    ck_assert_int_gt(only(node, 4).whole, 0);
}

static void read_graph(bytes message, graph *g)
{
    field each;
    for (bytes rest = message; next_field(&rest, &each);) {
        if (each.number == 5) read_tensor(each.part, g);
        if (each.number != 11) continue;
        add(&g->inputs, text_of(only(each.part, 1).part));
        add_value(g, g->inputs.text[g->inputs.count - 1]);
    }
    for (bytes rest = message; next_field(&rest, &each);)
        if (each.number == 1) read_node(each.part, g);
    for (bytes rest = message; next_field(&rest, &each);) {
        if (each.number != 12) continue;
        add(&g->outputs, text_of(only(each.part, 1).part));
        ck_assert(has(&g->values, g->outputs.text[g->outputs.count - 1]));
    }
}

/* The metadata come first, and are those of the model file. */
static void read_metadata(bytes message, const char *model)
{
    static const char *const keys[] = {"lookback.model", "lookback.config", "lookback.task",
                                       "lookback.source_vocabulary", "lookback.target_vocabulary"};
    lb_safetensors *file = lb_model_file_open(model, NULL, NULL);
    ck_assert_ptr_nonnull(file);
    for (size_t i = 0; i < sizeof keys / sizeof *keys; i++) {
        field entry;
        ck_assert(next_field(&message, &entry));
        ck_assert_int_eq(entry.number, 14);
        ck_assert_str_eq(text_of(only(entry.part, 1).part), keys[i]);
        ck_assert_str_eq(text_of(only(entry.part, 2).part), lb_safetensors_metadata_value(file, keys[i]));
    }
    lb_safetensors_close(file);
}

static graph read_file(const char *name, const char *model)
{
    size_t count;
    char *content = support_content(name, &count), path[SUPPORT_PATH];
    graph g = {0};
    bytes message = {(const unsigned char *)content, (const unsigned char *)content + count};
    read_metadata(message, support_path(path, model));
    ck_assert_int_eq(only(message, 1).whole, 8);
    ck_assert_str_eq(text_of(only(message, 2).part), "lookback");
    ck_assert_int_eq(only(only(message, 8).part, 2).whole, 17);
    read_graph(only(message, 7).part, &g);
    free(content);
    return g;
}

/* What the encoder makes is what the decoder reads, and what a step hands on is read by the next one. */
static void expect_sound_files(const char *model, bool attends)
{
    SUPPORT_RUN(&result, NULL, LOOKBACK, "export", model, "--quiet", "-o", "g2p.onnx");
    support_expect(&result, 0, "", "");
    graph encoder = read_file("g2p.encoder.onnx", model), decoder = read_file("g2p.decoder.onnx", model);
    ck_assert_uint_eq(encoder.inputs.count, 1);
    ck_assert_str_eq(encoder.inputs.text[0], "source");
    ck_assert_uint_eq(decoder.inputs.count, encoder.outputs.count + 1);
    ck_assert(has(&decoder.inputs, "symbol"));
    for (size_t i = 0; i < encoder.outputs.count; i++)
        ck_assert(has(&decoder.inputs, encoder.outputs.text[i]));
    size_t handed_on = 0;
    for (size_t i = 0; i < decoder.outputs.count; i++) {
        const char *name = decoder.outputs.text[i];
        if (strncmp(name, "next_", 5) != 0) continue;
        ck_assert(has(&decoder.inputs, name + 5));
        handed_on++;
    }
    ck_assert_uint_gt(handed_on, 0);
    ck_assert(has(&decoder.outputs, "logits"));
    ck_assert_int_eq(has(&decoder.outputs, "attention"), attends);
    ck_assert_uint_eq(decoder.outputs.count, handed_on + 1 + attends);
    lb_strings *const all[] = {&encoder.inputs, &encoder.outputs, &encoder.values,
                               &decoder.inputs, &decoder.outputs, &decoder.values};
    for (size_t i = 0; i < sizeof all / sizeof *all; i++) lb_strings_free(all[i]);
}

START_TEST(test_export_writes_sound_onnx_files)
{
    static const int kinds[] = {LB_ATTENTION_ADDITIVE, LB_ATTENTION_DOT, LB_ATTENTION_GENERAL,
                                LB_ATTENTION_MULTI_HEAD, LB_ATTENTION_NONE};
    char path[SUPPORT_PATH];
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++) {
        support_train_pair_model(support_path(path, "pairs.safetensors"), 0, kinds[i]);
        expect_sound_files("pairs.safetensors", kinds[i] != LB_ATTENTION_NONE);
    }
    support_write_pairs("train.tsv", 40, 1);
    for (int learned = 0; learned < 2; learned++) {
        SUPPORT_TRAIN("--train", "train.tsv", "--no-hold-out", "--steps", "1", "--fresh", "--model",
                      "transformer", "--hidden", "32", "--positions", learned ? "learned" : "sinusoidal");
        support_assert_trained();
        expect_sound_files("out", true);
    }
    SUPPORT_TRAIN(SUPPORT_SMALL, "--train", "train.tsv", "--no-hold-out", "--steps", "1", "--fresh", "--cell",
                  "lstm", "--layers", "2", "--tied");
    support_assert_trained();
    expect_sound_files("out", true);
}
END_TEST

static void expect_refusal(const char *model, const char *option, int status, const char *message)
{
    SUPPORT_RUN(&result, NULL, LOOKBACK, "export", model, option, "-o", "g2p.onnx");
    ck_assert_int_eq(result.status, status);
    ck_assert_msg(strstr(result.error, message) != NULL, "%s", result.error);
    ck_assert(!support_exists("g2p.encoder.onnx") && !support_exists("g2p.decoder.onnx"));
}

START_TEST(test_export_says_what_onnx_cannot)
{
    static const struct {
        const char *option, *value, *message;
    } models[] = {{"--positions", "rotary", "found rotary positions, expected"},
                  {"--positions", "relative", "found relative positions, expected"},
                  {"--positions", "alibi", "found ALiBi positions, expected"},
                  {"--window", "2", "found a window of self-attention, expected"},
                  {"--attention-weights", "entmax", "found attention weights other than softmax, expected"}};
    char path[SUPPORT_PATH];
    support_train_pair_model(support_path(path, "ensemble.safetensors"), 0, SUPPORT_ENSEMBLE);
    expect_refusal("ensemble.safetensors", "--quiet", 65,
                   "found an ensemble, expected a single model of texts");
    support_train_pair_model(support_path(path, "coverage.safetensors"), 0, LB_ATTENTION_COVERAGE);
    expect_refusal("coverage.safetensors", "--quiet", 65, "found coverage attention, expected");
    support_train_pair_model(support_path(path, "hard.safetensors"), 0, LB_ATTENTION_HARD);
    expect_refusal("hard.safetensors", "--quiet", 65, "found hard attention, expected");
    expect_refusal("hard.safetensors", "--beam=2", 2, "--beam: found g2p.onnx, expected a C file");
    expect_refusal("hard.safetensors", "--longest=9", 2, "--longest: found g2p.onnx, expected a C file");
    expect_refusal("hard.safetensors", "--type=int8", 2, "--type: found g2p.onnx, expected a C file");
    expect_refusal("hard.safetensors", "--type=bf16", 2, "--type: found g2p.onnx, expected a C file");
    support_write_pairs("train.tsv", 40, 1);
    for (size_t i = 0; i < sizeof models / sizeof *models; i++) {
        SUPPORT_TRAIN("--train", "train.tsv", "--no-hold-out", "--steps", "1", "--fresh", "--model",
                      "transformer", "--hidden", "32", models[i].option, models[i].value);
        support_assert_trained();
        expect_refusal("out", "--quiet", 65, models[i].message);
    }
}
END_TEST

int main(void)
{
    return support_run_tests(
        "export onnx", SUPPORT_TESTS(test_export_writes_sound_onnx_files, test_export_says_what_onnx_cannot));
}
