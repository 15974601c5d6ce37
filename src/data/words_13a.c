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

static bool is_digit(char c)
{
    return c >= '0' && c <= '9';
}

static bool is_no_digit(char c)
{
    return !is_digit(c);
}

static bool is_point(char c)
{
    return c == '.' || c == ',';
}

static bool is_hyphen(char c)
{
    return c == '-';
}

/* Blanks, and the signs of ASCII except for ' , - and the full stop. */
static bool is_sign(char c)
{
    return c > 0 && strchr(" !\"#$%&()*+/:;<=>?@[\\]^_`{|}~", c) != NULL;
}

/* Two bytes in a row, or one; `spaced` is what becomes of them. The bytes of other scripts count as no digits. */
static const struct rule {
    bool (*first)(char), (*second)(char);
    const char *spaced;
} rules[] = {
    {is_sign, NULL, " 1 "},
    {is_no_digit, is_point, "1 2 "},
    {is_point, is_no_digit, " 1 2"},
    {is_digit, is_hyphen, "1 2 "},
};

/* Appends the text with blanks where a rule wants them. What a match has taken cannot begin another one. */
static void apply(const struct rule *rule, const char *text, lb_buffer *to)
{
    while (*text) {
        bool found = rule->first(text[0]) && (!rule->second || (text[1] && rule->second(text[1])));
        const char *spaced = found ? rule->spaced : "1";
        for (; *spaced; spaced++) lb_buffer_add(to, *spaced == ' ' ? " " : &text[*spaced - '1'], 1);
        text += found && rule->second ? 2 : 1;
    }
}

/* The text between two blanks, so that every letter has neighbours; NULL without memory. */
static char *begin(const char *text)
{
    lb_buffer buffer = {0};
    size_t length = strlen(text);
    while (length > 0 && text[length - 1] == '\n') length--;
    lb_buffer_print(&buffer, " ");
    lb_buffer_add(&buffer, text, length);
    lb_buffer_print(&buffer, " ");
    return lb_buffer_end(&buffer);
}

lb_status lb_words_split_13a(const char *text, lb_words *words, lb_error *error)
{
    char *now = begin(text);
    for (size_t i = 0; i < sizeof replaced / sizeof *replaced && now; i++)
        replace(now, replaced[i][0], replaced[i][1]);
    for (size_t i = 0; i < sizeof rules / sizeof *rules && now; i++) {
        lb_buffer spaced = {0};
        apply(&rules[i], now, &spaced);
        lb_release(now);
        now = lb_buffer_end(&spaced);
    }
    *words = (lb_words){0};
    if (!now) return lb_error_set(error, LB_ERROR_MEMORY, "out of memory for the words of a text");
    lb_status status = lb_words_split(now, words, error);
    lb_release(now);
    return status;
}
