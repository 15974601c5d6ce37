/* Lesson 8: the words of a review attend to each other. The page is docs/lessons/08_text.md.
 *
 *     08_text [FOLDER [REVIEWS]]    draws into FOLDER; REVIEWS is a file or a folder, as aclImdb is one */
#include "reviews/reviews.h"
#include <lookback/lookback.h>

#include <stdio.h>

enum {
    MOST = 1000, /* reviews */
    LENGTH = 20,
    WIDTH = 64,
    SAMPLE = 100,        /* printed characters of a review */
    NAME_CHARACTERS = 24 /* drawn characters of a word; some "words" are longer */
};

typedef char word_name[4 * NAME_CHARACTERS + 4]; /* with an ellipsis */

typedef struct text {
    const char *folder; /* of the picture */
    const char *own;    /* the reader's reviews; NULL: those of the lesson, whose numbers are printed */
    review_list reviews;
    review_words words[MOST]; /* of each review */
    lb_vocabulary *vocabulary;
    lb_embedding embedding;
    lb_multiplicative_attention attention;
} text;

/* Splits each review into words and numbers the words, the most frequent first. */
static lb_status number_words(text *t, lb_error *error)
{
    lb_status status = LB_OK;
    for (size_t i = 0; i < t->reviews.count && !status; i++) {
        status = reviews_words(t->reviews.text[i], &t->words[i], error);
        if (!status)
            status = lb_vocabulary_add(t->vocabulary, t->words[i].word, (int64_t)t->words[i].count, error);
    }
    lb_vocabulary_sort(t->vocabulary, 1);
    return status;
}

/* The bytes of the first `characters` characters of a text in UTF-8, or of all of it. */
static int beginning(const char *letters, int characters)
{
    int bytes = 0;
    for (int i = 0; i < characters && letters[bytes]; i++) do
            bytes++;
        while (((unsigned char)letters[bytes] & 0xC0) == 0x80);
    return bytes;
}

/* Prints the beginning of a review. What would control the terminal becomes a blank. */
static void print_sample(const char *review)
{
    int end = beginning(review, SAMPLE);
    printf("Sample text: ");
    for (int i = 0, bytes; i < end; i += bytes) {
        const unsigned char *at = (const unsigned char *)review + i;
        bytes = beginning(review + i, 1);
        bool controls = *at < ' ' || *at == 0x7F || (*at == 0xC2 && at[1] < 0xA0);
        printf("%.*s", controls ? 1 : bytes, controls ? " " : review + i);
    }
    printf("%s\n", review[end] ? "..." : "");
}

static void print_ids(const text *t, const char *title, size_t review)
{
    int32_t id[LENGTH];
    lb_vocabulary_encode(t->vocabulary, t->words[review].word, (int64_t)t->words[review].count, id, LENGTH);
    printf("ids of the %s review:", title);
    for (int i = 0; i < LENGTH; i++) printf(" %d", (int)id[i]);
    printf("\n");
}

/* One vector per word: the initial ones of nn.Embedding in PyTorch, from a file; for other words, ones of our own. */
static lb_status build(text *t, lb_params *params, lb_error *error)
{
    lb_embedding_init(&t->embedding, params, "embedding", lb_vocabulary_size(t->vocabulary), WIDTH, 0);
    lb_multiplicative_attention_init(&t->attention, params, "attention", LB_SCORE_SCALED_DOT, WIDTH, WIDTH);
    lb_status status = lb_params_status(params);
    if (status) return lb_error_set(error, status, "%s", lb_params_error(params));
    if (t->own) return LB_OK;
    lb_safetensors *file = lb_safetensors_open(LESSON_DATA "/08_text.safetensors", error);
    if (!file) return error->status;
    status = lb_checkpoint_load(file, params, error);
    lb_safetensors_close(file);
    return status;
}

/* The first words of a review, cut if they are too long to draw, and padding. */
static void name_words(const review_words *words, word_name *name, const char **label)
{
    for (size_t i = 0; i < LENGTH; i++) {
        const char *word = i < words->count ? words->word[i] : "<pad>";
        int bytes = beginning(word, NAME_CHARACTERS);
        snprintf(name[i], sizeof name[i], "%.*s%s", bytes, word, word[bytes] ? "\u2026" : "");
        label[i] = name[i];
    }
}

