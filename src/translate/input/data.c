#include "translate/input/data.h"

#include "base/alloc.h"
#include "base/bytes.h"
#include "data/pairs/pairs.h"
#include "data/review/pair_report.h"
#include "translate/file/text_model.h"
#include "translate/plan/recipe.h"

#include <stdio.h>
#include <stdlib.h>

static void tell_note(const lb_training_config *c, const lb_pairs *pairs)
{
    if (*pairs->file.note) lb_training_tell_text(c, LB_EVENT_NOTE, pairs->file.note);
}

/* What the file to train on says about itself is the default for others. */
static void take_format(lb_training_data *data, const lb_training_config *c)
{
    const lb_pair_format asked = data->format;
    data->text.columns =
        data->train->texts.count > 0 ? data->start->model.columns : data->train->file.columns;
    data->format = data->train->format;
    data->format.kind = asked.kind;
    data->format.targets = c->dev_targets;
    data->format.weight_column = 0; /* weights are of the training alone */
    lb_pair_columns_ask(&data->format, lb_pair_columns_asked(&asked));
    data->format.usual = &data->text.columns;
    tell_note(c, data->train);
}

/* What the model remembers of the pairs, and of those of the training before this one, if there was one. */
static void take_texts(lb_training_data *data)
{
    lb_text_model *text = &data->text;
    const lb_text_model *before = &data->start->model;
    text->source_rule = data->format.source;
    text->target_rule = data->format.target;
    text->shortest_source = before->shortest_source > 0 ? before->shortest_source : INT64_MAX;
    text->longest_source = before->longest_source;
    text->longest_target = before->longest_target;
    for (int64_t i = 0; i < lb_pairs_count(data->train); i++) {
        int64_t source = lb_pairs_source_length(data->train, i),
                target = lb_pairs_target_length(data->train, i);
        if (source < text->shortest_source) text->shortest_source = source;
        if (source > text->longest_source) text->longest_source = source;
        if (target > text->longest_target) text->longest_target = target;
    }
}

/* A model to start from has its symbols. */
static lb_status choose_symbols(lb_training_data *data, lb_training_config *c, lb_error *error)
{
    lb_status status = lb_recipe_look(data->train, &data->facts, error);
    if (status || c->from) return status;
    data->facts.sentences = data->facts.sentences && c->subwords >= 0;
    lb_recipe_fit_texts(c, &data->facts);
    if (c->subwords > 0) return lb_training_subwords(data, c, c->min_count, error);
    if (!c->separate_subwords) return LB_OK;
    return lb_error_set(error, LB_ERROR_ARGUMENT, "separate_subwords: found no subwords");
}

static lb_status open_files(lb_training_data *data, lb_training_config *c, lb_error *error)
{
    if (!c->train && !lb_pair_texts_given(&c->pairs))
        return lb_error_set(error, LB_ERROR_ARGUMENT,
                            "expected pairs to train on: a file, or texts in memory");
    lb_indexed_pairs pairs;
    lb_status status = lb_training_pairs_open(&pairs, &data->index_path, c, &data->format, error);
    data->train = pairs.train;
    data->dev.pairs = pairs.held_out;
    data->text.source = pairs.source;
    data->text.target = pairs.target;
    data->index = pairs.file;
    if (!status && c->no_merge) data->train->weights = NULL;
    if (!status) status = choose_symbols(data, c, error);
    if (!status) {
        take_format(data, c);
        take_texts(data);
    }
    if (!data->dev.pairs && !c->dev && !lb_pair_texts_given(&c->dev_pairs)) data->dev.pairs = data->train;
    if (status || data->dev.pairs) return status;
    data->dev.pairs = lb_training_pairs_find(c->dev, &c->dev_pairs, &data->format, c, error);
    if (data->dev.pairs) tell_note(c, data->dev.pairs);
    return data->dev.pairs ? LB_OK : error->status;
}

/* Tells a text and releases it. NULL: there was an error. */
static lb_status tell_report(const lb_training_config *c, char *text, const lb_error *error)
{
    if (!text) return error->status;
    lb_training_tell_text(c, LB_EVENT_REPORT, text);
    lb_release(text);
    return LB_OK;
}

/* Reports on the pairs, and says which separators they seem to lack. */
static lb_status report_pairs(const lb_training_data *data, const lb_training_config *c, lb_error *error)
{
    char text[LB_MESSAGE_LENGTH];
    if (!c->tell) return LB_OK;
    lb_pairs *dev = data->dev.pairs == data->train ? NULL : data->dev.pairs;
    char *report = lb_pair_report(data->train, dev, data->text.source, data->text.target, error);
    lb_status status = tell_report(c, report, error);
    if (!status && c->subwords <= 0 &&
        lb_texts_say(&data->facts.texts, data->train, c->setting != NULL, text))
        lb_training_tell_text(c, LB_EVENT_HINT, text);
    return status;
}

