/* Self-attention over the words of reviews; draws one of them. */
#include "common/options.h"
#include "common/output.h"
#include "common/report.h"
#include "programs.h"

#include "base/alloc.h"
#include "tensor/gemm.h"
#include <lookback/lookback.h>

#include <stdio.h>
#include <string.h>

enum {
    SAMPLE = 100,        /* printed characters of a review */
    NAME_CHARACTERS = 24 /* drawn characters of a word; some "words" are longer */
};

typedef char word_name[4 * NAME_CHARACTERS + 4]; /* with an ellipsis */

typedef struct settings {
    const char *path;
    int first, length, embed, batch, review;
    uint64_t seed;
    const char *output, *title, *colormap;
    int threads;
} settings;

/* The data of the program. */
typedef struct text {
    lb_strings reviews;
    lb_words *words; /* [reviews.count] */
    lb_vocabulary *vocabulary;
    lb_params *params;
    lb_tape *tape;
    lb_embedding embedding;
    lb_multiplicative_attention attention;
    lb_shape output, weights; /* of all batches together */
    double *map;              /* [length, length]: the weights of the review to draw */
} text;

static lb_status out_of_memory(lb_error *error)
{
    return lb_error_set(error, LB_ERROR_MEMORY, "out of memory");
}

static void text_close(text *t)
{
    for (size_t i = 0; t->words && i < t->reviews.count; i++) lb_words_free(&t->words[i]);
    lb_release(t->words);
    lb_release(t->map);
    lb_strings_free(&t->reviews);
    lb_vocabulary_free(t->vocabulary);
    lb_tape_free(t->tape);
    lb_params_free(t->params);
}

static lb_status read_reviews(const settings *s, text *t, lb_error *error)
{
    lb_status status = lb_reviews_read(s->path, (size_t)s->first, &t->reviews, error);
    if (status || (size_t)s->review < t->reviews.count) return status;
    return lb_error_set(error, LB_ERROR_ARGUMENT, "--review: expected 0 to %zu, for %zu were read, found %d",
                        t->reviews.count - 1, t->reviews.count, s->review);
}

/* Splits all reviews into words, and adds every word to the vocabulary. */
static lb_status number_words(text *t, lb_error *error)
{
    static const char *const specials[] = {[LB_PAD] = "<pad>", "<unk>"};
    t->vocabulary = lb_vocabulary_new(specials, 2, 1, error);
    if (!t->vocabulary) return error->status;
    t->words = lb_alloc_zero(t->reviews.count * sizeof *t->words);
    if (!t->words) return out_of_memory(error);
    for (size_t i = 0; i < t->reviews.count; i++) {
        lb_words *words = &t->words[i];
        lb_status status = lb_words_split(t->reviews.text[i], words, error);
        if (!status) status = lb_vocabulary_add(t->vocabulary, words->word, words->count, error);
        if (status) return status;
    }
    lb_vocabulary_sort(t->vocabulary, 1);
    return LB_OK;
}

static lb_status build(const settings *s, text *t, lb_error *error)
{
    t->params = lb_params_new(s->seed);
    t->tape = lb_tape_new();
    t->map = lb_alloc((size_t)s->length * (size_t)s->length * sizeof *t->map);
    if (!t->params || !t->tape || !t->map) return out_of_memory(error);
    lb_tape_set_mode(t->tape, LB_MODE_EVALUATE);
    lb_embedding_init(&t->embedding, t->params, "embedding", lb_vocabulary_size(t->vocabulary), s->embed, 0);
    lb_status status = lb_multiplicative_attention_init(&t->attention, t->params, "attention",
                                                        LB_SCORE_SCALED_DOT, s->embed, s->embed);
    return status ? lb_error_set(error, status, "%s", lb_params_error(t->params)) : LB_OK;
}

/* The shape of two tensors concatenated along the first axis. */
static lb_shape stack(lb_shape above, lb_shape below)
{
    if (above.ndim > 0) below.dim[0] += above.dim[0];
    return below;
}

