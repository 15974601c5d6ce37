/* The film of a training, film.jsonl, as a report reads it. */
#include "fuzz.h"
#include "report/report.h"

#include <cJSON.h>
#include <stdio.h>
#include <zlib.h>

enum { PATH = 96, MOST = 1 << 24 };

/* What was printed is one JSON object. */
static void require_json(const app_pack *pack)
{
    static unsigned char text[MOST];
    uLongf length = sizeof text;
    int result = uncompress(text, &length, (const Bytef *)pack->packed.text, (uLong)pack->packed.length);
    if (result == Z_BUF_ERROR) return;
    fuzz_require(result == Z_OK, "a pack can be unpacked");
    cJSON *json = cJSON_ParseWithLength((const char *)text, length);
    fuzz_require(cJSON_IsArray(cJSON_GetObjectItemCaseSensitive(json, "film")),
                 "the film of a page is a list");
    cJSON_Delete(json);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    lb_error error = {0};
    int64_t bad = 0;
    app_report_data report;
    char model[PATH];
    snprintf(model, sizeof model, "%s/model.safetensors", fuzz_folder("film.jsonl", data, size));
    lb_status status = app_report_data_open(&report, &error);
    lb_buffer_print(&report.json, "{\"version\":1");
    if (!status) status = app_report_attention_history_print(model, &report, &bad, &error);
    fuzz_require_told(status == LB_OK, &error);
    fuzz_require(bad >= 0, "lines are counted");
    if (!status && !app_report_data_finish(&report, &error)) require_json(&report.data);
    app_report_data_close(&report);
    return 0;
}
