#include "report/data.h"

#include "base/alloc.h"

#include <math.h>

lb_status app_report_no_memory(lb_error *error)
{
    return lb_no_memory(error, "the report");
}

/* ---- Bytes that are compressed as they come. ---- */

enum { STEP = 1 << 12, DIGITS = 4 };

lb_status app_pack_open(app_pack *pack, lb_error *error)
{
    *pack = (app_pack){0};
    bool open = deflateInit(&pack->stream, Z_BEST_COMPRESSION) == Z_OK;
    return open ? LB_OK : app_report_no_memory(error);
}

/* Compresses the input of the stream, or, at the end, writes all that is left. */
static void deflate_given(app_pack *pack, int flush)
{
    unsigned char part[STEP];
    do {
        pack->stream.next_out = part;
        pack->stream.avail_out = sizeof part;
        deflate(&pack->stream, flush);
        lb_buffer_add(&pack->packed, part, sizeof part - pack->stream.avail_out);
    } while (pack->stream.avail_out == 0);
}

void app_pack_add(app_pack *pack, const void *bytes, size_t count)
{
    enum { MOST = 1 << 30 };
    const unsigned char *from = bytes;
    pack->added += count;
    while (count > 0 && !pack->packed.failed) {
        size_t now = count < MOST ? count : MOST;
        pack->stream.next_in = (z_const Bytef *)from;
        pack->stream.avail_in = (unsigned)now;
        deflate_given(pack, Z_NO_FLUSH);
        from += now;
        count -= now;
    }
}

lb_status app_pack_finish(app_pack *pack, lb_error *error)
{
    deflate_given(pack, Z_FINISH);
    return pack->packed.failed ? app_report_no_memory(error) : LB_OK;
}

void app_pack_close(app_pack *pack)
{
    deflateEnd(&pack->stream);
    lb_release(pack->packed.text);
    *pack = (app_pack){0};
}

/* ---- JSON and weights. ---- */

lb_status app_report_data_open(app_report_data *report, lb_error *error)
{
    *report = (app_report_data){.symbols = lb_vocabulary_new_reserved(error)};
    if (!report->symbols) return LB_ERROR_MEMORY;
    lb_status status = app_pack_open(&report->data, error);
    return status ? status : app_pack_open(&report->blob, error);
}

void app_report_data_close(app_report_data *report)
{
    app_pack_close(&report->data);
    app_pack_close(&report->blob);
    lb_vocabulary_free(report->symbols);
    lb_release(report->json.text);
    lb_release(report->byte);
    *report = (app_report_data){0};
}

void app_report_flush(app_report_data *report)
{
    lb_buffer *json = &report->json;
    if (json->length < 2 || json->failed) return;
    app_pack_add(&report->data, json->text, json->length - 1);
    json->text[0] = json->text[json->length - 1];
    json->length = 1;
}

int32_t app_report_id(app_report_data *report, const char *symbol)
{
    report->failed = report->failed || lb_vocabulary_add(report->symbols, &symbol, 1, NULL);
    return lb_vocabulary_id(report->symbols, symbol);
}

void app_report_symbols(app_report_data *report, const char *key, const char *const *symbols, size_t count)
{
    lb_json_open(&report->json, key, "[");
    for (size_t i = 0; i < count; i++) lb_json_whole(&report->json, NULL, app_report_id(report, symbols[i]));
    lb_buffer_print(&report->json, "]");
}

/* Room for so many bytes; false if memory runs out. */
static bool reserve(app_report_data *report, size_t count)
{
    report->failed = report->failed || !lb_alloc_room(&report->byte, 0, count + 1, &report->byte_room, 1);
    return !report->failed;
}

/* Rounding may leave a weight a little outside; NaN counts as 0. */
static unsigned char byte_of(double weight)
{
    return (unsigned char)lround(255 * fmin(fmax(weight, 0), 1));
}

size_t app_report_bytes(app_report_data *report, const unsigned char *byte, size_t count)
{
    size_t offset = report->blob.added;
    app_pack_add(&report->blob, byte, count);
    return offset;
}

size_t app_report_weights(app_report_data *report, const lb_real *weight, int64_t layers, int64_t heads,
                          size_t cells, bool mean)
{
    size_t count = (size_t)(mean ? layers : layers * heads) * cells;
    if (!mean) heads = 1; /* of each mean */
    if (!reserve(report, count)) return 0;
    for (size_t i = 0; i < count; i++) {
        double sum = 0;
        const lb_real *first = weight + i / cells * (size_t)heads * cells + i % cells;
        for (int64_t head = 0; head < heads; head++) sum += (double)first[(size_t)head * cells];
        report->byte[i] = byte_of(sum / (double)heads);
    }
    return app_report_bytes(report, report->byte, count);
}

size_t app_report_numbers(app_report_data *report, const double *weight, size_t count)
{
    if (!reserve(report, count)) return 0;
    for (size_t i = 0; i < count; i++) report->byte[i] = byte_of(weight[i]);
    return app_report_bytes(report, report->byte, count);
}

void app_report_lost(app_report_data *report, const char *key, const lb_real *lost, size_t count)
{
    static const double limit = 20; /* what is impossible would hide the rest */
    double most = 0;
    if (!lost || !reserve(report, count)) {
        lb_json_string(&report->json, key, NULL);
        return;
    }
    for (size_t i = 0; i < count; i++) most = fmin(fmax(most, fabs((double)lost[i])), limit);
    for (size_t i = 0; i < count; i++) {
        double part = most > 0 ? fmin(fmax((double)lost[i] / most, -1), 1) : 0;
        report->byte[i] = byte_of((128 + 127 * part) / 255);
    }
    lb_json_open(&report->json, key, "{");
    lb_json_number(&report->json, "most", most, DIGITS);
    lb_json_whole(&report->json, "values", (int64_t)app_report_bytes(report, report->byte, count));
    lb_buffer_print(&report->json, "}");
}

lb_status app_report_data_finish(app_report_data *report, lb_error *error)
{
    lb_buffer *json = &report->json;
    lb_json_open(json, "symbols", "[");
    for (int32_t id = 0; id < lb_vocabulary_size(report->symbols); id++)
        lb_json_string(json, NULL, lb_vocabulary_symbol(report->symbols, id));
    lb_buffer_print(json, "]}");
    if (report->failed || json->failed) return app_report_no_memory(error);
    app_pack_add(&report->data, json->text, json->length);
    lb_status status = app_pack_finish(&report->data, error);
    return status ? status : app_pack_finish(&report->blob, error);
}
