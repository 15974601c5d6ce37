/* The lexicon of a model: what is put into it is found again, in its order, and nothing else is; and bytes that are no
 * lexicon, or contradict themselves, are refused when they are opened. */
#include "translate/file/lexicon.h"

#include "support/alloc.h"
#include "support/suite.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <zlib.h>

enum { HEAD = 12, WORD = 4 };

static const lb_symbol_rule letters = {.normalize = LB_NORMAL_FORM_NFD};
static const lb_symbol_rule sounds = {.separator = " ", .normalize = LB_NORMAL_FORM_NFD};
static lb_error error;

static lb_lexicon_maker maker_of(bool folds)
{
    return (lb_lexicon_maker){.source = &letters, .target = &sounds, .folds = folds};
}

static lb_symbols split(const lb_symbol_rule *rule, const char *text)
{
    lb_symbols symbols = {0};
    ck_assert_int_eq(lb_symbols_split(rule, text, strlen(text), &symbols, &error), LB_OK);
    return symbols;
}

static void add(lb_lexicon_maker *maker, const char *source, const char *answer, bool given)
{
    lb_symbols from = split(&letters, source), to = split(&sounds, answer);
    ck_assert_int_eq(lb_lexicon_add(maker, &from, &to, given, &error), LB_OK);
    lb_symbols_free(&from);
    lb_symbols_free(&to);
}

static lb_lexicon finish(lb_lexicon_maker *maker)
{
    lb_lexicon lexicon;
    ck_assert_int_eq(lb_lexicon_finish(maker, &lexicon, &error), LB_OK);
    lb_lexicon_maker_free(maker);
    return lexicon;
}

/* All answers, each with a bar behind it; "" if there is no entry. */
static const char *join_answers(const char *answers)
{
    static char all[1 << 12];
    size_t length;
    all[0] = '\0';
    for (const char *answer; (answer = lb_lexicon_next_answer(&answers, &length));)
        strcat(strncat(all, answer, length), "|");
    return all;
}

/* The same for a source, in the order in which they are written. */
static const char *find(const lb_lexicon *lexicon, const char *source)
{
    static char all[1 << 12];
    lb_symbols symbols = split(&letters, source);
    lb_lexicon_answers found;
    size_t length;
    ck_assert_int_eq(lb_lexicon_ask(lexicon, &letters, &symbols, &found, &error), LB_OK);
    all[0] = '\0';
    for (int others = 0; others < 2; others++)
        for (const char *next = found.first, *at; (at = next);) {
            const char *answer = lb_lexicon_next_answer(&next, &length);
            bool alike = found.like && lb_lexicon_are_alike(at, found.like);
            if (alike != others) strcat(strncat(all, answer, length), "|");
        }
    lb_symbols_free(&symbols);
    return all;
}

START_TEST(test_lexicon_find_after_finish_has_each_entry_and_no_other)
{
    enum { ENTRIES = 5000 };
    char source[32], answer[32];
    lb_lexicon_maker maker = maker_of(false);
    for (int i = 0; i < ENTRIES; i++) { /* in no order */
        snprintf(source, sizeof source, "w%dx", i * 37 % ENTRIES * 2);
        snprintf(answer, sizeof answer, "a b %d", i * 37 % ENTRIES * 2);
        add(&maker, source, answer, true);
    }
    lb_lexicon lexicon = finish(&maker);
    ck_assert_int_eq(lexicon.entries, ENTRIES);
    for (int i = -1; i <= 2 * ENTRIES; i++) {
        snprintf(source, sizeof source, "w%dx", i);
        snprintf(answer, sizeof answer, "a b %d|", i);
        bool there = i >= 0 && i % 2 == 0 && i < 2 * ENTRIES;
        SUPPORT_CHECK(strcmp(find(&lexicon, source), there ? answer : "") == 0, "%s", source);
        source[strlen(source) - 1] = '\0'; /* the beginning of a key is none */
        SUPPORT_CHECK(*find(&lexicon, source) == '\0', "%s", source);
    }
    ck_assert_str_eq(find(&lexicon, "w"), "");
    ck_assert_str_eq(find(&lexicon, "zz"), "");
    lb_lexicon_walk walk = {.lexicon = &lexicon};
    int count = 0;
    for (; lb_lexicon_walk_next(&walk, &error); count++)
        ck_assert_ptr_eq(lb_lexicon_find(&lexicon, walk.key.text), walk.answers);
    lb_lexicon_walk_end(&walk);
    ck_assert_int_eq(error.status, LB_OK);
    ck_assert_int_eq(count, ENTRIES);
    lb_lexicon_free(&lexicon);
}
END_TEST

