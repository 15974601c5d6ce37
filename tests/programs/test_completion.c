/* Shell completion, by the shells themselves with the scripts from the program. It takes seconds. */
#include "support/process.h"
#include "support/suite.h"
#include "support/tempdir.h"

#include "cli/commands.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#define LOOKBACK BIN_DIR "/lookback"
#define SCRIPTS  SOURCE_DIR "/apps/generate"

static const char *const commands[] = {
#define NAME(name, about) #name,
    APP_PROGRAM_LIST(NAME)
#undef NAME
};

enum { COMMANDS = sizeof commands / sizeof *commands, WORDS = 16 };

static support_result result;

static void run(const char *const *argv)
{
    support_run_in_tempdir(argv, NULL, &result);
    ck_assert_msg(result.status == 0, "status %d: %s", result.status, result.error);
    ck_assert_str_eq(result.error, "");
}

/* The completions of bash for the last of these words, one per line. */
static void complete_in_bash(const char *const *words)
{
    static const char script[] = "PATH=${0%/*}:$PATH; . '" SCRIPTS "/lookback.bash'; "
                                 "COMP_WORDS=(\"$@\"); COMP_CWORD=$(($# - 1)); _lookback\n"
                                 "((${#COMPREPLY[@]} == 0)) || printf '%s\\n' \"${COMPREPLY[@]}\" | sort";
    const char *argv[WORDS + 5] = {"/bin/bash", "-c", script, LOOKBACK, "lookback"};
    for (int i = 0; words[i]; i++) argv[5 + i] = words[i];
    run(argv);
}

#define COMPLETE(...) complete_in_bash((const char *const[]){__VA_ARGS__, NULL})

static bool has_line(const char *text, const char *line)
{
    size_t length = strlen(line);
    for (const char *at = text; (at = strstr(at, line)) != NULL; at++)
        if ((at == text || at[-1] == '\n') && at[length] == '\n') return true;
    return false;
}

static void make_files(void)
{
    support_write_file(support_path("pairs.tsv"), "", 0);
    support_write_file(support_path("pages of text"), "", 0);
    ck_assert_int_eq(mkdir(support_path("party"), 0777), 0);
    ck_assert_int_eq(mkdir(support_path("out"), 0777), 0);
}

START_TEST(test_bash_completes_commands)
{
    COMPLETE("");
    for (int i = 0; SUPPORT_ROW(i, commands); i++) ck_assert(has_line(result.output, commands[i]));
    COMPLETE("tr");
    ck_assert_str_eq(result.output, "train\n");
    COMPLETE("help", "ev");
    ck_assert_str_eq(result.output, "evaluate\n");
    COMPLETE("--v");
    ck_assert_str_eq(result.output, "--version\n");
}
END_TEST

/* The name of the option at the start of a line of --help, without "[no-]"; "" if there is none. */
static void option_of_line(const char *line, char name[64])
{
    enum { INDENT = 6 };
    const char *dashes = line + strspn(line, " ");
    *name = '\0';
    if (dashes - line > INDENT) return; /* the help of the previous option continues here */
    if (dashes[0] == '-' && isalpha((unsigned char)dashes[1]) && dashes[2] == ',') dashes += 4;
    size_t length = strncmp(dashes, "--", 2) == 0 ? strcspn(dashes, " \n") : 0;
    bool on = length > 7 && strncmp(dashes, "--[no-]", 7) == 0;
    snprintf(name, 64, "%s%.*s", on ? "--no-" : "", (int)(on ? length - 7 : length),
             on ? dashes + 7 : dashes);
}

START_LOOP_TEST(test_bash_completes_every_option_of_help, COMMANDS)
{
    char name[64];
    int found = 0;
    const char *command = commands[_i];
    COMPLETE(command, "--");
    char *completed = strdup(result.output);
    run((const char *const[]){LOOKBACK, "help", command, "--all", NULL});
    for (const char *line = result.output; line; line = strchr(line, '\n')) {
        line += *line == '\n';
        option_of_line(line, name);
        if (!*name) continue;
        found++;
        ck_assert_msg(has_line(completed, name), "%s: no %s in %s", command, name, completed);
    }
    ck_assert_int_ge(found, 4);
    free(completed);
}
END_TEST

