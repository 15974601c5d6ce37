/* Puts each pair of a JSON array or dictionary, as json.dump writes it, on a line, for the reader of JSON lines. */
#include "data/formats/recognise.h"

#include "base/alloc.h"
#include "data/formats/pair_file.h"
#include "io/path.h"
#include "io/scratch_file.h"

#include <errno.h>
#include <string.h>
#include <unistd.h>

enum { PIECE = 1 << 16, MANY = 4, FEW = 20 };

/* A place in JSON. */
typedef struct place {
    int depth; /* open brackets */
    bool quoted, escaped;
    char before; /* the last character that is no blank; of a text, the quote in front of it */
} place;

static bool opens(char letter)
{
    return letter == '{' || letter == '[';
}

static bool closes(char letter)
{
    return letter == '}' || letter == ']';
}

static bool is_space(char letter)
{
    return letter == ' ' || letter == '\n' || letter == '\t' || letter == '\r';
}

/* Moves on by one character. False: this is not JSON. */
static bool step(place *p, char letter)
{
    static const char before[] = "{[,:", bare[] = "0123456789+-.eEtrufalsn", divides[] = "}],:";
    if (p->quoted) {
        p->quoted = p->escaped || letter != '"';
        p->escaped = !p->escaped && letter == '\\';
        return letter != '\n';
    }
    if (is_space(letter)) return true;
    bool may = p->depth == 0 || (p->before && strchr(before, p->before)) || strchr(divides, letter);
    if (letter && strchr(bare, letter))
        may = may || strchr(bare, p->before);
    else
        may = may && (opens(letter) || letter == '"' || strchr(divides, letter));
    p->quoted = letter == '"';
    p->depth += opens(letter) - closes(letter);
    p->before = letter;
    return may && p->depth >= 0;
}

/* Where the elements of a file are that have its pairs. */
typedef struct elements {
    int level;  /* open brackets in front of each; -1: there are none */
    bool keyed; /* they are no objects or lists, but keys with their values */
} elements;

/* What the first bytes have at the outer levels. */
typedef struct outline {
    char top, second;          /* the first two characters that are no blanks */
    int keys, named;           /* of the first object; those of them that name columns */
    int texts, objects, lists; /* its values; lists have other values than texts in them */
    bool lines, several;       /* it has several lines; something is behind its end */
} outline;

static bool draw_outline(lb_span text, const lb_pair_columns *usual, outline *o)
{
    place p = {0};
    const char *key = NULL;
    for (const char *at = text.text; at < text.text + text.length; at++) {
        const place was = p;
        if (!step(&p, *at)) return false;
        if (*at == '\n' && was.depth > 0) o->lines = true;
        if (key && was.depth == 1 && was.quoted && !p.quoted) {
            o->named += lb_is_usual_name(usual, key, (size_t)(at - key));
            o->keys++;
            key = NULL;
        }
        if (was.quoted || is_space(*at)) continue;
        if (!o->top)
            o->top = *at;
        else if (!o->second)
            o->second = *at;
        if (was.depth == 0 && o->second) return o->several = true;
        if (was.depth == 1 && *at == '"' && was.before != ':') key = at + 1;
        if (was.depth == 1 && was.before == ':') o->objects += *at == '{', o->texts += !opens(*at);
        if (was.depth == 2 && was.before == '[') o->lists += opens(*at), o->texts += !opens(*at);
    }
    return true;
}

/* An object in one line is a line of JSON lines, unless it has many members, and no names of columns are among few. */
static elements find_elements(lb_span text, const lb_pair_columns *usual, bool lists_only)
{
    static const elements none = {.level = -1};
    outline o = {0};
    if (!draw_outline(text, usual, &o) || !opens(o.top)) return none;
    if (o.top == '[') return o.several || !opens(o.second) ? none : (elements){.level = 1};
    if (lists_only || o.second != '"') return none;
    if (o.several || (o.named > 1 && o.keys < FEW)) return o.lines ? (elements){0} : none;
    if (o.lists > 0) return (elements){.level = 2};
    if (o.texts == 0) return o.objects > 0 ? (elements){.level = 1} : none;
    return o.texts >= (o.lines ? 2 : MANY) ? (elements){.level = 1, .keyed = true} : none;
}