static void report_unwritable(const lb_tested_pairs *on, const lb_training_config *c)
{
    char text[LB_MESSAGE_LENGTH];
    int64_t unwritable = on->sample.count - on->sample.possible;
    if (unwritable == 0) return;
    snprintf(text, sizeof text,
             "%.300s: the targets of %lld of %lld pairs have symbols that the model does not know: each pair "
             "counts as wrong, and each symbol as <unk> in the loss\n",
             on->pairs->path, (long long)unwritable, (long long)on->sample.count);
    lb_training_tell_text(c, LB_EVENT_REPORT, text);
}

/* Subwords have their own way with rare pieces, and all bytes. */
static lb_status drop_rare_symbols(lb_training_data *data, int min_count, lb_error *error)
{
    lb_vocabulary *const vocabularies[] = {data->text.source, data->text.target};
    for (int i = 0; i < 2; i++) {
        if (data->format.target.subwords) {
            lb_vocabulary_sort(vocabularies[i], 1);
            if (lb_subwords_add_bytes(vocabularies[i], error)) return LB_ERROR_MEMORY;
            continue;
        }
        lb_vocabulary_sort(vocabularies[i], min_count);
        if (lb_vocabulary_size(vocabularies[i]) > LB_FIRST_TOKEN) continue;
        return lb_error_set(error, LB_ERROR_FORMAT,
                            "%s: no symbol of the %s occurs %d times, expected at least one (min_count)",
                            data->train->path, i ? "targets" : "sources", min_count);
    }
    return LB_OK;
}

static lb_status open_lists(lb_training_data *data, const lb_training_config *c, lb_error *error)
{
    data->dev = (lb_tested_pairs){.sample.count = LB_MEASURED, .task = *c->sort};
    lb_status status = lb_list_model(&data->text, c->sort, error);
    return status ? status : lb_training_tests_open(data, c, NULL, false, error);
}

lb_status lb_training_sample(const lb_training_config *config, lb_tested_pairs *on,
                             const lb_vocabulary *target, bool copies, int64_t most, lb_error *error)
{
    lb_status status = lb_pair_sample_make(on->pairs, target, copies, most, &on->sample, error);
    return status || !config->any_target ? status : lb_pair_sample_any_target(&on->sample, on->pairs, error);
}

/* That of the model that the training starts from stays, unless there is a new one. */
static lb_status open_lexicon(lb_training_data *data, const lb_training_config *c, lb_error *error)
{
    const lb_text_model *start = &data->start->model;
    if (!lb_training_has_lexicon(c) && start->lexicon.bytes)
        return lb_lexicon_open(&data->text.lexicon, &start->source_rule, &start->target_rule,
                               start->lexicon.bytes, start->lexicon.size, error);
    return lb_training_lexicon_make(c, &data->text, data->train, &data->format, &data->text.lexicon, error);
}

static lb_status open_test(lb_training_data *data, const lb_test *test, const lb_training_config *c,
                           const lb_vocabulary *target, bool copies, lb_error *error)
{
    lb_pair_format format = data->format;
    lb_tested_pairs *t = &data->test[data->tests++];
    t->task = data->text.task;
    t->sample.count = LB_MEASURED;
    if (data->text.sorts) { /* instead of a file, it has lengths */
        const char *lengths = test->file ? test->file : "pairs";
        lb_status set = lb_sort_set_lengths(&t->task, "test ", test->name, lengths, error);
        return set ? set : lb_sort_check(&t->task, error);
    }
    format.targets = NULL;
    t->pairs = lb_training_pairs_find(test->file, &test->pairs, &format, c, error);
    if (!t->pairs) return error->status;
    tell_note(c, t->pairs);
    lb_status status = lb_training_sample(c, t, target, copies, LB_MEASURED, error);
    if (!status && c->tell)
        status = tell_report(c, lb_pair_report_test(data->train, t->pairs, test->name, error), error);
    t->pairs->counter = (lb_counter){0};
    if (!status) report_unwritable(t, c);
    return status;
}

lb_status lb_training_tests_open(lb_training_data *data, const lb_training_config *config,
                                 const lb_vocabulary *target, bool copies, lb_error *error)
{
    lb_status status = LB_OK;
    while (data->tests < LB_MOST_TESTS && *config->test[data->tests].name && !status)
        status = open_test(data, &config->test[data->tests], config, target, copies, error);
    return status;
}

