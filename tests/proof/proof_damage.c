/* Damaged files are refused, or read as what they say, and hostile ones end in time. Every bit flip and every
 * truncation of each kind of file that programs read; and model files with a right checksum that somebody made on
 * purpose. */
#include "data/pairs/pair_index.h"
#include "lookback/io.h"
#include "proof/damaged_texts.h"
#include "proof/hostile.h"
#include "proof/limits.h"
#include "proof/small_model.h"
#include "proof/work_list.h"
#include "support/process.h"
#include "translate/file/lexicon.h"

#include <lookback/lookback.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
    NPY_FLOAT = PROOF_MODELS, /* after the kinds of models */
    NPY_DOUBLE,
    INDEX, /* of pairs */
    TEXTS,
    FILES = TEXTS + PROOF_TEXTS,
    NPY_COUNT = 15,
    HOSTILE_FILES = 10000,
    VERDICTS = 2000,
    MOST_BYTES = 100000000
};

static const uint64_t STRIDE = 2654435761; /* a prime: all damages in an order without order */

static const proof *campaign;

static struct sound {
    unsigned char *bytes;
    size_t count;
} sound[FILES];

static const char *const file_names[TEXTS] = {
    "a model of pairs",    "a transformer", "a model of lists",     "an ensemble", "a lexicon",
    "a model of subwords", "a checkpoint",  "an npy file in float", "an npy file", "an index of pairs"};

static const lb_pair_format pairs_format = {.skip_bad_lines = true};
static char pairs_path[2 * SUPPORT_PATH];
static lb_pair_index_key pairs_key;

static lb_status find_pairs_key(lb_error *error)
{
    return lb_pair_index_find_key(pairs_path, &pairs_format, 0, &pairs_key, error);
}

static lb_status make_index(const char *path)
{
    static const char text[] = "a\tA\nbad\nab\tAB\nba\tBA\nc\tC\n";
    lb_indexed_pairs pairs;
    lb_error error = {0};
    support_write_file(pairs_path, text, sizeof text - 1);
    lb_status status = find_pairs_key(&error);
    if (!status)
        status = lb_indexed_pairs_read(&pairs, lb_pairs_open(pairs_path, pairs_format, &error), 0, &error);
    if (!status) status = lb_indexed_pairs_write(&pairs, path, false, &pairs_key, &error);
    lb_indexed_pairs_free(&pairs);
    return status;
}

static double npy_value(int i)
{
    return i * 0.5 - 3;
}

static lb_status make_file(const char *path, int kind)
{
    double values[NPY_COUNT];
    for (int i = 0; i < NPY_COUNT; i++) values[i] = npy_value(i);
    if (kind == INDEX) return make_index(path);
    if (kind < PROOF_MODELS) return proof_save_model(path, (proof_model)kind, 1, NULL);
    return lb_npy_write(values, LB_SHAPE(3, 5), kind == NPY_FLOAT ? LB_DTYPE_F32 : LB_DTYPE_F64, path, NULL);
}

/* In a child: the parent stays out of OpenMP. */
static void make_files(void *context)
{
    char path[2 * SUPPORT_PATH];
    (void)context;
    for (int kind = 0; kind < FILES; kind++) {
        snprintf(path, sizeof path, "%s/sound-%d", campaign->folder, kind);
        if (kind >= TEXTS)
            proof_text_write(kind - TEXTS, path);
        else if (make_file(path, kind))
            abort();
    }
}

static uint64_t damages_of(int kind)
{
    return sound[kind].count * 8 + sound[kind].count; /* flips, and cuts before each byte */
}

/* What happened to one file. */
typedef struct damage {
    int kind;
    bool cut;
    size_t at; /* the bit or the length */
} damage;

static damage find_damage(uint64_t seed, uint64_t total)
{
    uint64_t number = seed % total * (STRIDE % total) % total;
    int kind = 0;
    while (number >= damages_of(kind)) number -= damages_of(kind++);
    uint64_t flips = sound[kind].count * 8;
    return (damage){kind, number >= flips, (size_t)(number >= flips ? number - flips : number)};
}

