#include "report/report.h"

#include "apply/answer.h"
#include "apply/decoding.h"
#include "base/bytes.h"
#include "console/console.h"
#include "report/statistics.h"

#include <math.h>

enum {
    DETAILED_BATCH = 32, /* texts decoded at once if all of their outputs keep their attention */
    /* Bytes of compressed weights, once and for each pair, within which heads are kept apart. With them 200 pairs of
     * 60 x 60 stay under a megabyte, also of a model that looks everywhere: docs/adr/0024. */
    ROOM = 16 << 10,
    ROOM_OF_PAIR = 3 << 9
};

typedef struct building {
    const app_report_asked *asked;
    app_report_made *made;
    lb_translator *translator;
    lb_translator_facts model;
    int beam; /* hypotheses for each text */
    app_report_rows rows;
    app_report_data data;
    void *engine; /* [engine_size]; NULL: the page carries no model */
    size_t engine_size;
    app_pack packed_model;
    app_report_statistics statistics;
    app_report_heads heads;
    app_unknown unknown;
    app_votes votes; /* on the rows */
    app_answers expected;
    app_progress progress;
    const char **text; /* [batch] */
} building;

static lb_status open_rows(building *s, lb_error *error)
{
    const app_report_asked *asked = s->asked;
    if (!asked->file) return app_report_rows_take(&s->rows, &asked->inputs, error);
    const lb_pair_format format = app_pair_format(asked->format, &s->model);
    return app_report_rows_open(&s->rows, asked->file, &format, asked->once, error);
}

static lb_status open_all(building *s, lb_error *error)
{
    const app_report_asked *asked = s->asked;
    if (asked->engine && app_page_engine_read(asked->engine, &s->engine, &s->engine_size, error))
        return error->status;
    s->translator = app_open_model(asked->model, asked->file, error);
    if (!s->translator) return error->status;
    s->model = lb_translator_about(s->translator);
    s->beam = asked->beam ? asked->beam : s->model.sorts ? 1 : 5;
    lb_status status = open_rows(s, error);
    if (!status) status = app_report_data_open(&s->data, error);
    if (!status)
        status =
            app_report_statistics_init(&s->statistics, s->model.model->layers, s->model.model->heads, error);
    s->text = status ? NULL : lb_alloc((size_t)asked->batch * sizeof *s->text);
    return status || s->text ? status : app_report_no_memory(error);
}

static lb_status add_unreadable(building *s, const char *why, lb_error *error)
{
    app_report_pair pair = {.error = why};
    s->made->unreadable++;
    return app_report_add_pair(&s->data, s->translator, NULL, &pair, error);
}

/* Adds a text that the model cannot read as a bad line. */
static lb_status refuse(building *s, const app_report_row *row, const char *why, lb_error *error)
{
    lb_error found = {0};
    if (s->asked->file)
        lb_error_set(&found, LB_ERROR_FORMAT, "%s:%lld: %s", s->rows.name, (long long)row->number, why);
    else
        lb_error_set(&found, LB_ERROR_FORMAT, "%s: %s", s->rows.name, why);
    if (!app_skips(&s->asked->format, found.status))
        return lb_error_set(error, found.status, "%s", found.message);
    return add_unreadable(s, found.message, error);
}

static lb_status add_text(building *s, const app_report_row *row, const lb_translations *all,
                          const lb_translation *text, lb_error *error)
{
    if (text->error) return refuse(s, row, text->error, error);
    app_report_pair pair = {.text = text,
                            .expected = &s->expected,
                            .detailed = s->made->pairs < s->asked->details,
                            .votes = s->votes.ensemble ? &s->votes : NULL,
                            .at = (size_t)(text - all->text)};
    size_t room = ROOM + ROOM_OF_PAIR * (size_t)s->made->pairs;
    pair.lacks_room = !s->asked->all_heads && s->data.blob.packed.length > room;
    pair.mean_of_heads = pair.lacks_room && pair.detailed && all->heads > 1;
    const app_why *why = &s->statistics.why;
    int64_t compared = why->pairs;
    s->made->means += pair.mean_of_heads;
    s->made->known += text->output->from_lexicon;
    lb_status status = app_unknown_count(&s->unknown, text, error);
    if (!status) status = app_answers_split(&s->expected, &s->model.target_rule, &row->targets, error);
    if (!status) status = app_report_heads_keep(&s->heads, s->made->pairs, row->source, &row->targets, error);
    if (!status) status = app_report_statistics_add(&s->statistics, &s->data, all, text, &s->expected, error);
    pair.tau = why->pairs > compared ? why->found[compared * why->rows].tau : NAN;
    return status ? status : app_report_add_pair(&s->data, s->translator, all, &pair, error);
}

/* Prints the rows in order; `all` has the texts of those that could be read. */
static lb_status add_rows(building *s, const lb_translations *all, lb_error *error)
{
    size_t next = 0;
    lb_status status = LB_OK;
    for (size_t i = 0; i < s->rows.count && !status; i++) {
        const app_report_row *row = &s->rows.row[i];
        status = row->error ? add_unreadable(s, row->error, error)
                            : add_text(s, row, all, &all->text[next++], error);
        s->made->pairs++;
    }
    return status;
}