START_TEST(test_bash_completes_values)
{
    make_files();
    COMPLETE("train", "--attention", "b");
    ck_assert_str_eq(result.output, "bahdanau\n");
    COMPLETE("train", "--attention", "=", "lu");
    ck_assert_str_eq(result.output, "luong\n");
    COMPLETE("train", "--model", "=");
    ck_assert_str_eq(result.output, "seq2seq\ntransformer\n");
    COMPLETE("visualize", "--colormap", "v");
    ck_assert_str_eq(result.output, "viridis\n");
    COMPLETE("train", "--set", "kv");
    ck_assert_str_eq(result.output, "kv-heads=\n");
    COMPLETE("sort", "--set", "i");
    ck_assert_str_eq(result.output, ""); /* lists have no index */
    COMPLETE("train", "--steps", "");
    ck_assert_str_eq(result.output, "");
    COMPLETE("train", "--train", "pa");
    ck_assert_str_eq(result.output, "pages of text\npairs.tsv\nparty\n");
    COMPLETE("train", "--out", "pa");
    ck_assert_str_eq(result.output, "party\n");
    COMPLETE("sort", "-o", "o");
    ck_assert_str_eq(result.output, "out\n");
}
END_TEST

START_TEST(test_bash_completes_operands)
{
    make_files();
    COMPLETE("predict", "o");
    ck_assert_str_eq(result.output, "out\n");
    COMPLETE("evaluate", "--json", "out", "pair");
    ck_assert_str_eq(result.output, "pairs.tsv\n");
    COMPLETE("train", "pair");
    ck_assert_str_eq(result.output, "pairs.tsv\n");
    COMPLETE("sort", "o");
    ck_assert_str_eq(result.output, ""); /* it has no operands */
}
END_TEST

/* Runs a script with the program as $0, if the shell is installed. */
static bool run_in(const char *shell, const char *script)
{
    const char *const there[] = {"/bin/sh", "-c", "command -v \"$0\" || true", shell, NULL};
    run(there);
    if (!*result.output) {
        support_skip(shell, "it is not installed");
        return false;
    }
    run((const char *const[]){"/bin/sh", "-c", script, LOOKBACK, NULL});
    return true;
}

/* Runs a shell in a shell, because completion in zsh needs a terminal. Blocks until the completed word appears. */
START_TEST(test_zsh_completes)
{
    support_need_terminal();
    static const char script[] =
        "ln -s \"$0\" lookback && export HOME=\"$PWD\" && cp '" SCRIPTS
        "/lookback.zsh' _lookback && zsh -n _lookback && exec zsh -f -c '"
        "zmodload zsh/zpty && zpty z zsh -f -i\n"
        "zpty -w z \"PS1=; fpath=($PWD \\$fpath); autoload -U compinit; compinit -u -D; print REA\"DY\n"
        "zpty -r z out \"*READY*\"\n"
        "zpty -w -n z \"~/lookback train --attention ba\"$'\\''\\t'\\''\n"
        "zpty -r z out \"*--attention bahdanau*\" && zpty -w -n z \" --set kv\"$'\\''\\t'\\''x\n"
        "zpty -r z out \"*--set kv-heads=x*\" && print completed'";
    if (run_in("zsh", script)) ck_assert_str_eq(result.output, "completed\n");
}
END_TEST

START_TEST(test_fish_completes)
{
    static const char script[] =
        "ln -s \"$0\" lookback && export HOME=\"$PWD\" PATH=\"$PWD:$PATH\" && "
        "fish -c 'source \"" SCRIPTS "/lookback.fish\"; complete -C \"lookback help ev\";"
        "complete -C \"~/lookback train --attention ba\";"
        "complete -C \"lookback train --set kv\";"
        "complete -C \"lookback train --no-b\"' | cut -f 1";
    if (run_in("fish", script))
        ck_assert_str_eq(result.output, "evaluate\nbahdanau\nkv-heads=\n--no-bidirectional\n");
}
END_TEST

START_TEST(test_generate_unknown_word_is_refused)
{
    static const char *const words[][2] = {{"", NULL}, {"csh", NULL}, {"man", "dance"}, {"bash", "train"}};
    for (size_t i = 0; SUPPORT_ROW(i, words); i++) {
        SUPPORT_RUN(&result, NULL, LOOKBACK, "generate", words[i][0], words[i][1]);
        support_expect(&result, 2, "", "lookback: generate: expected man or man COMMAND\n");
    }
}
END_TEST
