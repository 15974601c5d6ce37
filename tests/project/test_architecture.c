/* Reads the sources and asserts the rules of CONTRIBUTING.md: which layer may include which, who may call what, how
 * public functions are named, that a source says what it is, and that a lesson only needs what its reader has. */
#include "support/sources.h"
#include "support/suite.h"
#include "support/tempdir.h"

#include <ctype.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <unistd.h>

#define SRC SOURCE_DIR "/src/"

/* The allowed includes. The first rule whose start matches the path in src/, or that of what is built over the library,
 * applies; "" matches anything. */
static const struct rule {
    const char *file;
    const char *may_include[20]; /* ends with NULL */
} rules[] = {
    {"os/", {"os/"}},
    {"base/", {"lookback/base.h", "os/os.h", "base/"}},
    {"tensor/gemm_blas.c", {"os/os.h", "base/", "tensor/"}},
    {"tensor/", {"lookback/base.h", "lookback/tensor.h", "base/", "tensor/"}},
    {"autograd/",
     {"lookback/base.h", "lookback/tensor.h", "lookback/autograd.h", "lookback/ops.h", "lookback/op.h",
      "base/", "tensor/", "autograd/"}},
    {"nn/",
     {"lookback/nn.h", "lookback/autograd.h", "lookback/tensor.h", "lookback/base.h", "lookback/ops.h",
      "lookback/op.h", "base/", "tensor/", "autograd/op.h", "autograd/tape.h", "nn/"}},
    {"io/", {"lookback/base.h", "lookback/tensor.h", "lookback/io.h", "os/os.h", "base/", "io/"}},
    {"data/",
     {"lookback/base.h", "lookback/tensor.h", "lookback/data.h", "os/os.h", "base/", "io/", "data/"}},
    {"metrics/text.c", {"lookback/base.h", "lookback/metrics.h", "base/", "data/text/symbols.h", "metrics/"}},
    {"metrics/", {"lookback/base.h", "lookback/metrics.h", "base/", "metrics/"}},
    {"plot/", {"lookback/base.h", "lookback/plot.h", "base/", "io/file.h", "plot/"}},
    {"models/",
     {"lookback/models.h", "lookback/kinds.h", "lookback/nn.h", "lookback/io.h", "lookback/autograd.h",
      "lookback/tensor.h", "lookback/ops.h", "lookback/op.h", "lookback/base.h", "base/", "tensor/",
      "autograd/class_loss.h", "autograd/op.h", "autograd/tape.h", "nn/", "io/json.h", "io/safetensors.h",
      "models/"}},
    {"train/",
     {"lookback/train.h", "lookback/models.h", "lookback/nn.h", "lookback/io.h", "lookback/ops.h",
      "lookback/op.h", "lookback/base.h", "autograd/cause.h", "autograd/tape.h", "base/", "nn/params.h",
      "tensor/", "models/", "io/path.h", "io/run_differences.h", "io/safetensors.h", "train/"}},
    {"settings/", {"lookback/translate.h", "lookback/kinds.h", "base/", "data/", "io/", "settings/"}},
    {"translate/",
     {"lookback/translate.h", "lookback/train.h", "lookback/models.h", "lookback/data.h", "lookback/io.h",
      "lookback/metrics.h", "lookback/op.h", "lookback/ops.h", "lookback/tensor.h", "lookback/base.h",
      "base/", "data/", "io/", "settings/", "translate/"}},
    {"mpi/", {"lookback/mpi.h"}}, /* a library over the public API */
    /* A text that is typed into a report is printed by the code that printed its pairs. */
    {"web/engine/report.c", {"model.h", "report/statistics.h"}},
    /* The program once more, in parts. */
    {"web/engine/workbench.c",
     {"model.h", "cli/commands.h", "several/side_by_side.h", "training/train_options.h",
      "translate/plan/recipe.h", "translate/run/stepper.h"}},
    {"web/engine/", {"model.h", "lessons.h", "reviews/reviews.h"}},
    {"web/reviews/",
     {"reviews/", "base/", "data/text/symbols.h", "io/file.h", "io/lines.h"}}, /* of lesson 8 */
    {"web/npm/", {"lookback/translate.h", "base/buffer.h"}},
    {"bench/", {"shared/", "cli/options.h", "console/", "base/", "io/", "data/"}},
};

/* The rooms of the engine above its ground, which is os/, base/ and what of io/ they include. Nobody else includes
 * their private headers, but for the tests, with what times the kernels alone. */
