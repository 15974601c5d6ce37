#include "translate/file/record.h"

#include "base/alloc.h"
#include "base/buffer.h"
#include "base/bytes.h"
#include "train/point.h"

#include <string.h>

static void print_history(lb_buffer *json, const lb_train_history *history)
{
    for (int64_t i = 0; i < history->count; i++) {
        const lb_train_point *point = &history->points[i];
        lb_buffer_print(json, i ? ",{" : "{");
        lb_train_point_print(json, point);
        lb_buffer_print(json, ",\"tokens\":%.0f}", point->tokens);
    }
}

char *lb_training_record(const lb_train_history *history, const lb_train_point *kept, uint64_t seed,
                         const char *options, const char *settings)
{
    lb_buffer json = {0};
    lb_buffer_print(&json, "{\"steps\":%lld,\"exact_match\":%.9g,\"symbol_error\":%.9g,\"best_step\":%lld,",
                    (long long)history->points[history->count - 1].step, kept->dev.exact_match,
                    kept->dev.symbol_error, (long long)kept->step);
    lb_buffer_print(&json, "\"seed\":%llu,", (unsigned long long)seed);
    /* The options may have a file name that is not UTF-8; the metadata of a model file must be UTF-8. */
    if (options && lb_utf8_valid(options, strlen(options)))
        lb_buffer_print(&json, "\"options\":%s,", options);
    if (settings) lb_buffer_print(&json, "\"settings\":%s,", settings);
    lb_buffer_print(&json, "\"history\":[");
    print_history(&json, history);
    lb_buffer_print(&json, "]}");
    return lb_buffer_end(&json);
}
