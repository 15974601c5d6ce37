/* What a stranger's model, file or file name has in it does not control the terminal that it is shown on. */
#include "support/process.h"
#include "support/suite.h"
#include "support/tempdir.h"
#include "translate/file/text_model.h"

#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

/* Clear the screen, set the title, begin a sequence as one character, move back, turn the text around. */
static const char *const hostile[] = {"\x1b[2J",      "\x1b]0;owned\x07",
                                      "\xc2\x9b",     "\b\r",
                                      "\xe2\x80\xae", // NOLINT(misc-misleading-bidirectional): on purpose
                                      "\x7f",         "a",
                                      "\xc3\xa9"};
enum { HOSTILE = sizeof hostile / sizeof *hostile };

#define EVIL     "\x1b[31m\xc2\x9b\b" /* part of the names of files */
#define LOOKBACK BIN_DIR "/lookback"

static char model[SUPPORT_PATH], pairs[SUPPORT_PATH], sources[SUPPORT_PATH], config[SUPPORT_PATH];
static support_result result, on_terminal;

static char *name_file(char path[SUPPORT_PATH], const char *name)
{
    return strcpy(path, support_path(name));
}

/* With random weights: it writes symbols of all kinds. */
static void make_model(void)
{
    const lb_symbol_rule rule = {.normalize = LB_NORMAL_FORM_NONE, .separator = " "};
    lb_text_model made = {.params = lb_params_new(1),
                          .source_rule = rule,
                          .target_rule = rule,
                          .shortest_source = 1,
                          .longest_source = 4,
                          .longest_target = 4,
                          .training = "{\"\\u001b[31m\":\"\\u009b\"}"};
    made.source = made.target = lb_vocabulary_new_reserved(NULL);
    ck_assert_int_eq(lb_vocabulary_add(made.source, hostile, HOSTILE, NULL), LB_OK);
    lb_seq2seq *net = lb_params_alloc(made.params, sizeof *net);
    int64_t size = lb_vocabulary_size(made.source);
    ck_assert_int_eq(lb_seq2seq_init(net, made.params, "", (lb_seq2seq_config){size, size, .hidden = 8}),
                     LB_OK);
    lb_tensor *bias = lb_params_find(made.params, "output.bias");
    for (int i = 0; i < 6; i++) bias->data[LB_FIRST_TOKEN + i] = 4;
    made.model = &net->base;
    ck_assert_int_eq(lb_text_model_save(name_file(model, "model" EVIL), &made, NULL), LB_OK);
    lb_text_model_free(&made);
}

static void write_text(char path[SUPPORT_PATH], const char *name, const char *text)
{
    support_write_file(name_file(path, name), text, strlen(text));
}

static void make_files(void)
{
    make_model();
    write_text(pairs, "pairs" EVIL ".tsv", "\x1b[2J a\t\x1b[2J\n\xc2\x9b\t\b\r \x7f\na\ta\n");
    write_text(sources, "sources" EVIL, "\x1b[2J a\n\xc2\x9b\n\xe2\x80\xae\xef\xbb\xbf \xff\n");
    write_text(config, "config" EVIL ".json", "{\"\\u001b[31m\\u009b\": 1}");
}

/* What a terminal may get: text, line ends and tabs. */
static bool is_harmless(const char *text, size_t length)
{
    for (size_t i = 0; i < length; i++) {
        unsigned char c = (unsigned char)text[i], next = (unsigned char)text[i + 1];
        if ((c < ' ' && c != '\n' && c != '\t') || c == 0x7f) return false;
        if (c == 0xc2 && next >= 0x80 && next < 0xa0) return false;
        if (c == 0xe2 && next == 0x80 && (unsigned char)text[i + 2] == 0xae) return false;
    }
    return true;
}

/* The commands that show what a stranger wrote. Of those with `raw`, a pipe gets it as it is. */
static const struct {
    const char *argv[8];
    int status;
    bool raw;
} commands[] = {
    {{"predict", model, sources, "--skip-bad-lines"}, 0, true},
    {{"predict", model, sources}, 65, true},
    {{"predict", model, sources, "--skip-bad-lines", "--n-best", "3"}, 0, true},
    {{"predict", model, sources, "--skip-bad-lines", "--alignments"}, 0, true},
    {{"predict", model, sources, "--skip-bad-lines", "--jsonl"}, 0, true},
    {{"score", model, pairs}, 0, true},
    {{"score", model, pairs, "--jsonl"}, 0, true},
    {{"score", model, pairs, "--alignments"}, 0, true},
    {{"evaluate", model, pairs}, 0, true},
    {{"evaluate", model, pairs, "--json"}, 0, true},
    {{"data", pairs, "--dev", pairs}, 0, true},
    {{"inspect", model, "--tensors"}, 0, true},
    {{"inspect", model, "--json"}, 0, true},
    {{"train", pairs, "--config", config}, 65, false},
    {{"train", pairs, "--format", "" EVIL}, 2, false},
    {{"" EVIL}, 2, false},
};

static void check_command(const char *const words[8], int status, bool raw)
{
    const char *argv[10] = {LOOKBACK};
    for (int i = 0; i < 8; i++) argv[1 + i] = words[i];
    /* without a bar, which depends on the time */
    const char *const dumb[] = {"TERM=dumb", NULL};
    support_command command = {.argv = argv, .directory = support_tempdir(), .environment = dumb};
    ck_assert(support_run_command(&command, &result));
    command.terminal_output = true;
    command.terminal_columns = 80;
    ck_assert(support_run_command(&command, &on_terminal));
    ck_assert_int_eq(result.status, status);
    ck_assert_int_eq(on_terminal.status, status);
    ck_assert_str_eq(on_terminal.error, result.error);
    ck_assert_msg(is_harmless(on_terminal.output, on_terminal.output_length), "%s", on_terminal.output);
    ck_assert_msg(is_harmless(on_terminal.error, on_terminal.error_length), "%s", on_terminal.error);
    ck_assert_msg(is_harmless(result.output, result.output_length) != raw, "%s", result.output);
    support_result_free(&result);
    support_result_free(&on_terminal);
}

START_TEST(test_lookback_on_a_terminal_has_no_control_characters)
{
    make_files();
    for (size_t i = 0; SUPPORT_ROW(i, commands); i++)
        check_command(commands[i].argv, commands[i].status, commands[i].raw);
}
END_TEST
