#include "data/text/text_kind.h"

#include "base/alloc.h"
#include "lookback/tensor.h"

#include <string.h>

/* How tools mark that pieces of a word belong together. Sources: subword-nmt, WordPiece, SentencePiece. */
static const struct {
    const char *mark;
    bool ends;                 /* the mark is at the end of a piece, not at its beginning */
    const char *within, *word; /* what joins the pieces of a word, and what stands for a blank */
} marks[LB_PIECE_MARKS] = {
    {"@@", true, "@@ ", NULL}, {"##", false, " ##", NULL}, {"\xE2\x96\x81", false, " ", "\xE2\x96\x81"}};

static bool is_piece(int number, const char *word, size_t length)
{
    size_t mark = strlen(marks[number].mark);
    if (length <= mark) return false;
    return memcmp(marks[number].ends ? word + length - mark : word, marks[number].mark, mark) == 0;
}

lb_status lb_text_facts_add(lb_text_facts *facts, const char *text, lb_error *error)
{
    lb_words words = {0};
    char *copy = lb_alloc_string(text);
    const char *const symbol = copy;
    if (copy) copy[strcspn(copy, "\t")] = '\0'; /* features follow */
    if (!facts->words) facts->words = lb_vocabulary_new_reserved(error);
    if (!facts->seen) facts->seen = lb_vocabulary_new_reserved(error);
    lb_status status =
        copy && facts->words && facts->seen ? LB_OK : lb_no_memory(error, "the words of a text");
    bool known = copy && !status && (!*copy || lb_vocabulary_id(facts->seen, copy) != LB_UNK);
    if (!status && !known) status = lb_vocabulary_add(facts->seen, &symbol, 1, error);
    if (!status && !known) status = lb_words_split(copy, &words, error);
    if (!status) status = lb_vocabulary_add(facts->words, words.word, (int64_t)words.count, error);
    for (size_t i = 0; i < words.count && !status; i++) {
        const char *word = words.word[i];
        for (const char *at = word; *at; at++) facts->letters += ((unsigned char)*at & 0xC0) != 0x80;
        facts->formal += word[strcspn(word, "0123456789_=<>{}[]()|/\\^*+#~@$%&")] != '\0';
        for (int k = 0; k < LB_PIECE_MARKS; k++) facts->pieces[k] += is_piece(k, word, strlen(word));
    }
    facts->texts += !known;
    facts->count += (int64_t)words.count;
    facts->several += words.count > 1;
    facts->sentences += words.count >= LB_SENTENCE_WORDS;
    lb_words_free(&words);
    lb_release(copy);
    return status;
}

/* The number of the mark that enough words have; negative: there is none. */
static int mark_of(const lb_text_facts *facts)
{
    enum { SHARE = 20 };
    for (int k = 0; k < LB_PIECE_MARKS; k++)
        if (facts->pieces[k] > 0 && SHARE * facts->pieces[k] >= facts->count) return k;
    return -1;
}

/* Natural languages have many words that occur once, however long a text is; others have few. */
lb_text_kind lb_text_kind_of(const lb_text_facts *facts)
{
    static const double letters_of_words = 2.5, letters_of_symbols = 1.5;
    enum { FORMAL = 4, RUNNING = 20, DIFFERENT = 10, FEW = 100 };
    int64_t once = 0, different = facts->words ? lb_vocabulary_size(facts->words) - LB_FIRST_TOKEN : 0;
    for (int64_t i = 0; i < different; i++)
        once += lb_vocabulary_count(facts->words, (int32_t)i + LB_FIRST_TOKEN) == 1;
    if (mark_of(facts) >= 0) return LB_TEXTS_PIECES;
    if (different == 0 || 2 * facts->several < facts->texts) return LB_TEXTS_CHARACTERS;
    double length = (double)facts->letters / (double)facts->count;
    bool few = RUNNING * once <= facts->count || different <= FEW,
         sentences = 2 * facts->sentences >= facts->texts,
         formal = sentences && FORMAL * facts->formal >= facts->count;
    if (length < letters_of_symbols || (length < letters_of_words && few) ||
        (formal && 2 * once <= different))
        return LB_TEXTS_SYMBOLS;
    if (!sentences || formal) return LB_TEXTS_CHARACTERS;
    return DIFFERENT * once <= different ? LB_TEXTS_WORDS : LB_TEXTS_SENTENCES;
}

void lb_text_join_pieces(const lb_text_facts *facts, char *text)
{
    const int k = mark_of(facts);
    if (k < 0) return;
    lb_text_replace(text, marks[k].within, "");
    if (marks[k].word) lb_text_replace(text, marks[k].word, " ");
    if (marks[k].ends && is_piece(k, text, strlen(text))) text[strlen(text) - strlen(marks[k].mark)] = '\0';
}

void lb_text_facts_free(lb_text_facts *facts)
{
    lb_vocabulary_free(facts->seen);
    lb_vocabulary_free(facts->words);
    *facts = (lb_text_facts){0};
}
