/* The lexicon that a training or `join` is asked for, made of a file, of pairs in memory or of the training pairs. */
#include "base/alloc.h"
#include "data/pairs/pairs.h"
#include "data/review/pair_report.h"
#include "translate/input/data.h"
#include "translate/plan/recipe.h"

#include <stdio.h>
#include <string.h>

/* The error of a pair, with the name of its line. */
static lb_status refuse(const lb_pairs *pairs, int64_t pair, const lb_error *found, lb_error *error)
{
    if (found->status != LB_ERROR_FORMAT) return lb_error_set(error, found->status, "%s", found->message);
    if (pairs->texts.count > 0)
        return lb_error_set(error, found->status, "pair %lld: %s", (long long)pair, found->message);
    return lb_error_set(error, found->status, "%s:%lld: %s", pairs->path,
                        (long long)lb_pairs_line_number(pairs, pair), found->message);
}

static lb_status add_pairs(lb_lexicon_maker *maker, const lb_vocabulary *known, lb_pairs *pairs, bool given,
                           lb_error *error)
{
    lb_status status = LB_OK;
    for (int64_t i = 0; i < lb_pairs_count(pairs) && !status; i++) {
        const lb_pair_line *line;
        status = lb_pairs_read(pairs, i, &line, error);
        if (status) return status;
        lb_error found = {0};
        lb_symbols source = line->source;
        lb_text_model_trim(known, &source);
        maker->weight = line->weight;
        if (lb_lexicon_add(maker, &source, &line->target, given, &found))
            status = refuse(pairs, i, &found, error);
    }
    return status;
}

/* A training has one format for all files, and join another one. */
static lb_status tell_report(const lb_training_config *c, const lb_text_model *model, lb_pairs *train,
                             lb_pairs *lexicon, bool folds, lb_error *error)
{
    const lb_lexicon_model of = {model->source, model->target, folds, train};
    if (!c->tell) return LB_OK;
    char *text = lb_pair_report_lexicon(lexicon, &of, error);
    if (!text) return error->status;
    lb_training_tell_text(c, LB_EVENT_REPORT, text);
    if (train && strstr(text, "--format"))
        lb_training_tell_text(
            c, LB_EVENT_REPORT,
            "  --format is of all files of a training: `lookback join --lexicon` reads a lexicon "
            "in a format of its own\n");
    lb_release(text);
    return LB_OK;
}

/* The pairs of the file, or of memory. */
static lb_status add_given(lb_lexicon_maker *maker, const lb_training_config *c, const lb_text_model *model,
                           lb_pairs *train, const lb_pair_format *format, lb_error *error)
{
    lb_pair_format own = *format;
    own.targets = NULL;
    own.weight_column = c->weight_column;
    own.weights_beside = true;
    if (!c->lexicon && !lb_pair_texts_given(&c->lexicon_pairs)) return LB_OK;
    lb_pairs *pairs = lb_training_pairs_find(c->lexicon, &c->lexicon_pairs, &own, c, error);
    if (!pairs) return error->status;
    pairs->counter = (lb_counter){0};
    if (*pairs->file.note) lb_training_tell_text(c, LB_EVENT_NOTE, pairs->file.note);
    lb_status status = tell_report(c, model, train, pairs, maker->folds, error);
    if (!status) status = add_pairs(maker, model->source, pairs, true, error);
    lb_pairs_close(pairs);
    return status;
}

static void note_several(const lb_training_config *c, const lb_lexicon_maker *maker,
                         const lb_lexicon *lexicon)
{
    char text[LB_MESSAGE_LENGTH];
    if (maker->different == 0) return;
    snprintf(text, sizeof text, "%lld of %lld entries of the lexicon have several targets; the %s is written",
             (long long)maker->different, (long long)lexicon->entries,
             maker->weighed                             ? "one of the greatest weight"
             : c->lexicon || c->lexicon_pairs.count > 0 ? "first of them"
                                                        : "most frequent of them");
    lb_training_tell_text(c, LB_EVENT_NOTE, text);
}

lb_status lb_training_lexicon_make(const lb_training_config *c, const lb_text_model *model, lb_pairs *train,
                                   const lb_pair_format *format, lb_lexicon *lexicon, lb_error *error)
{
    lb_lexicon_maker maker = {.source = &model->source_rule,
                              .target = &model->target_rule,
                              .folds = c->lexicon_case && strcmp(c->lexicon_case, "fold") == 0};
    if (c->lexicon_case && !maker.folds && strcmp(c->lexicon_case, "exact") != 0)
        return lb_error_set(error, LB_ERROR_ARGUMENT, "lexicon_case: found \"%.40s\", expected exact or fold",
                            c->lexicon_case);
    lb_status status = add_given(&maker, c, model, train, format, error);
    if (!status && c->lexicon_from_train && train)
        status = add_pairs(&maker, model->source, train, false, error);
    if (!status) status = lb_lexicon_finish(&maker, lexicon, error);
    if (!status) note_several(c, &maker, lexicon);
    lb_lexicon_maker_free(&maker);
    return status;
}
