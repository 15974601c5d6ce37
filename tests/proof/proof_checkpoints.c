/* Hostile checkpoints with a right checksum, from which a training is resumed, and hostile models, from which one
 * starts: each is refused with a message, or the training ends well; in a second and 100 MB. */
#include "proof/hostile.h"
#include "proof/limits.h"
#include "proof/work_list.h"
#include "train/trainer.h"

#include <lookback/lookback.h>
#include <lookback/translate.h>

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum {
    HOSTILE_FILES = 10000,
    MOST_BYTES = 100000000,
    DONE = 4,
    STEPS = 6,
    ARRAYS = 128,
    PATH = 2 * SUPPORT_PATH
};

static const proof *campaign;
static unsigned char *checkpoint, *model;
static size_t checkpoint_bytes, model_bytes;

static void path_of(char path[PATH], const char *name)
{
    snprintf(path, PATH, "%s/%s", campaign->folder, name);
}

/* Some steps of a training in the folder `out`, from a model if `from` is not NULL. */
static lb_status train(const char *out, const char *from, int steps, lb_error *error)
{
    char pairs[PATH];
    path_of(pairs, "pairs.tsv");
    lb_training_config config = {.train = pairs,
                                 .dev = pairs,
                                 .embed = from ? 0 : 2,
                                 .hidden = from ? 0 : 3,
                                 .batch = 4,
                                 .warm_up = -1,
                                 .lr = 0.01,
                                 .steps = steps,
                                 .evaluate_every = 2,
                                 .seed = 1,
                                 .out = out,
                                 .from = from};
    return lb_translator_train(config, NULL, error);
}

/* In a child: the parent stays out of OpenMP. */
static void make_files(void *context)
{
    static const char text[] = "ab\tba\nba\tab\nabb\tbba\naab\tbaa\nb\tb\na\ta\nbb\tbb\naa\taa\n";
    char path[PATH];
    lb_error error = {0};
    (void)context;
    lb_set_threads(1);
    path_of(path, "pairs.tsv");
    support_write_file(path, text, sizeof text - 1);
    path_of(path, "sound");
    if (train(path, NULL, DONE, &error)) {
        fprintf(stderr, "%s\n", error.message);
        abort();
    }
}

/* Whether a training that ended well has left a model that cannot be opened. */
static bool left_bad_model(const char *out)
{
    char path[PATH + 20];
    lb_error error = {0};
    snprintf(path, sizeof path, "%s/model.safetensors", out);
    if (access(path, F_OK) != 0) return false; /* there was nothing left to do */
    lb_translator *translator = lb_translator_open(path, &error);
    lb_translator_close(translator);
    return !translator;
}

static void finish_trial(proof_count *count, uint64_t seed, const char *out, lb_status status,
                         const lb_error *error)
{
    const char *fault = NULL;
    size_t most = proof_limits_end();
    if (status == LB_OK && left_bad_model(out)) fault = "a model that cannot be opened";
    if (most > MOST_BYTES) fault = "too much memory";
    if (status != LB_OK && !*error->message) fault = "refused without a message";
    if (fault)
        proof_fail(campaign, count, seed, "%s %llu, %zu bytes of memory: %s (%.200s)", count->of,
                   (unsigned long long)seed, most, fault, error->message);
}

static void remove_file(const char *name)
{
    char path[PATH];
    path_of(path, name);
    unlink(path);
}

static void try_resume(proof_count *count, uint64_t seed)
{
    char path[PATH];
    size_t bytes;
    lb_error error = {0};
    unsigned char *file = proof_make_hostile(checkpoint, checkpoint_bytes, seed, &bytes);
    remove_file("sound/model.safetensors");
    path_of(path, "sound/checkpoint.safetensors");
    support_write_file(path, file, bytes);
    free(file);
    path_of(path, "sound");
    proof_limits_begin();
    finish_trial(count, seed, path, train(path, NULL, STEPS, &error), &error);
}

