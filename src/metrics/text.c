/* BLEU and chrF of texts: texts become the sequences that these count. */
#include "base/alloc.h"
#include "base/bytes.h"
#include "data/text/symbols.h"
#include "metrics/measures.h"

#include <stdlib.h>
#include <string.h>
#include <utf8proc.h>

/* ---- Words and signs, for BLEU. Source: the tokenization "13a" of sacreBLEU (Post 2018, arXiv:1804.08771), that of
 * NIST's mteval-v13a.pl. ---- */

/* In this order, each everywhere: "&amp;lt;" becomes "&lt;", and that "<". */
static const char *const replaced[][2] = {{"<skipped>", ""}, {"-\n", ""},   {"\n", " "},  {"&quot;", "\""},
                                          {"&amp;", "&"},    {"&lt;", "<"}, {"&gt;", ">"}};

/* Two bytes in a row, or one, each of a set; ^ in front of a set means all others, also those of other scripts.
 * `spaced` is what becomes of them. */
static const struct rule {
    const char *first, *second, *spaced;
} rules[] = {
    {" !\"#$%&()*+/:;<=>?@[\\]^_`{|}~", NULL, " 1 "}, /* the signs of ASCII without ' , - and the full stop */
    {"^0123456789", ".,", "1 2 "},
    {".,", "^0123456789", " 1 2"},
    {"0123456789", "-", "1 2 "},
};

static bool is_of(char c, const char *set)
{
    bool others = *set == '^';
    return c && (strchr(set + others, c) != NULL) != others;
}

static bool fits(const struct rule *rule, const char *text)
{
    return is_of(text[0], rule->first) && (!rule->second || is_of(text[1], rule->second));
}

/* Appends the text with blanks where a rule wants them. What a match has taken cannot begin another one. */
static void apply(const struct rule *rule, const char *text, lb_buffer *to)
{
    while (*text) {
        size_t plain = 0;
        while (text[plain] && !fits(rule, text + plain)) plain++;
        lb_buffer_add(to, text, plain);
        text += plain;
        if (!*text) return;
        for (const char *at = rule->spaced; *at; at++)
            lb_buffer_add(to, *at == ' ' ? " " : &text[*at - '1'], 1);
        text += rule->second ? 2 : 1;
    }
}

/* Splits valid UTF-8: entities of HTML become their characters, and signs of ASCII are words of their own, except for
 * an apostrophe, a hyphen that is not behind a digit, and points and commas between digits. As lb_words_split. */
static lb_status split_13a(const char *text, lb_words *words, lb_error *error)
{
    lb_buffer begin = {0}; /* the text between two blanks, so that every letter has neighbours */
    size_t length = strlen(text);
    while (length > 0 && text[length - 1] == '\n') length--;
    lb_buffer_add(&begin, " ", 1);
    lb_buffer_add(&begin, text, length);
    lb_buffer_add(&begin, " ", 1);
    char *now = lb_buffer_end(&begin);
    for (size_t i = 0; i < sizeof replaced / sizeof *replaced && now; i++)
        lb_text_replace(now, replaced[i][0], replaced[i][1]);
    for (size_t i = 0; i < sizeof rules / sizeof *rules && now; i++) {
        lb_buffer spaced = {0};
        apply(&rules[i], now, &spaced);
        lb_release(now);
        now = lb_buffer_end(&spaced);
    }
    *words = (lb_words){0};
    if (!now) return lb_no_memory(error, "the words of a text");
    lb_status status = lb_words_split(now, words, error);
    lb_release(now);
    return status;
}

/* ---- Texts as sequences. ---- */

/* The code points of a text, which is valid UTF-8, without white space, in `letters`. */
static lb_status read_characters(const char *text, int32_t *letters, lb_sequence *to, lb_error *error)
{
    lb_words words;
    lb_status status = lb_words_split(text, &words, error);
    *to = (lb_sequence){.id = letters};
    for (size_t i = 0; i < words.count; i++)
        for (const utf8proc_uint8_t *at = (const utf8proc_uint8_t *)words.word[i]; *at; to->length++)
            at += utf8proc_iterate(at, -1, &letters[to->length]);
    lb_words_free(&words);
    return status;
}

