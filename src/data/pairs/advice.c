/* Says what mends a line that is no pair, for who opens a file: it is tried on the first lines before it is said. */
#include "data/pairs/pair_line.h"

#include "base/bytes.h"
#include "data/formats/recognise.h"
#include "io/file.h"

#include <stdio.h>
#include <string.h>

enum { TRIED = 1 << 14 /* bytes */, COLUMNS = 16, SURE = 3, MOST_NUMBER = 1000000 };

/* The first lines of a file, and what a format makes of them. */
typedef struct trial {
    const char *name;
    lb_span text;
    lb_buffer lines; /* numbered, with tabs */
    int good, bad;   /* those that are pairs, and others */
    lb_buffer said;
} trial;

static lb_pieces lines_of(lb_span text)
{
    while (text.length > 0 && text.text[text.length - 1] == '\n') text.length--;
    return lb_pieces_at(text, "\n");
}

/* Divides the lines by a format, and counts those that are pairs. Returns whether nearly all are. */
static bool try_format(trial *t, lb_pair_format f)
{
    lb_error ignored = {0};
    lb_pair_kind kind;
    lb_pair_line pair = {0};
    lb_pair_file file = {0};
    lb_line line = {.number = 0};
    lb_span next;
    lb_pieces lines = lines_of(t->text);
    lb_converter converter = {.name = t->name, .kind = &kind, .format = &f, .file = &file};
    if (f.weight_column > 0) /* a weight would repeat a line up to a million times */
        lb_pair_columns_ask(
            &f, lb_pair_columns_complete(lb_pair_columns_asked(&f), lb_pair_format_has_features(&f)));
    f.weight_column = 0;
    lb_status status =
        lb_pair_file_decide(&file, t->name, t->text.text, t->text.length, true, &f, &kind, &ignored);
    while (!status && lb_pieces_next(&lines, &next)) {
        next.length -= next.length > 0 && next.text[next.length - 1] == '\r';
        line = (lb_line){.text = next.text, .length = next.length, .number = line.number + 1};
        status = lb_converter_take(&converter, &line, &ignored);
    }
    file.numbered = true;
    f.kind = file.kind;
    pair.usual = file.look.width;
    t->good = t->bad = 0;
    t->lines.length = 0;
    if (!status && converter.out.text) lb_buffer_add(&t->lines, converter.out.text, converter.out.length);
    lines = lines_of((lb_span){t->lines.text, t->lines.length});
    while (t->lines.length > 0 && lb_pieces_next(&lines, &next)) {
        line = (lb_line){.text = next.text, .length = next.length};
        lb_pair_file_line(&file, &line);
        bool bad = lb_pair_line_read(&f, t->name, &line, &pair, &ignored) != LB_OK;
        t->bad += bad;
        t->good += !bad;
    }
    lb_pair_line_free(&pair);
    lb_converter_free(&converter);
    lb_pair_kind_free(&kind);
    return t->good > 0 && t->bad <= lb_few(t->good + t->bad);
}

/* ---- Two of several columns. ---- */

typedef struct column {
    int texts, numbers, bundles, divided; /* divided features */
    bool back;                            /* a number is no larger than the one before it */
    double last;
} column;

static void look_at_column(column *c, lb_span text)
{
    bool divided = false;
    double number;
    c->texts += text.length > 0;
    c->bundles += lb_is_bundle(text, &divided);
    c->divided += divided;
    if (!lb_span_number(text, MOST_NUMBER, &number)) return;
    c->back = c->back || (c->numbers > 0 && number <= c->last);
    c->numbers++;
    c->last = number;
}

/* Returns how many lines there are. */
static int look_at_columns(const trial *t, column columns[COLUMNS])
{
    int count = 0;
    lb_span line, field;
    lb_pieces lines = lines_of((lb_span){t->lines.text, t->lines.length});
    for (; t->lines.length > 0 && lb_pieces_next(&lines, &line); count++) {
        lb_pieces fields = lb_pieces_at(line, "\t");
        for (int i = -1; i < COLUMNS && lb_pieces_next(&fields, &field); i++)
            if (i >= 0) look_at_column(&columns[i], field);
    }
    return count;
}

