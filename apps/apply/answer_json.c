#include "apply/answer_json.h"

#include <math.h>

static void add_number(lb_buffer *json, const char *key, double value)
{
    enum { DIGITS = 9 };
    lb_buffer_print(json, "\"%s\":", key);
    lb_buffer_json_number(json, value, DIGITS);
}

static void add_output(lb_buffer *json, const lb_output *output)
{
    lb_buffer_print(json, "{\"text\":");
    lb_buffer_json_string(json, output->text);
    lb_buffer_print(json, ",\"finished\":%s,", output->finished ? "true" : "false");
    add_number(json, "score", output->score);
    lb_buffer_print(json, ",");
    add_number(json, "probability", output->probability);
    lb_buffer_print(json, ",\"symbols\":[");
    for (int64_t i = 0; i < output->length; i++) {
        lb_buffer_print(json, i ? ",{\"symbol\":" : "{\"symbol\":");
        lb_buffer_json_string(json, output->symbol[i]);
        lb_buffer_print(json, ",");
        add_number(json, "probability", output->symbol_probability[i]);
        if (output->copied && output->copied[i] >= 0)
            lb_buffer_print(json, ",\"copied\":%lld", (long long)output->copied[i]);
        lb_buffer_print(json, "}");
    }
    lb_buffer_print(json, "],");
    add_number(json, "end", output->finished ? output->symbol_probability[output->length] : NAN);
    lb_buffer_print(json, "}");
}

void app_answer_json(lb_buffer *json, const char *source, const lb_translation *text)
{
    lb_buffer_print(json, "{\"source\":");
    if (source)
        lb_buffer_json_string(json, source);
    else
        lb_buffer_print(json, "null");
    lb_buffer_print(json, ",\"unknown\":[");
    for (int64_t i = 0; i < text->unknown_count; i++) {
        if (i) lb_buffer_print(json, ",");
        lb_buffer_json_string(json, text->unknown[i]);
    }
    lb_buffer_print(json, "],\"outputs\":[");
    for (int64_t i = 0; i < text->count; i++) {
        if (i) lb_buffer_print(json, ",");
        add_output(json, &text->output[i]);
    }
    lb_buffer_print(json, "]");
    if (text->error) {
        lb_buffer_print(json, ",\"error\":");
        lb_buffer_json_string(json, text->error);
    }
    lb_buffer_print(json, "}");
}