/* Attends over `count` reviews, starting with `first`, padded or cut to one length. */
static lb_status attend_batch(const settings *s, text *t, size_t first, size_t count)
{
    int32_t *id, *lengths;
    size_t length = (size_t)s->length, review = (size_t)s->review, cells = length * length;
    lb_tape_reset(t->tape);
    lb_tokens tokens = lb_tokens_new(t->tape, (int64_t)count, s->length, &id, &lengths);
    for (size_t i = 0; i < (size_t)tokens.batch; i++) {
        const lb_words *words = &t->words[first + i];
        lengths[i] =
            lb_vocabulary_encode(t->vocabulary, words->word, words->count, id + i * length, s->length);
    }
    lb_tensor *x = lb_embedding_forward(&t->embedding, tokens);
    lb_attended_result attended = lb_multiplicative_attention_forward(&t->attention, x, x, x, NULL);
    lb_status status = lb_tape_status(t->tape);
    if (status) return status;
    t->output = stack(t->output, attended.context->shape);
    t->weights = stack(t->weights, attended.weights->shape);
    for (size_t i = 0; i < cells && review >= first && review < first + count; i++)
        t->map[i] = (double)attended.weights->data[(review - first) * cells + i];
    return LB_OK;
}

static lb_status attend(const settings *s, text *t, lb_error *error)
{
    size_t batch = (size_t)s->batch;
    lb_status status = LB_OK;
    for (size_t first = 0; first < t->reviews.count && !status; first += batch) {
        size_t left = t->reviews.count - first;
        status = attend_batch(s, t, first, left < batch ? left : batch);
    }
    return status ? lb_error_set(error, status, "%s", lb_tape_error(t->tape)) : LB_OK;
}

/* The bytes of the first `characters` characters of a UTF-8 text, or of all of it. */
static size_t beginning(const char *letters, size_t characters)
{
    size_t bytes = 0;
    for (size_t i = 0; i < characters && letters[bytes]; i++) do
            bytes++;
        while (((unsigned char)letters[bytes] & 0xC0) == 0x80);
    return bytes;
}

static void print_sample(const char *review)
{
    const char *end = review + beginning(review, SAMPLE);
    printf("Sample text: ");
    for (const char *at = review; at < end;) {
        size_t bytes = app_visible(at);
        if (bytes > 0)
            fwrite(at, 1, bytes, stdout);
        else
            putchar(' ');
        at += bytes > 0 ? bytes : 1;
    }
    puts(*end ? "..." : "");
}

static void print(const settings *s, const text *t)
{
    char shape[LB_SHAPE_TEXT];
    printf("Dataset size: %zu\n", t->reviews.count);
    print_sample(t->reviews.text[s->review]);
    printf("Output shape: %s\n", lb_shape_format(t->output, shape));
    printf("Attention weights shape: %s\n", lb_shape_format(t->weights, shape));
}

/* Copies a word to a word_name, cut if it is too long to draw. */
static void name_word(const char *word, char *name)
{
    size_t bytes = beginning(word, NAME_CHARACTERS);
    snprintf(name, sizeof(word_name), "%.*s%s", (int)bytes, word, word[bytes] ? "\u2026" : "");
}

static lb_status draw_named(const settings *s, const text *t, lb_colormap colormap, word_name *name,
                            const char **labels, lb_error *error)
{
    size_t length = (size_t)s->length;
    const lb_words *words = &t->words[s->review];
    for (size_t i = 0; i < length; i++) {
        name_word(i < words->count ? words->word[i] : lb_vocabulary_symbol(t->vocabulary, LB_PAD), name[i]);
        labels[i] = name[i];
    }
    lb_heatmap map = {
        .values = t->map,
        .rows = length,
        .columns = length,
        .row_labels = labels,
        .column_labels = labels,
        .title = s->title,
        .x_label = "Key Tokens",
        .y_label = "Query Tokens",
        .bar_label = "Attention Weight",
        .range = LB_RANGE_DATA,
        .colormap = colormap,
        .cell_text = LB_CELL_TEXT_NONE,
    };
    return lb_heatmap_save(&map, s->output, error);
}