/* Chooses the first two columns of texts that nearly all lines have, and those of features and weights. */
static bool choose_columns(trial *t, lb_pair_format *f)
{
    column columns[COLUMNS] = {0};
    const int count = look_at_columns(t, columns);
    for (int i = 0; i < COLUMNS; i++) {
        const column *c = &columns[i];
        bool number = c->numbers == count, features = 2 * c->bundles > count && c->divided > 0;
        if (c->texts == 0 || count - c->texts > lb_few(count) || (number && !c->back)) continue;
        int32_t *chosen = features            ? &f->features_column
                          : number            ? &f->weight_column
                          : !f->source_column ? &f->source_column
                                              : &f->target_column;
        if (features || *chosen == 0) *chosen = i + 1;
    }
    return f->target_column > 0 && try_format(t, *f);
}

static void say_format(trial *t, const lb_pair_format *f, const char *kind)
{
    const int32_t number[] = {f->source_column, f->target_column, f->features_column, f->weight_column};
    static const char *const option[] = {"source", "target", "features", "weight"};
    lb_buffer_print(&t->said, kind ? "; try: --format " : ":");
    if (kind) lb_buffer_shell_word(&t->said, kind);
    for (size_t i = 0; i < sizeof number / sizeof *number; i++)
        if (number[i] > 0) lb_buffer_print(&t->said, " --%s-column %d", option[i], (int)number[i]);
    if (t->bad > 0) lb_buffer_print(&t->said, " --skip-bad-lines");
}

/* ---- Another format. ---- */

/* Whether nearly all lines have this text once. */
static bool is_once_in_each(const trial *t, const char *text)
{
    lb_span line, piece;
    lb_pieces lines = lines_of(t->text);
    int count = 0, once = 0;
    for (; lb_pieces_next(&lines, &line); count += line.length > 0) {
        lb_pieces pieces = lb_pieces_at(line, text);
        int times = -1;
        while (lb_pieces_next(&pieces, &piece)) times++;
        once += times == 1 || (times > 0 && strcmp(text, "  ") == 0);
    }
    return count - once <= lb_few(count);
}

static void offer(trial *t, const lb_pair_format *format, const char *kind)
{
    static const char divided[] = "lines:";
    lb_pair_format f = *format;
    const bool by_text = strncmp(kind, divided, sizeof divided - 1) == 0;
    f.kind = kind;
    if (t->said.length > 0 || (by_text && !is_once_in_each(t, kind + sizeof divided - 1))) return;
    bool may_choose = !by_text && f.source_column == 0 && f.target_column == 0;
    if (try_format(t, f) || (may_choose && choose_columns(t, &f))) say_format(t, &f, kind);
}

typedef enum letter { BLANK, SIGN, WORD } letter; /* or a control character; a dash, a bar, an arrow */

static letter letter_of(char c)
{
    bool sign =
        ((unsigned char)c < 0x80 || c == '\xE2') && !lb_is_digit(c) && !lb_is_capital((char)(c & ~' '));
    return (unsigned char)c <= ' ' ? BLANK : sign ? SIGN : WORD;
}

/* Offers the signs or words within a line that have blanks around them, or none. */
static void offer_texts(trial *t, const lb_pair_format *format, lb_span line, letter kind, bool apart)
{
    size_t end;
    for (size_t i = 0; i < line.length; i = end) {
        char name[LB_PAIR_KIND_NAME];
        end = i;
        do end++; /* bytes behind the first of a character are of its kind */
        while (end < line.length && (((unsigned char)line.text[end] & 0xC0) == 0x80 ||
                                     letter_of(line.text[end]) == letter_of(line.text[i])));
        if (i == 0 || end == line.length || letter_of(line.text[i]) != kind) continue;
        if (apart != (line.text[i - 1] == ' ' && line.text[end] == ' ')) continue;
        const char *blank = apart ? " " : "";
        int length =
            snprintf(name, sizeof name, "lines:%s%.*s%s", blank, (int)(end - i), line.text + i, blank);
        if (length < (int)sizeof name) offer(t, format, name);
    }
}

/* Whether short words follow a word, as the sounds in a dictionary. */
static bool is_dictionary(const trial *t)
{
    enum { LETTERS = 5, WORDS = 2 }; /* in as many of them, at most */
    lb_span line, word;
    lb_pieces lines = lines_of(t->text);
    size_t words = 0, letters = 0, count = 0;
    for (; lb_pieces_next(&lines, &line); count++) {
        lb_pieces all = lb_pieces_at(line, " ");
        for (bool first = true; lb_pieces_next(&all, &word); first = false) {
            words += !first && word.length > 0;
            for (size_t i = 0; i < word.length && !first; i++)
                letters += ((unsigned char)word.text[i] & 0xC0) != 0x80;
        }
    }
    return words > count && WORDS * letters <= LETTERS * words;
}

