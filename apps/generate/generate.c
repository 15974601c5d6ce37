/* Manual pages and completions, from the table of options of each command. */
#include "cli/commands.h"

#include <ctype.h>
#include <stdio.h>
#include <string.h>

/* ---- Manual pages in the man(7) language. They have no date, so that the same sources give the same pages. ---- */

enum { WIDTH = 72, TEXT = 1024 };

/* Exit statuses and their descriptions. */
static const struct {
    int status;
    const char *about;
} endings[] = {
    {0, "success"},
    {1, "out of memory, another failure, or trainings that failed for different reasons"},
    {2, "wrong usage"},
    {65, "bad data, such as a damaged file or a line that is not a pair"},
    {66, "a file cannot be read"},
    {74, "a file or standard output cannot be written"},
    {75, "the training diverged or ended worse than guessing, or another training writes to the folder"},
    {130, "interrupted by Ctrl-C; 143: by SIGTERM; 138: by SIGUSR1"},
};

enum { ENDINGS = sizeof endings / sizeof *endings };

/* Writes a word for roff: dashes that can be copied, and plain quotes. Returns its width. */
static int put_word(const char *word, int length)
{
    static const char special[] = "\\-'`^~";
    static const char *const spelled[] = {"\\e", "\\-", "\\(aq", "\\(ga", "\\(ha", "\\(ti"};
    if (*word == '.') fputs("\\&", stdout);
    for (int i = 0; i < length; i++) {
        const char *at = strchr(special, word[i]);
        if (at)
            fputs(spelled[at - special], stdout);
        else
            putchar(word[i]);
        if (word[i] == ',' && i + 1 < length) fputs("\\:", stdout); /* a long list may break here */
    }
    return length;
}

/* Writes a paragraph, in lines of moderate width. */
static void put_text(const char *text)
{
    int column = 0;
    for (const char *word = text; *word;) {
        int length = (int)strcspn(word, " ");
        if (column > 0) {
            bool fits = column + 1 + length <= WIDTH;
            putchar(fits ? ' ' : '\n');
            column = fits ? column + 1 : 0;
        }
        column += put_word(word, length);
        word += length + (int)strspn(word + length, " ");
    }
    putchar('\n');
}

/* Writes lines without filling them. */
static void put_lines(const char *text)
{
    for (const char *line = text; *line;) {
        int length = (int)strcspn(line, "\n");
        put_word(line, length);
        putchar('\n');
        line += length + (line[length] == '\n');
    }
}

static void put_title(const char *name)
{
    fputs(".TH ", stdout);
    for (const char *letter = name; *letter; letter++) {
        char upper = (char)toupper((unsigned char)*letter);
        put_word(&upper, 1);
    }
    printf(" 1 \"\" \"Lookback %s\" \"Lookback\"\n.ad l\n", lb_version()); /* long words cannot be adjusted */
}

static void put_name(const char *name, const char *about)
{
    fputs(".SH NAME\n", stdout);
    put_word(name, (int)strlen(name));
    fputs(" \\-\n", stdout);
    put_text(about);
}

static void put_option(const app_option *option)
{
    char text[TEXT];
    const bool rare = app_option_is_rare(option);
    const char *value = rare && !option->metavar ? "true" : option->metavar;
    app_option_describe(option, text, sizeof text);
    fputs(".TP\n", stdout);
    if (option->letter) printf("\\fB\\-%c\\fR, ", option->letter);
    fputs(rare ? "\\fB" : "\\fB\\-\\-", stdout);
    if (app_option_is_on(option) && !rare) fputs("[no\\-]", stdout);
    put_word(option->name, (int)strlen(option->name));
    fputs("\\fR", stdout);
    fputs(value ? rare ? "=\\fI" : " \\fI" : "", stdout);
    if (value) put_word(value, (int)strlen(value));
    fputs(value ? "\\fR\n" : "\n", stdout);
    put_text(text);
}

static void put_options(const app_program *program)
{
    const app_option *listed[APP_MOST_OPTIONS + 1];
    int count = app_options_list(program, true, listed);
    fputs(".SH OPTIONS\n", stdout);
    put_option(&app_option_help);
    put_option(&app_option_version);
    for (int i = 0; i < count; i++) {
        if (listed[i]->kind == APP_IS_HEADING) {
            fputs(".SS ", stdout);
            put_lines(listed[i]->help);
        } else {
            put_option(listed[i]);
        }
    }
}

static void put_examples(const app_program *program)
{
    if (program->example_count == 0) return;
    fputs(".SH EXAMPLES\n", stdout);
    for (int i = 0; i < program->example_count; i++) {
        if (i > 0) fputs(".PP\n", stdout);
        put_text(program->examples[i].about);
        fputs(".PP\n.RS 4\n.EX\n", stdout);
        put_lines(program->examples[i].command);
        fputs(".EE\n.RE\n", stdout);
    }
}

static void put_endings(void)
{
    fputs(".SH EXIT STATUS\n", stdout);
    for (int i = 0; i < ENDINGS; i++) {
        printf(".TP\n%d\n", endings[i].status);
        put_text(endings[i].about);
    }
}

/* lookback-COMMAND(1); `about` describes the command in a few words. */
static void put_command_page(const app_program *program, void *about)
{
    char name[64];
    snprintf(name, sizeof name, "lookback-%s", program->name);
    put_title(name);
    put_name(name, about);
    printf(".SH SYNOPSIS\n\\fBlookback %s\\fR [\\fIOPTION\\fR]...", program->name);
    fputs(program->operands ? " " : "\n", stdout);
    put_lines(program->operands ? program->operands : "");
    fputs(".SH DESCRIPTION\n", stdout);
    put_text(program->purpose);
    put_options(program);
    put_examples(program);
    put_endings();
    fputs(".SH SEE ALSO\n.BR lookback (1)\n", stdout);
}

/* lookback(1). */
static void put_whole_page(void)
{
    put_title(app_whole.name);
    put_name(app_whole.name, "sequence-to-sequence models with attention");
    fputs(".SH SYNOPSIS\n\\fBlookback\\fR \\fICOMMAND\\fR [\\fIARGUMENT\\fR]...\n"
          ".br\n\\fBlookback help\\fR [\\fICOMMAND\\fR]\n"
          ".br\n\\fBlookback \\-\\-version\\fR\n.SH DESCRIPTION\n",
          stdout);
    put_text(app_whole.purpose);
    fputs(".SH COMMANDS\n", stdout);
    for (int i = 0; i < app_command_count; i++) {
        printf(".TP\n.BR lookback\\-%s (1)\n", app_commands[i].name);
        put_text(app_commands[i].about);
    }
    put_examples(&app_whole);
    put_endings();
}

/* ---- What is asked for. ---- */

int app_generate(const char *const *words)
{
    const char *what = words[0] ? words[0] : "", *name = words[0] ? words[1] : NULL;
    const app_command *command = name ? app_command_find(name) : NULL;
    bool page = strcmp(what, "man") == 0;
    if (strcmp(what, "words") == 0)
        app_complete(words + 1);
    else if (page && command)
        app_command_read(command, put_command_page, (void *)command->about);
    else if (page && !name)
        put_whole_page();
    else {
        app_warn("generate: expected man or man COMMAND");
        return lb_status_exit(LB_ERROR_ARGUMENT);
    }
    return app_close_stdout(0);
}