static lb_status translate(building *s, bool detailed, lb_error *error)
{
    size_t count = 0;
    bool why = s->made->pairs < s->asked->why;
    for (size_t i = 0; i < s->rows.count; i++)
        if (!s->rows.row[i].error) s->text[count++] = s->rows.row[i].source;
    lb_translate_config config = {.beam = s->beam,
                                  .n_best = detailed ? s->beam : 1,
                                  .length_penalty = app_length_penalty(s->asked->length_penalty),
                                  .attention = true,
                                  .erasure = why,
                                  .gradient = why,
                                  .measured = 1,
                                  .skip_bad_texts = true,
                                  .stop = app_progress_tick,
                                  .context = &s->progress};
    lb_translations *all = lb_translate_all(s->translator, s->text, (int64_t)count, config, error);
    if (!all) return error->status;
    lb_status status = lb_translate_show_alignments(s->translator, all, error);
    if (!status && detailed && lb_is_ensemble(s->model.model))
        status = app_votes_ask(&s->votes, s->translator, s->text, count, config, error);
    if (!status) status = add_rows(s, all, error);
    app_votes_close(&s->votes);
    lb_translations_free(all);
    return status;
}

static lb_status add_pairs(building *s, lb_error *error)
{
    lb_status status = LB_OK;
    app_progress_init(&s->progress,
                      (app_progress_config){.unit = "pair", .total = s->rows.expected, .late = true});
    lb_json_open(&s->data.json, "pairs", "[");
    do {
        int64_t detailed = s->asked->details - s->made->pairs, why = s->asked->why - s->made->pairs;
        int64_t most = detailed > 0 && DETAILED_BATCH < s->asked->batch ? DETAILED_BATCH : s->asked->batch;
        if (detailed > 0 && detailed < most) most = detailed;
        if (why > 0 && why < most) most = why;
        app_report_rows_next(&s->rows, (size_t)most);
        if (s->rows.count > 0) status = translate(s, detailed > 0, error);
        app_progress_update(&s->progress, s->made->pairs, "%s", "");
    } while (!status && s->rows.count > 0);
    app_progress_end(&s->progress);
    if (!status && s->made->pairs == s->made->unreadable)
        status =
            lb_error_set(error, LB_ERROR_FORMAT, "%s: found no pair, expected at least one", s->rows.name);
    s->made->detailed = s->made->pairs < s->asked->details ? s->made->pairs : s->asked->details;
    lb_buffer_print(&s->data.json, "]");
    lb_json_whole(&s->data.json, "detailed", s->made->detailed);
    return status;
}

/* Packs the model for a page with an engine. */
static lb_status pack_model(building *s, lb_error *error)
{
    void *bytes;
    size_t count;
    if (!s->engine) return LB_OK;
    lb_status status = lb_file_read(s->model.path, 0, &bytes, &count, error);
    if (!status) status = app_pack_open(&s->packed_model, error);
    if (!status) {
        app_pack_add(&s->packed_model, bytes, count);
        status = app_pack_finish(&s->packed_model, error);
    }
    lb_release(bytes);
    return status;
}

static lb_status build(building *s, lb_error *error)
{
    lb_buffer_print(&s->data.json, "{\"version\":1");
    app_report_about_print(s->asked, s->beam, s->translator, &s->data);
    lb_status status = add_pairs(s, error);
    if (!status) status = app_report_heads_measure(&s->heads, s->translator, &s->data, error);
    if (status) return status;
    app_report_statistics_print(&s->statistics, &s->data, &s->heads);
    app_report_history_print(&s->model, &s->data);
    status = app_report_attention_history_print(s->model.path, &s->data, &s->made->bad_frames, error);
    if (!status) status = app_report_data_finish(&s->data, error);
    if (!status) status = pack_model(s, error);
    if (!status)
        status = app_page_write(s->asked->output, &s->data, s->engine ? &s->packed_model : NULL,
                                (lb_bytes){s->engine, s->engine_size}, error);
    if (status) return status;
    app_unknown_say(&s->unknown, s->rows.name);
    s->made->bytes = lb_base64_length(s->data.data.packed.length) +
                     lb_base64_length(s->data.blob.packed.length) +
                     lb_base64_length(s->packed_model.packed.length);
    return LB_OK;
}

lb_status app_report_build(const app_report_asked *asked, app_report_made *made, lb_error *error)
{
    building s = {
        .asked = asked, .made = made, .heads.most = asked->heads_off > 0 ? (size_t)asked->heads_off : 0};
    *made = (app_report_made){0};
    lb_status status = open_all(&s, error);
    if (!status) status = build(&s, error);
    app_unknown_close(&s.unknown);
    app_answers_free(&s.expected);
    app_report_heads_free(&s.heads);
    app_report_statistics_free(&s.statistics);
    app_report_data_close(&s.data);
    app_pack_close(&s.packed_model);
    app_report_rows_close(&s.rows);
    lb_translator_close(s.translator);
    lb_release((void *)s.text);
    lb_release(s.engine);
    return status;
}