/* A copy under way. */
typedef struct unpacking {
    elements of;
    place at;
    bool inside; /* an element */
    lb_buffer out;
} unpacking;

static void take(unpacking *u, char letter)
{
    const place was = u->at;
    const bool keyed = u->of.keyed, outer = !was.quoted && was.depth == u->of.level;
    (void)step(&u->at, letter);
    bool begins = !u->inside && outer && (keyed ? letter == '"' : opens(letter));
    if (begins && keyed) lb_buffer_add(&u->out, "[", 1);
    u->inside = u->inside || begins;
    bool ends = u->inside && !was.quoted && closes(letter) && u->at.depth == u->of.level - keyed;
    ends = ends || (keyed && u->inside && outer && letter == ',');
    if (!u->inside) return;
    if (keyed && outer && letter == ':') letter = ',';
    if (is_space(letter)) letter = ' ';
    if (!ends || !keyed) lb_buffer_add(&u->out, &letter, 1);
    if (ends) lb_buffer_add(&u->out, keyed ? "]\n" : "\n", keyed ? 2 : 1);
    u->inside = !ends;
}

static lb_status unpack(unpacking *u, int from, int to, char *piece, const char *name, lb_error *error)
{
    size_t room = LB_COPY_MOST;
    lb_status status = LB_OK;
    ssize_t count = PIECE;
    for (off_t at = 0; count > 0 && !status; at += count) {
        count = pread(from, piece, PIECE, at);
        if (count < 0) return lb_cannot_read(name, strerror(errno), error);
        for (ssize_t i = 0; i < count; i++) take(u, piece[i]);
        if (count == 0 && u->inside) lb_buffer_add(&u->out, "\n", 1);
        if (u->out.failed) return lb_out_of_memory_for(name, error);
        status = lb_copy_add(to, &room, name, u->out.text ? u->out.text : "", u->out.length, error);
        u->out.length = 0;
    }
    if (!status && lseek(to, 0, SEEK_SET) != 0) status = lb_cannot_copy(name, error);
    return status;
}

lb_status lb_json_unpack(int *descriptor, const char *name, lb_pair_format *format, bool lists_only,
                         bool *unpacked, lb_error *error)
{
    static const lb_pair_columns none = {0};
    const bool may =
        !format->targets && (!format->kind || !*format->kind || lb_is_same_kind(format->kind, "jsonl"));
    char *piece = lb_alloc(PIECE), *first = piece;
    if (!piece) return lb_no_memory(error, "the first lines");
    ssize_t count = may ? pread(*descriptor, piece, PIECE, 0) : 0;
    lb_line line = {.text = first, .length = count > 0 ? (size_t)count : 0, .number = 1};
    (void)lb_line_drop_mark(&line);
    unpacking u = {.of = find_elements((lb_span){line.text, line.length},
                                       format->usual ? format->usual : &none, lists_only)};
    *unpacked = u.of.level >= 0;
    int copy = *unpacked ? lb_nameless_file() : -1;
    lb_status status = *unpacked && copy < 0 ? lb_cannot_copy(name, error) : LB_OK;
    if (*unpacked && !status) status = unpack(&u, *descriptor, copy, piece, name, error);
    if (*unpacked && !status) {
        if (*descriptor > STDIN_FILENO) close(*descriptor);
        *descriptor = copy;
        if (!format->kind || !*format->kind) format->kind = "jsonl";
    } else if (copy >= 0) {
        close(copy);
    }
    lb_release(u.out.text);
    lb_release(piece);
    return status;
}
