#include "data/text/subwords.h"

#include "base/alloc.h"
#include "base/buffer.h"
#include "base/bytes.h"
#include "data/text/heap.h"
#include "lookback/tensor.h"

#include <assert.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <utf8proc.h>

enum { NONE = LB_TABLE_NONE, BYTES = LB_SUBWORD_BYTES, BYTE_NAME = LB_SUBWORD_BYTE_NAME };

/* Bytes that no text has: they are between texts. */
static const char ENDS[] = "\t\n\r";

/* ---- Pieces and merges. ---- */

/* The bytes of the character at the start of valid UTF-8. */
static size_t character_length(const char *text)
{
    return (size_t)utf8proc_utf8class[(unsigned char)*text];
}

/* The number of a piece; NONE if there is none. */
static int32_t number_of(const lb_subwords *s, const char *text)
{
    int32_t id = lb_vocabulary_id(s->ids, text);
    return id == LB_UNK ? NONE : id;
}

/* Adds a piece, unless there is one with this text. */
static lb_status add_piece(lb_subwords *s, const char *text, int32_t left, int32_t right, int32_t *id,
                           lb_error *error)
{
    int32_t size = lb_vocabulary_size(s->ids);
    *id = number_of(s, text);
    if (*id != NONE) return LB_OK;
    if (!lb_alloc_room(&s->pieces, s->piece_room ? (size_t)size : 0, (size_t)size + 1, &s->piece_room,
                       sizeof *s->pieces))
        return lb_no_memory(error, "subwords");
    lb_status status = lb_vocabulary_add(s->ids, &text, 1, error);
    if (status) return status;
    *id = size;
    s->pieces[size] = (lb_subword_piece){lb_vocabulary_symbol(s->ids, size), left, right, true};
    return LB_OK;
}

static lb_table_key key_of(const void *subwords, int32_t merge)
{
    const lb_subword_merge *m = &((const lb_subwords *)subwords)->merges[merge];
    return lb_table_pair(m->left, m->right);
}

/* The merge of two neighbours; NONE if there is none. */
static int32_t find_merge(const lb_subwords *s, int32_t left, int32_t right)
{
    int32_t at = lb_table_find(&s->table, lb_table_pair(left, right));
    return at != NONE && s->merges[at].left == left && s->merges[at].right == right ? at : NONE;
}

/* Of the merge that is read now. */
static lb_status found_bad(const lb_subwords *s, const char *found, size_t length, const char *expected,
                           lb_error *error)
{
    int shown = length < LB_SUBWORD_PIECE ? (int)length : LB_SUBWORD_PIECE;
    return lb_error_set(error, LB_ERROR_FORMAT, "merge %lld: found \"%.*s\", expected %s",
                        (long long)s->count + 1, shown, found, expected);
}

/* A part of a merge, which is there, or is a character. */
static lb_status find_part(lb_subwords *s, const char *text, size_t length, int32_t *id, lb_error *error)
{
    char part[LB_SUBWORD_PIECE + 1] = {0};
    if (length > LB_SUBWORD_PIECE) return found_bad(s, text, length, "at most 255 bytes", error);
    memcpy(part, text, length);
    *id = number_of(s, part);
    if (*id != NONE) return LB_OK;
    if (length > 0 && character_length(part) == length) return add_piece(s, part, NONE, NONE, id, error);
    return found_bad(s, part, length, "a character, or what a merge before it makes", error);
}

static lb_status add_merge(lb_subwords *s, const char *line, size_t length, lb_error *error)
{
    char whole[2 * LB_SUBWORD_PIECE + 1] = {0};
    const char *blank = memchr(line, ' ', length);
    if (!blank) return found_bad(s, line, length, "two pieces", error);
    size_t left_length = (size_t)(blank - line), right_length = length - left_length - 1;
    int32_t left = NONE, right = NONE, id;
    lb_status status = find_part(s, line, left_length, &left, error);
    if (!status) status = find_part(s, blank + 1, right_length, &right, error);
    if (status) return status;
    if (find_merge(s, left, right) != NONE)
        return found_bad(s, line, length, "a pair that no merge before it has", error);
    memcpy(whole, line, left_length);
    memcpy(whole + left_length, blank + 1, right_length);
    if (left_length + right_length > LB_SUBWORD_PIECE)
        return found_bad(s, line, length, "at most 255 bytes", error);
    status = add_piece(s, whole, left, right, &id, error);
    if (status) return status;
    s->merges[s->count] = (lb_subword_merge){left, right, id};
    lb_table_add(&s->table, (int32_t)s->count++);
    return LB_OK;
}

