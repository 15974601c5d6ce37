/* Writes a model as one C file and a header, or as two files of ONNX. */
#include "export/export.h"
#include "base/alloc.h"
#include "base/format.h"
#include "cli/commands.h"
#include "io/file.h"
#include "io/path.h"
#include <lookback/translate.h>

#include <ctype.h>
#include <stdio.h>
#include <string.h>

enum { PREFIX = 64, PATH = 4096, USUAL = 32, MOST = 1000, MOST_BEAM = 64 };

/* A model on its way into a file. */
typedef struct exporting {
    const char *asked, *output; /* the model and the file that the command line names */
    int type, longest, beam;
    int lexicon;  /* an app_lexicon_choice */
    int64_t kept; /* of its entries */
    char *path;   /* of the model */
    lb_safetensors *file;
    lb_text_model model;
    app_kernel kernel;
    app_numbers numbers;
    char prefix[PREFIX], header[PATH]; /* of names; the file beside the output */
    lb_buffer symbols, constants, code, declarations;
} exporting;

/* The prefix of names is the name of the file; the header has that name, too. */
static lb_status name_files(exporting *s, lb_error *error)
{
    const char *output = s->output, *name = lb_os_name_of(output), *end = strrchr(name, '.');
    size_t length = end ? (size_t)(end - name) : 0, letters = 0;
    while (letters < length && (isalnum((unsigned char)name[letters]) || name[letters] == '_')) letters++;
    bool valid = end && strcmp(end, ".c") == 0 && letters == length && length > 0 && length < PREFIX &&
                 isalpha((unsigned char)*name) && strlen(output) < PATH - 1;
    if (!valid)
        return lb_error_set(error, LB_ERROR_ARGUMENT,
                            "--output: found \"%s\", expected NAME.c, where names in C can begin with NAME: "
                            "letters, digits and _, and a letter first; or NAME.onnx",
                            output);
    snprintf(s->prefix, sizeof s->prefix, "%.*s", (int)length, name);
    snprintf(s->header, sizeof s->header, "%.*s.h", (int)(end - output), output);
    s->kernel.prefix = s->prefix;
    return LB_OK;
}

/* The weights in an ONNX file are those of the model, and whoever runs it has memory and a search. */
static lb_status check_onnx(const exporting *s, lb_error *error)
{
    bool other_type = app_option_was_set(&s->type) && s->type != APP_NUMBER_F32;
    const char *option = other_type ? "type" : s->longest > 0 ? "longest" : s->beam > 1 ? "beam" : NULL;
    return option ? lb_error_set(error, LB_ERROR_ARGUMENT,
                                 "--%s: found %s, expected a C file with this option", option, s->output)
                  : LB_OK;
}

static lb_status check_lexicon(const exporting *s, lb_error *error)
{
    const lb_lexicon *lexicon = &s->model.lexicon;
    bool wanted = app_option_was_set(&s->lexicon) && s->lexicon != APP_LEXICON_NONE;
    if (!lexicon->bytes && wanted)
        return lb_error_set(error, LB_ERROR_FORMAT, "%s: found no lexicon, expected one with --lexicon %s",
                            s->path, app_lexicon_names[s->lexicon]);
    if (lexicon->bytes && app_onnx_is_name(s->output))
        return lb_error_set(error, LB_ERROR_FORMAT,
                            "%s: found a lexicon, which ONNX has no place for; --lexicon none leaves it out",
                            s->path);
    if (lexicon->keys == LB_KEYS_FOLDED)
        return lb_error_set(
            error, LB_ERROR_FORMAT,
            "%s: found a lexicon of an earlier version, without the spelling of words, expected "
            "one that `lookback join --lexicon` has made anew, or --lexicon none",
            s->path);
    return LB_OK;
}

static lb_status open_model(exporting *s, lb_error *error)
{
    lb_error found = {0};
    s->file = lb_model_file_open(s->asked, &s->path, error);
    if (!s->file) return error->status;
    lb_status status = lb_text_model_load(s->file, NULL, &s->model, &found);
    if (status) return lb_name_file(s->path, &found, error);
    if (s->lexicon == APP_LEXICON_NONE) lb_lexicon_free(&s->model.lexicon);
    return check_lexicon(s, error);
}

/* By default twice the longest text of the training, not less than usual, and what the lexicon needs. */
static lb_status find_longest(const exporting *s, int64_t known, int64_t *longest, lb_error *error)
{
    int64_t most = s->longest;
    if (most == 0) most = 2 * s->model.longest_source > USUAL ? 2 * s->model.longest_source : USUAL;
    if (s->longest == 0 && most < known) most = known;
    *longest = lb_text_model_most(&s->model, most < MOST ? most : MOST);
    if (*longest >= known) return LB_OK;
    return lb_error_set(error, LB_ERROR_FORMAT,
                        "%s: the lexicon has a text of %lld symbols, expected at most %lld, the longest that "
                        "the function reads, or --lexicon none",
                        s->path, (long long)known, (long long)*longest);
}