static const char *const engine[] = {"tensor/", "autograd/", "nn/", "models/", "train/"};

/* What each public header may include of the others. */
static const struct rule public_rules[] = {
    {"base.h", {"f64_names.h"}},
    {"tensor.h", {"base.h"}},
    {"autograd.h", {"tensor.h", "ops.h"}},
    {"op.h", {"autograd.h"}},
    {"io.h", {"tensor.h"}},
    {"nn.h", {"autograd.h"}},
    {"kinds.h", {"io.h", "nn.h"}},
    {"models.h", {"io.h", "kinds.h"}},
    {"train.h", {"models.h"}},
    {"engine.h",
     {"autograd.h", "base.h", "io.h", "kinds.h", "models.h", "nn.h", "ops.h", "tensor.h", "train.h"}},
    {"data.h", {"base.h"}},
    {"metrics.h", {"base.h"}},
    {"plot.h", {"base.h"}},
    {"translate.h", {"data.h", "train.h"}},
    {"mpi.h", {"train.h"}},
    {"lookback.h", {""}},
};

/* Names that the library must not use, and the one file that may. */
static const struct forbidden {
    const char *word, *except;
} forbidden[] = {
    {"malloc", "base/alloc.c"},
    {"calloc", "base/alloc.c"},
    {"realloc", "base/alloc.c"},
    {"free", "base/alloc.c"},
    {"printf", "lookback/base.h"},
    {"puts", ""},
    {"putchar", ""},
    {"perror", ""},
    {"abort", ""},
    {"exit", "os/posix/processes.c"},
    {"_exit", "os/posix/processes.c"},
    {"quick_exit", ""},
    {"stdout", ""},
    {"stderr", ""},
};

static bool starts_with(const char *text, const char *prefix)
{
    return strncmp(text, prefix, strlen(prefix)) == 0;
}

static bool follows(const struct rule *all, size_t count, const char *file, const char *included)
{
    for (size_t r = 0; r < count; r++) {
        if (!starts_with(file, all[r].file)) continue;
        for (const char *const *may = all[r].may_include; *may; may++)
            if (starts_with(included, *may)) return true;
        return false;
    }
    return false;
}

static bool may_include(const char *file, const char *included)
{
    return follows(rules, sizeof rules / sizeof *rules, file, included);
}

static bool public_may_include(const char *file, const char *included)
{
    return follows(public_rules, sizeof public_rules / sizeof *public_rules, file, included);
}

/* Whether the path begins with a room of the engine. */
static bool is_of_engine(const char *path)
{
    for (size_t i = 0; i < sizeof engine / sizeof *engine; i++)
        if (starts_with(path, engine[i])) return true;
    return false;
}

static bool is_word(char c)
{
    return isalnum((unsigned char)c) || c == '_';
}

/* The first occurrence of `word` as a whole word in the code, or NULL. */
static const char *find_word(const char *code, const char *word)
{
    size_t length = strlen(word);
    for (const char *at = code; (at = strstr(at, word)) != NULL; at++)
        if ((at == code || !is_word(at[-1])) && !is_word(at[length])) return at;
    return NULL;
}

/* The forbidden word that the code of `file` contains, or NULL. */
static const char *find_forbidden(const char *file, const char *code)
{
    for (size_t f = 0; f < sizeof forbidden / sizeof *forbidden; f++)
        if (strcmp(file, forbidden[f].except) != 0 && find_word(code, forbidden[f].word))
            return forbidden[f].word;
    return NULL;
}

/* The end of the comment, string or character constant that begins at `at`; `at` if none begins there. */
static char *skip_prose(char *at)
{
    if (starts_with(at, "//")) return at + strcspn(at, "\n");
    if (starts_with(at, "/*")) {
        char *end = strstr(at + 2, "*/");
        return end ? end + 2 : at + strlen(at);
    }
    if (*at != '"' && *at != '\'') return at;
    char *end = at + 1;
    while (*end && *end != *at) end += *end == '\\' && end[1] ? 2 : 1;
    return *end ? end + 1 : end;
}

/* Replaces comments, strings and character constants by blanks. */
static void blank_prose(char *code)
{
    for (char *at = code; *at;) {
        char *end = skip_prose(at);
        if (end == at)
            end = at + 1;
        else
            for (char *c = at; c < end; c++)
                if (*c != '\n') *c = ' ';
        at = end;
    }
}

