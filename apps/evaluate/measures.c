/* Collects outputs and references, and judges them, for the score that evaluate prints. */
#include "evaluate/evaluate.h"

#include "base/alloc.h"
#include "base/buffer.h"
#include "base/bytes.h"
#include "data/pairs/pairs.h"
#include "data/text/subwords.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

/* A row that is not judged yet. Its ids are those of its output, then those of its reference. */
typedef struct app_kept_row {
    uint64_t source;
    int64_t row;
    size_t at;
    int64_t output, reference; /* lengths */
    bool among;
    app_row about; /* without its source, which is number `kept` of the sources */
    size_t kept;
} kept_row;

static lb_status out_of_memory(const app_score *score, lb_error *error)
{
    return lb_error_set(error, LB_ERROR_MEMORY, "out of memory for %lld outputs",
                        (long long)score->count + 1);
}

lb_status app_score_open(app_score *score, app_judging judging, const lb_symbol_rule *rule, lb_error *error)
{
    bool separated = rule->separator && *rule->separator;
    *score = (app_score){.judging = judging,
                         .symbols = lb_vocabulary_new_reserved(error),
                         .words = lb_vocabulary_new_reserved(error),
                         .letters = separated        ? NULL
                                    : rule->subwords ? LB_SUBWORDS
                                                     : lb_symbol_kind_names[rule->graphemes],
                         .rule = *rule,
                         .separator = lb_alloc_string(separated ? rule->separator : ""),
                         .fewest = INT64_MAX};
    score->rule.separator = score->separator; /* the score outlives the model */
    score->rule.features = NULL;
    return score->symbols && score->words && score->separator ? LB_OK : out_of_memory(score, error);
}

void app_score_close(app_score *score)
{
    lb_vocabulary_free(score->symbols);
    lb_vocabulary_free(score->words);
    lb_release(score->rows);
    lb_release(score->prints);
    lb_release(score->kept);
    lb_release(score->ids);
    lb_release(score->word_ids);
    lb_strings_free(&score->sources);
    lb_release(score->separator);
    lb_text_facts_free(&score->texts);
    lb_confusions_free(&score->confusions);
    app_why_free(&score->why);
    *score = (app_score){0};
}

/* The text of symbols, for lb_release; NULL after an error. */
static char *join(const app_score *score, lb_sequence ids, lb_error *error)
{
    size_t count = (size_t)ids.length;
    const char **symbol = lb_alloc((count + 1) * sizeof *symbol);
    for (size_t i = 0; i < count && symbol; i++) symbol[i] = lb_vocabulary_symbol(score->symbols, ids.id[i]);
    char *text = symbol ? lb_symbols_join(&score->rule, symbol, count, error) : NULL;
    lb_release((void *)symbol);
    return text ? text : lb_null(out_of_memory(score, error));
}

/* Adds the words of the last row, which are then `compared`: the output, and its reference. */
static lb_status add_words(app_score *score, const char *output, const char *reference,
                           lb_sequence compared[2], lb_error *error)
{
    lb_status status = app_encode_words(score->words, output, reference, &score->word_ids, &score->word_room,
                                        compared, error);
    if (!status)
        status = lb_statistics_count_words(compared[0], compared[1], &score->rows[score->count - 1], error);
    score->has_words |= compared[1].length > 1;
    return status;
}

/* Adds BLEU and chrF2 of the last row, its words, and what was confused: words, where symbols are pieces of them. */
static lb_status add_text(app_score *score, const kept_row *row, lb_sequence output,
                          const lb_sequence *references, int64_t count, int64_t nearest, lb_error *error)
{
    lb_strings texts = {0};
    lb_status status = LB_OK;
    for (int64_t i = 0; i <= count && !status; i++)
        status = lb_strings_add(&texts, join(score, i < count ? references[i] : output, error), error);
    for (int64_t i = 0; i < count && !status; i++)
        status = lb_text_facts_add(&score->texts, texts.text[i], error);
    for (size_t i = 0; i < texts.count && !status; i++) lb_text_join_pieces(&score->texts, texts.text[i]);
    if (!status)
        status = lb_statistics_count_text(texts.text[count], (const char *const *)texts.text, count,
                                          score->judging.lower, &score->rows[score->count - 1], error);
    lb_sequence words[2], symbols[2] = {output, references[nearest]};
    if (!status && score->letters)
        status = add_words(score, texts.text[count], texts.text[nearest], words, error);
    const lb_sequence *compared = app_score_by_words(score) ? words : symbols;
    if (!status) status = lb_confusions_add(&score->confusions, compared[1], compared[0], error);
    if (!status && score->errors) {
        app_row about = row->about;
        about.source = score->sources.text[row->kept];
        status = app_errors_add(score->errors, about, texts.text[nearest], texts.text[count],
                                app_score_by_words(score) ? score->words : score->symbols, compared[1],
                                compared[0], error);
    }
    score->fewest = count < score->fewest ? count : score->fewest;
    score->most = count > score->most ? count : score->most;
    lb_strings_free(&texts);
    return status;
}

