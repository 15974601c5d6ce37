/* lookback export: the ONNX files of a model, read back field by field, which takes seconds. tests/onnx/ compares their
 * outputs with predict. */
#include "base/buffer.h"
#include "export/onnx/layers.h"
#include "support/pair_model.h"
#include "support/pair_program.h"
#include "support/protobuf.h"
#include "support/suite.h"
#include "support/tempdir.h"

#include "base/alloc.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define LOOKBACK BIN_DIR "/lookback"

static support_result result;

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

/* A TensorProto has as many support_bytes as its shape and its type say. */
static void read_tensor(support_bytes tensor, graph *g)
{
    int64_t count = 1;
    support_field each;
    for (support_bytes rest = tensor; support_next_field(&rest, &each);)
        if (each.number == 1) count *= each.whole;
    int64_t type = support_only_field(tensor, 2).whole, bytes_each = type == 7 ? 8 : 4;
    ck_assert(type == 1 || type == 7);
    ck_assert_int_eq(support_only_field(tensor, 9).whole, count * bytes_each);
    add_value(g, support_field_text(support_only_field(tensor, 8).part));
}

/* A NodeProto reads what has been made before. */
static void read_node(support_bytes node, graph *g)
{
    support_field each;
    for (support_bytes rest = node; support_next_field(&rest, &each);)
        if (each.number == 1 && each.whole > 0)
            ck_assert_msg(has(&g->values, support_field_text(each.part)), "%s is not made yet",
                          support_field_text(each.part));
    for (support_bytes rest = node; support_next_field(&rest, &each);)
        if (each.number == 2) add_value(g, support_field_text(each.part));
    ck_assert_int_gt(support_only_field(node, 4).whole, 0);
}

static void read_graph(support_bytes message, graph *g)
{
    support_field each;
    for (support_bytes rest = message; support_next_field(&rest, &each);) {
        if (each.number == 5) read_tensor(each.part, g);
        if (each.number != 11) continue;
        add(&g->inputs, support_field_text(support_only_field(each.part, 1).part));
        add_value(g, g->inputs.text[g->inputs.count - 1]);
    }
    for (support_bytes rest = message; support_next_field(&rest, &each);)
        if (each.number == 1) read_node(each.part, g);
    for (support_bytes rest = message; support_next_field(&rest, &each);) {
        if (each.number != 12) continue;
        add(&g->outputs, support_field_text(support_only_field(each.part, 1).part));
        ck_assert(has(&g->values, g->outputs.text[g->outputs.count - 1]));
    }
}

/* The metadata come first, and are those of the model file. */
static void read_metadata(support_bytes message, const char *model)
{
    static const char *const keys[] = {"lookback.model", "lookback.config", "lookback.task",
                                       "lookback.source_vocabulary", "lookback.target_vocabulary"};
    lb_safetensors *file = lb_model_file_open(model, NULL, NULL);
    ck_assert_ptr_nonnull(file);
    for (size_t i = 0; SUPPORT_ROW(i, keys); i++) {
        support_field entry;
        ck_assert(support_next_field(&message, &entry));
        ck_assert_int_eq(entry.number, 14);
        ck_assert_str_eq(support_field_text(support_only_field(entry.part, 1).part), keys[i]);
        ck_assert_str_eq(support_field_text(support_only_field(entry.part, 2).part),
                         lb_safetensors_metadata_value(file, keys[i]));
    }
    lb_safetensors_close(file);
}

static graph read_file(const char *name, const char *model)
{
    size_t count;
    char *content = support_content(name, &count);
    graph g = {0};
    support_bytes message = {(const unsigned char *)content, (const unsigned char *)content + count};
    read_metadata(message, support_path(model));
    ck_assert_int_eq(support_only_field(message, 1).whole, 8);
    ck_assert_str_eq(support_field_text(support_only_field(message, 2).part), "lookback");
    ck_assert_int_eq(support_only_field(support_only_field(message, 8).part, 2).whole, 17);
    read_graph(support_only_field(message, 7).part, &g);
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
    for (size_t i = 0; SUPPORT_ROW(i, all); i++) lb_strings_free(all[i]);
}

START_TEST(test_export_writes_sound_onnx_files)
{
    static const int kinds[] = {LB_ATTENTION_ADDITIVE, LB_ATTENTION_DOT, LB_ATTENTION_GENERAL,
                                LB_ATTENTION_MULTI_HEAD, LB_ATTENTION_NONE};
    for (size_t i = 0; SUPPORT_ROW(i, kinds); i++) {
        support_train_pair_model("pairs.safetensors", 0, kinds[i]);
        expect_sound_files("pairs.safetensors", kinds[i] != LB_ATTENTION_NONE);
    }
    support_write_pairs("train.tsv", 40, 1);
    for (int learned = 0; learned < 2; learned++) {
        SUPPORT_TRAIN("--train", "train.tsv", "--no-hold-out", "--steps", "1", "--fresh", "--model",
                      "transformer", "--hidden", "32", "--set",
                      learned ? "positions=learned" : "positions=sinusoidal");
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
        const char *setting, *message;
    } models[] = {{"positions=rotary", "found rotary positions, expected"},
                  {"positions=relative", "found relative positions, expected"},
                  {"positions=alibi", "found alibi positions, expected"},
                  {"positions=fire", "found fire positions, expected"},
                  {"window=2", "found a window of self-attention, expected"},
                  {"attention_weights=entmax", "found attention weights other than softmax, expected"}};
    support_train_pair_model("ensemble.safetensors", 0, SUPPORT_ENSEMBLE);
    expect_refusal("ensemble.safetensors", "--quiet", 65,
                   "found an ensemble, expected a single model of texts");
    support_train_pair_model("coverage.safetensors", 0, LB_ATTENTION_COVERAGE);
    expect_refusal("coverage.safetensors", "--quiet", 65, "found coverage attention, expected");
    support_train_pair_model("hard.safetensors", 0, LB_ATTENTION_HARD);
    expect_refusal("hard.safetensors", "--quiet", 65, "found hard attention, expected");
    expect_refusal("hard.safetensors", "--beam=2", 2, "--beam: found g2p.onnx, expected a C file");
    expect_refusal("hard.safetensors", "--longest=9", 2, "--longest: found g2p.onnx, expected a C file");
    expect_refusal("hard.safetensors", "--type=int8", 2, "--type: found g2p.onnx, expected a C file");
    expect_refusal("hard.safetensors", "--type=bf16", 2, "--type: found g2p.onnx, expected a C file");
    support_write_pairs("train.tsv", 40, 1);
    for (size_t i = 0; SUPPORT_ROW(i, models); i++) {
        SUPPORT_TRAIN("--train", "train.tsv", "--no-hold-out", "--steps", "1", "--fresh", "--model",
                      "transformer", "--hidden", "32", "--set", models[i].setting);
        support_assert_trained();
        expect_refusal("out", "--quiet", 65, models[i].message);
    }
}
END_TEST

/* The stem of the name is that of both files, so there must be one. */
START_TEST(test_export_is_onnx_by_a_name_with_a_stem)
{
    static const char *const names[] = {"a.onnx", "out/a.onnx", "a.b.onnx"};
    static const char *const others[] = {".onnx", "out/.onnx", "onnx", "a.onnx/g2p.c", "a.onnx.c", ""};
    for (size_t i = 0; SUPPORT_ROW(i, names); i++) ck_assert(app_onnx_is_name(names[i]));
    for (size_t i = 0; SUPPORT_ROW(i, others); i++) ck_assert(!app_onnx_is_name(others[i]));
}
END_TEST
