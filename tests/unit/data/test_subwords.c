/* Subwords: merges against a learner that counts all again at each step; texts of all scripts, there and back. */
#include "data/text/subwords.h"

#include "base/alloc.h"
#include "lookback/tensor.h"
#include "support/alloc.h"
#include "support/suite.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static lb_error error;
static lb_symbols symbols;

static const lb_symbol_rule characters = {0};

static void add_text(lb_subword_words *words, int side, const char *text)
{
    ck_assert_int_eq(lb_symbols_split(&characters, text, strlen(text), &symbols, &error), LB_OK);
    ck_assert_int_eq(lb_subword_words_add(words, side, &symbols, &error), LB_OK);
}

/* The merges of texts, which end with NULL and are all sources. */
static char *learn(const char *const *texts, int64_t wanted)
{
    lb_subword_words words = {0};
    lb_vocabulary *kept[2];
    for (; *texts; texts++) add_text(&words, 0, *texts);
    char *merges = lb_subwords_learn(&words, wanted, 1, kept, &error);
    ck_assert_ptr_nonnull(merges);
    lb_vocabulary_free(kept[0]);
    lb_vocabulary_free(kept[1]);
    lb_subword_words_free(&words);
    return merges;
}

static lb_subwords *parse(const char *merges)
{
    error = (lb_error){0};
    lb_subwords *subwords = lb_subwords_parse(merges, &error);
    ck_assert_msg(subwords != NULL, "%s", error.message);
    return subwords;
}

/* Splits a text and expects these symbols, with '|' between them. */
static void expect(const lb_subwords *subwords, const char *text, const char *expected)
{
    const lb_symbol_rule rule = {.subwords = subwords};
    char found[1000] = "";
    ck_assert_int_eq(lb_symbols_split(&rule, text, strlen(text), &symbols, &error), LB_OK);
    for (size_t i = 0; i < symbols.count; i++)
        snprintf(found + strlen(found), sizeof found - strlen(found), "%s%s", i ? "|" : "",
                 symbols.symbol[i]);
    ck_assert_str_eq(found, expected);
}

/* ---- Cutting. ---- */

START_TEST(test_cut_words_begin_at_blanks_and_where_the_kind_of_character_changes)
{
    /* every neighbour may be joined: what is apart are words */
    lb_subwords *s = parse("\u2581 a\na b\n\u2581a b\n1 2\n. .\n\u2581 .\n\u2581 \u2581\nb \u0301\n\u2581ab "
                           "\u0301\n\u2581 1\n\u25811 2\n");
    expect(s, "ab ab", "\u2581ab|\u2581ab");
    expect(s, "ab12..", "\u2581ab|12|..");
    expect(s, "12 .ab", "\u2581|12|\u2581.|ab");
    expect(s, "ab   ab", "\u2581ab|\u2581\u2581|\u2581ab");
    expect(s, " ab ", "\u2581|\u2581ab|\u2581"); /* the blank in front of the text is one more */
    expect(s, "ab\u0301", "\u2581ab\u0301");     /* a mark is no kind of its own */
    lb_subwords_free(s);
}
END_TEST

START_TEST(test_cut_merges_apply_in_their_order_and_from_the_left)
{
    lb_subwords *s = parse("b c\na b\n\u2581 a\na a\n");
    expect(s, "abc", "\u2581a|bc");
    expect(s, "aab", "\u2581a|ab");
    expect(s, "baaab", "\u2581|b|aa|ab");
    expect(s, "", "");
    lb_subwords_free(s);
}
END_TEST

START_TEST(test_cut_what_no_merge_has_are_bytes)
{
    lb_subwords *s = parse("\u2581 a\n");
    expect(s, "ax", "\u2581a|<0x78>");
    expect(s, "é", "\u2581|<0xC3>|<0xA9>");
    expect(s, "\u2581a", "\u2581|<0xE2>|<0x96>|<0x81>|a"); /* the mark of a piece, as a letter */
    expect(s, "<0x41>", "\u2581|<0x3C>|<0x30>|<0x78>|<0x34>|<0x31>|<0x3E>");
    lb_subwords_free(s);
}
END_TEST

