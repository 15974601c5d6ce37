#include "report/heads.h"

#include "base/alloc.h"
#include "data/symbols.h"

#include <string.h>

lb_status app_report_heads_keep(app_report_heads *h, const char *source, const char *target, lb_error *error)
{
    if (h->count == h->most) return LB_OK;
    if (!h->source) h->source = lb_alloc(h->most * sizeof *h->source);
    if (!h->target) h->target = lb_alloc(h->most * sizeof *h->target);
    if (!h->source || !h->target) return app_report_no_memory(error);
    h->source[h->count] = lb_alloc_string(source);
    h->target[h->count] = lb_alloc_string(target);
    h->count++;
    return h->source[h->count - 1] && h->target[h->count - 1] ? LB_OK : app_report_no_memory(error);
}

/* The symbols of texts as ids, for a moment. */
typedef struct comparison {
    lb_vocabulary *symbols;
    lb_symbols expected;
    int32_t *id;
    lb_statistics sum;
} comparison;

static lb_status compare(comparison *c, const lb_symbol_rule *rule, const lb_output *output,
                         const char *target, lb_error *error)
{
    lb_status status = lb_symbols_split(rule, target, strlen(target), &c->expected, error);
    size_t found = (size_t)output->length, count = c->expected.count;
    if (!status) status = lb_vocabulary_add(c->symbols, output->symbol, found, error);
    if (!status) status = lb_vocabulary_add(c->symbols, c->expected.symbol, count, error);
    int32_t *id = status ? NULL : lb_alloc((found + count + 1) * sizeof *id);
    if (!id) return status ? status : app_report_no_memory(error);
    lb_vocabulary_encode(c->symbols, output->symbol, found, id, (int32_t)found);
    lb_vocabulary_encode(c->symbols, c->expected.symbol, count, id + found, (int32_t)count);
    lb_sequence reference = {id + found, (int64_t)count};
    lb_statistics one;
    status = lb_statistics_of((lb_sequence){id, (int64_t)found}, &reference, 1, &one, NULL, error);
    if (!status) lb_statistics_add(&c->sum, &one);
    lb_release(id);
    return status;
}

/* The model as it is now, by greedy decoding. */
static lb_status measure(const app_report_heads *h, lb_translator *translator, app_head_loss *loss,
                         lb_error *error)
{
    comparison c = {.symbols = lb_vocabulary_new_reserved(error)};
    if (!c.symbols) return LB_ERROR_MEMORY;
    lb_translator_facts model = lb_translator_about(translator);
    lb_translate_config config = {.beam = 1, .skip_bad_texts = true};
    lb_translations *all =
        lb_translate_all(translator, (const char *const *)h->source, h->count, config, error);
    lb_status status = all ? LB_OK : error->status;
    for (size_t i = 0; all && i < h->count && !status; i++)
        status = compare(&c, &model.target_rule, all->text[i].output, h->target[i], error);
    lb_measures found = lb_measure(&c.sum, (lb_bleu_config){0});
    *loss = (app_head_loss){.known = !status,
                            .exact = 1 - found.sequence_error_rate / 100,
                            .symbol_error = found.symbol_error_rate / 100};
    lb_translations_free(all);
    lb_symbols_free(&c.expected);
    lb_vocabulary_free(c.symbols);
    return status;
}

static lb_status measure_without(const app_report_heads *h, lb_translator *translator, int64_t layer,
                                 int64_t head, app_head_loss *loss, lb_error *error)
{
    lb_error found = {0};
    lb_head_off *off = lb_head_switch_off(lb_translator_about(translator).model, layer, head, &found);
    if (!off)
        return found.status == LB_ERROR_ARGUMENT ? LB_OK
                                                 : lb_error_set(error, found.status, "%s", found.message);
    lb_status status = measure(h, translator, loss, error);
    lb_head_switch_on(off);
    return status;
}

lb_status app_report_heads_measure(app_report_heads *h, lb_translator *translator, app_head_losses *losses,
                                   lb_error *error)
{
    const lb_model *model = lb_translator_about(translator).model;
    *losses = (app_head_losses){.pairs = (int64_t)h->count};
    if (h->count == 0 || model->heads == 0) return LB_OK;
    losses->head = h->loss = lb_alloc_zero((size_t)(model->layers * model->heads) * sizeof *h->loss);
    if (!h->loss) return app_report_no_memory(error);
    lb_status status = measure(h, translator, &losses->whole, error);
    for (int64_t i = 0; i < model->layers * model->heads && !status; i++)
        status = measure_without(h, translator, i / model->heads, i % model->heads, &h->loss[i], error);
    return status;
}

void app_report_heads_free(app_report_heads *h)
{
    for (size_t i = 0; i < h->count; i++) {
        lb_release(h->source[i]);
        lb_release(h->target[i]);
    }
    lb_release((void *)h->source);
    lb_release((void *)h->target);
    lb_release(h->loss);
}
