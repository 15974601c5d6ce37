/* The subwords of a training: learned from its pairs, not from those that are held out. */
#include "base/format.h"
#include "translate/input/data.h"
#include "translate/plan/recipe.h"

enum { SIDES = 2, LEAST = 2 };

static lb_status count_words(lb_training_data *data, lb_subword_words words[SIDES], bool separate,
                             lb_error *error)
{
    lb_status status = LB_OK;
    for (int64_t i = 0; i < lb_pairs_count(data->train) && !status; i++) {
        const lb_pair_line *line;
        status = lb_pairs_read(data->train, i, &line, error);
        if (!status) status = lb_subword_words_add(&words[0], 0, &line->source, error);
        if (!status) status = lb_subword_words_add(&words[separate], 1, &line->target, error);
    }
    return status;
}

static void note_few(const lb_training_config *c, const lb_training_data *data, int64_t found)
{
    char text[LB_MESSAGE_LENGTH];
    if (found >= c->subwords) return;
    lb_snprintf(
        text, sizeof text,
        "%.300s: found %lld merge%s instead of %d (subwords): no pair of pieces occurs twice any more",
        data->train->path, (long long)found, lb_plural(found), c->subwords);
    lb_training_tell_text(c, LB_EVENT_NOTE, text);
}

/* The merges of one side or of both, restricted to the pieces that each has often enough. */
static lb_status learn(lb_training_data *data, const lb_training_config *c, int least,
                       const lb_subword_words *words, int first, lb_error *error)
{
    lb_vocabulary *kept[SIDES];
    lb_subwords **learned = data->text.subwords;
    char *merges = lb_subwords_learn(words, c->subwords, least, kept, error);
    lb_status status = merges ? LB_OK : LB_ERROR_MEMORY;
    for (int side = first; side <= (c->separate_subwords ? first : 1) && !status; side++) {
        learned[side] = lb_subwords_parse(merges, error);
        status = learned[side] ? lb_subwords_restrict(learned[side], kept[side], error) : error->status;
    }
    if (!status && learned[first]) note_few(c, data, learned[first]->count);
    lb_vocabulary_free(kept[0]);
    lb_vocabulary_free(kept[1]);
    lb_release(merges);
    return status;
}

lb_status lb_training_subwords(lb_training_data *data, const lb_training_config *c, int least,
                               lb_error *error)
{
    lb_pairs *const files[] = {data->train, data->dev.pairs};
    lb_text_model *text = &data->text;
    lb_subword_words words[SIDES] = {{0}, {0}};
    if (least < LEAST) least = LEAST;
    lb_status status = count_words(data, words, c->separate_subwords, error);
    for (int side = 0; side < (c->separate_subwords ? SIDES : 1) && !status; side++)
        status = learn(data, c, least, &words[side], side, error);
    for (int side = 0; side < SIDES; side++) lb_subword_words_free(&words[side]);
    for (int i = 0; i < 2 && !status; i++)
        if (files[i]) status = lb_pairs_split_again(files[i], text->subwords[0], text->subwords[1], error);
    if (status) return status;
    lb_vocabulary_free(text->source);
    lb_vocabulary_free(text->target);
    return lb_pairs_count_symbols(data->train, &text->source, &text->target, error);
}