/* Prints and draws the weights of the first review of a batch. */
static lb_status show(const text *t, const lb_tensor *weights, lb_error *error)
{
    char path[512];
    word_name name[LENGTH];
    const char *label[LENGTH];
    const double *values = lb_doubles(weights);
    name_words(&t->words[0], name, label);
    for (int i = 0; values && !t->own && i < LENGTH * LENGTH; i++) {
        if (i % LENGTH == 0) printf("%-8s", label[i / LENGTH]);
        printf(" %.4f%s", values[i], i % LENGTH == LENGTH - 1 ? "\n" : "");
    }
    snprintf(path, sizeof path, "%s/08_text_weights.png", t->folder);
    lb_heatmap map = {.values = values,
                      .rows = LENGTH,
                      .columns = LENGTH,
                      .row_labels = label,
                      .column_labels = label,
                      .title = "Attention Weights Heatmap",
                      .x_label = "key",
                      .y_label = "query",
                      .bar_label = "attention weight",
                      .cell_text = LB_CELL_TEXT_NONE};
    return lb_heatmap_save(&map, path, error);
}

/* The words of each review attend to each other, one batch of reviews at a time. */
static lb_status attend(const text *t, lb_tape *tape, lb_error *error)
{
    const size_t batch = t->own ? 32 : 4;
    for (size_t first = 0; first < t->reviews.count; first += batch) {
        size_t left = t->reviews.count - first, rows = left < batch ? left : batch;
        int32_t *id, *lengths;
        lb_tape_reset(tape);
        lb_tokens tokens = lb_tokens_new(tape, (int64_t)rows, LENGTH, &id, &lengths);
        for (size_t i = 0; i < (size_t)tokens.batch; i++) {
            const review_words *words = &t->words[first + i];
            lengths[i] = lb_vocabulary_encode(t->vocabulary, words->word, (int64_t)words->count,
                                              id + i * LENGTH, LENGTH);
        }
        lb_tensor *x = lb_embedding_forward(&t->embedding, tokens);
        lb_attended_result attended = lb_multiplicative_attention_forward(&t->attention, x, x, x, NULL);
        if (lb_tape_status(tape)) return lb_error_set(error, lb_tape_status(tape), "%s", lb_tape_error(tape));

        char output[LB_SHAPE_TEXT], weights[LB_SHAPE_TEXT];
        printf("output %s weights %s\n", lb_shape_format(attended.context->shape, output),
               lb_shape_format(attended.weights->shape, weights));
        if (first == 0 && show(t, attended.weights, error)) return error->status;
    }
    return LB_OK;
}

int main(int argc, char **argv)
{
    static const char *const specials[] = {"<pad>", "<unk>"};
    lb_error error = {0};
    lb_params *params = lb_params_new(0);
    lb_tape *tape = lb_tape_new();
    text t = {.folder = argc > 1 ? argv[1] : ".",
              .own = argc > 2 ? argv[2] : NULL,
              .vocabulary = lb_vocabulary_new(specials, 2, 1, &error)};

    lb_status status = reviews_read(t.own ? t.own : LESSON_DATA "/reviews.txt", MOST, &t.reviews, &error);
    if (!status) status = number_words(&t, &error);
    if (!status) {
        printf("%zu reviews, %d words\n", t.reviews.count, (int)lb_vocabulary_size(t.vocabulary));
        status = build(&t, params, &error);
    }
    if (!status && t.own) print_sample(t.reviews.text[0]);
    if (!status && !t.own) {
        for (int32_t id = 2; id < 8; id++) printf("%d %s\n", (int)id, lb_vocabulary_symbol(t.vocabulary, id));
        print_ids(&t, "first", 0);
        print_ids(&t, "third", 2);
    }
    if (!status) status = attend(&t, tape, &error);
    if (status) fprintf(stderr, "%s\n", error.message);

    for (int i = 0; i < MOST; i++) reviews_words_free(&t.words[i]);
    reviews_free(&t.reviews);
    lb_vocabulary_free(t.vocabulary);
    lb_tape_free(tape);
    lb_params_free(params);
    return lb_status_exit(status);
}
