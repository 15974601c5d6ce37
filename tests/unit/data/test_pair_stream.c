/* Lines of sources as they arrive: a pipe is read as a file is, and no answer waits for the next line. */
#include "data/pairs/pair_line.h"

#include "support/suite.h"
#include "support/tempdir.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <zlib.h>

static const lb_pair_columns csv = {
    .source = 1, .target = 2, .kind = "csv", .source_name = "lemma", .target_name = "form"};
static const lb_pair_columns json = {
    .source = 1, .target = 2, .kind = "jsonl", .source_name = "s", .target_name = "t"};
static const lb_pair_columns forms = {.source = 1, .target = 2, .features = 3, .kind = "unimorph"};
static const lb_pair_columns third = {.source = 3, .target = 1};
static const lb_pair_columns arrow = {.kind = "lines: -> "};

/* What comes, the training, and the lines: their numbers, texts and the column of the sources. */
static const struct {
    const char *text, *kind, *expected;
    const lb_pair_columns *usual;
} cases[] = {
    {"a\nb c\n", NULL, "1:a 2:b c ", NULL},
    {"\na\n\nb", NULL, "1: 2:a 3: 4:b ", NULL},
    {"lemma,form\na,b\n\"c,d\",e\n", NULL, "2:a 3:c,d ", &csv},
    {"id,lemma\n7,a\n8,\"b\n c\"\n", NULL, "2:a 3:b  c ", &csv},
    {"form,lemma\nb,a\n", NULL, "2:a ", &csv},
    {"a\nlemma,form\n", NULL, "1:a 2:lemma,form ", &csv}, /* texts: the first line decides */
    {"a, b\nc\n", NULL, "1:a, b 2:c ", &csv},
    {"a,b\nc,d\n", "csv", "1:a 2:c ", &csv},
    {"lemma\tform\na\tb\n", NULL, "2:a ", &csv},
    {"{\"id\":7,\"s\":\"a\"}\n\n{\"s\":\"b\",\"id\":8}\n", NULL, "1:a 3:b ", &json},
    {"{\"s\":\"a\"}\n", NULL, "1:a ", &json},
    {"Form;Lemma\r\nb;a\r\n", NULL, "2:a ", &csv}, /* by name, whatever the format */
    {"id, Lemma , Form\n7,a,b\n", NULL, "2:a ", &csv},
    {"{\"id\":7,\"lemma\":\"a\"}\n", NULL, "1:a ", &csv},
    {"s,t\na,b\n", NULL, "2:a ", &json},
    {"lemma\na\n", NULL, "1:lemma 2:a ", &csv},
    {"lemma\na\n", "tsv+header", "2:a ", &csv},
    {"{a}\nb\n", NULL, "1:{a} 2:b ", &json},
    {"a\tV;X\nb\tN;Y\n", NULL, "1:a+V;X 2:b+N;Y ", &forms},
    {"a\tb\tV;X\n", NULL, "1:a+V;X ", &forms},
    {"a\tV;X\tb\n", NULL, "1:a+V;X ", &forms},
    {"x\ty\ta\n", NULL, "1:a ", &third},
    {"a\nb\n", NULL, "1:a 2:b ", &third},
    {"a -> b\nc -> d\n", NULL, "1:a 2:c ", &arrow},
    {"a\nc -> d\n", NULL, "1:a 2:c -> d ", &arrow},
};

static lb_pair_format format_of(size_t i)
{
    return (lb_pair_format){.kind = cases[i].kind,
                            .usual = cases[i].usual,
                            .no_target = true,
                            .source.features = strstr(cases[i].text, ";X") ? ";" : ""};
}

/* Adds the source of a line to what was found. */
static void add_line(const lb_pair_stream *s, const lb_line *line, char *found, size_t room)
{
    lb_pair_line parts = {0};
    lb_error error = {0};
    const char *text = "";
    size_t length = 0, used = strlen(found);
    bool blank = line->length == 0;
    if (!blank)
        ck_assert_int_eq(lb_pair_line_source(s->format, "x", line, &parts, &text, &length, &error), LB_OK);
    snprintf(found + used, room - used, "%lld:%.*s ", (long long)line->number, (int)length, text);
    for (char *tab = found + used; (tab = strchr(tab, '\t')) != NULL;) *tab = '+';
    lb_pair_line_free(&parts);
}

