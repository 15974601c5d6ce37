/* What the npm package calls: one model, and texts through it. Answers are JSON; what fails has an "error". */
#include "base/buffer.h"
#include "lookback/translate.h"

#include <emscripten.h>
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/** Opens the model in these bytes, which are from malloc and are freed. An instance of the module has one model. */
EMSCRIPTEN_KEEPALIVE const char *predict_open(unsigned char *bytes, size_t count);

/** Translates a text, which is from malloc and is freed. Zero means the default. The weights of an output are at the address "weights", as floats [layers,
 *  heads, steps, symbols of the text], until the next call. */
EMSCRIPTEN_KEEPALIVE const char *predict_translate(char *text, int n_best, int beam, double length_penalty,
                                                   int limit, int attention);

enum { DIGITS = 17 }; /* of a double, all of them */

static lb_translator *model;
static lb_translations *found;
static lb_buffer json;

static void begin(void)
{
    lb_release(json.text);
    json = (lb_buffer){0};
}

static const char *answer(void)
{
    return json.failed ? "{\"status\":\"MEMORY\",\"error\":\"out of memory\"}" : json.text;
}

static const char *fail(const lb_error *error)
{
    static const char *const names[] = {
#define NAME(name, meaning, exit) #name,
        LB_STATUS_LIST(NAME)
#undef NAME
    };
    lb_buffer_print(&json, "{\"status\":\"%s\",\"error\":", names[error->status] + sizeof "LB_ERROR_" - 1);
    lb_buffer_json_string(&json, error->message);
    lb_buffer_print(&json, "}");
    return answer();
}

static void print_strings(const char *key, const char *const *text, int64_t count)
{
    lb_buffer_print(&json, "\"%s\":[", key);
    for (int64_t i = 0; i < count; i++) {
        if (i) lb_buffer_print(&json, ",");
        lb_buffer_json_string(&json, text[i]);
    }
    lb_buffer_print(&json, "],");
}

static void print_output(const lb_output *output)
{
    lb_buffer_print(&json, "{\"text\":");
    lb_buffer_json_string(&json, output->text);
    lb_buffer_print(&json, ",");
    print_strings("symbols", output->symbol, output->length);
    lb_buffer_print(&json, "\"symbolProbabilities\":[");
    for (int64_t i = 0; i < output->steps; i++) {
        if (i) lb_buffer_print(&json, ",");
        lb_buffer_json_number(&json, output->symbol_probability[i], DIGITS);
    }
    lb_buffer_print(&json, "],\"finished\":%s,", output->finished ? "true" : "false");
    lb_buffer_print(&json, output->from_lexicon ? "\"from\":\"lexicon\",\"score\":" : "\"score\":");
    lb_buffer_json_number(&json, output->score, DIGITS);
    lb_buffer_print(&json, ",\"probability\":");
    lb_buffer_json_number(&json, output->probability, DIGITS);
    lb_buffer_print(&json, ",\"weights\":%lu}", (unsigned long)(uintptr_t)output->weights);
}

/* The file system of the module has one file, the model, which is open at most once: what C calls for files is here
 * instead of in a library for JavaScript of 50 kB. */
static const char FILE_NAME[] = "model";
static struct {
    const unsigned char *bytes;
    size_t count, at;
} file;

enum { DESCRIPTOR = 3 };

int fstat(int descriptor, struct stat *about)
{
    (void)descriptor;
    *about = (struct stat){.st_mode = S_IFREG | 0444, .st_size = (off_t)file.count};
    return 0;
}

int stat(const char *restrict path, struct stat *restrict about)
{
    if (strcmp(path, FILE_NAME) == 0) return fstat(DESCRIPTOR, about);
    errno = ENOENT;
    return -1;
}

int open(const char *path, int flags, ...)
{
    (void)flags;
    file.at = 0;
    if (strcmp(path, FILE_NAME) == 0) return DESCRIPTOR;
    errno = ENOENT;
    return -1;
}

ssize_t read(int descriptor, void *to, size_t count)
{
    (void)descriptor;
    size_t left = file.count - file.at, some = count < left ? count : left;
    memcpy(to, file.bytes + file.at, some);
    file.at += some;
    return (ssize_t)some;
}

int close(int descriptor)
{
    (void)descriptor;
    return 0;
}

const char *predict_open(unsigned char *bytes, size_t count)
{
    lb_error error = {0};
    begin();
    file.bytes = bytes;
    file.count = count;
    model = lb_translator_open(FILE_NAME, &error);
    free(bytes);
    return model ? "{}" : fail(&error);
}

const char *predict_translate(char *text, int n_best, int beam, double length_penalty, int limit,
                              int attention)
{
    lb_error error = {0};
    begin();
    lb_translations_free(found);
    found = lb_translate_all(model, (const char *const[]){text}, 1,
                             (lb_translate_config){.n_best = n_best,
                                                   .beam = beam,
                                                   .length_penalty = length_penalty,
                                                   .limit = limit,
                                                   .attention = attention,
                                                   .skip_bad_texts = true},
                             &error);
    free(text);
    if (found && found->text->error) lb_error_set(&error, LB_ERROR_FORMAT, "%s", found->text->error);
    if (error.status) return fail(&error);
    lb_buffer_print(&json, "{");
    print_strings("symbols", found->text->symbol, found->text->length);
    print_strings("unknown", found->text->unknown, found->text->unknown_count);
    if (found->text->unlike) lb_buffer_print(&json, "\"unlike\":true,");
    lb_buffer_print(&json, "\"layers\":%d,\"heads\":%d,\"outputs\":[", (int)found->layers, (int)found->heads);
    for (int64_t i = 0; i < found->text->count; i++) {
        if (i) lb_buffer_print(&json, ",");
        print_output(&found->text->output[i]);
    }
    lb_buffer_print(&json, "]}");
    return answer();
}