START_TEST(test_restrict_what_the_vocabulary_lacks_is_taken_apart)
{
    const char *const known[] = {"\u2581the", "e", "\u2581", "q"};
    lb_subwords *s = parse("t h\n\u2581 th\n\u2581th e\n\u2581the n\n");
    lb_vocabulary *vocabulary = lb_vocabulary_new_reserved(&error);
    ck_assert_int_eq(lb_vocabulary_add(vocabulary, known, 4, &error), LB_OK);
    ck_assert_int_eq(lb_subwords_restrict(s, vocabulary, &error), LB_OK);
    expect(s, "then", "\u2581the|<0x6E>");
    expect(s, "th", "\u2581|<0x74>|<0x68>");
    expect(s, "q", "\u2581|q"); /* in no merge */
    lb_vocabulary_free(vocabulary);
    lb_subwords_free(s);
}
END_TEST

START_TEST(test_restrict_to_a_tab_or_a_line_end_is_refused)
{
    static const char *const ends[] = {"<0x09>", "<0x0A>", "<0x0D>"};
    for (int i = 0; SUPPORT_ROW(i, ends); i++) {
        lb_subwords *s = parse("t h\n");
        lb_vocabulary *vocabulary = lb_vocabulary_new_reserved(&error);
        error = (lb_error){0};
        ck_assert_int_eq(lb_vocabulary_add(vocabulary, &ends[i], 1, &error), LB_OK);
        ck_assert_int_eq(lb_subwords_restrict(s, vocabulary, &error), LB_ERROR_FORMAT);
        ck_assert_ptr_nonnull(strstr(error.message, ends[i]));
        lb_vocabulary_free(vocabulary);
        lb_subwords_free(s);
    }
}
END_TEST

START_TEST(test_cut_features_follow_the_pieces)
{
    lb_subwords *s = parse("\u2581 w\na l\n\u2581w al\n");
    const lb_symbol_rule rule = {.subwords = s, .features = ";"};
    ck_assert_int_eq(lb_symbols_split(&rule, "wal\tV;PST", 9, &symbols, &error), LB_OK);
    ck_assert_uint_eq(symbols.count, 3);
    ck_assert_str_eq(symbols.symbol[0], "\u2581wal");
    ck_assert_str_eq(symbols.symbol[1], "\tV");
    ck_assert_str_eq(symbols.symbol[2], "\tPST");
    char *text = lb_symbols_join(&rule, symbols.symbol, symbols.count, &error);
    ck_assert_str_eq(text, "wal\tV;PST");
    lb_release(text);
    lb_subwords_free(s);
}
END_TEST

START_TEST(test_cut_a_long_word_takes_no_quadratic_time)
{
    enum { LENGTH = 1 << 20 };
    char *text = malloc(LENGTH + 1);
    memset(text, 'a', LENGTH);
    text[LENGTH] = '\0';
    lb_subwords *s = parse("a a\naa aa\naaaa aaaa\n\u2581 aaaaaaaa\n");
    const lb_symbol_rule rule = {.subwords = s};
    ck_assert_int_eq(lb_symbols_split(&rule, text, LENGTH, &symbols, &error), LB_OK);
    ck_assert_uint_eq(symbols.count, LENGTH / 8);
    lb_subwords_free(s);
    free(text);
}
END_TEST

/* ---- There and back. ---- */

static const char *const scripts[] = {
    "Ein  Mann läuft: 12 Straßen, 3,5 km!",
    "Λέξεις με τόνους, και 7 ακόμη.",
    "Съешь же ещё этих мягких французских булок",
    "שָׁלוֹם עולם 2024",
    "السلام عليكم، كيف حالك؟",
    "می\u200cخواهم به خانه بروم",
    "नमस्ते दुनिया, क्‍या हाल है?",
    "สวัสดีชาวโลก 123",
    "こんにちは世界。漢字とカタカナ",
    "你好,世界!今天是2024年",
    "안녕하세요 세계",
    "👩\u200d👩\u200d👧 🇩🇪 ❤\ufe0f ok",
    " two  blanks   and one at the end ",
    "\u2581 <0x41> <unk> \u2581\u2581",
    " ",
    "'\"don't\" -- well...\u00a0(no-break)",
    NULL,
};

START_TEST(test_every_text_comes_back_byte_for_byte_whatever_was_learned)
{
    for (int64_t wanted = 0; wanted <= 200; wanted += 50)
        for (size_t from = 0; scripts[from]; from++) { /* learned from one script, applied to all */
            char *merges = learn((const char *const[]){scripts[from], scripts[from], NULL}, wanted);
            lb_subwords *s = parse(merges);
            const lb_symbol_rule rule = {.subwords = s};
            for (size_t i = 0; scripts[i]; i++) {
                ck_assert_int_eq(lb_symbols_split(&rule, scripts[i], strlen(scripts[i]), &symbols, &error),
                                 LB_OK);
                char *text = lb_symbols_join(&rule, symbols.symbol, symbols.count, &error);
                ck_assert_str_eq(text, scripts[i]);
                lb_release(text);
            }
            lb_subwords_free(s);
            lb_release(merges);
        }
}
END_TEST