/* All lines of a file. */
static void expect_all(size_t i, const char *path)
{
    lb_pair_stream s;
    lb_error error = {0};
    lb_line line;
    lb_pair_format format = format_of(i);
    char found[256] = "";
    ck_assert_int_eq(lb_pair_stream_open(&s, path, &format, &error), LB_OK);
    while (lb_pair_stream_next(&s, true, &line, &error) == LB_LINES_ONE)
        add_line(&s, &line, found, sizeof found);
    ck_assert_msg(strcmp(found, cases[i].expected) == 0 && !error.status, "%s: %s %s", cases[i].text, found,
                  error.message);
    lb_pair_stream_close(&s);
}

START_TEST(test_pair_stream_of_a_file_or_gzip_data_has_the_sources)
{
    const char *path;
    for (size_t i = 0; SUPPORT_ROW(i, cases); i++) {
        support_write_file(path = support_path("plain"), cases[i].text, strlen(cases[i].text));
        expect_all(i, path);
        gzFile packed = gzopen(path = support_path("packed"), "wb");
        ck_assert_int_eq(gzputs(packed, cases[i].text), (int)strlen(cases[i].text));
        ck_assert_int_eq(gzclose(packed), Z_OK);
        expect_all(i, path);
    }
}
END_TEST

START_TEST(test_pair_stream_of_a_dictionary_in_a_file_has_its_keys)
{
    static const char text[] = "{\n \"b\": \"x\",\n \"a\": \"y\",\n \"c\": \"z\"\n}\n";
    lb_pair_stream s;
    lb_error error = {0};
    lb_line line;
    lb_pair_format format = {.no_target = true};
    const char *path = support_path("words.json");
    char found[64] = "";
    support_write_file(path, text, strlen(text));
    ck_assert_int_eq(lb_pair_stream_open(&s, path, &format, &error), LB_OK);
    while (lb_pair_stream_next(&s, true, &line, &error) == LB_LINES_ONE)
        add_line(&s, &line, found, sizeof found);
    ck_assert_str_eq(found, "1:b 2:a 3:c ");
    lb_pair_stream_close(&s);
}
END_TEST

/* Connects standard input with a pipe, and returns the end to write to. */
static int make_pipe(void)
{
    int ends[2];
    ck_assert_int_eq(pipe(ends), 0);
    ck_assert_int_eq(dup2(ends[0], STDIN_FILENO), STDIN_FILENO);
    close(ends[0]);
    return ends[1];
}

/* Each line is written when those before have been read, but for the one that opens the stream. */
START_TEST(test_pair_stream_of_a_pipe_gives_each_line_before_the_next_is_written)
{
    for (size_t i = 0; SUPPORT_ROW(i, cases); i++) {
        lb_pair_stream s;
        lb_error error = {0};
        lb_line line;
        lb_pair_format format = format_of(i);
        char found[256] = "";
        int to = make_pipe();
        lb_lines_result result = LB_LINES_LATER;
        for (const char *at = cases[i].text; *at;) {
            const char *end = strchr(at, '\n');
            size_t count = end ? (size_t)(end - at) + 1 : strlen(at);
            ck_assert_int_eq(write(to, at, count), (ssize_t)count);
            if (at == cases[i].text) ck_assert_int_eq(lb_pair_stream_open(&s, "-", &format, &error), LB_OK);
            while ((result = lb_pair_stream_next(&s, false, &line, &error)) == LB_LINES_ONE)
                add_line(&s, &line, found, sizeof found);
            ck_assert_int_eq(result, LB_LINES_LATER);
            at += count;
            if (*at || end) ck_assert_msg(strncmp(found, cases[i].expected, strlen(found)) == 0, "%s", found);
        }
        if (cases[i].text[strlen(cases[i].text) - 1] == '\n') ck_assert_str_eq(found, cases[i].expected);
        close(to);
        while (lb_pair_stream_next(&s, true, &line, &error) == LB_LINES_ONE)
            add_line(&s, &line, found, sizeof found);
        ck_assert_msg(strcmp(found, cases[i].expected) == 0, "%s: %s", cases[i].text, found);
        lb_pair_stream_close(&s);
    }
}
END_TEST

