/* What texts are, by their words: each row is a kind of file as people have it, with what is said of it. */
#include "data/review/pair_report.h"
#include "data/text/text_kind.h"
#include "support/suite.h"

#include <stdlib.h>
#include <string.h>

enum { LINES = 16 };

#define SYMBOLS  LB_TEXTS_SYMBOLS
#define LETTERS  LB_TEXTS_CHARACTERS
#define FEW      LB_TEXTS_WORDS
#define PIECES   LB_TEXTS_PIECES
#define SENTENCE LB_TEXTS_SENTENCES
#define SET      "; set "
#define TO       " to \" \""

static const struct {
    const char *name, *source, *target; /* a text in each line; "" repeats the sources */
    lb_text_kind kind[2];
    const char *advice; /* the end of what is said; NULL: nothing */
} rows[] = {
    {"molecules",
     "CC(=O)O\nc1ccccc1O\nCCN(CC)CC\nClCCl",
     "acetic acid\nphenol\ntriethylamine\ndichloromethane",
     {LETTERS, LETTERS},
     NULL},
    {"molecules in symbols",
     "C C ( = O ) O\nc 1 c c c c c 1 O\nCl C Cl",
     "",
     {SYMBOLS, SYMBOLS},
     SET "source_separator and target_separator" TO},
    {"COGS",
     "A rose was helped by the dog .\nA dog was helped by the rose .\nThe dog was helped by a rose .\n"
     "The rose was helped by a dog .",
     "rose ( x _ 1 ) AND help . theme ( x _ 3 , x _ 1 )\n* dog ( x _ 6 ) ; help . agent ( x _ 3 , x _ 6 )\n"
     "dog ( x _ 1 ) AND help . theme ( x _ 3 , x _ 1 )\n* rose ( x _ 6 ) ; help . agent ( x _ 3 , x _ 6 )",
     {FEW, SYMBOLS},
     SET "source_separator and target_separator" TO},
    {"SCAN",
     "jump twice and walk left\nwalk left twice and jump\nwalk left and jump twice",
     "I_JUMP I_JUMP I_TURN_LEFT I_WALK\nI_TURN_LEFT I_WALK I_TURN_LEFT I_WALK I_JUMP\nI_TURN_LEFT I_WALK "
     "I_JUMP "
     "I_JUMP",
     {FEW, SYMBOLS},
     SET "source_separator and target_separator" TO},
    {"PCFG SET",
     "swap_first_last copy A8 A6 A3 , B7\nreverse B7 A6 A3 B9\ncopy B9 A6 A8 B7",
     "A3 A6 A8 , B7\nB9 A3 A6 B7\nB9 A6 A8 B7",
     {SYMBOLS, SYMBOLS},
     SET "source_separator and target_separator" TO},
    {"inflection", "walk\nrun\nlook", "walked\nran\nlooked", {LETTERS, LETTERS}, NULL},
    {"names",
     "new delhi\nmumbai\nkolkata\nchennai",
     "नई दिल्ली\nमुंबई\nकोलकाता\nचेन्नई",
     {LETTERS, LETTERS},
     NULL},
    {"dates",
     "5 January 2024\n17 March 1998\n2 May 2011",
     "2024-01-05\n1998-03-17\n2011-05-02",
     {LETTERS, LETTERS},
     NULL},
    {"code",
     "int add(int a, int b) { return a + b; }\nfor (size_t i = 0; i < n; i++) sum += x[i];\n"
     "if (!file) return LB_ERROR_OPEN;",
     "It adds two numbers and returns their sum.\nThe loop sums up all elements of an array.\n"
     "Without a file, this is an error.",
     {LETTERS, SENTENCE},
     NULL},
    {"chords",
     "C G Am F C G F C\nDm G7 C Am F G C\nEm Am Dm G7 C",
     "I V vi IV I V IV I\nii V7 I vi IV V I\n"
     "iii vi ii V7 I",
     {SYMBOLS, SYMBOLS},
     SET "source_separator and target_separator" TO},
    {"amino acids",
     "MKVLATQW\nGAVLIPF\nMSTNPKPQR",
     "H H H C C E E E\nC C H H H H C\nC C E E E C C H H",
     {LETTERS, SYMBOLS},
     SET "target_separator" TO},
    {"sounds",
     "cat\nread\nthought",
     "K AE1 T\nR IY1 D\nTH AO1 T",
     {LETTERS, SYMBOLS},
     SET "target_separator" TO},
    {"numbers",
     "3 1 2\n40 7 25 6\n9 8",
     "1 2 3\n6 7 25 40\n8 9",
     {SYMBOLS, SYMBOLS},
     SET "source_separator and target_separator" TO},
    {"subword-nmt",
     "The cat hea@@ rs the hou@@ se .",
     "Le chat ent@@ end la mai@@ son .",
     {PIECES, PIECES},
     SET "source_separator and target_separator" TO},
    {"SentencePiece",
     "▁The ▁cat ▁hear s ▁it .",
     "▁Le ▁chat ▁l ' ent end .",
     {PIECES, PIECES},
     SET "source_separator and target_separator" TO},
    {"WordPiece and text",
     "the cat hear ##s the house .",
     "Le chat entend la maison rouge.",
     {PIECES, SENTENCE},
     SET "source_separator" TO},
    {"translations",
     "Zwei Hunde spielen im Schnee.\nEine Frau liest auf einer Bank ihr Buch.",
     "Two dogs are playing in the snow.\nA woman reads her book on some bench.",
     {SENTENCE, SENTENCE},
     NULL},
};

