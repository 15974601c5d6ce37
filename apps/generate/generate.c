/* Manual pages and completions, from the table of options of each command. */
#include "cli/commands.h"
#include "cli/option.h"
#include "console/console.h"
#include "generate/completion.h"

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
    {1, "out of memory, or another failure"},
    {2, "wrong usage"},
    {65, "bad data, such as a damaged file or a line that is not a pair"},
    {66, "a file cannot be read"},
    {74, "a file or standard output cannot be written"},
    {75, "the training diverged or ended worse than guessing, or another training writes to the folder"},
    {130, "interrupted by Ctrl-C; 143: by SIGTERM; 138: by SIGUSR1"},
};

enum { ENDINGS = sizeof endings / sizeof *endings };

/* Writes a word for roff: dashes that can be copied, and plain quotes. Returns its width. */
static int put_word(const char *word, int length, FILE *out)
{
    static const char special[] = "\\-'`^~";
    static const char *const spelled[] = {"\\e", "\\-", "\\(aq", "\\(ga", "\\(ha", "\\(ti"};
    if (*word == '.') fputs("\\&", out);
    for (int i = 0; i < length; i++) {
        const char *at = strchr(special, word[i]);
        if (at)
            fputs(spelled[at - special], out);
        else
            fputc(word[i], out);
        if (word[i] == ',' && i + 1 < length) fputs("\\:", out); /* a long list may break here */
    }
    return length;
}

/* Writes a paragraph, in lines of moderate width. */
static void put_text(const char *text, FILE *out)
{
    int column = 0;
    for (const char *word = text; *word;) {
        int length = (int)strcspn(word, " ");
        if (column > 0) {
            bool fits = column + 1 + length <= WIDTH;
            fputc(fits ? ' ' : '\n', out);
            column = fits ? column + 1 : 0;
        }
        column += put_word(word, length, out);
        word += length + (int)strspn(word + length, " ");
    }
    fputc('\n', out);
}

/* Writes lines without filling them. */
static void put_lines(const char *text, FILE *out)
{
    for (const char *line = text; *line;) {
        int length = (int)strcspn(line, "\n");
        put_word(line, length, out);
        fputc('\n', out);
        line += length + (line[length] == '\n');
    }
}

static void put_title(const char *name, FILE *out)
{
    fputs(".TH ", out);
    for (const char *letter = name; *letter; letter++) {
        char upper = (char)toupper((unsigned char)*letter);
        put_word(&upper, 1, out);
    }
    fprintf(out, " 1 \"\" \"Lookback %s\" \"Lookback\"\n.ad l\n",
            lb_version()); /* long words cannot be adjusted */
}

static void put_name(const char *name, const char *about, FILE *out)
{
    fputs(".SH NAME\n", out);
    put_word(name, (int)strlen(name), out);
    fputs(" \\-\n", out);
    put_text(about, out);
}

static void put_rare(const app_option *option, FILE *out)
{
    fputs("\\fB", out);
    put_word(option->setting->name, (int)strlen(option->setting->name), out);
    fprintf(out, "\\fR=\\fI%s\\fR\n", option->metavar ? option->metavar : "true");
}

static void put_option(const app_option *option, FILE *out)
{
    char text[TEXT];
    app_option_describe(option, text, sizeof text);
    fputs(".TP\n", out);
    if (app_option_is_rare(option)) {
        put_rare(option, out);
        put_text(text, out);
        return;
    }
    if (option->letter) fprintf(out, "\\fB\\-%c\\fR, ", option->letter);
    fputs("\\fB\\-\\-", out);
    if (app_option_is_on(option)) fputs("[no\\-]", out);
    put_word(option->name, (int)strlen(option->name), out);
    fputs("\\fR", out);
    if (option->metavar) fprintf(out, " \\fI%s\\fR", option->metavar);
    fputc('\n', out);
    put_text(text, out);
}

static void put_options(const app_program *program, FILE *out)
{
    fputs(".SH OPTIONS\n", out);
    put_option(&app_option_help, out);
    put_option(&app_option_version, out);
    bool rare = false;
    for (int i = 0; i < program->option_count; i++) {
        if (program->options[i].kind == APP_IS_HEADING)
            fprintf(out, ".SS %s\n", program->options[i].help);
        else if (!app_option_is_rare(&program->options[i]))
            put_option(&program->options[i], out);
    }
    for (int i = 0; i < program->option_count; i++) {
        if (!app_option_is_rare(&program->options[i])) continue;
        if (!rare) fprintf(out, ".SS %s\n", app_rare_heading);
        rare = true;
        put_option(&program->options[i], out);
    }
}