/* A bad first line of objects does not say that lines are texts, nor which member has them. */
START_TEST(test_pair_stream_of_objects_begins_with_the_first_that_is_one)
{
    static const char *const firsts[] = {"{\"s\":NaN}", "{'s':'a'}", "hello"};
    for (size_t i = 0; SUPPORT_ROW(i, firsts); i++) {
        char text[64];
        lb_pair_stream s;
        lb_error error = {0};
        lb_line line;
        lb_pair_format format = {.usual = &json, .no_target = true};
        int used = snprintf(text, sizeof text, "%s\n{\"id\":7,\"s\":\"a\"}\n", firsts[i]);
        support_write_file(support_path("file.jsonl"), text, (size_t)used);
        ck_assert_int_eq(lb_pair_stream_open(&s, support_path("file.jsonl"), &format, &error), LB_OK);
        ck_assert_int_eq(lb_pair_stream_next(&s, true, &line, &error), LB_LINES_ONE);
        ck_assert_msg(line.refused && line.number == 1 && !s.begun, "%s", firsts[i]);
        ck_assert_ptr_nonnull(strstr(line.text, ", expected a JSON object"));
        ck_assert_int_eq(lb_pair_stream_next(&s, true, &line, &error), LB_LINES_ONE);
        char found[256] = "";
        add_line(&s, &line, found, sizeof found);
        ck_assert_str_eq(found, "2:a ");
        lb_pair_stream_close(&s);
    }
}
END_TEST

START_TEST(test_pair_stream_without_the_names_of_the_training_is_an_error)
{
    lb_pair_stream s;
    lb_error error = {0};
    lb_line line;
    lb_pair_format format = {.usual = &json, .no_target = true};
    support_write_file(support_path("file"), "\n{\"id\":7}\n", 10);
    ck_assert_int_eq(lb_pair_stream_open(&s, support_path("file"), &format, &error), LB_OK);
    ck_assert_int_eq(lb_pair_stream_next(&s, true, &line, &error), LB_LINES_ONE);
    ck_assert_int_eq(lb_pair_stream_next(&s, true, &line, &error), LB_LINES_FAILED);
    ck_assert_ptr_nonnull(
        strstr(error.message, "file: found the members \"id\", expected \"s\" as in training; "));
    lb_pair_stream_close(&s);
}
END_TEST

START_TEST(test_pair_stream_of_gzip_data_in_a_pipe_is_unpacked)
{
    size_t count;
    gzFile packed = gzopen(support_path("packed"), "wb");
    ck_assert_int_gt(gzputs(packed, "lemma,form\na,b\n"), 0);
    ck_assert_int_eq(gzclose(packed), Z_OK);
    char *bytes = support_read_file(support_path("packed"), &count);
    for (size_t cut = 0; cut < 3; cut++) { /* also without its magic bytes or its end */
        lb_pair_stream s;
        lb_error error = {0};
        lb_line line;
        lb_pair_format format = {.usual = &csv, .no_target = true};
        int to = make_pipe();
        ck_assert_int_eq(write(to, bytes, cut == 2 ? count / 2 : count - cut),
                         (ssize_t)(cut == 2 ? count / 2 : count - cut));
        close(to);
        lb_status status = lb_pair_stream_open(&s, "-", &format, &error);
        if (cut == 0) {
            ck_assert_int_eq(status, LB_OK);
            ck_assert_int_eq(lb_pair_stream_next(&s, true, &line, &error), LB_LINES_ONE);
            ck_assert_int_eq(line.number, 2);
        } else {
            ck_assert_int_eq(status, LB_ERROR_FORMAT);
            ck_assert_str_eq(error.message, "standard input: damaged gzip data");
        }
        lb_pair_stream_close(&s);
    }
    free(bytes);
}
END_TEST