/* Replaces preprocessor lines and their continuations by blanks. */
static void blank_directives(char *code)
{
    bool directive = false;
    for (char *line = code; *line;) {
        char *end = line + strcspn(line, "\n");
        directive = directive || line[strspn(line, " \t")] == '#';
        bool continued = end > line && end[-1] == '\\';
        if (directive) memset(line, ' ', (size_t)(end - line));
        directive = directive && continued;
        line = *end ? end + 1 : end;
    }
}

/* Copies the last word before `end` to `word`, skipping blanks. */
static void word_before(const char *code, const char *end, char word[64])
{
    while (end > code && isspace((unsigned char)end[-1])) end--;
    const char *begin = end;
    while (begin > code && is_word(begin[-1])) begin--;
    size_t length = end - begin < 63 ? (size_t)(end - begin) : 63;
    memcpy(word, begin, length);
    word[length] = '\0';
}

/* Whether a header, without comments and directives, declares a function that does not start with lb_; and its name. */
static bool find_unprefixed(const char *code, char name[64])
{
    int braces = 0, brackets = 0;
    bool named = false; /* the statement's function has been found */
    const char *statement = code;
    for (const char *at = code; *at; at++) {
        if (isspace((unsigned char)*at) && statement == at) statement++;
        bool block =
            *at == '{' && !(starts_with(statement, "extern") && !named); /* extern "C" opens no scope */
        if (*at == '(' && brackets++ == 0 && braces == 0 && !named) {
            word_before(statement, at, name);
            named = *name && strcmp(name, "__attribute__") != 0 && strcmp(name, "_Static_assert") != 0 &&
                    !starts_with(name, "LB_");
            bool ours = starts_with(statement, "typedef") || starts_with(statement, "static") ||
                        starts_with(name, "lb_");
            if (named && !ours) return true;
        }
        if (*at == ')') brackets--;
        if (block) braces++;
        if (*at == '}' && braces > 0) braces--;
        if (braces == 0 && (*at == ';' || *at == '}' || (*at == '{' && !block))) {
            statement = at + 1;
            named = false;
        }
    }
    return false;
}

static void check_includes(const char *file, char *text)
{
    for (char *line = strtok(text, "\n"); line; line = strtok(NULL, "\n")) {
        char directive[16], included[SUPPORT_PATH];
        if (sscanf(line, " # %15[a-z] %511s", directive, included) != 2 || strcmp(directive, "include") != 0)
            continue;
        ck_assert_msg(!starts_with(included, "<lookback/"),
                      "%s includes %s: inside of src/ write \"lookback/layer.h\"", file, included);
        if (strstr(included, "cblas"))
            ck_assert_msg(strcmp(file, "tensor/gemm_blas.c") == 0, "%s includes %s", file, included);
        if (*included == '"')
            ck_assert_msg(may_include(file, included + 1), "%s must not include %s", file, included);
    }
}

START_TEST(test_includes_of_every_source_follow_the_arrows)
{
    ck_assert_int_gt(support_walk_sources(SRC, "", check_includes), 0);
}
END_TEST

/* The next file of ours that a text includes; false behind the last. */
static bool next_include(char **text, char included[SUPPORT_PATH])
{
    for (char *line; (line = strsep(text, "\n")) != NULL;)
        if (sscanf(line, " # include \"%511[^\"]", included) == 1) return true;
    return false;
}

static void check_private_includes(const char *file, char *text)
{
    for (char included[SUPPORT_PATH]; next_include(&text, included);)
        ck_assert_msg(may_include(file, included), "%s must not include %s: it is private", file, included);
}

START_TEST(test_includes_of_pages_and_benchmarks_are_public_or_shared)
{
    ck_assert_int_gt(support_walk_sources(SOURCE_DIR "/", "web/", check_private_includes), 0);
    ck_assert_int_gt(support_walk_sources(SOURCE_DIR "/", "bench/", check_private_includes), 0);
    ck_assert(may_include("web/engine/report.c", "report/statistics.h"));
    ck_assert(!may_include("web/engine/report.c", "base/alloc.h"));
    ck_assert(!may_include("web/engine/playground.c", "report/statistics.h"));
    ck_assert(!may_include("web/new/file.c", "base/alloc.h"));
    ck_assert(!may_include("bench/bench_train.c", "report/statistics.h"));
}
END_TEST

static void check_public_includes(const char *file, char *text)
{
    for (char included[SUPPORT_PATH]; next_include(&text, included);) {
        const char *header = included + strlen("lookback/");
        ck_assert_msg(starts_with(included, "lookback/") && public_may_include(file, header),
                      "%s must not include %s", file, included);
    }
}

