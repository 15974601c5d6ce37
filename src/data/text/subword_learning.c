/* Learns merges of subwords from counted words, for training. */
#include "data/text/subwords.h"

#include "base/alloc.h"
#include "base/buffer.h"
#include "base/threads.h"
#include "data/text/heap.h"
#include "lookback/tensor.h"

#include <stdio.h>
#include <string.h>
#include <utf8proc.h>

enum { NONE = LB_TABLE_NONE, SIDES = 2 };

/* Two neighbours. */
typedef struct pair {
    int32_t left, right;
    int64_t count;
    int32_t places; /* the first of a list; NONE: there is none */
    int32_t heard;  /* the merge that last changed it */
} pair;

/* A word that had a pair once. */
typedef struct place {
    int32_t word, pair, next;
} place;

typedef struct word {
    int32_t *letter; /* [length]: pieces */
    int32_t length;
    const int64_t *count; /* [SIDES] */
} word;

typedef struct learner {
    word *words;
    int32_t count;      /* of words */
    int32_t *letters;   /* of one word after the other */
    lb_vocabulary *ids; /* pieces by their text */
    pair *pairs;
    lb_table table; /* of pairs */
    place *places;
    uint64_t *heap; /* pairs by their rank when they were put here */
    size_t place_count, place_room, heap_count, heap_room;
    lb_buffer merges;
    int32_t pair_count, merged;
} learner;

/* The number of a piece, which is made if it is new; NONE if there is no memory. */
static int32_t find_piece(const learner *l, const char *text)
{
    int32_t id = lb_vocabulary_id(l->ids, text);
    if (id != LB_UNK) return id;
    return lb_vocabulary_add(l->ids, &text, 1, NULL) ? NONE : lb_vocabulary_size(l->ids) - 1;
}

/* The place of a pair among the candidates: the most frequent one first, of equal ones the one that was there first. */
static uint64_t rank_of(const learner *l, int32_t which)
{
    int64_t count = l->pairs[which].count;
    return (uint64_t)(UINT32_MAX - lb_smaller(count, UINT32_MAX)) << 32 | (uint32_t)which;
}

static bool push(learner *l, int32_t which)
{
    if (l->pairs[which].count < 2) return true;
    if (!lb_alloc_more(&l->heap, l->heap_count, &l->heap_room, sizeof *l->heap)) return false;
    lb_heap_add(l->heap, &l->heap_count, rank_of(l, which));
    return true;
}

static lb_table_key key_of(const void *of, int32_t which)
{
    const pair *p = &((const learner *)of)->pairs[which];
    return lb_table_pair(p->left, p->right);
}

/* The number of a pair, which is made if it is new; NONE if there is no memory. */
static int32_t find_pair(learner *l, int32_t left, int32_t right)
{
    int32_t count = l->pair_count;
    if (!lb_table_more(&l->table, 0, count, &l->pairs, sizeof *l->pairs)) return NONE;
    int32_t at = lb_table_find(&l->table, lb_table_pair(left, right));
    if (at != NONE && l->pairs[at].left == left && l->pairs[at].right == right) return at;
    l->pairs[count] = (pair){left, right, 0, NONE, NONE};
    lb_table_add(&l->table, l->pair_count++);
    return count;
}

/* Counts the pairs of a word, `times` 1, or no longer, -1. Those with the piece `made` are new to it, all with NONE. */
static bool count_pairs(learner *l, int32_t number, int times, int32_t made)
{
    const word *w = &l->words[number];
    const int32_t *letter = w->letter;
    for (int32_t i = 0; i + 1 < w->length; i++) {
        int32_t which = find_pair(l, letter[i], letter[i + 1]);
        if (which == NONE) return false;
        pair *p = &l->pairs[which];
        p->count += times * (w->count[0] + w->count[1]);
        if (times < 0 || (made != NONE && letter[i] != made && letter[i + 1] != made)) continue;
        if (l->place_count == INT32_MAX ||
            !lb_alloc_more(&l->places, l->place_count, &l->place_room, sizeof *l->places))
            return false;
        l->places[l->place_count] = (place){number, which, p->places};
        p->places = (int32_t)l->place_count++;
    }
    return true;
}

static bool has_pair(const word *w, int32_t left, int32_t right)
{
    for (int32_t i = 0; i + 1 < w->length; i++)
        if (w->letter[i] == left && w->letter[i + 1] == right) return true;
    return false;
}

static void join_pair(word *w, int32_t left, int32_t right, int32_t made)
{
    int32_t length = 0;
    for (int32_t i = 0; i < w->length; i++) {
        bool found = w->letter[i] == left && i + 1 < w->length && w->letter[i + 1] == right;
        w->letter[length++] = found ? made : w->letter[i];
        i += found;
    }
    w->length = length;
}

/* Makes a piece of a pair, in all words that have it. A piece that would be too long is not made. Pairs that have the
 * new piece become candidates, each once. */