static void add_choices(exporting *s)
{
    if (s->beam > 1) app_kernel_flag(&s->kernel, "BEAM_SEARCH");
    app_kernel_size_is(&s->kernel, "BEAM", s->beam);
    app_kernel_size_is(&s->kernel, "CANDIDATES", 2 * (int64_t)s->beam);
    if (s->type == APP_NUMBER_INT8) app_kernel_flag(&s->kernel, "INT8");
    if (s->type == APP_NUMBER_BF16) app_kernel_flag(&s->kernel, "BF16");
    if (s->model.model->from_end) app_kernel_flag(&s->kernel, "BACKWARD");
}

/* What takes the place of model.h. */
static lb_status write_constants(exporting *s, lb_error *error)
{
    int64_t longest, known, room;
    add_choices(s);
    lb_status status = app_lexicon_measure(&s->model, &known, &room, error);
    if (!status) status = find_longest(s, known, &longest, error);
    if (status) return status;
    int64_t limit = lb_text_model_most(&s->model, lb_text_model_limit(&s->model, longest));
    app_kernel_size_is(&s->kernel, "LONGEST", longest);
    app_kernel_size_is(&s->kernel, "LIMIT", limit);
    app_kernel_size_is(&s->kernel, "TRAINED", lb_text_model_longest(&s->model));
    status = app_spelling_add(&s->model, longest, limit, room, &s->kernel, &s->symbols, error);
    if (status) return status;
    s->numbers = (app_numbers){.type = (app_number)s->type, .params = s->model.params};
    status = app_exportable_kind_of(s->model.model)->add_to_c(s->model.model, &s->numbers, &s->kernel, error);
    if (status) return status;
    app_kernel_size_is(&s->kernel, "WIDEST", s->numbers.widest);
    lb_buffer *out = &s->constants;
    lb_buffer_print(out, "/* ---- The model: sizes, symbols and weights. ---- */\n\n");
    app_kernel_add_sizes(&s->kernel, out);
    const lb_buffer *const parts[] = {&s->symbols, &s->numbers.arrays, &s->numbers.layers};
    for (size_t i = 0; i < sizeof parts / sizeof *parts; i++) {
        out->failed = out->failed || parts[i]->failed;
        lb_buffer_print(out, "\n");
        lb_buffer_add(out, parts[i]->text, parts[i]->length);
    }
    return out->failed ? lb_no_memory(error, NULL) : LB_OK;
}

/* The first lines of a file. */
static void add_head(const exporting *s, const char *name, const char *what, lb_buffer *out)
{
    lb_buffer_print(out, "/* %s: %s.\n", name, what);
    lb_buffer_print(out,
                    " * Made by `lookback export`, version %s, of a model with %lld weights, as %s.\n"
                    " * Lookback puts no licence on this file: it is yours as far as the model is. */\n",
                    lb_version(), (long long)s->numbers.weights, app_number_names[s->type]);
}

static lb_status add_lexicon(exporting *s, lb_error *error)
{
    lb_error found = {0};
    const lb_lexicon *lexicon = &s->model.lexicon;
    if (!lexicon->bytes) return LB_OK;
    /* A text in other letters finds an entry, too, which says nothing of what the model writes then. */
    bool exceptions = s->lexicon == APP_LEXICON_EXCEPTIONS && lexicon->keys == LB_KEYS_EXACT;
    lb_status status = app_lexicon_add(lexicon, exceptions, &s->kernel, &s->constants, &s->kept, &found);
    return status ? lb_name_file(s->path, &found, error) : LB_OK;
}

static lb_status write_files(exporting *s, lb_error *error)
{
    char name[PREFIX + 2];
    lb_snprintf(name, sizeof name, "%s.h", s->prefix);
    add_head(s, name, "text in, text out", &s->declarations);
    app_kernel_add_header(&s->kernel, &s->declarations);
    lb_snprintf(name, sizeof name, "%s.c", s->prefix);
    add_head(s, name, "a model that reads and writes text, in C99; it needs the C library and libm",
             &s->code);
    app_kernel_add_code(&s->kernel, "g2p.c", s->constants.text, &s->code);
    if (s->declarations.failed || s->code.failed) return lb_no_memory(error, NULL);
    const lb_bytes header = {s->declarations.text, s->declarations.length},
                   code = {s->code.text, s->code.length};
    return lb_file_write_all((lb_new_file[]){{s->header, &header, 1}, {s->output, &code, 1}}, 2, error);
}