/* A flipped bit in the data changes one value; one in the header may at most change how the same values are written. */
static const char *check_npy(const char *path, const damage *d)
{
    lb_shape shape;
    double *values;
    lb_error error = {0};
    lb_status status = lb_npy_read(path, &shape, &values, &error);
    size_t size = d->kind == NPY_FLOAT ? sizeof(float) : sizeof(double);
    size_t data = sound[d->kind].count - NPY_COUNT * size;
    bool in_data = !d->cut && d->at / 8 >= data;
    const char *fault = NULL;
    if (status != LB_OK) {
        lb_release(values);
        return in_data ? "refused" : status != LB_ERROR_FORMAT ? "refused with another status" : NULL;
    }
    if (d->cut) fault = "accepted, although it is cut";
    if (!lb_shape_equal(shape, LB_SHAPE(3, 5))) fault = "accepted with another shape";
    size_t changed = in_data ? (d->at / 8 - data) / size : NPY_COUNT;
    for (size_t i = 0; i < NPY_COUNT && !fault; i++) {
        double expected = npy_value((int)i);
        bool same = memcmp(&values[i], &expected, sizeof expected) == 0;
        if (same == (i == changed)) fault = "accepted with wrong values";
    }
    lb_release(values);
    return fault;
}

static const char *check_damaged(const char *path, const damage *d)
{
    lb_error error = {0};
    bool accepted;
    if (d->kind >= TEXTS) return proof_text_check(d->kind - TEXTS, path, d->cut && d->at == 0);
    if (d->kind == NPY_FLOAT || d->kind == NPY_DOUBLE) return check_npy(path, d);
    if (d->kind == INDEX) {
        lb_indexed_pairs pairs;
        accepted = !lb_indexed_pairs_open(&pairs, pairs_path, &pairs_format, path, &pairs_key, true, &error);
    } else if (d->kind == PROOF_CHECKPOINT) {
        lb_safetensors *file = lb_safetensors_open(path, &error);
        lb_safetensors_close(file);
        accepted = file != NULL;
    } else {
        lb_translator *model = lb_translator_open(path, &error);
        lb_translator_close(model);
        accepted = model != NULL;
    }
    if (accepted) return "accepted";
    if (error.status != LB_ERROR_FORMAT) return "refused with another status";
    return strncmp(error.message, path, strlen(path)) == 0 ? NULL : "refused without the name of the file";
}

static uint64_t damage_total;

static void try_damage(proof_count *count, uint64_t seed)
{
    char path[2 * SUPPORT_PATH];
    damage d = find_damage(seed, damage_total);
    const struct sound *whole = &sound[d.kind];
    snprintf(path, sizeof path, "%s/damaged", campaign->folder);
    if (!d.cut) whole->bytes[d.at / 8] ^= (unsigned char)(1 << d.at % 8);
    support_write_file(path, whole->bytes, d.cut ? d.at : whole->count);
    if (!d.cut) whole->bytes[d.at / 8] ^= (unsigned char)(1 << d.at % 8);
    proof_limits_begin();
    const char *fault = check_damaged(path, &d);
    size_t most = proof_limits_end();
    if (!fault && most > MOST_BYTES) fault = "too much memory";
    if (fault)
        proof_fail(campaign, count, seed, "%s with %s %zu: %s",
                   d.kind < TEXTS ? file_names[d.kind] : proof_text_name(d.kind - TEXTS),
                   d.cut ? "length" : "flipped bit", d.at, fault);
}

/* Opens a file and, if it is accepted, applies the model once. */
static const char *use_model(const char *path, lb_error *error)
{
    lb_translator *model = lb_translator_open(path, error);
    if (!model) {
        if (error->status != LB_ERROR_FORMAT) return "refused with another status";
        return strncmp(error->message, path, strlen(path)) == 0 ? NULL
                                                                : "refused without the name of the file";
    }
    const char *text = lb_translator_about(model).sorts ? "1 2" : "ab";
    lb_translate_config config = {.attention = true};
    lb_translations *output = lb_translate_all(model, &text, 1, config, error);
    bool silent = !output && (error->status == LB_OK || !*error->message);
    bool empty = output && (output->count != 1 || output->text[0].count < 1);
    lb_translations_free(output);
    lb_translator_close(model);
    if (silent) return "a translation that fails without a message";
    return empty ? "a translation without a result" : NULL;
}

