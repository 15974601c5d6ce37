#include "report/train_command.h"

#include "base/buffer.h"
#include "cli/shell_word.h"

#include <cJSON.h>

static void print_value(lb_buffer *text, const cJSON *value)
{
    char *number = cJSON_IsString(value) ? NULL : cJSON_PrintUnformatted(value);
    lb_buffer_print(text, " ");
    app_shell_word(text, cJSON_IsString(value) ? value->valuestring : number ? number : "");
    text->failed = text->failed || !(number || cJSON_IsString(value));
    cJSON_free(number);
}

char *app_train_command(const cJSON *options, const cJSON *usual)
{
    lb_buffer text = {0};
    const cJSON *option;
    lb_buffer_print(&text, "lookback train");
    cJSON_ArrayForEach(option, options)
    {
        const cJSON *other = cJSON_GetObjectItemCaseSensitive(usual, option->string);
        if (cJSON_IsNull(option) || (other && cJSON_Compare(option, other, true))) continue;
        lb_buffer_print(&text, " --%s%s", cJSON_IsFalse(option) ? "no-" : "", option->string);
        if (!cJSON_IsBool(option)) print_value(&text, option);
    }
    return lb_buffer_end(&text);
}