/* A source: its first output, and the references of all of its rows. */
static lb_status judge_source(app_score *score, const kept_row *rows, int64_t count, lb_sequence *references,
                              lb_error *error)
{
    int64_t nearest = 0;
    bool among = false;
    const lb_sequence output = {score->ids + rows->at, rows->output};
    for (int64_t i = 0; i < count; i++) {
        references[i] = (lb_sequence){score->ids + rows[i].at + rows[i].output, rows[i].reference};
        among = among || rows[i].among;
    }
    score->among += among;
    if (!lb_alloc_more(&score->rows, (size_t)score->count, &score->capacity, sizeof *score->rows))
        return out_of_memory(score, error);
    lb_status status =
        lb_statistics_of(output, references, count, &score->rows[score->count], &nearest, error);
    if (status) return status;
    score->count++;
    return add_text(score, rows, output, references, count, nearest, error);
}

static int compare_kept(const void *a, const void *b)
{
    const kept_row *x = a, *y = b;
    if (x->source != y->source) return x->source < y->source ? -1 : 1;
    return (x->row > y->row) - (x->row < y->row);
}

lb_status app_score_judge(app_score *score, lb_error *error)
{
    kept_row *rows = score->kept;
    size_t kept = score->kept_count;
    lb_sequence *references = lb_alloc((kept + 1) * sizeof *references);
    if (!references) return out_of_memory(score, error);
    if (kept > 1) qsort(rows, kept, sizeof *rows, compare_kept);
    lb_status status = LB_OK;
    for (size_t first = 0, count; first < kept && !status; first += count) {
        count = 1;
        while (first + count < kept && rows[first + count].source == rows[first].source) count++;
        status = judge_source(score, rows + first, (int64_t)count, references, error);
    }
    lb_release(references);
    score->kept_count = score->id_count = 0;
    lb_strings_free(&score->sources);
    return status;
}

bool app_same_symbols(const lb_symbols *a, const lb_symbols *b)
{
    if (a->count != b->count) return false;
    for (size_t i = 0; i < a->count; i++)
        if (strcmp(a->symbol[i], b->symbol[i]) != 0) return false;
    return true;
}

static bool is_among(const lb_symbols *reference, const lb_symbols *output, int outputs)
{
    for (int i = 0; i < outputs; i++)
        if (app_same_symbols(&output[i], reference)) return true;
    return false;
}

/* Room for one more pair, and for so many ids. */
static bool make_room(app_score *score, size_t ids)
{
    size_t needed = score->id_count + ids + 1;
    return lb_alloc_room(&score->ids, score->id_count, needed, &score->id_room, sizeof *score->ids) &&
           lb_alloc_more(&score->kept, score->kept_count, &score->kept_room, sizeof *score->kept) &&
           lb_alloc_more(&score->prints, (size_t)score->pairs, &score->print_room, sizeof *score->prints);
}

lb_status app_score_add(app_score *score, app_row about, const lb_symbols *source,
                        const lb_symbols *reference, const lb_symbols *output, int outputs, lb_error *error)
{
    assert(outputs > 0);
    if (!make_room(score, output->count + reference->count)) return out_of_memory(score, error);
    if (score->errors &&
        lb_strings_print(&score->sources, error, "%.*s", lb_narrow((int64_t)about.length), about.source))
        return LB_ERROR_MEMORY;
    const kept_row row = {.source = lb_symbols_hash(source, LB_HASH),
                          .row = score->pairs,
                          .at = score->id_count,
                          .output = (int64_t)output->count,
                          .reference = (int64_t)reference->count,
                          .among = is_among(reference, output, outputs),
                          .about = about,
                          .kept = score->kept_count};
    int32_t *ids = score->ids + row.at, *more = ids + output->count;
    lb_status status = app_encode(score->symbols, output->symbol, output->count, ids, error);
    if (!status) status = app_encode(score->symbols, reference->symbol, reference->count, more, error);
    if (status) return status;
    score->id_count += output->count + reference->count;
    score->kept[score->kept_count++] = row;
    score->prints[score->pairs++] = (lb_pair_print){row.source, lb_symbols_hash(reference, row.source)};
    return score->judging.once ? LB_OK : app_score_judge(score, error);
}
