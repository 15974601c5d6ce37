/* A file for --predictions, next to one of pairs. The first two bytes choose the format; the rest is the file. */
#include "evaluate/evaluate.h"
#include "fuzz.h"

#include <stdio.h>

enum { PATH = 96 };

static const char pairs[] = "ab\tA B\nb\tB\n\xc3\xa9\tE\n";
static const char with_features[] = "ab\tX;Y\tA B\nb\tX\tB\n\xc3\xa9\tY\tE\n";
static const char *const separators[] = {NULL, " ", ";", "ab"};

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    lb_error error = {0};
    char path[PATH];
    app_score score;
    uint8_t source = fuzz_byte(&data, &size), target = fuzz_byte(&data, &size);
    bool features = (source & 4) != 0;
    app_evaluate asked = {.pairs = path,
                          .predictions = fuzz_file(data, size),
                          .format = {.source.separator = separators[source % 4],
                                     .target.separator = separators[target % 4],
                                     .target.normalize = (lb_normal_form)(target / 4 % 3),
                                     .source.features = features ? ";" : NULL,
                                     .skip_bad_lines = (source & 8) != 0}};
    const char *folder = features ? fuzz_folder("features.tsv", with_features, sizeof with_features - 1)
                                  : fuzz_folder("pairs.tsv", pairs, sizeof pairs - 1);
    snprintf(path, sizeof path, "%s/%s", folder, features ? "features.tsv" : "pairs.tsv");
    lb_status status = app_evaluate_predictions(&asked, &score, &error);
    fuzz_require_told(status == LB_OK, &error);
    fuzz_require(status || score.count > 0, "a score has pairs");
    app_score_close(&score);
    return 0;
}