static void close_all(exporting *s)
{
    lb_buffer *const buffers[] = {&s->symbols,      &s->constants,      &s->code,
                                  &s->declarations, &s->numbers.arrays, &s->numbers.layers};
    for (size_t i = 0; i < sizeof buffers / sizeof *buffers; i++) lb_release(buffers[i]->text);
    lb_text_model_free(&s->model);
    lb_safetensors_close(s->file);
    lb_release(s->path);
}

static lb_status export_c(exporting *s, lb_error *error)
{
    lb_status status = app_exportable(s->path, &s->model, s->beam, error);
    if (!status) status = write_constants(s, error);
    app_progress_end(&s->numbers.progress);
    if (!status) status = add_lexicon(s, error);
    if (!status) status = write_files(s, error);
    if (!status)
        app_note("%s and %s: %s_translate needs %lld bytes of memory for a text of up to %lld symbols",
                 s->output, s->header, s->prefix, (long long)app_kernel_size_of(&s->kernel, "WORK_BYTES"),
                 (long long)app_kernel_size_of(&s->kernel, "LONGEST"));
    if (!status && s->model.lexicon.bytes)
        app_note("%s has %lld of %lld entries of the lexicon%s", s->output, (long long)s->kept,
                 (long long)s->model.lexicon.entries,
                 s->kept < s->model.lexicon.entries ? ": the model writes the others" : "");
    return status;
}

static lb_status export_onnx(const exporting *s, lb_error *error)
{
    const char *output = s->output;
    int stem = (int)(strrchr(output, '.') - output);
    lb_status status = app_exportable_as_onnx(s->path, &s->model, error);
    if (!status)
        status = app_onnx_write(&s->model, app_exportable_kind_of(s->model.model)->add_to_onnx, s->file,
                                output, error);
    if (!status) app_note("%.*s.encoder.onnx and %.*s.decoder.onnx", stem, output, stem, output);
    if (!status && s->model.source_rule.subwords)
        app_note(
            "the caller cuts texts into pieces by the merges in the metadata, and joins those of the output; "
            "examples/onnx/translate.mjs does");
    return status;
}

static int export_model(exporting *s)
{
    lb_error error = {0};
    bool onnx = app_onnx_is_name(s->output);
    lb_status status = onnx ? check_onnx(s, &error) : name_files(s, &error);
    if (!status) status = open_model(s, &error);
    if (!status) status = onnx ? export_onnx(s, &error) : export_c(s, &error);
    close_all(s);
    return app_close_stdout(status ? app_fail(&error) : 0);
}

static const app_example examples[] = {
    {"Write g2p.c and g2p.h, and compile them.", "lookback export out -o g2p.c\n  cc -O2 -c g2p.c"},
    {"Keep the weights as they are.", "lookback export out --type f32 -o g2p.c"},
    {"Write g2p.encoder.onnx and g2p.decoder.onnx.", "lookback export out -o g2p.onnx"},
};

int export_main(int argc, char **argv)
{
    exporting s = {.output = "model.c", .beam = 1};
    const app_option options[] = {
        APP_OUTPUT('o', "output", &s.output,
                   "the C file, NAME.c; NAME.h is written next to it, and the function is NAME_translate. Or "
                   "NAME.onnx, for two files of ONNX: NAME.encoder.onnx, which runs once per text, and "
                   "NAME.decoder.onnx, one step of the decoder, with float32 weights"),
        APP_CHOICE(
            0, "type", "TYPE", &s.type, app_number_names,
            "how a C file stores weights: int8, a byte each and a scale for each row; bf16, two bytes; or "
            "f32, four bytes, with the outputs of predict"),
        APP_INT(0, "longest", "N", &s.longest, 0, MOST,
                "the most symbols of a text, which decides the memory that the function needs; 0: twice the "
                "longest text of the training, but at least 32"),
        APP_INT(0, "beam", "N", &s.beam, 1, MOST_BEAM,
                "hypotheses that the search follows side by side; 1: the most likely symbol at each step"),
        APP_CHOICE(
            0, "lexicon", "WHICH", &s.lexicon, app_lexicon_names,
            "entries of the lexicon in a C file: the exceptions, which the model would write otherwise "
            "with this type and beam, found by a C compiler, cc or that of the variable CC; all; or none"),
        APP_QUIET,
    };
    const app_program program = {
        .name = "export",
        .purpose =
            "Writes a model as one C file and a header, with a function that translates a text, or as ONNX. "
            "The C file is C99 over libm: it needs no library, no memory of its own and no threads. MODEL is "
            "a model file or its folder: a single model of texts, with soft attention or none, without "
            "features and copying.",
        .operands = "MODEL",
        .min_operands = 1,
        .max_operands = 1,
        APP_TABLES(options, examples),
    };
    int status = app_options(&program, &argc, &argv);
    if (status != APP_RUN) return status;
    s.asked = argv[0];
    return export_model(&s);
}
