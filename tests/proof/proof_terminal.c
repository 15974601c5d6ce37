/* Models, files and names of files with random sequences that control a terminal: each command shows them on one.
 * It has to end as it does with pipes, with the same results, in which what is harmful is spelled out. */
#include "proof/campaign.h"
#include "support/process.h"
#include "translate/file/text_model.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <utf8proc.h>

enum { SYMBOLS = 12, PIECE = 8, LINE = 256, LINES = 5, WORDS = 16, LOG = 1024 };

typedef struct trial {
    const proof *p;
    proof_count *count;
    proof_dice dice;
    uint64_t seed;
    char symbol[SYMBOLS][2 * PIECE];
    char model[SUPPORT_PATH], pairs[SUPPORT_PATH], sources[SUPPORT_PATH], config[SUPPORT_PATH],
        out[SUPPORT_PATH];
} trial;

/* A piece of text in UTF-8 that a terminal may obey, or may not. */
static void add_piece(proof_dice *dice, char text[PIECE])
{
    // NOLINTBEGIN(misc-misleading-bidirectional): on purpose
    static const char *const known[] = {
        "\x1b[2J", "\x1b]0;x\x07", "\x1b(0", "\302\2331A", "\xe2\x80\xae", "\xe2\x81\xa6",
        "\b\b",    "\r",           "\x7f",   "a",          "\xc3\xa9"};
    // NOLINTEND(misc-misleading-bidirectional)
    enum { KNOWN = sizeof known / sizeof *known, LAST = 0x2100 };
    size_t which = proof_below(dice, KNOWN + 6);
    memset(text, 0, PIECE);
    if (which < KNOWN) {
        strcpy(text, known[which]);
        return;
    }
    int32_t character = 0;
    while (character == 0 || character == '\t' || character == '\n' || character == ' ')
        character = 1 + (int32_t)proof_below(dice, which % 2 ? 0xFF : LAST);
    utf8proc_encode_char(character, (utf8proc_uint8_t *)text);
}

static void make_name(trial *t, char path[SUPPORT_PATH], const char *begin, const char *end)
{
    char name[LINE], piece[PIECE], other[PIECE];
    do {
        add_piece(&t->dice, piece);
        add_piece(&t->dice, other);
    } while (strchr(piece, '/') || strchr(other, '/'));
    /* A byte that is not UTF-8 may be in a name, too. */
    snprintf(name, sizeof name, "%s%s%s%s%s", begin, piece, other, proof_once_in(&t->dice, 4) ? "\x9b" : "",
             end);
    if (snprintf(path, SUPPORT_PATH, "%s/%s", t->p->folder, name) >= SUPPORT_PATH) abort();
}

static void make_model(trial *t)
{
    const lb_symbol_rule rule = {.normalize = LB_NORMAL_FORM_NONE, .separator = " "};
    char training[64];
    snprintf(training, sizeof training, "{\"\\u%04x\":\"\\u%04x\"}",
             (unsigned)(1 + proof_below(&t->dice, 0x1FF)), (unsigned)(0x2000 + proof_below(&t->dice, 0x70)));
    lb_text_model made = {.params = lb_params_new(t->seed),
                          .source = lb_vocabulary_new_reserved(NULL),
                          .source_rule = rule,
                          .target_rule = rule,
                          .shortest_source = 1,
                          .longest_source = 4,
                          .longest_target = 4,
                          .training = training};
    made.target = made.source;
    for (int i = 0; i < SYMBOLS; i++) {
        const char *symbol = t->symbol[i];
        do {
            add_piece(&t->dice, t->symbol[i]);
            if (proof_once_in(&t->dice, 2)) add_piece(&t->dice, t->symbol[i] + strlen(symbol));
        } while (lb_vocabulary_id(made.source, symbol) != LB_UNK);
        if (lb_vocabulary_add(made.source, &symbol, 1, NULL)) abort();
    }
    lb_seq2seq *net = lb_params_alloc(made.params, sizeof *net);
    int64_t size = lb_vocabulary_size(made.source);
    if (lb_seq2seq_init(net, made.params, "", (lb_seq2seq_config){size, size, .embed = 4, .hidden = 8}))
        abort();
    lb_tensor *bias = lb_params_find(made.params, "output.bias");
    for (int i = 0; i < 4; i++) bias->data[LB_FIRST_TOKEN + (int)proof_below(&t->dice, SYMBOLS)] = 3;
    made.model = &net->base;
    make_name(t, t->model, "model", "");
    if (lb_text_model_save(t->model, &made, NULL)) abort();
    lb_text_model_free(&made);
}

static void add_text(trial *t, FILE *file)
{
    for (int i = 0; i < 1 + (int)proof_below(&t->dice, 3); i++)
        fprintf(file, "%s%s", i ? " " : "", t->symbol[proof_below(&t->dice, SYMBOLS)]);
}

static void make_texts(trial *t)
{
    make_name(t, t->pairs, "pairs", ".tsv");
    make_name(t, t->sources, "sources", "");
    make_name(t, t->config, "config", ".json");
    make_name(t, t->out, "out", "");
    FILE *pairs = fopen(t->pairs, "w"), *sources = fopen(t->sources, "w"), *config = fopen(t->config, "w");
    if (!pairs || !sources || !config) abort();
    for (int i = 0; i < LINES; i++) {
        add_text(t, pairs);
        fprintf(pairs, "\t");
        add_text(t, pairs);
        fprintf(pairs, "\n");
        add_text(t, sources);
        fprintf(sources, "%s\n", proof_once_in(&t->dice, 8) ? "\xff" : "");
    }
    fprintf(config, "{\"%s\": \"%s\"}", t->symbol[0], t->symbol[1]);
    fclose(pairs);
    fclose(sources);
    fclose(config);
}