static void fit_recipe(lb_training_data *data, lb_training_config *config)
{
    char note[LB_MESSAGE_LENGTH];
    data->facts.symbols = lb_vocabulary_size(data->text.target);
    lb_recipe_fit(config, &data->facts);
    if (lb_recipe_note(config, &data->facts, note)) lb_training_tell_text(config, LB_EVENT_NOTE, note);
}

enum {
    FEW_TEXTS = 50,     /* of which one is unlike the others: fewer do not tell how unlike they can be */
    MANY_TEXTS = 50000, /* that are enough */
    MANY_GRAMS = 1 << 15
};

/* Evenly spaced sources of the training say what others are like, those that are held out how unlike these can be. */
static lb_status learn_likeness(lb_training_data *data, lb_error *error)
{
    lb_familiar *f = &data->text.familiar;
    lb_pairs *const from[] = {data->train, data->dev.pairs};
    const lb_symbol_rule *rule = &data->format.source;
    const lb_pair_line *line;
    int64_t count = 0;
    if (from[0] == from[1] || lb_pairs_count(from[1]) < FEW_TEXTS) return LB_OK;
    double *found = lb_alloc(MANY_TEXTS * sizeof *found);
    f->grams = lb_vocabulary_new_reserved(error);
    lb_status status = found && f->grams ? LB_OK : lb_no_memory(error, "texts");
    for (int held_out = 0; held_out < 2 && !status; held_out++) {
        const int64_t all = lb_pairs_count(from[held_out]), every = all / MANY_TEXTS + 1;
        for (count = 0; count * every < all && !status; count++) {
            status = lb_pairs_read(from[held_out], count * every, &line, error);
            if (status) break;
            char *text = lb_symbols_join(rule, line->source.symbol, line->source.count, error);
            status = text ? lb_familiar_look(f, text, held_out ? found + count : NULL, error) : error->status;
            lb_release(text);
        }
        for (int64_t least = 1; lb_vocabulary_size(f->grams) > MANY_GRAMS; least++)
            lb_vocabulary_sort(f->grams, least);
    }
    if (found && !status) qsort(found, (size_t)count, sizeof *found, lb_compare_numbers);
    f->least = found && !status ? found[count / FEW_TEXTS] : 0;
    lb_release(found);
    return status;
}

lb_status lb_training_data_open(lb_training_data *data, lb_training_config *config,
                                const lb_warm_start *start, lb_error *error)
{
    *data = (lb_training_data){.format = lb_recipe_format(config), .start = start};
    if (start->model.params) data->format.usual = &start->model.columns;
    data->format.source.flat_features = start->model.source_rule.flat_features;
    data->format.source.subwords = start->model.source_rule.subwords;
    data->format.target.subwords = start->model.target_rule.subwords;
    if (config->sort) return open_lists(data, config, error);
    lb_status status = open_files(data, config, error);
    if (!status) status = report_pairs(data, config, error);
    if (!status) status = drop_rare_symbols(data, config->min_count, error);
    if (!status) {
        fit_recipe(data, config);
        status = lb_warm_start_grow(start, start->model.source, &data->text.source, error);
    }
    if (!status) status = lb_warm_start_grow(start, start->model.target, &data->text.target, error);
    if (!status)
        status = lb_training_sample(config, &data->dev, data->text.target, config->copy, LB_MEASURED, error);
    if (!status) {
        data->dev.sample.longest = lb_text_model_longest(&data->text);
        report_unwritable(&data->dev, config);
        status = lb_training_tests_open(data, config, data->text.target, config->copy, error);
    }
    for (int i = 0; i < data->tests; i++) data->test[i].sample.longest = data->dev.sample.longest;
    if (!status) status = open_lexicon(data, config, error);
    if (!status) status = learn_likeness(data, error);
    if (data->train) data->train->counter = (lb_counter){0};
    if (data->dev.pairs) data->dev.pairs->counter = (lb_counter){0};
    return status;
}

void lb_training_data_close(lb_training_data *data)
{
    for (int i = 0; i < data->tests; i++) {
        lb_pair_sample_free(&data->test[i].sample);
        lb_pairs_close(data->test[i].pairs);
    }
    lb_pair_sample_free(&data->dev.sample);
    if (data->dev.pairs != data->train) lb_pairs_close(data->dev.pairs);
    lb_pairs_close(data->train);
    lb_text_model_free(&data->text);
    lb_scratch_free(&data->index);
    lb_release(data->index_path);
}

lb_text_model lb_training_data_model(const lb_training_data *data, lb_model *model, lb_params *params)
{
    lb_text_model text = data->text;
    text.model = model;
    text.params = params;
    return text;
}