START_TEST(test_includes_of_public_headers_follow_the_arrows)
{
    ck_assert_int_gt(support_walk_sources(SOURCE_DIR "/include/lookback/", "", check_public_includes), 0);
    ck_assert(public_may_include("translate.h", "train.h"));
    ck_assert(!public_may_include("train.h", "data.h"));
    ck_assert(!public_may_include("base.h", "tensor.h"));
    ck_assert(!public_may_include("new.h", "base.h"));
}
END_TEST

static bool may_reach_engine(const char *file, const char *included)
{
    bool inside = starts_with(file, "src/") && is_of_engine(file + strlen("src/"));
    return inside || !is_of_engine(included);
}

static void check_reach(const char *file, char *text)
{
    for (char included[SUPPORT_PATH]; next_include(&text, included);)
        ck_assert_msg(may_reach_engine(file, included),
                      "%s must not include %s: it is private in the engine; see docs/adr/0037-rooms.md", file,
                      included);
}

START_TEST(test_includes_of_private_headers_of_the_engine_are_its_own)
{
    static const char *const folders[] = {"src/",       "apps/", "bench/",          "examples/",
                                          "exercises/", "web/",  "tests/consumers/"};
    for (size_t i = 0; i < sizeof folders / sizeof *folders; i++)
        ck_assert_int_gt(support_walk_sources(SOURCE_DIR "/", folders[i], check_reach), 0);
    ck_assert(may_reach_engine("src/train/step.c", "nn/params.h"));
    ck_assert(may_reach_engine("src/translate/join/join.c", "base/alloc.h"));
    ck_assert(!may_reach_engine("src/translate/join/join.c", "models/built_in.h"));
    ck_assert(!may_reach_engine("src/io/npy.c", "tensor/shape.h"));
    ck_assert(!may_reach_engine("apps/export/export.c", "models/decode/model.h"));
    ck_assert(!may_reach_engine("bench/bench_train.c", "train/trainer.h"));
}
END_TEST

static void check_words(const char *file, char *text)
{
    blank_prose(text);
    const char *word = find_forbidden(file, text);
    ck_assert_msg(!word, "%s contains '%s'", file, word);
}

START_TEST(test_words_of_every_source_print_nothing_and_bypass_no_allocator)
{
    ck_assert_int_gt(support_walk_sources(SRC, "", check_words), 0);
}
END_TEST

/* What a program prints may have come from a stranger's file: console/ makes it harmless on a terminal. Help and
 * completion are our own words. */
static const char *find_unchecked_output(const char *file, const char *code)
{
    static const char *const words[] = {"printf", "vprintf", "puts", "putchar", "stdout"};
    static const char *const except[] = {"console/console.c", "cli/program.c", "generate/", "lookback.c"};
    for (size_t i = 0; i < sizeof except / sizeof *except; i++)
        if (starts_with(file, except[i])) return NULL;
    for (size_t i = 0; i < sizeof words / sizeof *words; i++)
        if (find_word(code, words[i])) return words[i];
    return NULL;
}

static void check_output(const char *file, char *text)
{
    blank_prose(text);
    const char *word = find_unchecked_output(file, text);
    ck_assert_msg(!word, "%s contains '%s': expected app_print or app_put", file, word);
}

START_TEST(test_output_of_every_program_goes_through_the_console)
{
    ck_assert_int_gt(support_walk_sources(SOURCE_DIR "/apps/", "", check_output), 0);
    ck_assert_str_eq(find_unchecked_output("apply/predict.c", "fputs(a, stdout);"), "stdout");
    ck_assert_str_eq(find_unchecked_output("apply/predict.c", "printf(a);"), "printf");
    ck_assert_ptr_null(find_unchecked_output("apply/predict.c", "app_print(a); app_flush_stdout();"));
}
END_TEST

static void check_names(const char *file, char *text)
{
    char name[64];
    if (!strstr(file, ".h")) return;
    blank_prose(text);
    blank_directives(text);
    ck_assert_msg(!find_unprefixed(text, name), "%s declares '%s', which does not start with lb_", file,
                  name);
}

START_TEST(test_names_of_public_functions_start_with_lb)
{
    ck_assert_int_gt(support_walk_sources(SRC, "", check_names), 0);
}
END_TEST