START_TEST(test_lexicon_answers_keep_the_order_of_given_ones_and_learned_ones_that_of_their_number)
{
    lb_lexicon_maker maker = maker_of(false);
    add(&maker, "given", "b a", true);
    add(&maker, "given", "a b", true);
    add(&maker, "given", "b a", true);    /* again: nothing new */
    add(&maker, "given", "b b b", false); /* the entry is given */
    add(&maker, "learned", "a", false);
    add(&maker, "learned", "b", false);
    add(&maker, "learned", "b", false);
    add(&maker, "learned", "unknown symbols", false);
    lb_lexicon lexicon = finish(&maker);
    ck_assert_str_eq(find(&lexicon, "given"), "b a|a b|");
    ck_assert_str_eq(find(&lexicon, "learned"), "b|a|unknown symbols|");
    lb_lexicon_free(&lexicon);
}
END_TEST

START_TEST(test_lexicon_key_of_another_normal_form_or_case_is_the_same_if_it_folds)
{
    static const struct {
        const char *source, *exact, *folded;
    } cases[] = {
        {"Stra\xc3\x9f\xc3\xa9", "a|", "a|"}, /* composed */
        {"STRA\xe1\xba\x9e\xc3\x89", "", "a|"},
        {"STRASS\xc3\x89", "", "b|"},   /* by lower case: sharp s is no double s */
        {"\xce\x9f\xce\xa3", "", "c|"}, /* sigma at the end of a word */
    };
    for (int folds = 0; folds <= 1; folds++) {
        lb_lexicon_maker maker = maker_of(folds);
        add(&maker,
            "Stra\xc3\x9f"
            "e\xcc\x81",
            "a", true); /* ends in é, decomposed */
        add(&maker, "strass\xc3\xa9", "b", true);
        add(&maker, "\xce\xbf\xcf\x82", "c", true);
        lb_lexicon lexicon = finish(&maker);
        for (size_t i = 0; SUPPORT_ROW(i, cases); i++)
            ck_assert_str_eq(find(&lexicon, cases[i].source), folds ? cases[i].folded : cases[i].exact);
        lb_lexicon_free(&lexicon);
    }
}
END_TEST

START_TEST(test_lexicon_answers_are_by_spelling_then_weight_then_number)
{
    static const struct {
        const char *source, *answer;
        double weight;
    } given[] = {{"job", "small", 0.2}, {"Job", "rare", 0.1}, {"Job", "name", 0.7}, {"job", "name", 0.2},
                 {"cat", "first", 0},   {"Cat", "name", 0},   {"cat", "second", 0}, {"job", "small", 0.3}};
    static const struct {
        const char *source, *answers;
    } cases[] = {{"job", "small|name|name|rare|"}, {"Job", "name|rare|small|name|"},
                 {"JOB", "name|small|name|rare|"}, {"cat", "first|second|name|"},
                 {"Cat", "name|first|second|"},    {"cAt", "first|name|second|"}};
    lb_lexicon_maker maker = maker_of(true);
    for (size_t i = 0; SUPPORT_ROW(i, given); i++) {
        maker.weight = given[i].weight;
        add(&maker, given[i].source, given[i].answer, true);
    }
    lb_lexicon made, opened;
    ck_assert_int_eq(lb_lexicon_finish(&maker, &made, &error), LB_OK);
    ck_assert_int_eq(maker.different, 2);
    lb_lexicon_maker_free(&maker);
    ck_assert_int_eq(lb_lexicon_open(&opened, &letters, &sounds, made.bytes, made.size, &error), LB_OK);
    ck_assert_int_eq(opened.entries, 2);
    for (size_t i = 0; SUPPORT_ROW(i, cases); i++)
        ck_assert_str_eq(find(&opened, cases[i].source), cases[i].answers);
    lb_lexicon_free(&made);
    lb_lexicon_free(&opened);
}
END_TEST

START_TEST(test_lexicon_key_has_features)
{
    const lb_symbol_rule rule = {.features = ";", .normalize = LB_NORMAL_FORM_NFD};
    lb_symbols symbols = split(&rule, "Go\tV;PST");
    char *key = lb_lexicon_key(&rule, &symbols, LB_KEYS_SMALL, &error);
    ck_assert_str_eq(key, "go\tV;PST");
    lb_lexicon_maker maker = maker_of(false); /* of a model without features */
    ck_assert_int_eq(lb_lexicon_add(&maker, &symbols, &symbols, true, &error), LB_ERROR_FORMAT);
    lb_lexicon_maker_free(&maker);
    lb_release(key);
    lb_symbols_free(&symbols);
}
END_TEST