static void try_hostile(proof_count *count, uint64_t seed)
{
    static const proof_model from[] = {PROOF_PAIRS,    PROOF_TRANSFORMER, PROOF_LISTS,
                                       PROOF_ENSEMBLE, PROOF_LEXICON,     PROOF_SUBWORDS};
    char path[2 * SUPPORT_PATH];
    size_t bytes;
    lb_error error = {0};
    const struct sound *model = &sound[from[seed % (sizeof from / sizeof *from)]];
    unsigned char *file = proof_make_hostile(model->bytes, model->count, seed, &bytes);
    snprintf(path, sizeof path, "%s/hostile", campaign->folder);
    support_write_file(path, file, bytes);
    free(file);
    proof_limits_begin();
    const char *fault = use_model(path, &error);
    size_t most = proof_limits_end();
    if (!fault && most > MOST_BYTES) fault = "too much memory";
    if (fault)
        proof_fail(campaign, count, seed, "hostile file %llu of %zu bytes, %zu bytes of memory: %s (%.200s)",
                   (unsigned long long)seed, bytes, most, fault, error.message);
}

/* ---- One verdict on a file: what the library refuses, each command refuses with the same words, and no other. ---- */

static void try_verdicts(proof_count *count, uint64_t seed)
{
    enum { WORDS = 8 };
    static const char *const commands[][WORDS] = {
        {"predict"},
        {"evaluate", "verdict.tsv"},
        {"score", "verdict.tsv"},
        {"report", "verdict.tsv", "-o", "verdict.html"},
        {"join", "--no-lexicon", "-o", "verdict"},
        {"export", "-o", "verdict.c", "--lexicon", "all", "--type", "f32"},
        {"visualize", "--input", "ab", "-o", "verdict.svg"},
        {"inspect"},
        {"inspect", "--lexicon"},
    };
    char path[2 * SUPPORT_PATH];
    size_t bytes;
    lb_error error = {0};
    const struct sound *from = &sound[seed % 2 ? PROOF_LEXICON : seed / 2 % PROOF_CHECKPOINT];
    unsigned char *file = proof_make_hostile(from->bytes, from->count, seed, &bytes);
    snprintf(path, sizeof path, "%s/verdict.safetensors", campaign->folder);
    support_write_file(path, file, bytes);
    free(file);
    lb_translator *model = lb_translator_open(path, &error);
    bool sorts = model && lb_translator_about(model).sorts;
    lb_translator_close(model);
    for (size_t i = 0; i < sizeof commands / sizeof *commands; i++) {
        const char *argv[WORDS + 4] = {BIN_DIR "/lookback", commands[i][0], path};
        support_result result = {0};
        memcpy(argv + 3, commands[i] + 1, sizeof commands[i] - sizeof *commands[i]);
        const support_command command = {
            .argv = argv, .directory = campaign->folder, .input = sorts ? "2 1\n" : "ab\n"};
        if (!support_run_command(&command, &result)) abort();
        bool refused = result.status == 65 && strstr(result.error, error.message);
        bool named = strstr(result.error, LB_LEXICON_ARRAY ": ") != NULL;
        if (error.status ? !refused : result.status > 65 || named)
            proof_fail(campaign, count, seed, "%s ends with %d, \"%.200s\", and opening with \"%.200s\"",
                       commands[i][0], result.status, result.error, error.message);
        support_result_free(&result);
    }
}

static void begin_child(void)
{
    proof_watch_memory();
    lb_set_threads(1);
}

int main(int argc, char **argv)
{
    proof p = proof_begin("proof_damage", argc, argv);
    campaign = &p;
    snprintf(pairs_path, sizeof pairs_path, "%s/pairs.tsv", p.folder);
    if (proof_in_child(make_files, NULL) || find_pairs_key(NULL)) abort();
    char path[2 * SUPPORT_PATH];
    snprintf(path, sizeof path, "%s/verdict.tsv", p.folder);
    support_write_file(path, "ab\tba\nb\ta\n", strlen("ab\tba\nb\ta\n"));
    for (int kind = 0; kind < FILES; kind++) {
        snprintf(path, sizeof path, "%s/sound-%d", p.folder, kind);
        sound[kind].bytes = (unsigned char *)support_read_file(path, &sound[kind].count);
        damage_total += damages_of(kind);
    }
    proof_list lists[] = {
        {.of = "flips and truncations", .total = damage_total, .begin = begin_child, .trial = try_damage},
        {.of = "hostile model files", .total = HOSTILE_FILES, .begin = begin_child, .trial = try_hostile},
        {.of = "verdicts of commands", .total = VERDICTS, .begin = begin_child, .trial = try_verdicts},
    };
    proof_run_lists(&p, lists, 3);
    for (int kind = 0; kind < FILES; kind++) free(sound[kind].bytes);
    return proof_end(&p);
}