/* The first comment of a text has a sentence of four words or more; "helpers" say nothing. */
static bool begins_with_a_sentence(const char *text)
{
    enum { WORDS = 4 };
    const char *end = starts_with(text, "/*") ? strstr(text, "*/") : NULL;
    int words = 0;
    for (const char *at = text + 2; end && at < end; at++) {
        words += isalnum((unsigned char)*at) && !isalnum((unsigned char)at[-1]);
        if (strncasecmp(at, "helper", 6) == 0) return false;
    }
    return words >= WORDS;
}

/* What the kernel of exported models has is in their files. */
static void check_sentence(const char *file, char *text)
{
    char header[SUPPORT_PATH];
    const size_t length = strlen(file);
    if (file[length - 1] != 'c' || strstr(file, "/kernel/") || begins_with_a_sentence(text)) return;
    snprintf(header, sizeof header, SOURCE_DIR "/%.*sh", (int)length - 1, file);
    char *own = access(header, R_OK) == 0 ? support_read_file(header, &(size_t){0}) : NULL;
    ck_assert_msg(own && begins_with_a_sentence(own),
                  "%s: expected a sentence at its beginning that says what it gives", file);
    free(own);
}

START_TEST(test_sources_say_what_they_are)
{
    ck_assert_int_gt(support_walk_sources(SOURCE_DIR "/", "src/", check_sentence), 0);
    ck_assert_int_gt(support_walk_sources(SOURCE_DIR "/", "apps/", check_sentence), 0);
    ck_assert(!begins_with_a_sentence("#include <a.h>\n/* The file of a b. */"));
    ck_assert(!begins_with_a_sentence("/* Helpers for the parser of lines. */"));
    ck_assert(!begins_with_a_sentence("/* The grid. */"));
}
END_TEST

static bool lesson_may_include(const char *included)
{
    static const char *const standard[] = {"<lookback/lookback.h>",
                                           "<assert.h>",
                                           "<ctype.h>",
                                           "<errno.h>",
                                           "<float.h>",
                                           "<inttypes.h>",
                                           "<limits.h>",
                                           "<math.h>",
                                           "<stdbool.h>",
                                           "<stddef.h>",
                                           "<stdint.h>",
                                           "<stdio.h>",
                                           "<stdlib.h>",
                                           "<string.h>",
                                           "<time.h>"};
    for (size_t i = 0; i < sizeof standard / sizeof *standard; i++)
        if (strcmp(included, standard[i]) == 0) return true;
    return false;
}

/* The examples in own/ are for authors of models, who need one more header, and maybe the engine alone. What reads
 * the reviews of lesson 8 is built with the library, and its header includes a public one alone. */
static bool example_may_include(const char *file, const char *included)
{
    bool for_authors = starts_with(file, "own/") && (strcmp(included, "<lookback/op.h>") == 0 ||
                                                     strcmp(included, "<lookback/engine.h>") == 0);
    bool reads = strcmp(file, "08_text.c") == 0 && strcmp(included, "\"reviews/reviews.h\"") == 0;
    return for_authors || reads || lesson_may_include(included);
}

static void check_lesson_includes(const char *file, char *text)
{
    for (char *line = strtok(text, "\n"); line; line = strtok(NULL, "\n")) {
        char included[SUPPORT_PATH];
        if (sscanf(line, " # include %511s", included) != 1) continue;
        ck_assert_msg(example_may_include(file, included),
                      "%s includes %s: a lesson needs <lookback/lookback.h> and the C library alone", file,
                      included);
    }
}

START_TEST(test_includes_of_every_lesson_are_those_of_its_reader)
{
    ck_assert_int_gt(support_walk_sources(SOURCE_DIR "/examples/", "", check_lesson_includes), 0);
    ck_assert(!lesson_may_include("<lookback/plot/figure.h>"));
    ck_assert(!lesson_may_include("\"cli/options.h\""));
    ck_assert(example_may_include("own/own_model.c", "<lookback/op.h>"));
    ck_assert(!example_may_include("own/own_model.c", "\"models/built_in.h\""));
    ck_assert(!example_may_include("04_scaling.c", "<lookback/op.h>"));
}
END_TEST

/* What the reader edits needs no more than a lesson. What checks it needs POSIX, and only the public headers. */
static bool exercise_may_include(const char *file, const char *included)
{
    if (strcmp(included, "\"exercises.h\"") == 0) return true;
    if (!starts_with(file, "check/")) return lesson_may_include(included);
    bool system = *included == '<' && (!strchr(included, '/') || starts_with(included, "<sys/"));
    return system || strcmp(included, "\"report.h\"") == 0 || lesson_may_include(included);
}

