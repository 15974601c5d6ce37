/* Switches off one head of a model after the other, to find out for a report what each contributes. */
#include "report/statistics.h"

#include "base/alloc.h"

#include <string.h>

lb_status app_report_heads_keep(app_report_heads *h, int64_t pair, const char *source,
                                const lb_strings *targets, lb_error *error)
{
    if (h->count == h->most) return LB_OK;
    if (!h->source) h->source = lb_alloc(h->most * sizeof *h->source);
    if (!h->targets) h->targets = lb_alloc(h->most * sizeof *h->targets);
    if (!h->pair) h->pair = lb_alloc(h->most * sizeof *h->pair);
    if (!h->source || !h->targets || !h->pair) return app_report_no_memory(error);
    h->source[h->count] = source;
    h->targets[h->count] = targets;
    h->pair[h->count++] = pair;
    h->compared += targets->count > 0;
    return LB_OK;
}

/* A head whose context counts as zero, and whether the model has it. */
typedef struct head {
    int64_t layer, number;
    bool met;
} head;

/* Source: Michel, Levy, Neubig 2019, arXiv:1905.10650, section 2.3. */
static lb_tensor *switch_off(void *context, const lb_watch_point *point, lb_tensor *value)
{
    head *off = context;
    if (strcmp(point->name, "cross.context") != 0 || point->layer != off->layer || point->head != off->number)
        return NULL;
    off->met = true;
    return lb_tensor_new(value->tape, value->shape, NULL);
}

/* Measures the model by greedy decoding. Returns its outputs; NULL after an error. */
static lb_translations *measure_model(app_report_heads *h, lb_translator *translator, lb_watcher watch,
                                      app_head_loss *loss, lb_error *error)
{
    lb_vocabulary *symbols = lb_vocabulary_new_reserved(error);
    if (!symbols) return NULL;
    app_answers expected = {.texts = h->texts};
    lb_statistics sum = {0};
    lb_translator_facts model = lb_translator_about(translator);
    lb_translate_config config = {.beam = 1,
                                  .no_lexicon = true,
                                  .skip_bad_texts = true,
                                  .watch = watch,
                                  .stop = app_progress_tick,
                                  .context = &h->progress};
    lb_translations *all = lb_translate_all(translator, h->source, (int64_t)h->count, config, error);
    lb_status status = all ? LB_OK : error->status;
    for (size_t i = 0; all && i < h->count && !status; i++) {
        if (h->targets[i]->count == 0) continue;
        status = app_answers_split(&expected, &model.target_rule, h->targets[i], error);
        if (!status) status = app_answers_judge(&expected, symbols, all->text[i].output, error);
        if (!status) lb_statistics_add(&sum, &expected.found);
    }
    *loss =
        (app_head_loss){.known = !status && h->compared > 0, .found = lb_measure(&sum, (lb_bleu_config){0})};
    app_answers_free(&expected);
    lb_vocabulary_free(symbols);
    if (!status) return all;
    lb_translations_free(all);
    return NULL;
}

/* Prints what was written for each pair; null is what the whole model writes. Without a report it prints nothing. */
static void add_outputs(app_report_data *report, const lb_translations *all, const lb_translations *whole)
{
    if (!report) return;
    if (!all) {
        lb_json_string(&report->json, NULL, NULL);
        return;
    }
    lb_json_open(&report->json, NULL, "[");
    for (int64_t i = 0; i < all->count; i++) {
        const lb_output *output = all->text[i].output, *usual = whole->text[i].output;
        if (all != whole && output->length == usual->length && strcmp(output->text, usual->text) == 0)
            lb_json_string(&report->json, NULL, NULL);
        else
            app_report_symbols(report, NULL, output->symbol, (size_t)output->length);
    }
    lb_buffer_print(&report->json, "]");
    app_report_flush(report);
}

/* Whether a head of the model is that of each member, if it has some. */
static bool has_one_set_of_heads(const lb_model *model)
{
    const lb_ensemble *all = (const lb_ensemble *)model;
    bool same = true;
    for (int64_t i = 0; lb_is_ensemble(model) && i < all->count; i++)
        same = same && all->member[i]->layers == model->layers && all->member[i]->heads == model->heads;
    return same;
}

/* Switches off one head after the other. */
static lb_status measure_heads(app_report_heads *h, lb_translator *translator, const lb_model *model,
                               const lb_translations *whole, app_report_data *report, lb_error *error)
{
    int64_t heads = model->layers * model->heads;
    add_outputs(report, whole, whole);
    for (int64_t i = 0; i < heads; i++) {
        head off = {i / model->heads, i % model->heads, false};
        lb_translations *all =
            measure_model(h, translator, (lb_watcher){switch_off, &off}, &h->without[i], error);
        if (!all) return error->status;
        h->without[i].known = h->without[i].known && off.met;
        add_outputs(report, off.met ? all : NULL, whole);
        lb_translations_free(all);
        app_progress_update(&h->progress, i + 1, "%s", "");
    }
    return LB_OK;
}

lb_status app_report_heads_measure(app_report_heads *h, lb_translator *translator, app_report_data *report,
                                   lb_error *error)
{
    const lb_model *model = lb_translator_about(translator).model;
    int64_t heads = model->layers * model->heads;
    if (h->count == 0 || model->heads == 0 || !has_one_set_of_heads(model)) return LB_OK;
    if (heads == 1) report = NULL; /* nobody can choose the only head */
    if (!report && h->compared == 0) return LB_OK;
    h->without = lb_alloc_zero((size_t)heads * sizeof *h->without);
    if (!h->without) return app_report_no_memory(error);
    app_progress_init(&h->progress, (app_progress_config){.unit = "head", .total = heads, .late = true});
    lb_translations *whole = measure_model(h, translator, (lb_watcher){0}, &h->whole, error);
    if (report) {
        lb_json_open(&report->json, "heads_off", "{");
        lb_json_open(&report->json, "pairs", "[");
        for (size_t i = 0; i < h->count; i++) lb_json_whole(&report->json, NULL, h->pair[i]);
        lb_buffer_print(&report->json, "]");
        lb_json_open(&report->json, "outputs", "[");
    }
    lb_status status = whole ? measure_heads(h, translator, model, whole, report, error) : error->status;
    if (report) lb_buffer_print(&report->json, "]}");
    lb_translations_free(whole);
    app_progress_end(&h->progress);
    return status;
}

void app_report_heads_free(app_report_heads *h)
{
    lb_release((void *)h->source);
    lb_release((void *)h->targets);
    lb_release(h->pair);
    lb_release(h->without);
}