static lb_status parse(lb_subwords *s, const char *text, lb_error *error)
{
    int64_t lines = 0;
    lb_status status = LB_OK;
    size_t length = strlen(text);
    for (const char *at = text; *at; at++) lines += *at == '\n';
    if (lines > LB_SUBWORD_MERGES)
        return lb_error_set(error, LB_ERROR_FORMAT, "found %lld merges, expected at most %d",
                            (long long)lines, LB_SUBWORD_MERGES);
    if ((length > 0 && text[length - 1] != '\n') || !lb_utf8_valid(text, length))
        return lb_error_set(error, LB_ERROR_FORMAT, "expected merges in UTF-8, each on a line");
    size_t room = 1;
    while (room <= (size_t)lines) room *= 2;
    s->table = (lb_table){.key_of = key_of, .owner = s};
    s->text = lb_alloc_string(text);
    s->ids = lb_vocabulary_new_reserved(error);
    s->merges = lb_alloc(room * sizeof *s->merges);
    if (!s->text || !s->ids || !s->merges || !lb_table_fill(&s->table, room, 0, 0))
        return lb_no_memory(error, "subwords");
    for (const char *end; *text && !status; text = end + 1) {
        end = strchr(text, '\n');
        status = add_merge(s, text, (size_t)(end - text), error);
    }
    return status;
}

lb_subwords *lb_subwords_parse(const char *text, lb_error *error)
{
    lb_subwords *s = lb_alloc_zero(sizeof *s);
    if (!s) return lb_null(lb_no_memory(error, "subwords"));
    for (int byte = 0; byte < BYTES; byte++) snprintf(s->byte[byte], BYTE_NAME, "<0x%02X>", (unsigned)byte);
    if (!parse(s, text, error)) return s;
    lb_subwords_free(s);
    return NULL;
}

void lb_subwords_free(lb_subwords *s)
{
    if (!s) return;
    lb_vocabulary_free(s->ids);
    lb_release(s->table.forks);
    lb_release(s->merges);
    lb_release(s->pieces);
    lb_release(s->text);
    lb_release(s);
}

/* The byte that a symbol stands for; NONE if it is a piece. */
static int byte_of(const char *symbol)
{
    char *end;
    if (strlen(symbol) != BYTE_NAME - 1 || strncmp(symbol, "<0x", 3) != 0) return NONE;
    unsigned long byte = strtoul(symbol + 3, &end, 16);
    return strcmp(end, ">") == 0 && byte < BYTES ? (int)byte : NONE;
}

lb_status lb_subwords_restrict(lb_subwords *s, const lb_vocabulary *vocabulary, lb_error *error)
{
    lb_status status = LB_OK;
    int32_t other;
    for (int32_t id = LB_FIRST_TOKEN; id < lb_vocabulary_size(vocabulary) && !status; id++) {
        const char *symbol = lb_vocabulary_symbol(vocabulary, id);
        if (byte_of(symbol) > 0 && strchr(ENDS, byte_of(symbol)))
            return lb_error_set(error, LB_ERROR_FORMAT, "found the symbol %s, a tab or a line end", symbol);
        if (character_length(symbol) == strlen(symbol))
            status = add_piece(s, symbol, NONE, NONE, &other, error);
    }
    for (int32_t id = LB_FIRST_TOKEN; id < lb_vocabulary_size(s->ids); id++)
        s->pieces[id].allowed = lb_vocabulary_id(vocabulary, s->pieces[id].text) != LB_UNK;
    return status;
}

/* ---- A text in pieces. ---- */

/* One character of a word, and then the piece that begins there. */
typedef struct piece_link {
    const char *at;
    int32_t id; /* NONE: no piece has this character */
    int32_t before, after;
} piece_link;

_Static_assert(sizeof(piece_link) + 2 * sizeof(uint64_t) <= LB_SUBWORD_LINK, "links have too little room");

/* A word while its characters are joined. */
typedef struct joining {
    const lb_subwords *subwords;
    piece_link *links; /* [count], linked in the order of the word */
    int32_t count;
    uint64_t *heap; /* [2 count]: merges that are possible, the earliest on top: rank, then place */
    size_t waiting;
} joining;

/* The merge of the piece at a place with the next one; NONE if there is none. */
static int32_t rank_at(const joining *j, int32_t place)
{
    const piece_link *l = &j->links[place];
    int32_t next = l->after == NONE ? NONE : j->links[l->after].id;
    return l->id == NONE || next == NONE ? NONE : find_merge(j->subwords, l->id, next);
}

static void push(joining *j, int32_t place)
{
    int32_t rank = rank_at(j, place);
    if (rank != NONE) lb_heap_add(j->heap, &j->waiting, (uint64_t)rank << 32 | (uint32_t)place);
}

/* Carries out the merges, the earliest first. An entry whose neighbours have changed since is left. */
static void join_pieces(joining *j)
{
    for (int32_t i = 0; i < j->count; i++) push(j, i);
    while (j->waiting > 0) {
        uint64_t entry = lb_heap_take(j->heap, &j->waiting);
        int32_t place = (int32_t)(uint32_t)entry, rank = (int32_t)(entry >> 32);
        if (rank_at(j, place) != rank) continue;
        piece_link *l = &j->links[place];
        int32_t next = l->after;
        l->id = j->subwords->merges[rank].made;
        l->after = j->links[next].after;
        j->links[next].id = NONE;
        j->links[next].after = NONE;
        if (l->after != NONE) j->links[l->after].before = place;
        push(j, place);
        if (l->before != NONE) push(j, l->before);
    }
}

