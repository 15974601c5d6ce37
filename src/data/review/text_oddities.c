/* Finds what is odd about the texts of one side, for the report on pairs. */
#include "data/review/pair_report.h"

#include "base/format.h"

#include <string.h>

/* A rule about all texts needs so many of them. */
enum { FEW = 5 };

static char first_letter(const lb_symbols *text)
{
    return *text->symbol[0];
}

static char last_letter(const lb_symbols *text)
{
    const char *last = text->symbol[text->count - 1];
    return last[strlen(last) - 1];
}

static bool has_two(const lb_symbols *text)
{
    return text->count > 1 || (text->count == 1 && strlen(text->symbol[0]) > 1);
}

/* The quotes within a text in quotes; -1: one of them has no other behind it, so that the outer ones are letters. */
static int64_t count_inner_quotes(const lb_symbols *text)
{
    int64_t all = 0, run = 0;
    for (size_t i = 0; i < text->count; i++)
        for (const char *at = text->symbol[i]; *at; at++) {
            bool outer = (i == 0 && at == text->symbol[0]) || (i == text->count - 1 && !at[1]);
            if (!outer && *at == '"') {
                run++;
                all++;
                continue;
            }
            if (run % 2 != 0) return -1;
            run = 0;
        }
    return all;
}

static void look_for_quotes(lb_text_oddities *of, const lb_symbols *text, int64_t pair)
{
    if (first_letter(text) != '"') return;
    int64_t inner = has_two(text) && last_letter(text) == '"' ? count_inner_quotes(text) : -1;
    of->quoted += inner >= 0;
    of->half_quoted += inner < 0;
    if (inner > 0) lb_odd_pairs_add(&of->doubled, pair);
}

/* Each character is a symbol here; with a separator, commas belong to words. */
static void look_for_answers(lb_text_oddities *of, const lb_symbols *text, int64_t pair)
{
    static const char between[] = ",;|~";
    bool several = false, loose = false, blank = false;
    for (size_t i = 0; i < text->count; i++) {
        if (strcmp(text->symbol[i], " ") != 0) continue;
        const char *before = i > 0 ? text->symbol[i - 1] : " ";
        bool behind = *before && !before[1] && strchr(between, *before);
        blank = true;
        several = several || behind;
        loose = loose || !(behind || (i + 1 < text->count && strchr("|~", *text->symbol[i + 1])));
    }
    of->blanks += blank;
    of->loose += loose;
    if (several) lb_odd_pairs_add(&of->answers, pair);
}

void lb_text_oddities_look(lb_text_oddities *of, const lb_symbols *text, int64_t pair)
{
    static const char no_break[] = "\xC2\xA0";
    of->texts++;
    if (text->count == 0) return;
    look_for_quotes(of, text, pair);
    look_for_answers(of, text, pair);
    char first = first_letter(text), last = last_letter(text);
    of->enclosed += has_two(text) && ((first == '/' && last == '/') || (first == '[' && last == ']'));
    for (size_t i = 0; i < text->count; i++) {
        if (!strstr(text->symbol[i], no_break)) continue;
        lb_odd_pairs_add(&of->no_break, pair);
        return;
    }
}

const char *const lb_pair_side_names[] = {[LB_SIDE_SOURCE] = "source", [LB_SIDE_TARGET] = "target"};