/* Whether a terminal may get it: defined here once more, by code points. */
static bool is_harmless(int32_t character)
{
    bool control = (character < 0x20 && character != '\t' && character != '\n') ||
                   (character >= 0x7F && character < 0xA0);
    bool turns = (character >= 0x202A && character <= 0x202E) || (character >= 0x2066 && character <= 0x2069);
    return !control && !turns;
}

/* The text with harmful bytes spelled out; to be freed. `*harmful` is set if there is one. */
static char *spell(const char *text, size_t length, bool *harmful)
{
    char *spelled = malloc(4 * length + 1), *to = spelled;
    if (!spelled) abort();
    *harmful = false;
    for (size_t at = 0; at < length;) {
        int32_t character;
        utf8proc_ssize_t bytes = utf8proc_iterate((const utf8proc_uint8_t *)text + at,
                                                  (utf8proc_ssize_t)(length - at), &character);
        bool shown = bytes > 0 && is_harmless(character);
        size_t end = at + (bytes > 0 ? (size_t)bytes : 1);
        *harmful = *harmful || !shown;
        for (; at < end; at++)
            to += shown ? (*to = text[at], 1) : sprintf(to, "\\x%02x", (unsigned)(unsigned char)text[at]);
    }
    *to = '\0';
    return spelled;
}

static const char *wrong_with(const support_result *piped, const support_result *shown, bool same_messages)
{
    bool harmful, harmful_message, any;
    char *expected = spell(piped->output, piped->output_length, &any);
    free(spell(shown->output, shown->output_length, &harmful));
    free(spell(shown->error, shown->error_length, &harmful_message));
    const char *wrong = shown->status != piped->status || shown->status > 128 ? "another status, or a crash"
                        : harmful || harmful_message                          ? "the terminal is controlled"
                        : strcmp(shown->output, expected) != 0                ? "other results"
                        : same_messages && strcmp(shown->error, piped->error) != 0 ? "other messages"
                                                                                   : NULL;
    free(expected);
    return wrong;
}

/* Whether the messages are the same the second time: those of a training have seconds in them. */
static void try(trial *t, const char *const words[WORDS], bool same_messages)
{
    const char *argv[WORDS + 2] = {BIN_DIR "/lookback"};
    const char *const plain[] = {"TERM=dumb", NULL};
    for (int i = 0; i < WORDS; i++) argv[1 + i] = words[i];
    support_command command = {.argv = argv, .directory = t->p->folder, .environment = plain};
    support_result piped, shown;
    if (!support_run_command(&command, &piped)) abort();
    command.terminal_output = true;
    command.terminal_columns = 80;
    if (!support_run_command(&command, &shown)) abort();
    const char *wrong = wrong_with(&piped, &shown, same_messages);
    t->count->trials++;
    if (wrong) proof_fail(t->p, t->count, t->seed, "%s: %s", words[0], wrong);
    support_result_free(&piped);
    support_result_free(&shown);
}

static void work(void *context)
{
    trial *t = context;
    make_model(t);
    make_texts(t);
    const char *const commands[][WORDS] = {
        {"predict", t->model, t->sources, "--skip-bad-lines"},
        {"predict", t->model, t->sources, "--n-best", "3"},
        {"predict", t->model, t->sources, "--alignments", "--skip-bad-lines"},
        {"predict", t->model, t->sources, "--jsonl", "--skip-bad-lines"},
        {"score", t->model, t->pairs},
        {"score", t->model, t->pairs, "--jsonl"},
        {"evaluate", t->model, t->pairs},
        {"evaluate", t->model, t->pairs, "--json"},
        {"data", t->pairs, "--dev", t->pairs, "--target-separator", " "},
        {"inspect", t->model, "--tensors"},
        {"inspect", t->model, "--json"},
        {"visualize", t->model, "--input", t->symbol[0], "-o", t->symbol[1]},
        {"train", t->pairs, "--config", t->config},
        {t->symbol[0], t->symbol[1]},
        {"join", t->model, t->model, "--out", t->out},
        {"train", t->pairs, "--dev", t->pairs, "--source-separator", " ", "--target-separator", " ",
         "--steps", "2", "--hidden", "4", "--fresh", "--out", t->out},
    };
    for (size_t i = 0; i < sizeof commands / sizeof *commands; i++)
        try(t, commands[i], i < sizeof commands / sizeof *commands - 2);
    remove(t->model);
    remove(t->pairs);
    remove(t->sources);
    remove(t->config);
}

int main(int argc, char **argv)
{
    proof p = proof_begin("proof_terminal", argc, argv);
    trial t = {.p = &p, .count = proof_kind(&p, "commands"), .seed = p.seed};
    do {
        t.dice = proof_dice_new(t.seed, "terminal");
        int signal = proof_in_child(work, &t);
        if (signal) proof_fail(&p, t.count, t.seed, "ended by signal %d", signal);
        t.seed++;
    } while (proof_has_time(&p));
    return proof_end(&p);
}