static void add_symbol(lb_symbols *symbols, const char *symbol)
{
    symbols->symbol[symbols->count++] = symbol;
}

static void add_bytes(const lb_subwords *s, const char *text, size_t length, lb_symbols *symbols)
{
    for (size_t i = 0; i < length; i++) add_symbol(symbols, s->byte[(unsigned char)text[i]]);
}

/* A piece, or its parts if the vocabulary lacks it. */
static void add_allowed(const lb_subwords *s, int32_t id, lb_symbols *symbols)
{
    const lb_subword_piece *p = &s->pieces[id];
    if (p->allowed) {
        add_symbol(symbols, p->text);
    } else if (p->left != NONE) {
        add_allowed(s, p->left, symbols);
        add_allowed(s, p->right, symbols);
    } else if (strcmp(p->text, LB_SUBWORD_BLANK) == 0) {
        add_bytes(s, " ", 1, symbols);
    } else {
        add_bytes(s, p->text, strlen(p->text), symbols);
    }
}

static bool is_mark(const char *text)
{
    return strncmp(text, LB_SUBWORD_BLANK, strlen(LB_SUBWORD_BLANK)) == 0;
}

static void cut_word(joining *j, const char *word, const char *end, lb_symbols *symbols)
{
    const lb_subwords *s = j->subwords;
    char character[sizeof LB_SUBWORD_BLANK + 1];
    j->count = 0;
    for (size_t length; word < end; word += length) {
        length = character_length(word);
        memcpy(character, word, length);
        character[length] = '\0';
        int32_t id = is_mark(word) ? NONE : number_of(s, *word == ' ' ? LB_SUBWORD_BLANK : character);
        j->links[j->count] = (piece_link){word, id, j->count - 1, j->count + 1};
        j->count++;
    }
    j->links[j->count - 1].after = NONE;
    join_pieces(j);
    for (int32_t i = 0; i != NONE; i = j->links[i].after) {
        const piece_link *l = &j->links[i];
        if (l->id != NONE)
            add_allowed(s, l->id, symbols);
        else
            add_bytes(s, l->at, character_length(l->at), symbols);
    }
}

char *lb_subwords_cut(const lb_subwords *subwords, const char *text, size_t length, lb_symbols *symbols)
{
    assert(length > 0 && symbols->letter_room > length && symbols->link_room > length);
    joining j = {.subwords = subwords, .links = symbols->links};
    j.heap = (uint64_t *)(void *)(j.links + length + 1);
    symbols->letters[0] = ' ';
    memcpy(symbols->letters + 1, text, length);
    const char *at = symbols->letters, *end = at + length + 1, *word;
    while ((word = lb_subwords_next(&at, end))) cut_word(&j, word, at, symbols);
    return symbols->letters; /* the symbols do not point there */
}

/* ---- Pieces as text again. ---- */

char *lb_subwords_append(char *to, const char *symbol)
{
    int byte = byte_of(symbol);
    if (byte > 0) {
        *to++ = (char)byte;
    } else {
        while (*symbol) {
            bool blank = is_mark(symbol);
            *to++ = blank ? ' ' : *symbol;
            symbol += blank ? strlen(LB_SUBWORD_BLANK) : 1;
        }
    }
    *to = '\0';
    return to;
}

char *lb_subwords_finish(char *text, size_t *length)
{
    static const char replacement[] = "\xEF\xBF\xBD";
    size_t skipped = *text == ' ';
    *length -= skipped;
    memmove(text, text + skipped, *length + 1);
    if (lb_utf8_valid(text, *length)) return text;
    lb_buffer mended = {0};
    for (size_t at = 0, valid; at < *length; at += valid + 1) {
        valid = lb_utf8_prefix(text + at, *length - at);
        lb_buffer_add(&mended, text + at, valid);
        if (at + valid < *length) lb_buffer_add(&mended, replacement, sizeof replacement - 1);
    }
    lb_release(text);
    *length = mended.length;
    return lb_buffer_end(&mended);
}

lb_status lb_subwords_add_bytes(lb_vocabulary *vocabulary, lb_error *error)
{
    lb_status status = LB_OK;
    for (unsigned byte = 1; byte < BYTES && !status; byte++) {
        char name[BYTE_NAME];
        const char *symbol = name;
        bool never = byte == 0xC0 || byte == 0xC1 || byte > 0xF4; /* in UTF-8 */
        snprintf(name, sizeof name, "<0x%02X>", byte);
        if (!strchr(ENDS, (int)byte) && !never && lb_vocabulary_id(vocabulary, symbol) == LB_UNK)
            status = lb_vocabulary_add(vocabulary, &symbol, 1, error);
    }
    return status;
}
