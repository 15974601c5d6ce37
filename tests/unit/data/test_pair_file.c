/* Formats of files of pairs: what is recognised, how lines are divided, and what is nobody's format. */
#include "data/pairs.h"

#include "base/alloc.h"
#include "data/formats/convert.h"
#include "io/plain_copy.h"
#include "support/suite.h"
#include "support/tempdir.h"

#include <stdio.h>
#include <string.h>
#include <unistd.h>

// NOLINTBEGIN(bugprone-reserved-identifier,cert-dcl37-c,cert-dcl51-cpp): names that the linker makes

/* Bytes that were divided into fields: --wrap of the linker sends all calls through here. */
static size_t divided;

lb_pair_line_is __real_lb_pair_kind_split(lb_pair_kind *kind, const char *line, size_t length, bool open,
                                          lb_fields *fields);
lb_pair_line_is __wrap_lb_pair_kind_split(lb_pair_kind *kind, const char *line, size_t length, bool open,
                                          lb_fields *fields);
lb_pair_line_is __wrap_lb_pair_kind_split(lb_pair_kind *kind, const char *line, size_t length, bool open,
                                          lb_fields *fields)
{
    divided += length;
    return __real_lb_pair_kind_split(kind, line, length, open, fields);
}

// NOLINTEND(bugprone-reserved-identifier,cert-dcl37-c,cert-dcl51-cpp)

/* The format, the number of the last line, and all pairs: "csv 3: a|b c|d". Symbols have nothing between them. */
static const char *read_all(const char *text, lb_pair_format format)
{
    static char found[1024];
    char path[SUPPORT_PATH];
    lb_error error = {0};
    support_write_file(support_path(path, "file"), text, strlen(text));
    lb_pairs *pairs = lb_pairs_open(path, format, &error);
    if (!pairs) {
        snprintf(found, sizeof found, "%s", error.message + strlen(path));
        return found;
    }
    const lb_pair_file *file = &pairs->file;
    int used = snprintf(found, sizeof found, "%s%s:", file->kind, file->header ? "+" : "");
    for (int64_t i = 0; i < lb_pairs_count(pairs); i++) {
        const lb_pair_line *line;
        ck_assert_int_eq(lb_pairs_read(pairs, i, &line, &error), LB_OK);
        const lb_symbols *sides[] = {&line->source, &line->target};
        for (int side = 0; side < 2; side++)
            for (size_t at = 0; at <= sides[side]->count; at++)
                used += snprintf(found + used, sizeof found - (size_t)used, "%s%s",
                                 at > 0 ? ""
                                 : side ? "|"
                                        : " ",
                                 at < sides[side]->count ? lb_symbol_name(sides[side]->symbol[at]) : "");
    }
    lb_pairs_close(pairs);
    return found;
}

