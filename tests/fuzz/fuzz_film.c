/* The film of a training, film.jsonl, as a report reads it. */
#include "common/report_film.h"
#include "fuzz.h"

#include <cJSON.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>
#include <zlib.h>

enum { PATH = 96, MOST = 1 << 24 };

static char folder[] = "/tmp/fuzz-film-XXXXXX", link_path[PATH];

static void remove_folder(void)
{
    unlink(link_path);
    rmdir(folder);
}

/* A report looks for the film next to its model: there, a link leads to the file of the input. */
static const char *model_beside(const char *film)
{
    static char model[PATH];
    if (!*model) {
        fuzz_require(mkdtemp(folder) != NULL, "a folder can be made");
        snprintf(model, sizeof model, "%s/model.safetensors", folder);
        snprintf(link_path, sizeof link_path, "%s/film.jsonl", folder);
        fuzz_require(symlink(film, link_path) == 0, "a link can be made");
        atexit(remove_folder);
    }
    return model;
}

/* What was printed is one JSON object. */
static void require_json(const app_pack *pack)
{
    static unsigned char text[MOST];
    uLongf length = sizeof text;
    int result = uncompress(text, &length, pack->bytes, (uLong)pack->count);
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
    const char *model = model_beside(fuzz_file(data, size));
    lb_status status = app_report_data_open(&report, &error);
    lb_buffer_print(&report.json, "{\"version\":1,");
    if (!status) status = app_report_film_print(model, &report, &bad, &error);
    fuzz_require_told(status == LB_OK, &error);
    fuzz_require(bad >= 0, "lines are counted");
    if (!status && !app_report_data_finish(&report, &error)) require_json(&report.data);
    app_report_data_close(&report);
    return 0;
}
