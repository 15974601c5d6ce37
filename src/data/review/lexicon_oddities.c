/* Finds what of a lexicon does not fit the symbols of its model, for the report on pairs. */
#include "data/review/pair_report.h"

#include "base/format.h"
#include "data/formats/recognise.h"
#include "lookback/tensor.h"

#include <string.h>
#include <utf8proc.h>

static bool is_known(const lb_vocabulary *symbols, const char *symbol)
{
    return lb_vocabulary_id(symbols, symbol) != LB_UNK;
}

/* Whether the model knows a letter as a small one alone. */
static bool is_capital(const lb_vocabulary *symbols, const char *symbol)
{
    enum { BYTES = 4 };
    char small[BYTES + 1] = "";
    int32_t letter;
    utf8proc_ssize_t bytes = utf8proc_iterate((const utf8proc_uint8_t *)symbol, -1, &letter);
    if (bytes < 1 || symbol[bytes] || is_known(symbols, symbol)) return false;
    utf8proc_encode_char(utf8proc_tolower(letter), (utf8proc_uint8_t *)small);
    return is_known(symbols, small);
}

/* Whether an unknown symbol divides answers, and the model knows what is around it: "o;t", "o," or "/" alone. */
static bool divides(const lb_vocabulary *symbols, const char *symbol)
{
    static const char between[] = ",;|~/";
    char part[LB_SYMBOL_SHOWN];
    bool known = strpbrk(symbol, between) && strlen(symbol) < sizeof part && !is_known(symbols, symbol);
    for (const char *at = symbol; *at && known;) {
        size_t bytes = strcspn(at, between);
        memcpy(part, at, bytes);
        part[bytes] = '\0';
        known = bytes == 0 || is_known(symbols, part);
        at += bytes + (at[bytes] != '\0');
    }
    return known;
}

static void look_at_target(lb_lexicon_oddities *of, const lb_vocabulary *symbols, const lb_symbols *to,
                           int64_t pair)
{
    const char *first = to->symbol[0], *last = to->symbol[to->count - 1];
    size_t known = 0, dividing = 0;
    double number;
    for (size_t i = 0; i < to->count; i++) {
        known += is_known(symbols, to->symbol[i]);
        dividing += divides(symbols, to->symbol[i]);
    }
    bool enclosed = *first == '/' && last[strlen(last) - 1] == '/';
    if (known == 0) lb_odd_pairs_add(&of->strange, pair);
    if (dividing > 0 && !enclosed) lb_odd_pairs_add(&of->answers, pair);
    if (to->count == 1 && strcmp(first, "<self>") == 0) lb_odd_pairs_add(&of->copies, pair);
    if (to->count > 1 && lb_is_digit(*first) && !is_known(symbols, first) &&
        lb_span_number(lb_span_of(first), 1, &number))
        lb_odd_pairs_add(&of->numbers, pair);
}

/* Exchanged columns have symbols of targets in sources, or what separates them, and no known symbol in targets. */
void lb_lexicon_oddities_look(lb_lexicon_oddities *of, const lb_lexicon_model *model,
                              const lb_pair_format *format, const lb_pair_line *line, int64_t pair)
{
    const lb_symbols *from = &line->source;
    const char *separator = format->target.separator ? format->target.separator : "";
    int64_t strange = of->strange.count;
    bool capital = false, other = false;
    if (from->count == 0 || line->target.count == 0) return;
    for (size_t i = 0; i < from->count; i++) {
        const char *symbol = from->symbol[i];
        capital = capital || is_capital(model->source, symbol);
        other = other || (!is_known(model->source, symbol) &&
                          (strcmp(symbol, separator) == 0 || is_known(model->target, symbol)));
    }
    look_at_target(of, model->target, &line->target, pair);
    if (capital && !model->folds) lb_odd_pairs_add(&of->capitals, pair);
    if (*from->symbol[0] == '#' && !is_known(model->source, "#")) lb_odd_pairs_add(&of->comments, pair);
    if (other && of->strange.count > strange) lb_odd_pairs_add(&of->exchanged, pair);
}

void lb_lexicon_oddities_say(const lb_lexicon_oddities *of, lb_remarks *remarks)
{
    int64_t count = lb_pairs_count(remarks->pairs);
    const struct {
        const lb_odd_pairs *pairs;
        int64_t more_than; /* pairs, for something to be said */
        const char *text;
    } lines[] = {
        {&of->exchanged, count / 2,
         "source and target seem to be exchanged: --source-column and --target-column read them the other "
         "way round"},
        {&of->capitals, 0,
         "the source has capitals that the model knows as small letters alone: --lexicon-case fold finds it "
         "in small letters, too"},
        {&of->comments, 0,
         "the source begins with #, which no source of the training has: grep -v '^#' takes "
         "comments out"},
        {&of->answers, 0,
         "the target seems to have several answers: a line for each of them, or a list in JSON "
         "lines, makes a pair of each"},
        {&of->copies, 0, "the target is <self>: the model would write that, not the source"},
        {&of->numbers, count - 1,
         "the target begins with a number from 0 to 1: --format lexiconp reads it as a weight"},
    };
    for (size_t i = 0; i < sizeof lines / sizeof *lines; i++) {
        const lb_odd_pairs *pairs = lines[i].pairs;
        if (pairs->count > lines[i].more_than)
            LB_REMARK(remarks, "%lld pair%s (line %lld): %s", (long long)pairs->count,
                      lb_plural(pairs->count), lb_remark_line(remarks, pairs->first), lines[i].text);
    }
}
