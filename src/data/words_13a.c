/* Text as the words and signs that BLEU counts: the tokenization 13a. */
#include "base/alloc.h"
#include "base/buffer.h"
#include "data/symbols.h"

#include <string.h>

/* In this order, each everywhere: "&amp;lt;" becomes "&lt;", and that "<". */
static const char *const replaced[][2] = {{"<skipped>", ""}, {"-\n", ""},   {"\n", " "},  {"&quot;", "\""},
                                          {"&amp;", "&"},    {"&lt;", "<"}, {"&gt;", ">"}};

/* Replaces in place, by what is not longer. */
static void replace(char *text, const char *from, const char *by)
{
    size_t length = strlen(from), new_length = strlen(by);
    char *to = text;
    while (*text) {
        if (strncmp(text, from, length) != 0) {
            *to++ = *text++;
            continue;
        }
        memcpy(to, by, new_length);
        to += new_length;
        text += length;
    }
    *to = '\0';
}

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

lb_status lb_words_split_13a(const char *text, lb_words *words, lb_error *error)
{
    lb_buffer begin = {0}; /* the text between two blanks, so that every letter has neighbours */
    size_t length = strlen(text);
    while (length > 0 && text[length - 1] == '\n') length--;
    lb_buffer_add(&begin, " ", 1);
    lb_buffer_add(&begin, text, length);
    lb_buffer_add(&begin, " ", 1);
    char *now = lb_buffer_end(&begin);
    for (size_t i = 0; i < sizeof replaced / sizeof *replaced && now; i++)
        replace(now, replaced[i][0], replaced[i][1]);
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
