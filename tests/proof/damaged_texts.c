#include "proof/damaged_texts.h"

#include "cli/config.h"
#include "lookback/data.h"
#include "plot/text.h"
#include "reviews/reviews.h"
#include "several/sweep.h"
#include "support/tempdir.h"

#include <stdlib.h>
#include <string.h>

enum { FONT_SIZE = 20 };

static lb_status read_pairs(const char *path, lb_error *error)
{
    lb_pairs *pairs = lb_pairs_open(path, (lb_pair_format){0}, error);
    lb_pairs_close(pairs);
    return pairs ? LB_OK : error->status;
}

static lb_status read_reviews(const char *path, lb_error *error)
{
    review_list reviews = {0};
    lb_status status = reviews_read(path, 0, &reviews, error);
    reviews_free(&reviews);
    return status;
}

static lb_status read_options(const char *path, lb_error *error)
{
    int steps = 0;
    double rate = 0;
    bool fresh = false;
    const char *out = NULL;
    app_config config = {0};
    const app_option options[] = {
        APP_INT('s', "steps", "N", &steps, 0, 1000, "a whole number"),
        APP_NUMBER(0, "rate", "X", &rate, 0, 1, "a number"),
        APP_FLAG('f', "fresh", &fresh, "a flag"),
        APP_TEXT('o', "out", "DIR", &out, "a text"),
        APP_CONFIG_OPTIONS(&config),
    };
    const app_program program = {
        .name = "proof", .options = options, .option_count = sizeof options / sizeof *options};
    lb_status status = app_config_read(&program, &config, path, error);
    app_json_file_close(&config.read);
    return status;
}

static lb_status read_sweep(const char *path, lb_error *error)
{
    int hidden = 0, cell = 0;
    double lr = 0;
    app_grid grid;
    static const char *const cells[] = {"gru", "lstm", NULL};
    const app_option options[] = {
        APP_INT(0, "hidden", "N", &hidden, 0, 1000, "a whole number"),
        APP_NUMBER(0, "lr", "X", &lr, 0, 1, "a number"),
        APP_CHOICE(0, "cell", "KIND", &cell, cells, "a word"),
    };
    const app_program program = {
        .name = "proof", .options = options, .option_count = sizeof options / sizeof *options};
    lb_status status = app_grid_open(&grid, &program, path, error);
    app_grid_close(&grid);
    return status;
}

/* And measures with it, which reads other tables. */
static lb_status read_font(const char *path, lb_error *error)
{
    lb_font *font = lb_font_open(path, error);
    if (!font) return error->status;
    lb_text_bounds(&(lb_text_style){.font = font, .size = FONT_SIZE}, "Afi\xc3\xa9");
    lb_font_close(font);
    return LB_OK;
}

static const struct kind {
    const char *name, *text; /* NULL: a font of the corpus */
    lb_status (*read)(const char *path, lb_error *error);
    bool has_lines; /* the message names one */
} kinds[PROOF_TEXTS] = {
    {"a file of pairs",
     "abc\tcba\nb\xc3\xa4\t\xc3\xa4"
     "b\r\nfour words are here\tmany\n",
     read_pairs, true},
    {"reviews", "A good film.\nNot bad, caf\xc3\xa9 and all.\r\n\nBad\n", read_reviews, true},
    {"a file of options",
     "{\n  \"steps\": 20,\n  \"rate\": 1e-3, \"fresh\": true,\n  \"out\": \"a\\u00e9b\"\n}\n", read_options,
     true},
    {"a file of a sweep",
     "{\n  \"hidden\": [8, 12],\n  \"lr\": [0.001, 2e-3],\n  \"cell\": [\"gru\", \"lstm\"]\n}\n", read_sweep,
     true},
    {"a font", NULL, read_font, false},
};

const char *proof_text_name(int kind)
{
    return kinds[kind].name;
}

void proof_text_write(int kind, const char *path)
{
    size_t count = 0;
    if (kinds[kind].text) {
        support_write_file(path, kinds[kind].text, strlen(kinds[kind].text));
        return;
    }
    char *font = support_read_file(SOURCE_DIR "/tests/fuzz/corpus/font/layout", &count);
    support_write_file(path, font, count);
    free(font);
}

/* After the path, a colon; and a line of the file, a colon and a space. */
static bool names_place(const char *message, const char *path, bool has_lines)
{
    size_t length = strlen(path);
    if (strncmp(message, path, length) != 0 || message[length] != ':') return false;
    const char *line = message + length + 1;
    size_t digits = strspn(line, "0123456789");
    return !has_lines || (digits > 0 && strncmp(line + digits, ": ", 2) == 0);
}

const char *proof_text_check(int kind, const char *path, bool empty)
{
    lb_error error = {0};
    bool has_lines = kinds[kind].has_lines && !empty;
    if (kinds[kind].read(path, &error) == LB_OK) return NULL;
    if (error.status != LB_ERROR_FORMAT) return "refused with another status";
    if (names_place(error.message, path, has_lines)) return NULL;
    return has_lines ? "refused without file and line" : "refused without the name of the file";
}