START_TEST(test_lexicon_add_of_no_answer_is_an_error_and_of_nothing_no_lexicon)
{
    lb_lexicon_maker maker = maker_of(false);
    lb_symbols source = split(&letters, "word"), none = {0};
    ck_assert_int_eq(lb_lexicon_add(&maker, &source, &none, true, &error), LB_ERROR_FORMAT);
    ck_assert_str_eq(error.message, "found no answer for \"word\", expected at least a symbol");
    lb_symbols_free(&source);
    ck_assert_ptr_null(finish(&maker).bytes);
}
END_TEST

static lb_lexicon some(void)
{
    char source[32];
    lb_lexicon_maker maker = maker_of(false);
    for (int i = 0; i < 40; i++) {
        snprintf(source, sizeof source, "word%d", i);
        add(&maker, source, i % 3 ? "a b" : "new", true);
        add(&maker, source, "t\xca\x83 a", true);
    }
    return finish(&maker);
}

/* Looks up and lists, whatever that finds. */
static int64_t use(const lb_lexicon *lexicon)
{
    int64_t entries = 0;
    for (int i = 0; i < 40; i++) {
        char word[32];
        snprintf(word, sizeof word, "word%d", i);
        join_answers(lb_lexicon_find(lexicon, word));
    }
    lb_error found = {0};
    lb_lexicon_walk walk = {.lexicon = lexicon};
    for (; lb_lexicon_walk_next(&walk, &found); entries++) join_answers(walk.answers);
    lb_lexicon_walk_end(&walk);
    return found.status ? -1 : entries;
}

/* Keys that begin with no, 100 or 200 times the same letter, and how they end. */
static const char *shared_key(int number)
{
    static const char *const ends[] = {"x", "y", "ya", "\xc9\x9b", "\xc9\x9c", "\xc9\x9cx", "\xca\x9c"};
    enum { ENDS = sizeof ends / sizeof *ends };
    static char key[256];
    memset(key, 'w', sizeof key);
    strcpy(key + (size_t)(number / ENDS) * 100, ends[number % ENDS]);
    return key;
}

START_TEST(test_lexicon_keys_share_bytes_but_no_part_of_a_character)
{
    enum { KEYS = 21 };
    char answer[16];
    lb_lexicon_maker maker = maker_of(false);
    for (int i = 0; i < KEYS; i++) {
        snprintf(answer, sizeof answer, "%d", i);
        add(&maker, shared_key(i), answer, true);
    }
    lb_lexicon lexicon = finish(&maker);
    ck_assert_uint_lt(lexicon.size, 1400); /* their texts have more than 2,100 bytes */
    for (int i = 0; i < KEYS; i++) {
        snprintf(answer, sizeof answer, "%d|", i);
        ck_assert_str_eq(find(&lexicon, shared_key(i)), answer);
    }
    ck_assert_str_eq(find(&lexicon, "\xca\x9b"), "");
    ck_assert_int_eq(use(&lexicon), KEYS);
    lb_lexicon_free(&lexicon);
}
END_TEST

static lb_status open_bytes(lb_lexicon *opened, const void *bytes, size_t size, lb_error *found)
{
    *found = (lb_error){0};
    return lb_lexicon_open(opened, &letters, &sounds, bytes, size, found);
}

START_TEST(test_lexicon_open_of_damaged_bytes_is_refused)
{
    lb_lexicon whole = some(), opened;
    lb_error found;
    ck_assert_int_eq(use(&whole), 40);
    unsigned char *bytes = malloc(whole.size);
    for (size_t at = 0; at < whole.size; at++)
        for (int bit = 0; bit < 8; bit++) {
            memcpy(bytes, whole.bytes, whole.size);
            bytes[at] ^= (unsigned char)(1 << bit);
            lb_status status = open_bytes(&opened, bytes, whole.size, &found);
            SUPPORT_CHECK(status == LB_ERROR_FORMAT && !opened.bytes, "byte %zu, bit %d", at, bit);
        }
    for (size_t size = 0; size < whole.size; size++)
        ck_assert_int_eq(open_bytes(&opened, whole.bytes, size, &found), LB_ERROR_FORMAT);
    ck_assert_int_eq(open_bytes(&opened, whole.bytes, whole.size, &found), LB_OK);
    ck_assert_int_eq(use(&opened), 40);
    lb_lexicon_free(&opened);
    free(bytes);
    lb_lexicon_free(&whole);
}
END_TEST

#define KEYS(a, b) "\0" a "\0" b "\xff"