/* Numbers of a training that has never been: steps, losses, times, moments. */
static void change_numbers(const lb_safetensors_tensor *array, unsigned char *data, proof_dice *dice)
{
    static const double numbers[] = {
        0,     -1,  1,     3,        5,     6, 7, 0.5, 1e6, 2147483648.0, 9007199254740992.0,
        1e300, NAN, -1e18, INFINITY, 1e-320};
    size_t count = (size_t)lb_shape_count(array->shape);
    for (uint64_t changes = 1 + proof_below(dice, 3); changes > 0 && count > 0; changes--) {
        size_t at = (size_t)proof_below(dice, count);
        double number = numbers[proof_below(dice, sizeof numbers / sizeof *numbers)];
        float narrow = (float)number;
        if (array->dtype == LB_DTYPE_F64) memcpy(data + at * sizeof number, &number, sizeof number);
        if (array->dtype == LB_DTYPE_F32) memcpy(data + at * sizeof narrow, &narrow, sizeof narrow);
    }
}

/* The sound checkpoint with other numbers in one of its arrays. */
static void write_numbers(const char *path, const lb_safetensors *file, proof_dice *dice)
{
    lb_safetensors_tensor arrays[ARRAYS];
    size_t count = (size_t)lb_safetensors_count(file), bytes;
    if (count > ARRAYS) abort();
    for (size_t i = 0; i < count; i++) arrays[i] = *lb_safetensors_at(file, (int64_t)i);
    size_t changed = (size_t)proof_below(dice, count);
    /* Half of them in what is not an array of numbers for each parameter. */
    for (size_t i = 0; i < count && proof_once_in(dice, 2); i++)
        if (arrays[i].dtype == LB_DTYPE_F64) changed = i;
    bytes = (size_t)lb_shape_count(arrays[changed].shape) *
            (arrays[changed].dtype == LB_DTYPE_F64 ? sizeof(double) : sizeof(float));
    unsigned char *data = malloc(bytes + 1);
    if (!data) abort();
    memcpy(data, arrays[changed].data, bytes);
    change_numbers(&arrays[changed], data, dice);
    arrays[changed].data = data;
    const lb_safetensors_metadata run = {LB_RUN_KEY, lb_safetensors_metadata_value(file, LB_RUN_KEY)};
    if (lb_safetensors_write(arrays, (int64_t)count, &run, 1, path, NULL)) abort();
    free(data);
}

static void try_numbers(proof_count *count, uint64_t seed)
{
    char path[PATH];
    lb_error error = {0};
    proof_dice dice = proof_dice_new(seed, "numbers");
    remove_file("sound/model.safetensors");
    path_of(path, "sound.safetensors");
    lb_safetensors *file = lb_safetensors_open(path, &error);
    if (!file) abort();
    path_of(path, "sound/checkpoint.safetensors");
    write_numbers(path, file, &dice);
    lb_safetensors_close(file);
    path_of(path, "sound");
    proof_limits_begin();
    finish_trial(count, seed, path, train(path, NULL, STEPS, &error), &error);
}

static void try_from(proof_count *count, uint64_t seed)
{
    char path[PATH], out[PATH];
    size_t bytes;
    lb_error error = {0};
    unsigned char *file = proof_make_hostile(model, model_bytes, seed, &bytes);
    path_of(path, "hostile.safetensors");
    support_write_file(path, file, bytes);
    free(file);
    remove_file("from/model.safetensors");
    remove_file("from/checkpoint.safetensors");
    path_of(out, "from");
    proof_limits_begin();
    finish_trial(count, seed, out, train(out, path, 2, &error), &error);
}

static void begin_child(void)
{
    proof_watch_memory();
    lb_set_threads(1);
}

int main(int argc, char **argv)
{
    char path[PATH];
    proof p = proof_begin("proof_checkpoints", argc, argv);
    campaign = &p;
    if (proof_in_child(make_files, NULL)) abort();
    path_of(path, "sound/checkpoint.safetensors");
    checkpoint = (unsigned char *)support_read_file(path, &checkpoint_bytes);
    path_of(path, "sound.safetensors");
    support_write_file(path, checkpoint, checkpoint_bytes);
    path_of(path, "sound/model.safetensors");
    model = (unsigned char *)support_read_file(path, &model_bytes);
    proof_list lists[] = {
        {.of = "hostile checkpoints", .total = HOSTILE_FILES, .begin = begin_child, .trial = try_resume},
        {.of = "hostile numbers in checkpoints",
         .total = HOSTILE_FILES,
         .begin = begin_child,
         .trial = try_numbers},
        {.of = "hostile models to start from",
         .total = HOSTILE_FILES,
         .begin = begin_child,
         .trial = try_from},
    };
    proof_run_lists(&p, lists, 3);
    free(checkpoint);
    free(model);
    return proof_end(&p);
}
