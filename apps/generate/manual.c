#include "generate/generate.h"

#include "cli/commands.h"
#include "cli/option.h"

#include <ctype.h>
#include <string.h>

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

void app_manual_command(const app_program *program, const char *about, FILE *out)
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

void app_manual_whole(FILE *out)
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