static void offer_formats(trial *t, const lb_pair_format *format)
{
    lb_span line = {"", 0};
    lb_pieces lines = lines_of(t->text);
    for (int i = 0; i < 2; i++) (void)lb_pieces_next(&lines, &line); /* the first may be unlike */
    const bool sure = t->good + t->bad >= SURE;
    offer(t, format, "tsv");
    offer_texts(t, format, line, SIGN, true);
    offer(t, format, "csv");
    offer(t, format, "csv:;");
    offer_texts(t, format, line, SIGN, false);
    offer(t, format, "csv:|");
    if (is_dictionary(t)) offer(t, format, "cmudict");
    if (!sure) return;
    offer_texts(t, format, line, WORD, true);
    offer(t, format, "lines:  ");
    offer(t, format, "lines: ");
}

/* ---- What is said. ---- */

/* Whether a line that is left out is the remedy. */
static bool may_skip(const char *message)
{
    return lb_ends_with(message, ", expected text") || strstr(message, ", expected a JSON object") ||
           strstr(message, "found 1 column, expected 2") || strstr(message, "with tabs between them") ||
           strstr(message, " symbols, expected at most ");
}

/* If nothing else was said. */
static void say_rest(trial *t, bool skip, const lb_file_kind *kind)
{
    if (t->said.length > 0) return;
    if (skip) lb_buffer_print(&t->said, "; --skip-bad-lines leaves such lines out");
    if (skip || !kind) return;
    lb_buffer_print(&t->said, "; this seems to be %s", kind->name);
    lb_file_kind_add_remedy(kind, t->name, &t->said);
}

/* The whole lines among the first bytes of the file. */
static lb_span first_lines(const lb_pair_file *file)
{
    lb_span text = {file->first, file->first_bytes};
    if (file->first_whole && text.length <= TRIED) return text;
    if (text.length > TRIED) text.length = TRIED;
    while (text.length > 0 && text.text[text.length - 1] != '\n') text.length--;
    return text;
}

lb_status lb_pair_advise(const char *name, const lb_pair_file *file, const lb_pair_format *format,
                         lb_error *error)
{
    lb_pair_format f = *format;
    trial t = {.name = name, .text = first_lines(file)};
    char *message = error->message;
    size_t length = strlen(message);
    const bool skip = may_skip(message), choose = lb_ends_with(message, LB_PAIR_LINE_CHOOSE);
    if (error->status != LB_ERROR_FORMAT || strstr(message, " --") || (!skip && !choose))
        return error->status;
    const bool known = t.text.length > 0;
    if (known) (void)try_format(&t, f);
    const int good = t.good, bad = t.bad;
    const lb_file_kind *kind = known && good == 0 ? lb_file_kind_find(t.text.text, t.text.length) : NULL;
    const bool json = lb_is_same_kind(file->kind, "jsonl") && t.text.text && strchr("{[", *t.text.text);
    if (json || (kind && strncmp(kind->name, "text with", strlen("text with")) == 0))
        kind = NULL; /* it may be */
    bool columns = choose && (!kind || json) && choose_columns(&t, &f);
    if (columns && (t.bad == 0 || good <= bad))
        say_format(&t, &f, NULL);
    else if (choose && good > bad)
        message[length -= strlen(LB_PAIR_LINE_CHOOSE)] = '\0';
    else if (choose)
        lb_buffer_print(&t.said, " with --source-column and --target-column");
    else if (known && good <= bad && !kind && !json && !strstr(message, " symbols, expected at most "))
        offer_formats(&t, format);
    const bool may_help = good > 0 || (!known && file->first_bytes == 0); /* a line may be too long to try */
    say_rest(&t, !format->skip_bad_lines && may_help, strstr(message, kind ? kind->name : "") ? NULL : kind);
    if (t.said.text) snprintf(message + length, sizeof error->message - length, "%s", t.said.text);
    lb_release(t.said.text);
    lb_release(t.lines.text);
    return error->status;
}