START_TEST(test_join_bytes_that_are_no_text_are_replaced)
{
    static const struct {
        const char *symbol[5], *text;
    } cases[] = {
        {{"\u2581a", "<0xC3>", "<0xA9>"}, "aé"},
        {{"\u2581a", "<0xC3>"}, "a\ufffd"},
        {{"<0xA9>", "b"}, "\ufffdb"},
        {{"<0xE2>", "<0x82>", "<0xE2>", "<0x82>", "<0xAC>"}, "\ufffd\ufffd€"},
        {{"a", "\u2581b"}, "a b"}, /* no blank in front: nothing is missing */
        {{"<0x20>", "a"}, "a"},
    };
    lb_subwords *s = parse("");
    const lb_symbol_rule rule = {.subwords = s};
    for (size_t i = 0; SUPPORT_ROW(i, cases); i++) {
        size_t count = 0;
        while (count < 5 && cases[i].symbol[count]) count++;
        char *text = lb_symbols_join(&rule, cases[i].symbol, count, &error);
        ck_assert_str_eq(text, cases[i].text);
        lb_release(text);
    }
    lb_subwords_free(s);
}
END_TEST

START_TEST(test_add_bytes_all_that_a_line_of_text_can_have)
{
    lb_vocabulary *vocabulary = lb_vocabulary_new_reserved(&error);
    const char *const there = "<0x41>";
    ck_assert_int_eq(lb_vocabulary_add(vocabulary, &there, 1, &error), LB_OK);
    ck_assert_int_eq(lb_subwords_add_bytes(vocabulary, &error), LB_OK);
    ck_assert_int_eq(lb_vocabulary_size(vocabulary), LB_FIRST_TOKEN + 256 - 1 - 3 - 2 - 11);
    ck_assert_int_eq(lb_vocabulary_id(vocabulary, "<0x0A>"), LB_UNK);
    ck_assert_int_eq(lb_vocabulary_id(vocabulary, "<0xC0>"), LB_UNK);
    ck_assert_int_ne(lb_vocabulary_id(vocabulary, "<0xF4>"), LB_UNK);
    lb_vocabulary_free(vocabulary);
}
END_TEST

/* ---- Learning. ---- */

enum { MOST_WORDS = 64, MOST_LETTERS = 16, MOST_TEXT = 64 };

/* Words of letters and how often they occur; a letter is a string that grows. */
typedef struct plain {
    char letter[MOST_WORDS][MOST_LETTERS][MOST_TEXT];
    int length[MOST_WORDS], count[MOST_WORDS], words;
} plain;

static int count_pair(const plain *p, const char *a, const char *b)
{
    int count = 0;
    for (int w = 0; w < p->words; w++)
        for (int i = 0; i + 1 < p->length[w]; i++)
            if (!strcmp(p->letter[w][i], a) && !strcmp(p->letter[w][i + 1], b)) count += p->count[w];
    return count;
}

static void join_pair(plain *p, const char *a, const char *b)
{
    for (int w = 0; w < p->words; w++) {
        int length = 0;
        for (int i = 0; i < p->length[w]; i++) {
            bool joins =
                i + 1 < p->length[w] && !strcmp(p->letter[w][i], a) && !strcmp(p->letter[w][i + 1], b);
            char whole[2 * MOST_TEXT];
            snprintf(whole, sizeof whole, "%s%s", p->letter[w][i], joins ? b : "");
            ck_assert_uint_lt(strlen(whole), MOST_TEXT);
            strcpy(p->letter[w][length++], whole);
            i += joins;
        }
        p->length[w] = length;
    }
}

/* Counts all pairs of all words, and joins the most frequent one. Of equal ones it takes none, and returns -1. */
static int step(plain *p, char *merge)
{
    int best = 0, equal = 0;
    const char *left = NULL, *right = NULL;
    for (int w = 0; w < p->words; w++)
        for (int i = 0; i + 1 < p->length[w]; i++) {
            const char *a = p->letter[w][i], *b = p->letter[w][i + 1];
            int count = count_pair(p, a, b);
            bool same = left && !strcmp(left, a) && !strcmp(right, b);
            if (count == best && !same) equal++;
            if (count <= best) continue;
            best = count;
            equal = 0;
            left = a;
            right = b;
        }
    if (best < 2) return 0;
    if (equal) return -1;
    char a[MOST_TEXT], b[MOST_TEXT];
    snprintf(a, sizeof a, "%s", left);
    snprintf(b, sizeof b, "%s", right);
    sprintf(merge, "%s %s\n", a, b);
    join_pair(p, a, b);
    return 1;
}