START_TEST(test_lexicon_open_of_a_contradiction_names_its_entry)
{
    static const struct {
        const char *entries;
        size_t bytes;
        uint32_t count, folds;
        const char *error; /* NULL: it is sound */
    } cases[] = {
#define CASE(entries, count, folds, error) {entries, sizeof(entries) - 1, count, folds, error}
        CASE(KEYS("a", "x") KEYS("b", "x y\0z"), 2, 0, NULL),
        CASE(KEYS("A", "x") KEYS("B", "x"), 2, 0, NULL),
        CASE(KEYS("a", "x"), 0, 0, "entry 1: found the end, expected 0 entries"),
        CASE(KEYS("a", "x"), 2, 0, "entry 1: found the end, expected 2 entries"),
        CASE(KEYS("a", "x"), UINT32_MAX, 0, "entry 1: found the end, expected 4294967295 entries"),
        CASE(KEYS("a", "x"), 1, 3, "found another checksum, head or end"),
        CASE(KEYS("a", "x") KEYS("c", "x") KEYS("b", "x"), 3, 0, "entry 3: found a key that is not after"),
        CASE(KEYS("a", "x") KEYS("a", "x"), 2, 0, "entry 2: found a key that is not after"),
        CASE(KEYS("ab", "x") KEYS("a", "x"), 2, 0, "entry 2: found a key that is not after"),
        CASE(KEYS("", "x"), 1, 0, "entry 1: found a key that is not after"),
        CASE("\1a\0x\xff", 1, 0, "entry 1: found a key that is not after"),
        CASE(KEYS("ab", "x") "\3c\0x\xff", 2, 0, "entry 2: found a key that is not after"),
        CASE(KEYS("a", "x") "\1b\0x\xff\1c\0x\xff\1d\0x\xff\1e\0x\xff\1f\0x\xff\1g\0x\xff\1h\0x\xff"
                            "\1i\0x\xff",
             9, 0, "entry 9: found a key that is not after"), /* each eighth one is whole */
        CASE(KEYS("\xcc\x80", "x") "\1z\0x\xff", 2, 0, "entry 2: found a key that is not after"),
        CASE(KEYS("\xcc\x80", "x") "\1\xcd\x80\0x\xff", 2, 0,
             "entry 2: found 0xCC at byte 1, expected UTF-8"),
        CASE("\0a\xff", 1, 0, "entry 1: found no answer after a key"),
        CASE("\xff", 1, 0, "entry 1: found no answer after a key"),
        CASE(KEYS("a", "x") "\xff", 2, 0, "entry 2: found no answer after a key"),
        CASE(KEYS("a", "\xe9"), 1, 0, "entry 1: found 0xE9 at byte 1, expected UTF-8"),
        CASE(KEYS("a\xe9", "x"), 1, 0, "entry 1: found 0xE9 at byte 2, expected UTF-8"),
        CASE(KEYS("a", ""), 1, 0, "entry 1: found no symbols"),
        CASE(KEYS("a", "x\0"), 1, 0, "entry 1: found no symbols"),
        CASE(KEYS("a", "  "), 1, 0, "entry 1: found no symbols"),
        CASE(KEYS("a", "x\ty"), 1, 0, "entry 1: found a tab or a line end"),
        CASE(KEYS("a", "x\ny"), 1, 0, "entry 1: found a tab or a line end"),
        CASE(KEYS("a", "x\0x \n y"), 1, 0, "entry 1: found a tab or a line end"),
        CASE(KEYS("a\nb", "x"), 1, 0, "entry 1: found a tab or a line end"),
        CASE(KEYS("a\tV", "x"), 1, 0, "entry 1: found a tab or a line end"),
        CASE(KEYS("\xc3\xa9", "x"), 1, 0, "entry 1: found the key \"\xc3\xa9\", which no source can have"),
        CASE(KEYS("A", "x"), 1, 1, "entry 1: found the key \"A\", which no source can have"),
        CASE(KEYS("strasse", "x"), 1, 1, NULL), /* by full case folding, of an older file */
        CASE(KEYS("a", "\xfe"
                       "A\xfex"),
             1, 1, "entry 1: found a spelling without need or end"),
        CASE(KEYS("a", "\xfe"
                       "A\xfex"),
             1, 0, "entry 1: found a spelling without need or end"),
        CASE(KEYS("a", "\xfe"
                       "A\xfex"),
             1, 2, NULL),
        CASE(KEYS("a", "\xfe"
                       "A\xfex\0y\0\xfe"
                       "A\xfez"),
             1, 2, NULL),
        CASE(KEYS("A", "x"), 1, 2, "entry 1: found the key \"A\", which no source can have"),
        CASE(KEYS("a", "\xfe"
                       "B\xfex"),
             1, 2, "entry 1: found the key \"a\", which no source can have"),
        CASE(KEYS("\xc3\xa9", "\xfe\xc3\x89\xfex"), 1, 2, "which no source can have"),
        CASE(KEYS("a", "\xfe"
                       "A"),
             1, 2, "entry 1: found a spelling without need or end"),
        CASE(KEYS("a", "\xfe"
                       "a\xfex"),
             1, 2, "entry 1: found a spelling without need or end"),
        CASE(KEYS("a", "\xfe"
                       "A\xfe"),
             1, 2, "entry 1: found no symbols"),
        CASE(KEYS("a", "\xfe\xfex"), 1, 2, "entry 1: found no symbols"),
        CASE(KEYS("a", "\xfe"
                       "A\xfex\xfey"),
             1, 2, "entry 1: found 0xFE at byte 2, expected UTF-8"),
        CASE(KEYS("a", "\xfe"
                       "A\t\xfex"),
             1, 2, "entry 1: found a tab or a line end"),
        CASE(KEYS("a", "\xfe"
                       "A\xfex") KEYS("a", "x"),
             2, 2, "entry 2: found a key that is not after"),
#undef CASE
    };
    for (size_t i = 0; SUPPORT_ROW(i, cases); i++) {
        unsigned char bytes[256] = {0};
        lb_lexicon opened;
        lb_error found;
        size_t size = HEAD + cases[i].bytes;
        memcpy(bytes + HEAD, cases[i].entries, cases[i].bytes);
        for (int k = 0; k < WORD; k++) {
            bytes[WORD + k] = (unsigned char)(cases[i].folds >> 8 * k);
            bytes[2 * WORD + k] = (unsigned char)(cases[i].count >> 8 * k);
        }
        unsigned long sum = crc32_z(0, bytes + WORD, size - WORD);
        for (int k = 0; k < WORD; k++) bytes[k] = (unsigned char)(sum >> 8 * k);
        lb_status status = open_bytes(&opened, bytes, size, &found);
        SUPPORT_CHECK(status == (cases[i].error ? LB_ERROR_FORMAT : LB_OK), "case %zu: %s", i, found.message);
        if (cases[i].error)
            SUPPORT_CHECK(strstr(found.message, "lookback.lexicon: ") == found.message &&
                              strstr(found.message, cases[i].error),
                          "case %zu: %s", i, found.message);
        lb_lexicon_free(&opened);
    }
}
END_TEST