static void check_exercise_includes(const char *file, char *text)
{
    for (char *line = strtok(text, "\n"); line; line = strtok(NULL, "\n")) {
        char included[SUPPORT_PATH];
        if (sscanf(line, " # include %511s", included) != 1) continue;
        ck_assert_msg(exercise_may_include(file, included), "%s includes %s", file, included);
    }
}

START_TEST(test_includes_of_every_exercise_are_those_of_its_reader)
{
    ck_assert_int_gt(support_walk_sources(SOURCE_DIR "/exercises/", "", check_exercise_includes), 0);
    ck_assert(!exercise_may_include("03_masking.c", "\"report.h\""));
    ck_assert(!exercise_may_include("03_masking.c", "<unistd.h>"));
    ck_assert(!exercise_may_include("check/03_masking.c", "\"nn/params.h\""));
    ck_assert(!exercise_may_include("check/03_masking.c", "<lookback/op.h>"));
}
END_TEST

START_TEST(test_may_include_upward_arrow_is_found)
{
    ck_assert(may_include("nn/gru.c", "lookback/autograd.h"));
    ck_assert(!may_include("autograd/tape.c", "lookback/nn.h"));
    ck_assert(!may_include("tensor/gemm.c", "io/file.h"));
    ck_assert(!may_include("tensor/gemm.c", "os/os.h"));
    ck_assert(!may_include("base/team.c", "os/program.h"));
    ck_assert(!may_include("os/posix/names.c", "base/alloc.h"));
    ck_assert(!may_include("train/loop.c", "lookback/plot.h"));
    ck_assert(!may_include("train/loop.c", "lookback/translate.h"));
    ck_assert(!may_include("translate/train.c", "lookback/plot.h"));
    ck_assert(!may_include("io/safetensors_reader.c", "lookback/nn.h"));
    ck_assert(!may_include("train/loop.c", "lookback/data.h"));
    ck_assert(!may_include("train/loop.c", "io/lines.h"));
    ck_assert(!may_include("plot/canvas.c", "tensor/shape.h"));
    ck_assert(!may_include("plot/canvas.c", "lookback/autograd.h"));
    ck_assert(!may_include("nn/gru.c", "lookback/lookback.h"));
    ck_assert(!may_include("new_layer/file.c", "base/alloc.h"));
}
END_TEST

static const char *forbidden_in(const char *text)
{
    static char code[200];
    blank_prose(strcpy(code, text));
    return find_forbidden("nn/gru.c", code);
}

START_TEST(test_find_forbidden_code_is_found_and_prose_is_not)
{
    ck_assert_str_eq(forbidden_in("p = malloc(3);"), "malloc");
    ck_assert_str_eq(forbidden_in("hook = free;"), "free");
    ck_assert_str_eq(forbidden_in("'\"'; exit(1);"), "exit");
    ck_assert_str_eq(forbidden_in("\"\\\"\"; /**/ fprintf(stderr, x);"), "stderr");
    ck_assert_ptr_null(
        forbidden_in("/* malloc( */ // free(x)\n\"abort()\" lb_free(x); snprintf(a); exit_status"));
    ck_assert_ptr_null(find_forbidden("base/alloc.c", "free(x)"));
}
END_TEST

static const char *unprefixed_in(const char *text)
{
    static char code[300], name[64];
    strcpy(code, text);
    blank_prose(code);
    blank_directives(code);
    return find_unprefixed(code, name) ? name : NULL;
}

START_TEST(test_find_unprefixed_function_is_found_and_others_are_not)
{
    ck_assert_str_eq(unprefixed_in("int lb_a(int b);\nint other(void);"), "other");
    ck_assert_str_eq(unprefixed_in("LB_MUST_USE LB_PRINTF(1, 2) char *bad(void);"), "bad");
    ck_assert_str_eq(unprefixed_in("#ifdef __cplusplus\nextern \"C\" {\n#endif\nvoid bad(int);"), "bad");
    ck_assert_str_eq(
        unprefixed_in("struct a { int (*f)(int); };\nstatic int s(void) { return f(1); }\nvoid bad(int);"),
        "bad");
    ck_assert_ptr_null(
        unprefixed_in("#define F(x) \\\n  g(x)\ntypedef struct lb_a { void *(*go)(int); } lb_a;\n"
                      "typedef void (*lb_hook)(int);\nint lb_f(int (*call)(int)) __attribute__((pure));\n"
                      "enum { LB_A = sizeof(int) }; /* int bad(void); */"));
}
END_TEST