START_TEST(test_learn_merges_are_those_of_counting_everything_again)
{
    lb_rng rng = {.seed = 3};
    uint64_t drawn = 0;
    int compared = 0;
    for (int trial = 0; trial < 60; trial++) {
        static plain p;
        static char text[1 << 20];
        lb_subword_words words = {0};
        lb_vocabulary *kept[2];
        p.words = 2 + (int)lb_rng_below(rng, drawn++, 20);
        for (int w = 0; w < p.words; w++) {
            char *to = text;
            p.length[w] = 2 + (int)lb_rng_below(rng, drawn++, 9);
            p.count[w] = 1 + (int)lb_rng_below(rng, drawn++, 40);
            strcpy(p.letter[w][0], "\u2581");
            for (int i = 1; i < p.length[w]; i++)
                sprintf(p.letter[w][i], "%c", (int)('a' + (int)lb_rng_below(rng, drawn++, 4)));
            for (int n = 0; n < p.count[w]; n++) {
                if (n) *to++ = ' ';
                for (int i = 1; i < p.length[w]; i++) to = stpcpy(to, p.letter[w][i]);
            }
            add_text(&words, w % 2, text);
        }
        char *merges = lb_subwords_learn(&words, 1000, 1, kept, &error), merge[2 * MOST_TEXT + 2];
        const char *at = merges;
        int found;
        while ((found = step(&p, merge)) == 1) { /* up to the first draw */
            ck_assert_msg(strncmp(at, merge, strlen(merge)) == 0, "trial %d: found %.20s, expected %s", trial,
                          at, merge);
            at += strlen(merge);
            compared++;
        }
        if (found == 0) ck_assert_str_eq(at, "");
        lb_release(merges);
        lb_vocabulary_free(kept[0]);
        lb_vocabulary_free(kept[1]);
        lb_subword_words_free(&words);
    }
    ck_assert_int_gt(compared, 300);
}
END_TEST

START_TEST(test_learn_stops_when_no_pair_occurs_twice_and_keeps_what_a_side_has_often)
{
    lb_subword_words words = {0};
    lb_vocabulary *kept[2];
    for (int i = 0; i < 3; i++) add_text(&words, 0, "der Hut");
    add_text(&words, 0, "neu");
    for (int i = 0; i < 5; i++) add_text(&words, 1, "the hat");
    char *merges = lb_subwords_learn(&words, 1000, 2, kept, &error);
    ck_assert_ptr_nonnull(strstr(merges, "\u2581t he\n"));
    ck_assert_ptr_null(strstr(merges, "eu\n"));
    ck_assert_int_ne(lb_vocabulary_id(kept[0], "\u2581der"), LB_UNK);
    ck_assert_int_eq(lb_vocabulary_id(kept[0], "\u2581the"), LB_UNK); /* a piece of the other side */
    ck_assert_int_ne(lb_vocabulary_id(kept[1], "\u2581the"), LB_UNK);
    ck_assert_int_eq(lb_vocabulary_id(kept[0], "n"), LB_UNK); /* once */
    lb_release(merges);
    lb_vocabulary_free(kept[0]);
    lb_vocabulary_free(kept[1]);
    merges = lb_subwords_learn(&words, 2, 2, kept, &error);
    lb_subwords *two = parse(merges);
    ck_assert_int_eq(two->count, 2);
    ck_assert_str_eq(two->text, merges);
    lb_subwords_free(two);
    lb_release(merges);
    lb_vocabulary_free(kept[0]);
    lb_vocabulary_free(kept[1]);
    lb_subword_words_free(&words);
}
END_TEST

START_TEST(test_learn_keeps_the_pieces_that_a_side_has_as_often_as_least)
{
    lb_subword_words words = {0};
    lb_vocabulary *kept[2];
    add_text(&words, 0, "ab ab ab xy xy");
    add_text(&words, 1, "ab xy xy xy");
    for (int64_t least = 1; least <= 4; least++) { /* with "\u2581ab" 3 and 1, "\u2581xy" 2 and 3 */
        lb_release(lb_subwords_learn(&words, 1000, least, kept, &error));
        const int64_t count[2][2] = {{3, 1}, {2, 3}};
        for (int side = 0; SUPPORT_ROW(side, kept); side++)
            for (int i = 0; SUPPORT_ROW(i, count); i++)
                ck_assert_int_eq(lb_vocabulary_id(kept[side], i ? "\u2581xy" : "\u2581ab") != LB_UNK,
                                 count[i][side] >= least);
        lb_vocabulary_free(kept[0]);
        lb_vocabulary_free(kept[1]);
    }
    lb_subword_words_free(&words);
}
END_TEST

