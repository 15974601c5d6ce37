/* Formats of files of pairs: what is recognised, how lines are divided, and what is nobody's format. */
#include "data/pairs/pairs.h"

#include "base/alloc.h"
#include "data/formats/pair_file.h"
#include "io/scratch_file.h"
#include "support/suite.h"
#include "support/tempdir.h"

#include <stdio.h>
#include <string.h>
#include <unistd.h>

// NOLINTBEGIN(bugprone-reserved-identifier,cert-dcl37-c,cert-dcl51-cpp): names that the linker makes

/* Bytes that were divided into fields: --wrap of the linker sends all calls through here. */
static size_t divided;

lb_pair_line_is __real_lb_pair_kind_split(lb_pair_kind *kind, lb_span line, bool open, lb_fields *fields);
lb_pair_line_is __wrap_lb_pair_kind_split(lb_pair_kind *kind, lb_span line, bool open, lb_fields *fields);
lb_pair_line_is __wrap_lb_pair_kind_split(lb_pair_kind *kind, lb_span line, bool open, lb_fields *fields)
{
    divided += line.length;
    return __real_lb_pair_kind_split(kind, line, open, fields);
}

// NOLINTEND(bugprone-reserved-identifier,cert-dcl37-c,cert-dcl51-cpp)

/* The format, the number of the last line, and all pairs: "csv 3: a|b c|d". Symbols have nothing between them. */
static const char *read_all(const char *text, lb_pair_format format)
{
    static char found[1024];
    lb_error error = {0};
    const char *path = support_path("file");
    support_write_file(path, text, strlen(text));
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

#define CONLLU                                                                                               \
    "# text = vamos "                                                                                        \
    "al\n1\tvamos\tir\tV\t_\tM=I\t0\tr\t_\t_\n2-3\tal\t_\t_\t_\t_\t_\t_\t_\t_\n2\ta\t_\tA\t_\t_\t4\tc\t_\t_" \
    "\n"                                                                                                     \
    "3\tel\tel\tD\t_\t_\t4\td\t_\t_\n3.1\tx\tx\tV\t_\t_\t_\t_\t_\t_\n4\t_\t_\tP\t_\tT=U|X=Y\t0\tr\t_\t_\n"

#define F2 "a\tb\tV;X\nc\td\tN;Y\n"

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
    /* quotes over several lines */
    {"\"a\nx,b\nc,d\n", "csv",
     ":1: found a quoted field without an end, expected a quote that closes it; --format "
     "'lines:,' takes quotes for letters"},
    {"a\tb\nc\t\"d\n", "csv:tab",
     ":2: found a quoted field without an end, expected a quote that closes it; "
     "--format tsv takes quotes for letters"},
    {"word,ipa,c\nd,\"e\nx\",\"f\nx,b,y\n", "csv+header",
     ":3: found a quoted field without an end, expected a quote that closes it"},
    {"a,b\nc,d\n\"e,f\ng,h\n\"i,j\nk,l\n", NULL,
     ":3: found a quoted field that goes on to line 5, and text after its end, expected a divider there, or "
     "the end "
     "of the line; --format 'lines:,' takes quotes for letters"},
    {"a,b\n\"c\"x,d\n", "csv", "csv: a|b cx|d"},
    /* decimal commas */
    {"1,5;a,b\n", "csv:;", "csv:;: 1,5|a,b"},
    {"1,5;a\n2,5;b\n3,5;c\n4,5;d\n5,5;e\n", NULL, "csv:;: 1,5|a 2,5|b 3,5|c 4,5|d 5,5|e"},
    {"x;1,5\ny;-2,5\nz;3,5\nu;4,5\nv;5,5\n", NULL, "csv:;: x|1,5 y|-2,5 z|3,5 u|4,5 v|5,5"},
    {"1,5\n2,5\n3,5\n4,5\n5,5\n", NULL, "csv: 1|5 2|5 3|5 4|5 5|5"},
    /* Excel says what divides */
    {"sep=;\na;b\n", NULL, "csv:;: a|b"},
    {"SEP=|\nword|ipa\na|b\n", NULL, "csv:|+: a|b"},
    {"sep=,\r\n\r\na,\"b\"\r\n", NULL, "csv:,: a|b"},
    {"sep=;\na;b\n", "csv:;", "csv:;: a|b"},
    {"\n\nword,ipa\nc,d\n", NULL, "csv+: c|d"},
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
    {"{\"a\":\"a\",\"b\":\"b\"}\n{\"a\":\n", "jsonl",
     ":2: found : at byte 5 of the line, its last, expected a JSON object"},
    {"{\"a\":\"a\",\"b\":\"b\"}\n{\"a\":\"c\"}\n", "jsonl", ":2: found an empty target, expected text"},
    /* Universal Dependencies */
    {CONLLU "\n" CONLLU, NULL, "conllu: vamos|ir el|el _|_ vamos|ir el|el _|_"},
    {CONLLU, "conllu", "conllu: vamos|ir el|el _|_"},
    {"1\ta\tb\n", "conllu", ":1: found 3 columns, expected 10 with a number in the first"},
    {"a\tb\tc\td\te\tf\tg\th\ti\tj\n", "conllu",
     ":1: found 10 columns without it, expected 10 with a number in the first"},
    /* Kaldi */
    {"mat 1.0\tm a t\npit 0.7 p i t\npit .3  p i: t\n", NULL, "lexiconp: mat|mat pit|pit pit|pi:t"},
    {"mat\t1.0\tm a t\npit\t0.7\tp i t\npit\t0.3\tp i: t\n", NULL, "lexiconp: mat|mat pit|pit pit|pi:t"},
    {"mat\t1.0\tmatte\npit\t0.7\tgrube\nfit\t0.3\tgesund\n", NULL, ":1: found 3 columns, expected 2"},
    {"mat 1.0 0.9\tm a t\npit 0.7 1.0\tp i t\npit 0.3 0.1\tp i: t\n", NULL, ": mat 1.0 0.9|m a t"},
    /* SCAN */
    {"IN: jump twice OUT: J J\nIN: jump OUT: J\n", NULL, "scan: jumptwice|JJ jump|J"},
    {" IN:\tjump\tOUT:\tJ\n", NULL, "scan: jump|J"},
    {"IN: jump OUT: J\nIN: run\n", "scan", ":2: found 1 column, expected 2"},
    /* one text between two others */
    {"a -> b\nc -> d\n", NULL, "lines: -> : a|b c|d"},
    {"a->b, c, \nd->e\n", NULL, "lists:->: a|b a|c d|e"},
    {"a: b\nc: d\n", NULL, "lines:: : a|b c|d"},
    {"\"a\", \"b, c\"\n\"d\", \"e\"\n", NULL, "csv: a|b, c d|e"},
    {"a, b\nc, d\n", "csv", "csv: a|b c|d"},
    {"a ~ b\nc~d\n", NULL, "lines:~: a|b c|d"},
    {"s x->f(x,y), [g,h],\nd->{e\n", NULL, "lists:->: s x|f(x,y) s x|[g,h] d|{e"},
    {"a->:), :(\nd->f(x, e\n", NULL, "lists:->: a|:) a|:( d|f(x d|e"},
    {"a->b->\nc->d\n", NULL, ":1: found 1 column, expected 2"},
    {"a->\nc->d\n", NULL, ":1: found an empty target, expected text"},
    {"a -> b -> c\n", "lines: -> ", "lines: -> : a|b -> c"},
    {"a -> b\nc\n", "lines: -> ", ":2: found 1 column, expected 2"},
    {"a -> b\n", "lines:->+header",
     ": found no pair in 1 line, expected at least one: there are only names of"},
    {"\n\n", "lines:->", ": found an empty file"},
    /* JSON that is no line: arrays, dictionaries, and objects over several lines */
    {"[{\"source\":\"a,[\\\"\",\"target\":\"b\"},\n {\"source\":\"c\",\n\"target\":\"d\"}]\n", NULL,
     "jsonl: a,[\"|b c|d"},
    {" [[\"a\",\"b\"], [\"c\",[\"d\",\"e\"]]]", NULL, "jsonl: a|b c|d c|e"},
    {"[[\"word\",\"ipa\"],[\"c\",\"d\"]]", NULL, "jsonl+: c|d"},
    {"[\"a\",\"b\"]\n[\"c\",\"d\"]\n", NULL, "jsonl: a|b c|d"},
    {"{\n\"a\": \"b\",\n\"c\": [\"d\",\"e\"]\n}\n", NULL, "jsonl: a|b c|d c|e"},
    {"{\"a\":\"b\",\"c\":\"d:,\",\"e\":1,\"g\":\"h\"}", NULL, "jsonl: a|b c|d:, e|1 g|h"},
    {"{\"a\":\"b\",\"c\":\"d\",\"e\":1,\"target\":\"h\",\"source\":\"i\"}", NULL, "jsonl: i|h"},
    {"{\"v\":1.5,\"data\":[{\"source\":\"a\",\"target\":\"b\"}],\"x\":null}", NULL, "jsonl: a|b"},
    {"{\"1\":{\"source\":\"a\",\"target\":\"b\"},\"2\":{\"source\":\"c\",\"target\":\"d\"}}", NULL,
     "jsonl: a|b c|d"},
    {"[{\"source\":\"a\"},{\"source\":\"c\",\"tar", NULL, ":1: found JSON, expected columns"},
    {"[{\"messages\":[{\"content\":\"a\"}]}]", NULL,
     ":1: found a list in \"messages\", expected an object with"},
    {"[[1,2],\n[x y]\n", NULL, ":1: found JSON, expected columns"},
    /* features */
    {"a\tb\tV;X\n\nc\td\tN;Y\n", NULL, "unimorph: aVX|b cNY|d"},
    {"a\tV;X\tb\nc\tN;Y\td\n", NULL, "unimorph: aVX|b cNY|d"},
    {"a\tpos=V,t=X\tb\nc\tpos=V\td\n", NULL, "unimorph: apos=Vt=X|b cpos=V|d"},
    {"a\tb\tP=V|T=X,Y\nc\td\tP=V\ne\tf\t_\n", NULL, "unimorph: aP=VT=X,Y|b cP=V|d e_|f"},
    {"a\tb\tid=7\nc\td\tid=8\n", NULL, ": a|b c|d"},
    {"a\tid=7;l=x\tb\nc\tid=8;l=x\td\na\tid=9;l=x\tb\nc\tid=1;l=x\td\na\tid=2;l=x\tb\nc\tid=3;l=x\td\n", NULL,
     ": a|b c|d a|b c|d a|b c|d"},
    {"a\tb\tn=1\nc\td\tn=1\n", NULL, ": a|b c|d"},
    {"a\tb\tV;PSS(1;PL)\nc\td\tN;non{NOM;ACC};PL\n", NULL, "unimorph: aVPSS(1;PL)|b cNnon{NOM;ACC}PL|d"},
    {"lemma\tform\tfeats\na\tb\tP=V|T=X\n", NULL, "+: aP=VT=X|b"},
    {"a\tb\tV;X\nc\td\tN\ne\tf\tN;Y\n", NULL, "unimorph: aVX|b cN|d eNY|f"},
    /* no features: half of them are divided; a small letter; an assignment missing; both columns may be them */
    {"a\tb\tV;X\nc\td\tN\n", NULL, ":1: found 3 columns, expected 2"},
    {"a\tb\tV;X\nc\td\tN;x\ne\tf\tN;Y\n", NULL, ":1: found 3 columns, expected 2"},
    {"a\tV;X\tN;Y\nc\tN;Z\tV;Z\n", NULL, ":1: found 3 columns, expected 2"},
    /* two columns of them, as in SIGMORPHON's reinflection, and a fourth column; one line in ten may lack them */
    {"N;X\ta\tN;Y\tb\nN;Y\tc\tN;Z\td\n", NULL, "unimorph: aNY|b cNZ|d"},
    {"a\tb\tV;X\ta|b\nc\td\tV;Y\tc|d\n", NULL, "unimorph: aVX|b cVY|d"},
    {F2 F2 F2 F2 "e\tf\tn;y\n" F2, NULL, "unimorph: aVX|b cNY|d aVX|b"},
    {F2 F2 F2 F2 "\tf\tN;Y\n" F2, NULL, ":9: found an empty source, expected text; --skip-bad-lines"},
    {"lemma\tform\tfeatures\na\tb\tV;X\n", NULL, "+: aVX|b"},
    {"a\tb\tc\n", NULL, ":1: found 3 columns, expected 2, separated by tabs; choose two of them"},
    {"a\tb\tCC-BY 2.0\nc\td\tCC-BY 2.0\n", NULL, ": a|b c|d"},
};