static bool merge(learner *l, int32_t which)
{
    const pair p = l->pairs[which];
    const char *left = lb_vocabulary_symbol(l->ids, p.left), *right = lb_vocabulary_symbol(l->ids, p.right);
    char text[2 * LB_SUBWORD_PIECE + 1];
    size_t before = l->place_count;
    l->pairs[which].count = 0;
    if (strlen(left) + strlen(right) > LB_SUBWORD_PIECE) return true;
    snprintf(text, sizeof text, "%s%s", left, right);
    lb_buffer_print(&l->merges, "%s %s\n", left, right);
    int32_t made = find_piece(l, text);
    if (l->merges.failed || made == NONE) return false;
    l->merged++;
    for (int32_t at = p.places; at != NONE; at = l->places[at].next) {
        int32_t number = l->places[at].word;
        if (!has_pair(&l->words[number], p.left, p.right)) continue;
        if (!count_pairs(l, number, -1, made)) return false;
        join_pair(&l->words[number], p.left, p.right, made);
        if (!count_pairs(l, number, 1, made)) return false;
    }
    for (size_t i = before; i < l->place_count; i++) {
        pair *with = &l->pairs[l->places[i].pair];
        if (with->heard != l->merged && !push(l, l->places[i].pair)) return false;
        with->heard = l->merged;
    }
    return true;
}

static bool learn(learner *l, int64_t wanted)
{
    for (int32_t i = 0; i < l->count; i++)
        if (!count_pairs(l, i, 1, NONE)) return false;
    for (int32_t i = 0; i < l->pair_count; i++)
        if (!push(l, i)) return false;
    while (l->merged < wanted && l->heap_count > 0) {
        uint64_t top = lb_heap_take(l->heap, &l->heap_count);
        int32_t which = (int32_t)(uint32_t)top;
        bool stale = rank_of(l, which) != top;
        if (stale ? !push(l, which) : !merge(l, which)) return false;
    }
    return true;
}

/* Writes the words as characters. */
static bool spell_words(learner *l, const lb_subword_words *words)
{
    size_t bytes = 0;
    int32_t size = words->words ? lb_vocabulary_size(words->words) : LB_FIRST_TOKEN;
    for (int32_t id = LB_FIRST_TOKEN; id < size; id++)
        bytes += strlen(lb_vocabulary_symbol(words->words, id));
    l->words = lb_alloc((size_t)size * sizeof *l->words);
    l->letters = lb_alloc((bytes + 1) * sizeof *l->letters);
    int32_t *letter = l->letters;
    for (int32_t id = LB_FIRST_TOKEN; letter && l->words && id < size; id++) {
        word *w = &l->words[l->count++];
        *w = (word){.letter = letter, .count = words->count[id]};
        const char *text = lb_vocabulary_symbol(words->words, id);
        for (size_t length; *text; text += length, w->length++) {
            char character[sizeof LB_SUBWORD_BLANK + 1] = {0};
            length = (size_t)utf8proc_utf8class[(unsigned char)*text];
            memcpy(character, text, length);
            *letter = find_piece(l, character);
            if (*letter++ == NONE) return false;
        }
    }
    return letter && l->words;
}

/* The pieces that each side has often enough. */
static bool keep_pieces(const learner *l, int64_t least, lb_vocabulary *kept[SIDES])
{
    size_t size = (size_t)lb_vocabulary_size(l->ids);
    int64_t(*count)[SIDES] = lb_alloc_zero(size * sizeof *count);
    bool done = count != NULL;
    for (int32_t i = 0; i < l->count && done; i++)
        for (int32_t k = 0; k < l->words[i].length; k++)
            for (int side = 0; side < SIDES; side++)
                count[l->words[i].letter[k]][side] += l->words[i].count[side];
    for (int side = 0; side < SIDES && done; side++) {
        kept[side] = lb_vocabulary_new_reserved(NULL);
        done = kept[side] != NULL;
        for (size_t id = LB_FIRST_TOKEN; id < size && done; id++) {
            const char *text = lb_vocabulary_symbol(l->ids, (int32_t)id);
            if (count[id][side] >= least) done = !lb_vocabulary_add(kept[side], &text, 1, NULL);
        }
    }
    lb_release(count);
    return done;
}

char *lb_subwords_learn(const lb_subword_words *words, int64_t wanted, int64_t least,
                        lb_vocabulary *kept[SIDES], lb_error *error)
{
    learner l = {.ids = lb_vocabulary_new_reserved(NULL), .table = {.key_of = key_of, .owner = &l}};
    kept[0] = kept[1] = NULL;
    lb_buffer_print(&l.merges, "%s", "");
    bool done = l.ids && spell_words(&l, words) && learn(&l, wanted) && keep_pieces(&l, least, kept);
    char *merges = lb_buffer_end(&l.merges);
    if (!done || !merges) {
        lb_no_memory(error, "subwords");
        lb_release(merges);
        merges = NULL;
    }
    lb_release(l.heap);
    lb_release(l.places);
    lb_release(l.table.forks);
    lb_release(l.pairs);
    lb_release(l.letters);
    lb_release(l.words);
    lb_vocabulary_free(l.ids);
    return merges;
}
