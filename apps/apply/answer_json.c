#include "apply/answer_json.h"

#include "base/buffer.h"

#include <math.h>

enum { DIGITS = 9 };

static void add_symbol(lb_buffer *json, const lb_output *output, int64_t i)
{
    lb_json_open(json, NULL, "{");
    lb_json_string(json, "symbol", output->symbol[i]);
    lb_json_number(json, "probability", output->symbol_probability[i], DIGITS);
    if (output->copied && output->copied[i] >= 0) lb_json_whole(json, "copied", output->copied[i]);
    lb_buffer_print(json, "}");
}

static void add_output(lb_buffer *json, const lb_output *output)
{
    lb_json_open(json, NULL, "{");
    lb_json_string(json, "text", output->text);
    lb_json_bool(json, "finished", output->finished);
    lb_json_number(json, "score", output->score, DIGITS);
    lb_json_number(json, "probability", output->probability, DIGITS);
    lb_json_open(json, "symbols", "[");
    for (int64_t i = 0; i < output->length; i++) add_symbol(json, output, i);
    lb_buffer_print(json, "]");
    lb_json_number(json, "end", output->finished ? output->symbol_probability[output->length] : NAN, DIGITS);
    lb_buffer_print(json, "}");
}

void app_answer_json(lb_buffer *json, const char *source, const lb_translation *text)
{
    lb_json_open(json, NULL, "{");
    lb_json_string(json, "source", source);
    lb_json_strings(json, "unknown", text->unknown, text->unknown_count);
    lb_json_open(json, "outputs", "[");
    for (int64_t i = 0; i < text->count; i++) add_output(json, &text->output[i]);
    lb_buffer_print(json, "]");
    if (text->error) lb_json_string(json, "error", text->error);
    lb_buffer_print(json, "}");
}
