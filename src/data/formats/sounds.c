/* Recognises pronunciation dictionaries, those of CMUdict and of Kaldi, by their lines. */
#include "data/formats/recognise.h"
#include "data/text/symbols.h"

/* The phones of CMUdict, without the digit of a stress. */
static bool is_phone(lb_span word)
{
    static const char *const phones[] = {"AA", "AE", "AH", "AO", "AW", "AX", "AY", "B",  "CH", "D",
                                         "DH", "EH", "ER", "EY", "F",  "G",  "HH", "IH", "IY", "JH",
                                         "K",  "L",  "M",  "N",  "NG", "OW", "OY", "P",  "R",  "S",
                                         "SH", "T",  "TH", "UH", "UW", "V",  "W",  "Y",  "Z",  "ZH"};
    word.length -= word.length > 1 && word.text[word.length - 1] >= '0' && word.text[word.length - 1] <= '2';
    for (size_t i = 0; i < sizeof phones / sizeof *phones; i++)
        if (lb_span_is(word, phones[i])) return true;
    return false;
}

bool lb_is_odd_cmudict(const lb_pair_kind *kind, lb_span line, const lb_fields *fields)
{
    lb_span sounds, word;
    (void)kind, (void)line;
    if (fields->count != 2) return true;
    sounds = lb_field(fields, 1);
    lb_pieces words = lb_pieces_at(sounds, " ");
    while (lb_pieces_next(&words, &word))
        if (word.length > 0 && !is_phone(word)) return true;
    return sounds.length == 0;
}

/* A number from 0 to 1. */
static bool is_probability(lb_span text)
{
    double value;
    return text.length > 0 && (lb_is_digit(*text.text) || *text.text == '.') &&
           lb_span_number(text, 1, &value);
}

bool lb_is_odd_lexiconp(const lb_pair_kind *kind, lb_span line, const lb_fields *fields)
{
    lb_span sounds = lb_field(fields, 2), first;
    lb_pieces words = lb_pieces_at(sounds, " ");
    (void)kind, (void)line, (void)lb_pieces_next(&words, &first);
    return !is_probability(lb_field(fields, 1)) || is_probability(first) ||
           memchr(sounds.text, '\t', sounds.length);
}

/* Where tabs are all that divides them, symbols are several: a target of one may be anything. */
bool lb_is_lexiconp(lb_first_lines *s)
{
    enum { LEAST = 3 };
    size_t letters = 0, symbols = 0, lines = 0, points = 0;
    for (int line = 0; line < s->count; line++) {
        if (s->line[line].odd) continue;
        lb_sample_divide(s, line);
        lb_span number = lb_field(&s->fields, 1), sounds = lb_field(&s->fields, 2);
        lines++;
        points += memchr(number.text, '.', number.length) != NULL;
        for (size_t i = 0; i < sounds.length; i++) {
            bool blank = sounds.text[i] == ' ';
            letters += !blank && ((unsigned char)sounds.text[i] & 0xC0) != 0x80;
            symbols += blank && sounds.text[i - 1] != ' ';
        }
        symbols += sounds.length > 0;
    }
    return lines >= LEAST && points > 0 && symbols >= 2 * lines && 2 * letters < 5 * symbols;
}