/* Cuts texts at their line ends. */
static int64_t cut(char *text, const char *line[LINES])
{
    int64_t count = 0;
    char *rest;
    for (char *at = strtok_r(text, "\n", &rest); at; at = strtok_r(NULL, "\n", &rest)) line[count++] = at;
    return count;
}

START_TEST(test_text_kind_of_files_as_people_have_them)
{
    for (size_t i = 0; SUPPORT_ROW(i, rows); i++) {
        const char *source[2 * LINES], *target[2 * LINES], *features[2 * LINES];
        char *sources = strdup(rows[i].source), *targets = strdup(*rows[i].target ? rows[i].target : sources);
        char said[LB_MESSAGE_LENGTH] = "";
        lb_error error = {0};
        lb_texts found;
        const char *feature = strcmp(rows[i].name, "inflection") == 0 ? "V;PST" : NULL;
        const int64_t count = cut(sources, source);
        ck_assert_int_eq(cut(targets, target), count);
        for (int64_t k = 0; k < 2 * count; k++) { /* what is there again says nothing new */
            source[k] = source[k % count];
            target[k] = target[k % count];
            features[k] = feature;
        }
        lb_pair_format format = {.source.features = feature ? ";" : NULL};
        lb_pairs *pairs = lb_pairs_from_memory((lb_pair_texts){.source = source,
                                                               .target = target,
                                                               .features = feature ? features : NULL,
                                                               .count = 2 * count},
                                               format, &error);
        ck_assert_msg(pairs, "%s: %s", rows[i].name, error.message);
        ck_assert_int_eq(lb_texts_look(pairs, &found, &error), LB_OK);
        for (int side = 0; side < 2; side++)
            ck_assert_msg(found.kind[side] == rows[i].kind[side], "%s: %d, not %d", rows[i].name,
                          (int)found.kind[side], (int)rows[i].kind[side]);
        const char *advice = lb_texts_say(&found, pairs, false, said) ? strchr(said, ';') : NULL;
        ck_assert_msg(!advice == !rows[i].advice && (!advice || strcmp(advice, rows[i].advice) == 0),
                      "%s: %s", rows[i].name, said);
        lb_pairs_close(pairs);
        free(sources);
        free(targets);
    }
}
END_TEST

static const char *joined(const char *learned, const char *text)
{
    static char now[128];
    lb_text_facts facts = {0};
    ck_assert_int_eq(lb_text_facts_add(&facts, learned, NULL), LB_OK);
    strcpy(now, text);
    lb_text_join_pieces(&facts, now);
    lb_text_facts_free(&facts);
    return now;
}

START_TEST(test_text_join_pieces_makes_the_words_that_the_tool_has_cut)
{
    ck_assert_str_eq(joined("a hou@@ se", "the hou@@ se ent@@ end@@ s it@@"), "the house entends it");
    ck_assert_str_eq(joined("a hou ##se", "the hou ##se ##s #1"), "the houses #1");
    ck_assert_str_eq(joined("▁a ▁hou se", "▁the ▁hou se ▁l ' eau"), " the house l'eau");
    ck_assert_str_eq(joined("a house", "the hou@@ se ##es"), "the hou@@ se ##es");
}
END_TEST
