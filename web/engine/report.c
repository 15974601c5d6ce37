/* A text that is typed into a report: what the model makes of it, in the form of docs/report.md. */
#include "model.h"
#include "report/statistics.h"

#include <emscripten.h>
#include <math.h>
#include <stdio.h>

/** Writes {"pairs":[...],"symbols":[...]} and the weights, as zlib streams, to two files. Beam and penalty are those of
 *  lb_beam_config. Returns what went wrong; "" if nothing did. */
EMSCRIPTEN_KEEPALIVE const char *report_text(const char *text, int beam, double penalty, const char *data,
                                             const char *blob);

static lb_status save(const char *path, const app_pack *pack, lb_error *error)
{
    FILE *file = fopen(path, "wb");
    bool written = file && fwrite(pack->packed.text, 1, pack->packed.length, file) == pack->packed.length;
    if (file) written = fclose(file) == 0 && written;
    return written ? LB_OK : lb_error_set(error, LB_ERROR_WRITE, "%s: cannot be written", path);
}

static lb_status add(app_report_data *report, const char *text, int beam, double penalty, lb_error *error)
{
    lb_translate_config config = {.beam = beam,
                                  .n_best = beam,
                                  .length_penalty = penalty,
                                  .attention = true,
                                  .erasure = true,
                                  .gradient = true,
                                  .measured = 1,
                                  .skip_bad_texts = true};
    lb_translations *all = lb_translate_all(engine_model(), &text, 1, config, error);
    if (!all) return error->status;
    app_report_pair pair = {.text = all->text, .tau = NAN, .detailed = true};
    lb_buffer_print(&report->json, "{\"pairs\":[");
    lb_status status = all->text->error ? lb_error_set(error, LB_ERROR_FORMAT, "%s", all->text->error)
                                        : app_report_add_pair(report, engine_model(), all, &pair, error);
    lb_buffer_print(&report->json, "]");
    lb_translations_free(all);
    return status ? status : app_report_data_finish(report, error);
}

const char *report_text(const char *text, int beam, double penalty, const char *data, const char *blob)
{
    static lb_error error;
    error = (lb_error){.message = "found no model, expected one"};
    app_report_data report;
    if (!engine_model()) return error.message;
    lb_status status = app_report_data_open(&report, &error);
    if (!status) status = add(&report, text, beam, penalty, &error);
    if (!status) status = save(data, &report.data, &error);
    if (!status) status = save(blob, &report.blob, &error);
    app_report_data_close(&report);
    return status ? error.message : "";
}