/* `letters` has LB_LOWER_CASE_ROOM. */
static lb_status read_text(const char *given, bool lower, lb_words *words, int32_t *letters,
                           lb_sequence *characters, lb_error *error)
{
    size_t length = strlen(given);
    if (!lb_utf8_valid(given, length))
        return lb_error_set(error, LB_ERROR_FORMAT, "found a text that is no UTF-8, expected UTF-8");
    char *small = lower ? lb_alloc(LB_LOWER_CASE_ROOM(length) + 1) : NULL;
    if (lower && !small) return lb_no_memory(error, "the measures of a text");
    if (lower) small[lb_lower_case(given, length, small)] = '\0';
    const char *text = lower ? small : given;
    lb_status status = read_characters(text, letters, characters, error);
    if (!status) status = split_13a(text, words, error);
    lb_release(small);
    return status;
}

/* The ids of all words, one text after the other: equal words have equal ids. NULL: there is no memory. */
static int32_t *number_words(const lb_words *texts, size_t count, lb_sequence *words)
{
    size_t all = 0, at = 0;
    for (size_t t = 0; t < count; t++) all += texts[t].count;
    const char **sorted = lb_alloc((all + 1) * sizeof *sorted), **found;
    int32_t *ids = sorted ? lb_alloc((all + 1) * sizeof *ids) : NULL;
    for (size_t t = 0; t < count && ids; t++) {
        words[t] = (lb_sequence){ids + at, (int64_t)texts[t].count};
        for (size_t i = 0; i < texts[t].count; i++) sorted[at++] = texts[t].word[i];
    }
    if (at > 1) qsort((void *)sorted, at, sizeof *sorted, lb_compare_strings);
    for (size_t t = 0, id = 0; t < count && ids; t++)
        for (size_t i = 0; i < texts[t].count; i++) {
            found = bsearch(&texts[t].word[i], (void *)sorted, all, sizeof *sorted, lb_compare_strings);
            ids[id++] = (int32_t)(found - sorted);
        }
    lb_release((void *)sorted);
    return ids;
}

lb_status lb_statistics_count_text(const char *output, const char *const *references, int64_t count,
                                   bool lower, lb_statistics *statistics, lb_error *error)
{
    if (count < 1) return lb_error_set(error, LB_ERROR_ARGUMENT, "an output needs at least one reference");
    size_t texts = (size_t)count + 1, room = texts, used = 0; /* the first is the output */
    for (size_t t = 0; t < texts; t++)
        room += LB_LOWER_CASE_ROOM(strlen(t == 0 ? output : references[t - 1]));
    lb_words *split = lb_alloc_zero(texts * sizeof *split);
    lb_sequence *characters = lb_alloc_zero(texts * sizeof *characters);
    lb_sequence *words = lb_alloc(texts * sizeof *words);
    int32_t *letters = lb_alloc(room * sizeof *letters);
    lb_status status = split && characters && words && letters ? LB_OK : LB_ERROR_MEMORY;
    if (status) lb_no_memory(error, "the measures of a text");
    for (size_t t = 0; t < texts && !status; t++) {
        const char *text = t == 0 ? output : references[t - 1];
        status = read_text(text, lower, &split[t], letters + used, &characters[t], error);
        used += (size_t)characters[t].length;
    }
    int32_t *ids = status ? NULL : number_words(split, texts, words);
    if (!status && !ids) status = lb_no_memory(error, "the measures of a text");
    if (ids) {
        status = lb_bleu_tally(words[0], words + 1, count, &statistics->bleu_13a, error);
        if (!status) status = lb_chrf_tally(characters[0], characters + 1, count, &statistics->chrf2, error);
    }
    for (size_t t = 0; t < texts && split; t++) lb_words_free(&split[t]);
    lb_release(letters);
    lb_release(ids);
    lb_release(words);
    lb_release(characters);
    lb_release(split);
    return status;
}