static lb_status draw(const settings *s, const text *t, lb_colormap colormap, lb_error *error)
{
    word_name *name = lb_alloc((size_t)s->length * sizeof *name);
    const char **labels = lb_alloc((size_t)s->length * sizeof *labels);
    lb_status status =
        name && labels ? draw_named(s, t, colormap, name, labels, error) : out_of_memory(error);
    lb_release(name);
    lb_release((void *)labels);
    return status;
}

static int attend_text(const settings *s)
{
    lb_error error = {0};
    lb_colormap colormap;
    text t = {0};
    lb_status status = app_check_picture("--output", s->output, &error);
    if (!status) status = lb_colormap_find(s->colormap, &colormap, &error);
    if (!status) status = read_reviews(s, &t, &error);
    if (!status) status = number_words(&t, &error);
    if (!status) status = build(s, &t, &error);
    if (!status) status = attend(s, &t, &error);
    if (!status) {
        print(s, &t);
        status = draw(s, &t, colormap, &error);
    }
    if (!status) app_note("wrote %s (%d x %d)", s->output, s->length, s->length);
    text_close(&t);
    return app_close_stdout(status ? app_fail(&error) : 0);
}

static const app_example examples[] = {
    {"Read reviews.txt, a review on each line, and draw the first.",
     "lookback attend reviews.txt -o words.png"},
    {"Draw ten words of the first review about music.",
     "grep -i music reviews.txt | lookback attend - --length 10 -o music.png"},
};

int attend_main(int argc, char **argv)
{
    settings s = {.first = 1000,
                  .length = 20,
                  .embed = 64,
                  .batch = 32,
                  .output = "attention.png",
                  .title = "Attention Weights Heatmap",
                  .colormap = "viridis"};
    const app_option options[] = {
        APP_HEADING("Reviews"),
        APP_INT(0, "first", "N", &s.first, 0, 1 << 30, "number of reviews to read; 0: all"),
        APP_INT(0, "length", "N", &s.length, 1, 1024,
                "words per review; shorter ones are padded, longer ones cut"),
        APP_HEADING("Attention"),
        APP_INT(0, "embed", "N", &s.embed, 1, 1 << 16, "width of the embeddings"),
        APP_INT(0, "batch", "N", &s.batch, 1, 1 << 20,
                "reviews to process at once; results do not depend on it"),
        APP_SEED(0, "seed", "N", &s.seed, "seed of the embeddings"),
        APP_THREADS(&s.threads),
        APP_HEADING("Picture"),
        APP_INT(0, "review", "N", &s.review, 0, 1 << 30, "index of the review to draw, counted from 0"),
        APP_OUTPUT('o', "output", &s.output, "where to write the picture: a .png, .svg or .pdf file"),
        APP_TEXT(0, "title", "TEXT", &s.title, "title of the picture"),
        APP_WORD(0, "colormap", "NAME", &s.colormap, app_colormaps, "colours"),
    };
    const app_program program = {
        .name = "attend",
        .purpose = "Reads reviews, gives each word a random vector, lets the words of each review attend to "
                   "each other, and draws the weights of one review. REVIEWS is a folder such as aclImdb, a "
                   "text file with one review per line, or - for standard input.",
        .operands = "REVIEWS",
        .min_operands = 1,
        .max_operands = 1,
        .options = options,
        .option_count = sizeof options / sizeof options[0],
        .examples = examples,
        .example_count = sizeof examples / sizeof examples[0],
        .kernel = lb_kernel_name(),
    };
    int status = app_options(&program, &argc, &argv);
    if (status != APP_RUN) return status;
    lb_set_threads(s.threads);
    s.path = argv[0];
    return attend_text(&s);
}