/* ---- Merges from a file. ---- */

START_TEST(test_parse_hostile_merges_are_refused_with_their_number)
{
    static const struct {
        const char *text, *message;
    } cases[] = {
        {"a b\na", "expected merges in UTF-8, each on a line"},
        {"a \xff\n", "expected merges in UTF-8, each on a line"},
        {"a b\nab\n", "merge 2: found \"ab\", expected two pieces"},
        {"\n", "merge 1: found \"\", expected two pieces"},
        {"a b\na xy\n", "merge 2: found \"xy\", expected a character, or what a merge before it makes"},
        {"a ab\na b\n", "merge 1: found \"ab\", expected a character, or what a merge before it makes"},
        {"a \n", "merge 1: found \"\", expected a character, or what a merge before it makes"},
        {" a\n", "merge 1: found \"\", expected a character, or what a merge before it makes"},
        {"a b\nc d\na b\n", "merge 3: found \"a b\", expected a pair that no merge before it has"},
        {"a b c\n", "merge 1: found \"b c\", expected a character, or what a merge before it makes"},
    };
    for (size_t i = 0; SUPPORT_ROW(i, cases); i++) {
        error = (lb_error){0};
        ck_assert_ptr_null(lb_subwords_parse(cases[i].text, &error));
        ck_assert_int_eq(error.status, LB_ERROR_FORMAT);
        ck_assert_str_eq(error.message, cases[i].message);
    }
}
END_TEST

START_TEST(test_parse_too_many_and_too_long_pieces_are_refused)
{
    static char text[8 * (LB_SUBWORD_MERGES + 2)], piece[512];
    char *to = text;
    for (int i = 0; i <= LB_SUBWORD_MERGES; i++) to = stpcpy(to, "a b\n");
    error = (lb_error){0};
    ck_assert_ptr_null(lb_subwords_parse(text, &error));
    ck_assert_str_eq(error.message, "found 100001 merges, expected at most 100000");
    to = text + sprintf(text, "a a\n");
    for (size_t length = 2; length < 512; length *= 2) {
        memset(piece, 'a', length);
        to += sprintf(to, "%s %s\n", piece, piece);
    }
    error = (lb_error){0};
    ck_assert_ptr_null(lb_subwords_parse(text, &error));
    ck_assert_ptr_nonnull(strstr(error.message, "merge 8: found"));
    ck_assert_ptr_nonnull(strstr(error.message, "expected at most 255 bytes"));
}
END_TEST

static lb_status there_and_back(void)
{
    lb_subword_words words = {0};
    lb_vocabulary *kept[2] = {NULL, NULL};
    lb_subwords *s = NULL;
    char *merges = NULL, *text = NULL;
    lb_symbols found = {0};
    error = (lb_error){0};
    lb_status status = lb_symbols_split(&characters, "hallo hallo", 11, &found, &error);
    if (!status) status = lb_subword_words_add(&words, 0, &found, &error);
    if (!status) merges = lb_subwords_learn(&words, 10, 1, kept, &error);
    if (merges) s = lb_subwords_parse(merges, &error);
    if (s) status = lb_subwords_restrict(s, kept[0], &error);
    const lb_symbol_rule rule = {.subwords = s};
    if (s && !status) status = lb_symbols_split(&rule, "hallo \xE2\x82\xAC", 9, &found, &error);
    if (s && !status) text = lb_symbols_join(&rule, found.symbol, found.count - 1, &error);
    lb_release(text);
    lb_release(merges);
    lb_subwords_free(s);
    lb_vocabulary_free(kept[0]);
    lb_vocabulary_free(kept[1]);
    lb_subword_words_free(&words);
    lb_symbols_free(&found);
    return error.status;
}

START_TEST(test_learn_and_cut_failing_allocation_is_an_error_and_leaks_nothing)
{
    lb_symbols_free(&symbols);
    support_watch_allocations();
    ck_assert_int_eq(there_and_back(), LB_OK);
    long all = support_allocation_count();
    ck_assert_int_gt(all, 20);
    for (long n = 1; n <= all; n++) {
        support_fail_from_allocation(n);
        ck_assert_int_eq(there_and_back(), LB_ERROR_MEMORY);
        ck_assert_int_eq(support_live_allocations(), 0);
    }
}
END_TEST