static const struct {
    const char *text, *kind, *expected;
} cases[] = {
    /* plain */
    {"a\tb\nc\td\n", NULL, ": a|b c|d"},
    {"a,b\tc;d\n", NULL, ": a,b|c;d"},
    {"\xEF\xBB\xBF"
     "a\tb\n",
     NULL, ": a|b"},
    /* CSV */
    {"a,b\nc,d\ne,f\ng,h\ni,j", NULL, "csv: a|b c|d e|f g|h i|j"},
    {"\xEF\xBB\xBF"
     "a,\"b\"\r\nc,d\r\n",
     NULL, "csv: a|b c|d"},
    {"\"a\",b\n\nc,d\n \n", NULL, "csv: a|b c|d"},
    /* too little for a table */
    {"a,b\nc,d", NULL, ":1: found text with commas, "},
    {"Go, he says\nNo, she says\nGo, go\nWell, no\nSo, stay\n", NULL, ":1: found text with commas, "},
    {"Dear sir,\nI go,\nyou stay,\nall is well,\nyours,\n", NULL, ":1: found text with commas, "},
    {"he goes; she stays\nhe stays; she goes\n1; 2\n3; 4\n5; 6\n", NULL, ":1: found text with semicolons, "},
    {"\"a,\"\"x\",b\n\"c\ty\",d\n", "csv", "csv: a,\"x|b c y|d"},
    {"\"a\n\nx\",b\nc,d\n", "csv", "csv: a  x|b c|d"},
    {"\"a\n\"\"x\ny\",b\nc,d\n", NULL, "csv: a \"x y|b c|d"},
    {"\"a\nx\",b,c\nc,d\n", NULL, ":1: found 1 column, expected 2"},
    {"\"a\nx,b\nc,d\n", "csv", ":1: found 1 column, expected 2"},
    {"a,b\nc\n", "csv", ":2: found 1 column, expected 2"},
    {"\n\na,b\nc\n", "csv", ":4: found 1 column, expected 2"},
    {"a,b\nc,d\ne,f\ng,h\n", NULL, ":1: found text with commas, "},
    {"a,b\nc,d\n\"e\",f\ng,h\n", NULL, "csv: a|b c|d e|f g|h"},
    {"a;b\nc;d\ne;f\ng;h\n", NULL, ":1: found text with semicolons, "},
    {"a;b\nc,x;d\ne;f\ng;h\ni;j\n", NULL, "csv:;: a|b c,x|d e|f g|h i|j"},
    {"word,ipa\nc,d\n", NULL, "csv+: c|d"},
    {"ipa,rank,Word\nd,1,c\n", NULL, "csv+: c|d"},
    {"one,two\nc,d\n", "csv+header", "csv+header+: c|d"},
    {"word\tipa\nc\td\n", NULL, "+: c|d"},
    {"word\tipa\nc\td\n", "tsv", "tsv: word|ipa c|d"},
    /* dictionaries */
    {"A  AH0\nREAD(2) R EH1 D\n", NULL, "cmudict: A|AH0 READ|REH1D"},
    {";;; x\nA  AH0  # an A\n", NULL, "cmudict: A|AH0"},
    {"A  AH0\nB  BOY\n", NULL, ":1: found 1 column, expected 2, separated by tabs"},
    {"A  AH0\nB  BOY\n", "cmudict", "cmudict: A|AH0 B|BOY"},
    {"(1) W AH1 N\n:( S AE1 D\nx() K S\n", "cmudict", "cmudict: (1)|WAH1N :(|SAE1D x()|KS"},
    /* JSON */
    {"{\"de\":\"a\",\"en\":\"b\"}\n{\"en\":\"d\",\"de\":\"c\"}\n", NULL, "jsonl: a|b c|d"},
    {"{\"n\":1,\"src\":\"a\",\"tgt\":[\"b\",\"c\"]}\n", NULL, "jsonl: a|b a|c"},
    {"{\"t\":{\"de\":\"a\\tx\",\"en\":\"b\"}}\n", NULL, "jsonl: a x|b"},
    {"{\"a\":\"a\",\"b\":\"b\"}\n{\"a\":\n", "jsonl", ":2: found 1 column, expected 2"},
    {"{\"a\":\"a\",\"b\":\"b\"}\n{\"a\":\"c\"}\n", "jsonl", ":2: found an empty target, expected text"},
    /* one text between two others */
    {"a -> b\nc -> d\n", NULL, "lines: -> : a|b c|d"},
    {"a->b, c, \nd->e\n", NULL, "lists:->: a|b a|c d|e"},
    {"a: b\nc: d\n", NULL, "lines:: : a|b c|d"},
    {"a ~ b\nc~d\n", NULL, "lines:~: a|b c|d"},
    {"a->b->\nc->d\n", NULL, ":1: found 1 column, expected 2"},
    {"a->\nc->d\n", NULL, ":1: found an empty target, expected text"},
    {"a -> b -> c\n", "lines: -> ", "lines: -> : a|b -> c"},
    {"a -> b\nc\n", "lines: -> ", ":2: found 1 column, expected 2"},
    {"a -> b\n", "lines:->+header", ": found an empty file"},
    /* features */
    {"a\tb\tV;X\n\nc\td\tN;Y\n", NULL, "unimorph: aVX|b cNY|d"},
    {"a\tV;X\tb\nc\tN;Y\td\n", NULL, "unimorph: aVX|b cNY|d"},
    {"a\tpos=V,t=X\tb\nc\tpos=N\td\n", NULL, "unimorph: apos=Vt=X|b cpos=N|d"},
    {"a\tb\tpos=V,t=X\nc\td\tpos=N\n", NULL, "unimorph: apos=Vt=X|b cpos=N|d"},
    {"a\tb\tV;X\nc\td\tN\ne\tf\tN;Y\n", NULL, "unimorph: aVX|b cN|d eNY|f"},
    /* no features: half of them are divided; a small letter; an assignment missing; both columns may be them */
    {"a\tb\tV;X\nc\td\tN\n", NULL, ":1: found 3 columns, expected 2"},
    {"a\tb\tV;X\nc\td\tN;x\ne\tf\tN;Y\n", NULL, ":1: found 3 columns, expected 2"},
    {"a\tb\tpos=V\nc\td\tn\n", NULL, ":1: found 3 columns, expected 2"},
    {"a\tV;X\tN;Y\nc\tN;Z\tV;Z\n", NULL, ":1: found 3 columns, expected 2"},
    {"lemma\tform\tfeatures\na\tb\tV;X\n", NULL, "+: aVX|b"},
    {"a\tb\tc\n", NULL, ":1: found 3 columns, expected 2, separated by tabs; choose two of them"},
    {"a\tb\tCC-BY 2.0\nc\td\tCC-BY 2.0\n", NULL, ": a|b c|d"},
};

START_TEST(test_pair_file_is_read_as_what_it_is)
{
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        const char *found = read_all(cases[i].text, (lb_pair_format){.kind = cases[i].kind});
        ck_assert_msg(strncmp(found, cases[i].expected, strlen(cases[i].expected)) == 0, "%s: %s",
                      cases[i].text, found);
    }
}
END_TEST