void lb_text_oddities_say(const lb_text_oddities *of, lb_pair_side side, lb_remarks *remarks)
{
    const char *name = lb_pair_side_names[side];
    bool target = side == LB_SIDE_TARGET, words = target && of->loose == 0;
    bool all = target && of->texts >= FEW && of->enclosed == of->texts;
    int64_t answers = of->answers.count, with = of->no_break.count;
    if (all)
        LB_REMARK(
            remarks,
            "all targets are between slashes or brackets: take them out, or the model writes them, too");
    if (answers > 0 && (all || (words && of->texts >= FEW && 2 * answers <= of->texts)))
        LB_REMARK(remarks,
                  "%lld %s%s several answers (line %lld): a line for each of them, or a list in JSON lines, "
                  "makes a pair of each",
                  (long long)answers, name, answers == 1 ? " seems to have" : "s seem to have",
                  lb_remark_line(remarks, of->answers.first));
    if (with > 0)
        LB_REMARK(remarks,
                  "%lld %s%s U+00A0 (line %lld), a no-break space, which is another symbol than a space: sed "
                  "'s/\\xC2\\xA0/ /g' makes spaces of them",
                  (long long)with, name, with == 1 ? " has" : "s have",
                  lb_remark_line(remarks, of->no_break.first));
}

/* ---- What the texts are. ---- */

static lb_status add_text(lb_text_facts *facts, const lb_symbol_rule *rule, const lb_symbols *text,
                          lb_error *error)
{
    char *joined = lb_symbols_join(rule, text->symbol, text->count, error);
    lb_status status = joined ? lb_text_facts_add(facts, joined, error) : LB_ERROR_MEMORY;
    lb_release(joined);
    return status;
}

lb_status lb_texts_look(lb_pairs *pairs, lb_texts *texts, lb_error *error)
{
    enum { SAMPLE = 5000 };
    lb_text_facts facts[2] = {{0}};
    const int64_t count = lb_pairs_count(pairs), wanted = count < SAMPLE ? count : SAMPLE;
    lb_status status = LB_OK;
    for (int64_t i = 0; i < wanted && !status; i++) {
        const lb_pair_line *line;
        status = lb_pairs_read(pairs, i * count / wanted, &line, error);
        if (!status) status = add_text(&facts[0], &pairs->format.source, &line->source, error);
        if (!status) status = add_text(&facts[1], &pairs->format.target, &line->target, error);
    }
    for (int i = 0; i < 2; i++) {
        texts->kind[i] = lb_text_kind_of(&facts[i]);
        texts->length[i] = (double)facts[i].letters / (double)(facts[i].count > 0 ? facts[i].count : 1);
        lb_text_facts_free(&facts[i]);
    }
    return status;
}

bool lb_texts_say(const lb_texts *texts, const lb_pairs *pairs, bool options, char text[LB_MESSAGE_LENGTH])
{
    static const char *const are[] = {[LB_TEXTS_SYMBOLS] = "symbols between spaces",
                                      [LB_TEXTS_WORDS] = "words that occur again and again",
                                      [LB_TEXTS_PIECES] = "pieces of words by another tool",
                                      [LB_TEXTS_SENTENCES] = NULL};
    const char *const separators[] = {pairs->format.source.separator, pairs->format.target.separator};
    lb_buffer said = {0}, advice = {0};
    for (int i = 0; i < 2; i++) {
        const lb_text_kind kind = texts->kind[i];
        const bool open = !separators[i] || !*separators[i];
        const bool few = kind == LB_TEXTS_WORDS && texts->kind[1 - i] != LB_TEXTS_SYMBOLS; /* sentences */
        if (!are[kind] || few || !(open || kind == LB_TEXTS_PIECES)) continue;
        lb_buffer_print(&said, "%s the %ss are %s, of %.1f characters", said.length ? ", and" : ":",
                        lb_pair_side_names[i], are[kind], texts->length[i]);
        if (open)
            lb_buffer_print(&advice, "%s%s%s%cseparator", advice.length ? " and " : "; set ",
                            options ? "--" : "", lb_pair_side_names[i], options ? '-' : '_');
    }
    const bool any = said.length && !said.failed && !advice.failed;
    if (any)
        lb_snprintf(text, LB_MESSAGE_LENGTH, "%.200s%s%s%s", pairs->path, said.text,
                    advice.length ? advice.text : "; BLEU, chrF2 and the perplexity of words join them",
                    advice.length ? " to \" \"" : "");
    lb_release(said.text);
    lb_release(advice.text);
    return any;
}
