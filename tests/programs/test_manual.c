/* Manual pages, which the program generates from its options. It takes seconds. */
#include "support/process.h"
#include "support/suite.h"
#include "support/tempdir.h"

#include "cli/commands.h"

#include <stdio.h>
#include <string.h>

#define LOOKBACK BIN_DIR "/lookback"

static const char *const pages[] = {
#define NAME(name, about) #name,
    APP_PROGRAM_LIST(NAME) ""
#undef NAME
};

enum { PAGES = sizeof pages / sizeof *pages };

static support_result result;

static void run(const char *const *argv)
{
    support_run_in_tempdir(argv, NULL, &result);
    ck_assert_msg(result.status == 0, "status %d: %s", result.status, result.error);
    ck_assert_str_eq(result.error, "");
}

static void make_page(const char *command)
{
    run((const char *const[]){LOOKBACK, "generate", "man", *command ? command : NULL, NULL});
    support_write_file(support_path("page.1"), result.output, result.output_length);
}

static bool is_there(const char *tool)
{
    run((const char *const[]){"/bin/sh", "-c", "command -v \"$0\" || true", tool, NULL});
    if (!*result.output) support_skip(tool, "it is not installed");
    return *result.output != '\0';
}

START_LOOP_TEST(test_page_is_plain_text_with_all_sections, PAGES)
{
    static const char *const sections[] = {"\n.SH NAME\nlookback", "\n.SH SYNOPSIS\n", "\n.SH DESCRIPTION\n",
                                           "\n.SH EXIT STATUS\n"};
    make_page(pages[_i]);
    const char *at = result.output;
    ck_assert_int_eq(strncmp(at, ".TH LOOKBACK", 12), 0);
    for (size_t i = 0; SUPPORT_ROW(i, sections); i++) {
        at = strstr(at, sections[i]);
        ck_assert_ptr_nonnull(at);
    }
    for (at = result.output; *at; at++) ck_assert_msg(*at == '\n' || (*at >= ' ' && *at <= '~'), "%s", at);
}
END_TEST

START_TEST(test_page_has_the_options_of_the_program_with_their_defaults)
{
    make_page("train");
    ck_assert_ptr_nonnull(strstr(result.output, "\n.SS Model\n"));
    ck_assert_ptr_nonnull(strstr(result.output, "\n.TP\n\\fB\\-o\\fR, \\fB\\-\\-out\\fR \\fIDIR\\fR\n"));
    ck_assert_ptr_nonnull(strstr(result.output, "\n.TP\n\\fB\\-\\-[no\\-]bidirectional\\fR\n"));
    ck_assert_ptr_nonnull(strstr(result.output, "additive or bahdanau"));
    ck_assert_ptr_nonnull(strstr(result.output, "scaled\\-dot"));
    make_page("");
    for (int i = 0; i + 1 < PAGES; i++) {
        char entry[64];
        snprintf(entry, sizeof entry, "\n.BR lookback\\-%s (1)\n", pages[i]);
        ck_assert_ptr_nonnull(strstr(result.output, entry));
    }
}
END_TEST

/* What roff would read in another way is spelled out: a plain - is a hyphen, which cannot be copied. */
START_LOOP_TEST(test_page_has_no_character_that_roff_changes, PAGES)
{
    static const char *const known[] = {"\\e", "\\-", "\\(aq", "\\(ga", "\\(ha", "\\(ti",
                                        "\\&", "\\:", "\\fB",  "\\fI",  "\\fR"};
    make_page(pages[_i]);
    for (const char *at = result.output; *at; at++) {
        size_t length = 0;
        if (*at == '\n') ck_assert_msg(at[1] != '\'', "%s", at + 1);
        ck_assert_msg(!strchr("-'`^~", *at), "%.40s", at);
        if (*at != '\\') continue;
        for (size_t k = 0; k < sizeof known / sizeof *known && length == 0; k++)
            if (strncmp(at, known[k], strlen(known[k])) == 0) length = strlen(known[k]);
        ck_assert_msg(length > 0, "%.40s", at);
        at += length - 1;
    }
}
END_TEST

START_LOOP_TEST(test_groff_sets_the_page_without_a_warning, PAGES)
{
    if (!is_there("groff")) return;
    make_page(pages[_i]);
    run((const char *const[]){"/bin/sh", "-c", "groff -man -ww -Tutf8 page.1 >set && test -s set", NULL});
    ck_assert_str_eq(result.output, "");
}
END_TEST

START_LOOP_TEST(test_mandoc_finds_no_fault_but_the_missing_date, PAGES)
{
    if (!is_there("mandoc")) return;
    make_page(pages[_i]);
    run((const char *const[]){"/bin/sh", "-c", "mandoc -T lint page.1 | grep -v 'missing date' || true",
                              NULL});
    ck_assert_str_eq(result.output, "");
}
END_TEST
