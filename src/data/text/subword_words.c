/* Cuts texts into words, for subwords, and counts these for the learning of merges. */
#include "data/text/subwords.h"

#include "base/alloc.h"
#include "base/buffer.h"

#include <string.h>
#include <utf8proc.h>

lb_subword_kind lb_subword_kind_of(int32_t character)
{
    enum { NON_JOINER = 0x200C, JOINER = 0x200D };
    utf8proc_category_t is = utf8proc_category(character);
    if (is >= UTF8PROC_CATEGORY_LU && is <= UTF8PROC_CATEGORY_LO) return LB_SUBWORD_LETTER;
    if (is >= UTF8PROC_CATEGORY_ND && is <= UTF8PROC_CATEGORY_NO) return LB_SUBWORD_DIGIT;
    bool mark = is >= UTF8PROC_CATEGORY_MN && is <= UTF8PROC_CATEGORY_ME;
    return mark || character == NON_JOINER || character == JOINER ? LB_SUBWORD_INSIDE : LB_SUBWORD_OTHER;
}

static lb_subword_kind kind_at(const char *text, const char *end, size_t *length, bool *blank_mark)
{
    enum { MARK = 0x2581 };
    int32_t character;
    utf8proc_ssize_t bytes = utf8proc_iterate((const utf8proc_uint8_t *)text, end - text, &character);
    *length = bytes > 0 ? (size_t)bytes : 1; /* a byte that is not UTF-8 is like U+FFFD */
    *blank_mark = character == MARK;
    return bytes > 0 ? lb_subword_kind_of(character) : LB_SUBWORD_OTHER;
}

const char *lb_subwords_next(const char **at, const char *end)
{
    const char *begin = *at, *to = begin;
    size_t length;
    if (begin == end) return NULL;
    while (to < end && *to == ' ') to++;
    if (to - begin > 1 || to == end) { /* a run of blanks, all but the last if a word follows */
        *at = to == end ? end : to - 1;
        return begin;
    }
    bool blank_mark;
    lb_subword_kind kind = kind_at(to, end, &length, &blank_mark), next;
    if (kind == LB_SUBWORD_INSIDE) kind = LB_SUBWORD_OTHER; /* there is nothing before it */
    if (blank_mark) {
        *at = to > begin ? to : to + length; /* the blank before it is a word, too */
        return begin;
    }
    for (to += length; to < end && *to != ' '; to += length) {
        next = kind_at(to, end, &length, &blank_mark);
        if ((next != kind && next != LB_SUBWORD_INSIDE) || blank_mark) break;
    }
    *at = to;
    return begin;
}

static lb_status count_word(lb_subword_words *words, int side, const char *word, lb_error *error)
{
    int32_t size = lb_vocabulary_size(words->words);
    if (!lb_alloc_room(&words->count, words->room ? (size_t)size : 0, (size_t)size + 1, &words->room,
                       sizeof *words->count))
        return lb_no_memory(error, "subwords");
    lb_status status = lb_vocabulary_add(words->words, &word, 1, error);
    if (lb_vocabulary_size(words->words) > size) words->count[size][0] = words->count[size][1] = 0;
    if (!status) words->count[lb_vocabulary_id(words->words, word)][side]++;
    return status;
}

lb_status lb_subword_words_add(lb_subword_words *words, int side, const lb_symbols *text, lb_error *error)
{
    lb_buffer letters = {0}, word = {0};
    lb_status status = LB_OK;
    if (!words->words) words->words = lb_vocabulary_new_reserved(error);
    if (!words->words) return LB_ERROR_MEMORY;
    lb_buffer_add(&letters, " ", 1);
    for (size_t i = 0; i < text->count && !lb_symbol_is_feature(text->symbol[i]); i++)
        lb_buffer_add(&letters, text->symbol[i], strlen(text->symbol[i]));
    const char *at = letters.text, *begin;
    while (!letters.failed && !status && (begin = lb_subwords_next(&at, letters.text + letters.length))) {
        word.length = 0;
        if (strncmp(begin, LB_SUBWORD_BLANK, strlen(LB_SUBWORD_BLANK)) == 0) continue;
        for (; begin < at && *begin == ' '; begin++) lb_buffer_print(&word, "%s", LB_SUBWORD_BLANK);
        lb_buffer_print(&word, "%.*s", (int)(at - begin), begin);
        status = word.failed ? lb_no_memory(error, "subwords") : count_word(words, side, word.text, error);
    }
    if (letters.failed) status = lb_no_memory(error, "subwords");
    lb_release(word.text);
    lb_release(letters.text);
    return status;
}

void lb_subword_words_free(lb_subword_words *words)
{
    lb_vocabulary_free(words->words);
    lb_release(words->count);
    *words = (lb_subword_words){0};
}
