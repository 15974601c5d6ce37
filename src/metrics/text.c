/* BLEU and chrF of texts: texts become the sequences that these count. */
#include "lookback/metrics.h"

#include "base/alloc.h"
#include "base/bytes.h"
#include "data/symbols.h"
#include "metrics/measures.h"

#include <stdlib.h>
#include <string.h>
#include <utf8proc.h>

/* A text in both forms, in memory of its own. */
typedef struct text {
    lb_words words;
    lb_sequence characters; /* without white space */
    int32_t *letters, *id;  /* of the characters, and of the words */
} text;

static void free_texts(text *texts, int64_t count)
{
    for (int64_t i = 0; i < count && texts; i++) {
        lb_words_free(&texts[i].words);
        lb_release(texts[i].letters);
        lb_release(texts[i].id);
    }
    lb_release(texts);
}

/* The code points of all words, which are valid UTF-8, one after the other. */
static int64_t read_characters(const lb_words *words, int32_t *letters)
{
    int64_t count = 0;
    for (size_t i = 0; i < words->count; i++)
        for (const utf8proc_uint8_t *at = (const utf8proc_uint8_t *)words->word[i]; *at; count++)
            at += utf8proc_iterate(at, -1, &letters[count]);
    return count;
}

static lb_status split(const char *given, text *to, lb_error *error)
{
    lb_words words;
    lb_status status = lb_words_split(given, &words, error);
    to->letters = status ? NULL : lb_alloc((strlen(given) + 1) * sizeof *to->letters);
    if (to->letters) to->characters = (lb_sequence){to->letters, read_characters(&words, to->letters)};
    lb_words_free(&words);
    if (!status) status = lb_words_split_13a(given, &to->words, error);
    to->id = status ? NULL : lb_alloc((to->words.count + 1) * sizeof *to->id);
    return status ? status : to->letters && to->id ? LB_OK : lb_no_memory(error, "the measures of a text");
}

static lb_status read_text(const char *given, bool lower, text *to, lb_error *error)
{
    if (!lb_utf8_valid(given, strlen(given)))
        return lb_error_set(error, LB_ERROR_FORMAT, "found a text that is no UTF-8, expected UTF-8");
    if (!lower) return split(given, to, error);
    size_t length = strlen(given);
    char *letters = lb_alloc(LB_LOWER_CASE_ROOM(length) + 1);
    if (!letters) return lb_no_memory(error, "the measures of a text");
    letters[lb_lower_case(given, length, letters)] = '\0';
    lb_status status = split(letters, to, error);
    lb_release(letters);
    return status;
}

/* A word, and where its id goes. */
typedef struct place {
    const char *word;
    int32_t *id;
} place;

static int compare_words(const void *a, const void *b)
{
    return strcmp(((const place *)a)->word, ((const place *)b)->word);
}

/* Equal words get equal ids, in all texts. */
static lb_status number_words(text *texts, int64_t count, lb_error *error)
{
    size_t all = 0, at = 0;
    int32_t id = 0;
    for (int64_t t = 0; t < count; t++) all += texts[t].words.count;
    place *places = lb_alloc((all + 1) * sizeof *places);
    if (!places) return lb_no_memory(error, "the measures of a text");
    for (int64_t t = 0; t < count; t++)
        for (size_t i = 0; i < texts[t].words.count; i++)
            places[at++] = (place){texts[t].words.word[i], &texts[t].id[i]};
    if (all > 1) qsort(places, all, sizeof *places, compare_words);
    for (size_t i = 0; i < all; i++) {
        id += i > 0 && strcmp(places[i].word, places[i - 1].word) != 0;
        *places[i].id = id;
    }
    lb_release(places);
    return LB_OK;
}

/* The first text is the output. `sequences` has room for all. */
static lb_status measure(text *texts, int64_t count, lb_sequence *sequences, lb_statistics *statistics,
                         lb_error *error)
{
    lb_status status = number_words(texts, count, error);
    if (status) return status;
    for (int64_t t = 0; t < count; t++)
        sequences[t] = (lb_sequence){texts[t].id, (int64_t)texts[t].words.count};
    statistics->bleu_13a = lb_bleu_tally(sequences[0], sequences + 1, count - 1);
    for (int64_t t = 0; t < count; t++) sequences[t] = texts[t].characters;
    return lb_chrf_tally(sequences[0], sequences + 1, count - 1, &statistics->chrf2, error);
}

lb_status lb_statistics_count_text(const char *output, const char *const *references, int64_t count,
                                   bool lower, lb_statistics *statistics, lb_error *error)
{
    if (count < 1) return lb_error_set(error, LB_ERROR_ARGUMENT, "an output needs at least one reference");
    text *texts = lb_alloc_zero((size_t)(count + 1) * sizeof *texts);
    lb_sequence *sequences = lb_alloc((size_t)(count + 1) * sizeof *sequences);
    lb_status status = texts && sequences ? LB_OK : LB_ERROR_MEMORY;
    if (status) lb_no_memory(error, "the measures of a text");
    for (int64_t t = 0; t <= count && !status; t++)
        status = read_text(t == 0 ? output : references[t - 1], lower, &texts[t], error);
    if (!status) status = measure(texts, count + 1, sequences, statistics, error);
    free_texts(texts, count + 1);
    lb_release(sequences);
    return status;
}