START_TEST(test_lexicon_open_of_keys_with_features_needs_them)
{
    const lb_symbol_rule features = {.features = ";"};
    lb_symbols source = split(&features, "a\tV;PST"), answer = split(&sounds, "x");
    lb_lexicon_maker maker = {.source = &features, .target = &sounds};
    lb_lexicon opened, made;
    lb_error found = {0};
    ck_assert_int_eq(lb_lexicon_add(&maker, &source, &answer, true, &error), LB_OK);
    made = finish(&maker);
    ck_assert_int_eq(lb_lexicon_open(&opened, &features, &sounds, made.bytes, made.size, &found), LB_OK);
    lb_lexicon_free(&opened);
    ck_assert_int_eq(open_bytes(&opened, made.bytes, made.size, &found), LB_ERROR_FORMAT);
    lb_lexicon_free(&made);
    lb_symbols_free(&source);
    lb_symbols_free(&answer);
}
END_TEST

/* Whether it could be made. */
static bool make_and_free(void)
{
    lb_lexicon lexicon = {0};
    lb_error found = {0};
    lb_lexicon_maker maker = maker_of(true);
    lb_symbols source = {0}, answer = {0};
    lb_status status = lb_symbols_split(&letters, "Word", 4, &source, &found);
    if (!status) status = lb_symbols_split(&sounds, "a new", 5, &answer, &found);
    if (!status) status = lb_lexicon_add(&maker, &source, &answer, true, &found);
    if (!status) status = lb_lexicon_finish(&maker, &lexicon, &found);
    SUPPORT_CHECK(status == found.status, "%s", found.message);
    SUPPORT_CHECK(lexicon.entries == (status == LB_OK), "an entry");
    lb_lexicon_maker_free(&maker);
    lb_lexicon_free(&lexicon);
    lb_symbols_free(&source);
    lb_symbols_free(&answer);
    return status == LB_OK;
}

START_TEST(test_lexicon_without_memory_is_an_error_and_nothing_leaks)
{
    support_watch_allocations();
    long failing = 0;
    do support_fail_allocation(++failing);
    while (!make_and_free());
    ck_assert_int_gt(failing, 5);
    ck_assert_int_eq(support_live_allocations(), 0);
}
END_TEST
