/* The log of a training, log.jsonl, as a sweep reads it. */
#include "fuzz.h"
#include "several/side_by_side.h"

#include <math.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    lb_error error = {0};
    char *folder = (char *)fuzz_folder("log.jsonl", data, size);
    app_training result = {.folder = folder};
    const lb_training_config settings = {.test = {{"long", .file = "long.tsv"}}, .choose_on = "long"};
    lb_status status = app_training_read(&result, &settings, &error);
    fuzz_require_told(status == LB_OK, &error);
    fuzz_require(result.points <= size, "each point has a line");
    for (size_t i = 0; i < result.points; i++)
        fuzz_require(isfinite(result.step[i]) && isfinite(result.error[i]),
                     "a chart can be drawn of the points");
    result.folder = NULL; /* not ours to free */
    app_training_free(&result);
    return 0;
}