static void put_examples(const app_program *program, FILE *out)
{
    if (program->example_count == 0) return;
    fputs(".SH EXAMPLES\n", out);
    for (int i = 0; i < program->example_count; i++) {
        if (i > 0) fputs(".PP\n", out);
        put_text(program->examples[i].about, out);
        fputs(".PP\n.RS 4\n.EX\n", out);
        put_lines(program->examples[i].command, out);
        fputs(".EE\n.RE\n", out);
    }
}

static void put_endings(FILE *out)
{
    fputs(".SH EXIT STATUS\n", out);
    for (int i = 0; i < ENDINGS; i++) {
        fprintf(out, ".TP\n%d\n", endings[i].status);
        put_text(endings[i].about, out);
    }
}

/* lookback-COMMAND(1); `about` describes the command in a few words. */
static void put_command_page(const app_program *program, const char *about, FILE *out)
{
    char name[64];
    snprintf(name, sizeof name, "lookback-%s", program->name);
    put_title(name, out);
    put_name(name, about, out);
    fprintf(out, ".SH SYNOPSIS\n\\fBlookback %s\\fR [\\fIOPTION\\fR]...", program->name);
    if (program->operands) fprintf(out, " %s", program->operands);
    fputs("\n.SH DESCRIPTION\n", out);
    put_text(program->purpose, out);
    put_options(program, out);
    put_examples(program, out);
    put_endings(out);
    fputs(".SH SEE ALSO\n.BR lookback (1)\n", out);
}

/* lookback(1). */
static void put_whole_page(FILE *out)
{
    put_title(app_whole.name, out);
    put_name(app_whole.name, "sequence-to-sequence models with attention", out);
    fputs(".SH SYNOPSIS\n\\fBlookback\\fR \\fICOMMAND\\fR [\\fIARGUMENT\\fR]...\n"
          ".br\n\\fBlookback help\\fR [\\fICOMMAND\\fR]\n"
          ".br\n\\fBlookback \\-\\-version\\fR\n.SH DESCRIPTION\n",
          out);
    put_text(app_whole.purpose, out);
    fputs(".SH COMMANDS\n", out);
    for (int i = 0; i < app_command_count; i++) {
        fprintf(out, ".TP\n.BR lookback\\-%s (1)\n", app_commands[i].name);
        put_text(app_commands[i].about, out);
    }
    put_examples(&app_whole, out);
    put_endings(out);
}

/* ---- What is asked for. ---- */

/* Makes a command pass its table to the reader. */
static void read_command(const app_command *command, app_table_reader *reader, void *context)
{
    char name[32], *words[] = {name, NULL};
    snprintf(name, sizeof name, "%s", command->name);
    app_options_read_by(reader, context);
    command->main(1, words);
    app_options_read_by(NULL, NULL);
}

static void write_page(const app_program *program, void *about)
{
    put_command_page(program, about, stdout);
}

static void write_completion(const app_program *program, void *shell)
{
    ((const app_completion *)shell)->command(program, stdout);
}

static void complete(const app_completion *shell)
{
    fputs(shell->begin, stdout);
    for (int i = 0; i < app_command_count; i++)
        shell->about(app_commands[i].name, app_commands[i].about, stdout);
    shell->about("help", "list the commands, or the options of one", stdout);
    fputs(shell->options, stdout);
    for (int i = 0; i < app_command_count; i++)
        read_command(&app_commands[i], write_completion, (void *)shell);
    fputs(shell->end, stdout);
}

int app_generate(const char *const *words)
{
    const char *what = words[0] ? words[0] : "", *name = words[0] ? words[1] : NULL;
    const app_command *command = name ? app_command_find(name) : NULL;
    const app_completion *shell = app_completion_find(what);
    bool page = strcmp(what, "man") == 0;
    if ((page && name && !command) || (!page && (name || !shell))) {
        app_warn("generate: expected man, man COMMAND, bash, zsh or fish");
        return lb_status_exit(LB_ERROR_ARGUMENT);
    }
    if (!page)
        complete(shell);
    else if (command)
        read_command(command, write_page, (void *)command->about);
    else
        put_whole_page(stdout);
    return app_close_stdout(0);
}
