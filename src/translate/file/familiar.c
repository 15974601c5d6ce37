/* Whether a text is like the sources of a training. The file of a model has their characters, each alone and with up to
 * three before it, and how often: a training counts them, and a translator asks them about each text. */
#include "base/alloc.h"
#include "base/buffer.h"
#include "base/transcendental.h"
#include "translate/file/text_model.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum {
    WINDOW = 4, /* characters */
    CALM = 10   /* characters like the average that each text has more: a word of three letters says little */
};
static const double STRANGE = -6, SCALE = 1e6; /* gain of a character that is new; of a gain in a file */

/* Behind characters, with how many different ones follow them. No text has it: a tab begins features. */
static const char FOLLOWERS[] = "\t";

/* Characters of a text: the last one is from at[1] to at[0], the one before it from at[2]. NULL: there is none. */
typedef struct window {
    const char *at[WINDOW + 1];
    char gram[4 * (WINDOW + 1)]; /* some of them */
} window;

static bool move(window *w)
{
    const char *end = w->at[0];
    if (!*end++) return false;
    while ((*end & 0xC0) == 0x80) end++;
    memmove(w->at + 1, w->at, WINDOW * sizeof *w->at);
    w->at[0] = end;
    return true;
}

static const char *cut(window *w, int begin, int end, const char *more)
{
    size_t length = (size_t)(w->at[end] - w->at[begin]);
    memcpy(w->gram, w->at[begin], length);
    memcpy(w->gram + length, more, strlen(more) + 1);
    return w->gram;
}

static double times(const lb_familiar *f, window *w, int begin, int end, const char *more)
{
    return (double)lb_vocabulary_count(f->grams, lb_vocabulary_id(f->grams, cut(w, begin, end, more)));
}

/* How much likelier, as a logarithm, the characters before the last one make it. Source: Witten and Bell 1991. */
static double gain(const lb_familiar *f, window *w)
{
    const double alone = times(f, w, 1, 0, "") / times(f, w, 0, 0, "");
    double likely = alone;
    for (int i = 2; i <= WINDOW && w->at[i]; i++) {
        const double others = times(f, w, i, 1, FOLLOWERS), all = times(f, w, i, 1, "") + others;
        if (others > 0) likely = (times(f, w, i, 0, "") + others * likely) / all;
    }
    return alone > 0 ? lb_log64(likely / alone) : STRANGE;
}

lb_status lb_familiar_look(const lb_familiar *f, const char *text, double *found, lb_error *error)
{
    lb_buffer framed = {0};
    lb_buffer_print(&framed, " %.*s ", (int)strcspn(text, "\t"), text);
    lb_status status = framed.failed ? lb_no_memory(error, "a text") : LB_OK;
    double sum = 0, length = CALM;
    for (window w = {.at = {framed.text}}; !status && move(&w); length++) {
        if (found && w.at[2]) sum += gain(f, &w);
        for (int i = 0; i <= WINDOW && w.at[i] && !found && !status; i++) {
            const int32_t size = lb_vocabulary_size(f->grams);
            status = lb_vocabulary_add(f->grams, &(const char *){cut(&w, i, 0, "")}, 1, error);
            if (!status && i > 1 && lb_vocabulary_size(f->grams) > size)
                status = lb_vocabulary_add(f->grams, &(const char *){cut(&w, i, 1, FOLLOWERS)}, 1, error);
        }
    }
    if (found) *found = sum / length;
    lb_release(framed.text);
    return status;
}

char *lb_familiar_print(const lb_familiar *f)
{
    lb_buffer lines = {0};
    lb_buffer_print(&lines, "%lld\n", llround(f->least * SCALE));
    for (int32_t id = LB_FIRST_TOKEN; id < lb_vocabulary_size(f->grams); id++)
        lb_buffer_print(&lines, "%lld %s\n", (long long)lb_vocabulary_count(f->grams, id),
                        lb_vocabulary_symbol(f->grams, id));
    return lb_buffer_end(&lines);
}

lb_status lb_familiar_load(const lb_safetensors *file, lb_familiar *f, lb_error *error)
{
    const char *text = lb_safetensors_metadata_value(file, LB_FAMILIAR_KEY);
    if (!text) return LB_OK;
    char *copy = lb_alloc_string(text), *at = copy;
    int64_t *count =
        lb_alloc_zero((strlen(text) / 2 + LB_FIRST_TOKEN) * sizeof *count); /* a line has a byte more */
    f->grams = lb_vocabulary_new_reserved(error);
    const bool memory = copy && count && f->grams;
    lb_status status = memory ? LB_OK : lb_no_memory(error, "a model");
    f->least = memory ? (double)strtoll(at, &at, 10) / SCALE : 0;
    while (memory && !status && *at == '\n' && *++at) {
        const long long many = strtoll(at, &at, 10);
        const char *gram = at + (*at == ' ');
        at += strcspn(at, "\n");
        if (many < 1 || !*at) break;
        *at = '\0';
        status = lb_vocabulary_add(f->grams, &gram, 1, error);
        if (!status) count[lb_vocabulary_id(f->grams, gram)] = many;
        *at = '\n';
    }
    if (memory) lb_vocabulary_set_counts(f->grams, count);
    if (memory && !status && (*at || count[lb_vocabulary_id(f->grams, "")] == 0 || at[-1] != '\n'))
        status = lb_error_set(error, LB_ERROR_FORMAT,
                              "%s: expected a number, and lines of a count and characters", LB_FAMILIAR_KEY);
    lb_release(count);
    lb_release(copy);
    return status;
}