START_TEST(test_pair_file_lines_of_an_open_quote_are_divided_once)
{
    enum { LINES = 2000 };
    static char text[8 * LINES + 16] = "\"";
    char *end = text + 1;
    for (int i = 0; i < LINES; i++) end += sprintf(end, "a\"\"b\n");
    sprintf(end, "\",c\n");
    divided = 0;
    ck_assert_str_eq(read_all(text, (lb_pair_format){.kind = "csv"}),
                     ":1: found a source of 8000 symbols, expected at most 1000");
    ck_assert_uint_lt(divided, 2 * sizeof text);
}
END_TEST

START_TEST(test_pair_file_given_columns_are_used)
{
    const lb_pair_format reversed = {.source_column = 2, .target_column = 1};
    ck_assert_str_eq(read_all("\"a\",b\nc,d\n", reversed), "csv: b|a d|c");
    ck_assert_str_eq(read_all("word,ipa\nc,d\n", reversed), "csv+: d|c");
    ck_assert_str_eq(read_all("a->b, c\nd->e\n", reversed), "lists:->: b|a c|a e|d");
    const lb_pair_format features = {.features_column = 3, .source.features = ";"};
    ck_assert_str_eq(read_all("a\tb\tV;X\nc\td\tN;Y\n", features), ": aVX|b cNY|d");
}
END_TEST

START_TEST(test_pair_file_weights_repeat_pairs)
{
    lb_pair_format format = {.weight_column = 3};
    ck_assert_str_eq(read_all("a\tb\t2\nc\td\t0\ne\tf\t1.0\n", format), ": a|b a|b e|f");
    ck_assert_str_eq(read_all("a\tb\t-1\n", format),
                     ":1: found \"-1\" in column 3, expected a weight, a number from 0 to 1000000");
    ck_assert_str_eq(read_all("a\tb\t1\nc\td\n", format),
                     ":2: found \"\" in column 3, expected a weight, a number from 0 to 1000000");
    enum { LINES = 400, HALF = 200, FAR = 40 };
    static char text[LINES * 8 + 1];
    for (int i = 0; i < LINES; i++) strcat(text, "a\tb\t.5\n");
    const char *found = read_all(text, format);
    int count = 0;
    for (const char *at = found; (at = strchr(at, '|')) != NULL; at++) count++;
    ck_assert_int_lt(count, HALF + FAR);
    ck_assert_int_gt(count, HALF - FAR);
    ck_assert_str_eq(found, read_all(text, format));
}
END_TEST

/* A weight of a million repeats its line as often: the copy has a limit, and does not fill the disk. */
START_TEST(test_pair_file_weights_have_no_more_room_than_the_copy)
{
    static const char text[] = "a\tb\t1000000\n";
    enum { MOST = 100000 };
    lb_pair_kind kind;
    lb_error error = {0};
    lb_converted met = {0};
    ck_assert_int_eq(lb_pair_kind_parse("", &kind, &error), LB_OK);
    lb_conversion asked = {.name = "file",
                           .from = lb_nameless_file(),
                           .targets = -1,
                           .to = lb_nameless_file(),
                           .most = MOST,
                           .kind = &kind,
                           .weight_column = 3,
                           .met = &met};
    ck_assert_int_eq(pwrite(asked.from, text, sizeof text - 1, 0), sizeof text - 1);
    ck_assert_int_eq(lb_convert(&asked, &error), LB_ERROR_FORMAT);
    ck_assert_ptr_nonnull(strstr(error.message, "file: its temporary copy is too large"));
    ck_assert_int_le(lseek(asked.to, 0, SEEK_END), MOST);
    close(asked.from);
    close(asked.to);
    lb_pair_kind_free(&kind);
}
END_TEST

/* Only TSV is plain, by whichever name, and what no name says is TSV. */
START_TEST(test_pair_kind_is_that_of_its_name_wherever_its_row_is)
{
    static const struct {
        const char *name;
        bool plain, tabs;
    } kinds[] = {{NULL, true, true},          {"", true, true},          {"tsv", true, true},
                 {"tsv+header", false, true}, {"unimorph", false, true}, {"csv", false, false},
                 {"cmudict", false, false},   {"jsonl", false, false},   {"lines: -> ", false, false},
                 {"lists: -> ", false, false}};
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++) {
        lb_pair_kind kind;
        ck_assert_int_eq(lb_pair_kind_parse(kinds[i].name, &kind, NULL), LB_OK);
        ck_assert_int_eq(lb_pair_kind_is_plain(&kind), kinds[i].plain);
        ck_assert_int_eq(lb_pair_kind_has_tabs(&kind), kinds[i].tabs);
        lb_pair_kind_free(&kind);
    }
}
END_TEST

int main(void)
{
    return support_run_tests(
        "pair_file", SUPPORT_TESTS(test_pair_file_is_read_as_what_it_is,
                                   test_pair_file_lines_of_an_open_quote_are_divided_once,
                                   test_pair_file_given_columns_are_used, test_pair_file_weights_repeat_pairs,
                                   test_pair_file_weights_have_no_more_room_than_the_copy,
                                   test_pair_kind_is_that_of_its_name_wherever_its_row_is));
}