START_TEST(test_pair_file_is_read_as_what_it_is)
{
    for (size_t i = 0; SUPPORT_ROW(i, cases); i++) {
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
    ck_assert_uint_lt(divided, 3 * sizeof text);
}
END_TEST

START_TEST(test_pair_file_given_columns_are_used)
{
    const lb_pair_format reversed = {.source_column = 2, .target_column = 1};
    ck_assert_str_eq(read_all("\"a\",b\nc,d\n", reversed), "csv: b|a d|c");
    ck_assert_str_eq(read_all("word,ipa\nc,d\n", reversed), "csv+: d|c");
    ck_assert_str_eq(read_all("a->b, c\nd->e\n", reversed), "lists:->: b|a c|a e|d");
    ck_assert_str_eq(read_all(CONLLU, reversed), "conllu: vamos|1 a|2 el|3");
    ck_assert_str_eq(read_all(CONLLU, (lb_pair_format){.features_column = 11}),
                     "conllu: vamosVM=I|ir elD|el _PT=UX=Y|_");
    ck_assert_str_eq(read_all(CONLLU, (lb_pair_format){.features_column = 4}),
                     "conllu: vamosV|ir elD|el _P|_");
    ck_assert_str_eq(read_all(CONLLU, (lb_pair_format){.target_column = 4}), "conllu: vamos|V a|A el|D");
    ck_assert_str_eq(read_all("a\tP=V|T=X\tb\n", (lb_pair_format){.features_column = 2}), ": aP=VT=X|b");
    ck_assert_str_eq(read_all("a\tV;X\tb\n", (lb_pair_format){.features_column = 2}), ": aVX|b");
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

/* Answer i of each field is with answer i of the others; a field with fewer keeps its last one. */
START_TEST(test_pair_file_several_answers_are_pairs_in_their_order)
{
    lb_pair_format jsonl = {.kind = "jsonl", .source_column = 1, .target_column = 2};
    ck_assert_str_eq(
        read_all("{\"s\":[\"a\",\"b\",\"c\"],\"t\":[\"x\",\"y\"],\"tags\":[\"p\",\"q\",\"r\",\"s\"]}\n"
                 "{\"s\":\"d\",\"t\":[\"z\"],\"tags\":[]}\n",
                 jsonl),
        "jsonl: a|x b|y c|y d|z");
    jsonl.target_column = 3; /* and now others are not read */
    ck_assert_str_eq(read_all("{\"s\":\"a\",\"t\":[\"x\",\"y\"],\"tags\":[\"p\",\"q\",\"r\"]}\n", jsonl),
                     "jsonl: a|p a|q a|r");
}
END_TEST

static lb_converter converter_of(lb_pair_kind *kind, const lb_pair_format *format, lb_pair_file *file,
                                 size_t room)
{
    return (lb_converter){
        .name = "file", .kind = kind, .format = format, .file = file, .to = lb_os_temp_file(), .room = room};
}

/* The copy of many answers and of a long text that nobody reads has a few times as many bytes as they. */
START_TEST(test_pair_file_many_answers_have_a_copy_in_proportion)
{
    enum { ANSWERS = 20000, TEXT = 100000, MOST = 8 * (TEXT + 2 * ANSWERS) };
    static char text[TEXT + 2 * ANSWERS + 64];
    lb_pair_kind kind;
    lb_error error = {0};
    lb_pair_file file = {.handle = lb_os_temp_file()};
    const lb_pair_format format = {.source_column = 1, .target_column = 2};
    size_t used = (size_t)snprintf(text, sizeof text, "abc\t");
    for (int i = 0; i < ANSWERS; i++)
        used += (size_t)snprintf(text + used, sizeof text - used, "%c%c", 'a' + i % 26, LB_FIELDS_OR);
    text[used - 1] = '\t';
    memset(text + used, 'x', TEXT);
    used += TEXT;
    ck_assert_int_eq(lb_pair_kind_parse("tsv", &kind, &error), LB_OK);
    lb_converter begun = converter_of(&kind, &format, &file, MOST);
    ck_assert(lb_os_write_all(file.handle, text, used) && lb_os_go(file.handle, 0));
    ck_assert_msg(lb_convert(&begun, NULL, 0, &error) == LB_OK, "%s", error.message);
    ck_assert_int_gt(lb_os_place(begun.to), TEXT + 8 * ANSWERS);
    lb_os_drop(&file.handle);
    lb_os_drop(&begun.to);
    lb_pair_kind_free(&kind);
}
END_TEST

/* A weight of a million repeats its line as often: the copy has a limit, and does not fill the disk. */
START_TEST(test_pair_file_weights_have_no_more_room_than_the_copy)
{
    static const char text[] = "a\tb\t1000000\n";
    enum { MOST = 100000 };
    lb_pair_kind kind;
    lb_error error = {0};
    lb_pair_file file = {.handle = lb_os_temp_file()};
    ck_assert_int_eq(lb_pair_kind_parse("", &kind, &error), LB_OK);
    const lb_pair_format format = {.weight_column = 3};
    lb_converter begun = converter_of(&kind, &format, &file, MOST);
    ck_assert(lb_os_write_all(file.handle, text, sizeof text - 1) && lb_os_go(file.handle, 0));
    ck_assert_int_eq(lb_convert(&begun, NULL, 0, &error), LB_ERROR_FORMAT);
    ck_assert_ptr_nonnull(strstr(error.message, "file: its temporary copy is too large"));
    ck_assert_int_le(lb_os_place(begun.to), MOST);
    lb_os_drop(&file.handle);
    lb_os_drop(&begun.to);
    lb_pair_kind_free(&kind);
}
END_TEST

/* How a file is read after a training on another one, and what is said about it; "": nothing. */
static const struct {
    const char *training, *kind, *text, *expected, *said;
} columns[] = {
    /* by name, wherever they are */
    {"lemma,form\na,b\n", NULL, "form,lemma\nd,c\n", "csv+: c|d",
     "read as source 2 \"lemma\", target 1 \"form\"; the model was trained with source 1 \"lemma\", target 2 "
     "\"form\""},
    {"lemma,form\na,b\n", NULL, "lemma,form\nc,d\n", "csv+: c|d", ""},
    {"lemma,form\na,b\n", NULL, "lemma\tform\nc\td\n", "+: c|d",
     "read as tsv+header; the model was trained with csv+header"},
    {"lemma,form\na,b\n", NULL, "id, Form , Lemma\n7,d,c\n", "csv+: c|d", "read as source 3 \" Lemma\""},
    {"xx,yy\na,b\n", "csv+header", "yy,xx\nd,c\n", "csv+: c|d", "read as source 2 \"xx\""},
    {"xx\tyy\na\tb\n", "tsv+header", "Id\tYY\tXX\n7\td\tc\n", "+: c|d",
     "read as source 3 \"XX\", target 2 \"YY\""},
    {"{\"s\":\"a\",\"t\":\"b\"}\n", NULL, "{\"id\":\"7\",\"t\":\"d\",\"s\":\"c\"}\n", "jsonl: c|d",
     "read as source 3 \"s\", target 2 \"t\"; the model was trained with source 1 \"s\", target 2 \"t\""},
    {"lemma,form\na,b\n", NULL, "{\"form\":\"d\",\"lemma\":\"c\"}\n", "jsonl: c|d",
     "read as jsonl, source 2"},
    /* by other names that say what they are, and said; or not at all */
    {"xx,yy\na,b\n", "csv+header", "ipa,word\nd,c\n", "csv+: c|d",
     "read as source 2 \"word\", target 1 \"ipa\""},
    {"{\"s\":\"a\",\"t\":\"b\"}\n", NULL, "{\"q\":\"d\",\"r\":\"c\"}\n",
     ": found the members \"q\", \"r\", expected \"s\" and \"t\" as in training; --source-column and", ""},
    {"xx,yy\na,b\n", "csv+header", "\"a\",b\nc,d\n", "csv: a|b c|d",
     "read as csv; the model was trained with csv+header"},
    /* features by what they look like */
    {"a\tb\tV;X\nc\td\tN;Y\n", NULL, "a\tV;X\tb\n", "unimorph: aVX|b",
     "read as source 1, target 3, features 2; the model was trained with source 1, target 2, features 3"},
    {"a\tb\tV;X\nc\td\tN;Y\n", NULL, "a\tb\tV;X\n", "unimorph: aVX|b", ""},
    {"lemma\ttag\tform\na\tV;X\tb\n", NULL, "form\tlemma\ttag\nb\ta\tV;X\n", "+: aVX|b", "read as source 2"},
    /* by number, without names in both */
    {"a\tb\n", NULL, "c\td\n", ": c|d", ""},
    {"lemma,form\na,b\n", NULL, "c\td\n", ": c|d", "read as tsv; the model was trained with csv+header"},
};

START_TEST(test_pair_file_is_read_as_the_training_was)
{
    for (size_t i = 0; SUPPORT_ROW(i, columns); i++) {
        lb_error error = {0};
        lb_pair_format format = {.kind = columns[i].kind};
        support_write_file(support_path("training"), columns[i].training, strlen(columns[i].training));
        lb_pairs *training = lb_pairs_open(support_path("training"), format, &error);
        ck_assert_msg(training != NULL, "%s", error.message);
        const lb_pair_columns usual = training->file.columns;
        format =
            (lb_pair_format){.usual = &usual, .source.features = strstr(columns[i].text, ";X") ? ";" : ""};
        const char *found = read_all(columns[i].text, format), *said = columns[i].said;
        ck_assert_msg(strncmp(found, columns[i].expected, strlen(columns[i].expected)) == 0, "%s: %s",
                      columns[i].text, found);
        lb_pairs *pairs = lb_pairs_open(support_path("file"), format, &error);
        const char *note = pairs && *pairs->file.note ? strstr(pairs->file.note, "read as") : "";
        ck_assert_msg(*said ? strncmp(note, said, strlen(said)) == 0 : !*note, "%s: %s", columns[i].text,
                      note);
        lb_pairs_close(pairs);
        lb_pairs_close(training);
    }
}
END_TEST

/* A file from before has numbers alone: names do not change what it was trained with. */
START_TEST(test_pair_file_after_a_training_without_names_is_read_by_number)
{
    const lb_pair_columns usual = {.source = 2, .target = 1, .kind = "csv+header"};
    lb_pair_format format = {.usual = &usual};
    ck_assert_str_eq(read_all("word,ipa\nc,d\ne,f\n", format), "csv+: d|c f|e");
    ck_assert_str_eq(read_all("xx,yy\n\"c\",d\ne,f\n", format), "csv+: d|c f|e");
}
END_TEST

START_TEST(test_pair_file_of_a_lexicon_has_two_columns_or_those_of_the_training)
{
    const lb_pair_columns usual = {
        .source = 2, .target = 4, .kind = "csv+header", .source_name = "word", .target_name = "ipa"};
    lb_pair_format format = {.usual = &usual, .weights_beside = true};
    ck_assert_str_eq(read_all("w,p\na,b\nc,d\ne,f\ng,h\n", format), "csv: w|p a|b c|d e|f g|h");
    ck_assert_str_eq(read_all("id,word,note,ipa\n1,a,x,b\n", format), "csv+: a|b");
    format.weights_beside = false;
    ck_assert_str_eq(read_all("w,p\na,b\nc,d\ne,f\ng,h\n", format),
                     ":1: found 2 columns, expected at least 4");
}
END_TEST

START_TEST(test_pair_file_of_sources_after_cmudict_takes_letters_for_a_text)
{
    const lb_pair_columns usual = {.source = 1, .target = 2, .kind = "cmudict"};
    lb_pair_format format = {.usual = &usual, .no_target = true};
    ck_assert_str_eq(read_all("T V\n", format), ": T V|");
    ck_assert_str_eq(read_all("TV  T IY1 V IY1\n", format), "cmudict: TV|");
}
END_TEST

START_TEST(test_pair_file_names_the_columns_that_are_not_used)
{
    static const struct {
        const char *text, *unused;
    } files[] = {
        {"id,word,ipa,count\n1,c,d,5\n", "1 \"id\", 4 \"count\" (--weight-column 4 reads it)"},
        {"{\"id\":1,\"word\":\"c\",\"ipa\":\"d\"}\n", "1 \"id\""},
        {"lemma\tform\ttag\na\tb\tV;X\n", ""},
        {"lemma\tform\tkind\na\tb\tV;X\nc\td\tN;Y\n", ""}, /* features by what they look like */
        {"lemma\tform\tsense\na\tb\tto go\n", "3 \"sense\""},
        {"a\tb\tCC-BY 2.0\nc\td\tCC-BY 2.0\n", "3"},
        {"c\td\n", ""},
    };
    for (size_t i = 0; SUPPORT_ROW(i, files); i++) {
        lb_error error = {0};
        support_write_file(support_path("file"), files[i].text, strlen(files[i].text));
        lb_pairs *pairs = lb_pairs_open(support_path("file"), (lb_pair_format){0}, &error);
        ck_assert_msg(pairs != NULL, "%s", error.message);
        ck_assert_str_eq(pairs->file.unused, files[i].unused);
        lb_pairs_close(pairs);
    }
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
    for (size_t i = 0; SUPPORT_ROW(i, kinds); i++) {
        lb_pair_kind kind;
        ck_assert_int_eq(lb_pair_kind_parse(kinds[i].name, &kind, NULL), LB_OK);
        ck_assert_int_eq(kind.row->plain && !kind.header, kinds[i].plain);
        ck_assert_int_eq(kind.row->tabs, kinds[i].tabs);
        lb_pair_kind_free(&kind);
    }
}
END_TEST
