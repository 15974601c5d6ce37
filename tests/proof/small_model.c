#include "proof/small_model.h"

#include "data/text/subwords.h"
#include "support/gather.h"
#include "translate/file/text_model.h"

#include <string.h>

enum { EMBED = 2, HIDDEN = 3, MEMBERS = 2, LONGEST = 4 };

static const char *const letters[] = {"a", "b", "c", "\xc3\xa9"};
static const lb_sort_task task = {.max_value = 3, .min_length = 2, .max_length = LONGEST, .seed = 1};

/* `params` owns the model; NULL after an error. */
static lb_model *make(lb_params *params, proof_model kind, int64_t vocabulary)
{
    if (kind == PROOF_TRANSFORMER) {
        lb_transformer *model = lb_params_alloc(params, sizeof *model);
        lb_transformer_config config = {vocabulary, vocabulary,  .width = 4,
                                        .heads = 2, .layers = 1, .feed_forward = 4};
        return model && !lb_transformer_init(model, params, "", config) ? &model->base : NULL;
    }
    lb_seq2seq *model = lb_params_alloc(params, sizeof *model);
    lb_seq2seq_config config = {vocabulary, vocabulary, .embed = EMBED, .hidden = HIDDEN};
    return model && !lb_seq2seq_init(model, params, "", config) ? &model->base : NULL;
}

static lb_model *make_ensemble(lb_params *params, int64_t vocabulary, uint64_t seed, lb_error *error)
{
    lb_params *stores[MEMBERS] = {NULL};
    const lb_model *members[MEMBERS];
    bool made = true;
    for (int i = 0; i < MEMBERS && made; i++) {
        stores[i] = lb_params_new(seed + (uint64_t)i);
        members[i] = stores[i] ? make(stores[i], PROOF_PAIRS, vocabulary) : NULL;
        made = members[i] != NULL;
    }
    lb_ensemble *all =
        made ? support_gather(params, members, (const lb_params *const *)stores, MEMBERS, NULL, error) : NULL;
    for (int i = 0; i < MEMBERS; i++) lb_params_free(stores[i]);
    return all ? &all->base : NULL;
}

/* Like the checkpoint of a training, with a second array per parameter in one piece. */
static lb_status save_checkpoint(const char *path, const lb_params *params, lb_error *error)
{
    static const double progress[] = {3, 1.5, 0.25, 100};
    static const lb_real moments[512] = {0};
    const lb_safetensors_tensor tensors[] = {
        {.name = "progress", .dtype = LB_DTYPE_F64, .shape = LB_SHAPE(4), .data = progress},
        {.name = "adam.first", .dtype = LB_DTYPE_REAL, .shape = LB_SHAPE(512), .data = moments},
    };
    const lb_safetensors_metadata metadata[] = {{LB_RUN_KEY, "{\"seed\":1}"}};
    return lb_checkpoint_save(params, path, (lb_checkpoint_extra){tensors, 2, metadata, 1}, error);
}

/* Three entries, one of them with a symbol that the model lacks, and one with two answers. */
static lb_status add_lexicon(lb_text_model *made, lb_error *error)
{
    static const char *const entries[][2] = {{"ab", "ba"}, {"ab", "c"}, {"b", "\xc3\xa9x"}, {"caa", "a"}};
    lb_lexicon_maker maker = {.source = &made->source_rule, .target = &made->target_rule};
    lb_symbols source = {0}, target = {0};
    lb_status status = LB_OK;
    for (size_t i = 0; i < sizeof entries / sizeof *entries && !status; i++) {
        status = lb_symbols_split(&made->source_rule, entries[i][0], strlen(entries[i][0]), &source, error);
        if (!status)
            status =
                lb_symbols_split(&made->target_rule, entries[i][1], strlen(entries[i][1]), &target, error);
        if (!status) status = lb_lexicon_add(&maker, &source, &target, true, error);
    }
    if (!status) status = lb_lexicon_finish(&maker, &made->lexicon, error);
    lb_symbols_free(&source);
    lb_symbols_free(&target);
    lb_lexicon_maker_free(&maker);
    return status;
}

/* Merges for both sides, and the pieces that they make. */
static lb_status add_subwords(lb_text_model *made, lb_error *error)
{
    static const char *const pieces[] = {"\u2581", "ab", "\u2581ab", "c\u00e9"};
    for (int side = 0; side < 2; side++) {
        made->subwords[side] = lb_subwords_parse("a b\n\u2581 ab\nc \u00e9\n", error);
        if (!made->subwords[side]) return error->status;
    }
    made->source_rule.subwords = made->subwords[0];
    made->target_rule.subwords = made->subwords[1];
    return lb_vocabulary_add(made->source, pieces, sizeof pieces / sizeof *pieces, error);
}

static lb_status save(const char *path, proof_model kind, uint64_t seed, lb_text_model *made, lb_error *error)
{
    bool sorts = kind == PROOF_LISTS;
    made->source = sorts ? lb_list_vocabulary(&task, error) : lb_vocabulary_new_reserved(error);
    made->target = made->source;
    if (!made->source || (!sorts && lb_vocabulary_add(made->source, letters, 4, error)))
        return LB_ERROR_MEMORY;
    if (kind == PROOF_SUBWORDS && add_subwords(made, error)) return error->status;
    int64_t vocabulary = lb_vocabulary_size(made->source);
    if (kind == PROOF_LEXICON && add_lexicon(made, error)) return error->status;
    made->model = kind == PROOF_ENSEMBLE ? make_ensemble(made->params, vocabulary, seed, error)
                                         : make(made->params, kind, vocabulary);
    if (!made->model) return lb_error_set(error, LB_ERROR_MEMORY, "no model could be made");
    return kind == PROOF_CHECKPOINT ? save_checkpoint(path, made->params, error)
                                    : lb_text_model_save(path, made, error);
}

lb_status proof_save_model(const char *path, proof_model kind, uint64_t seed, lb_error *error)
{
    const lb_symbol_rule pairs = {.normalize = LB_NORMAL_FORM_NFC};
    lb_text_model made = {.params = lb_params_new(seed),
                          .source_rule = kind == PROOF_LISTS ? lb_list_rule(&task) : pairs,
                          .target_rule = kind == PROOF_LISTS ? lb_list_rule(&task) : pairs,
                          .shortest_source = kind == PROOF_LISTS ? task.min_length : 1,
                          .longest_source = LONGEST,
                          .longest_target = LONGEST,
                          .sorts = kind == PROOF_LISTS,
                          .task = task,
                          .training = "{\"steps\":5}"};
    lb_status status = made.params ? save(path, kind, seed, &made, error) : LB_ERROR_MEMORY;
    lb_text_model_free(&made);
    return status;
}
