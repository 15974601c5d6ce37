/* The settings in the record of a training, as the JSON text of a model file. What is read is a configuration that can
 * be checked and printed. */
#include "fuzz.h"
#include "io/json.h"
#include "settings/settings.h"

#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static const lb_setting_list lists[] = {LB_SETTINGS_LISTS, LB_SETTINGS_IN_FORCE, LB_SETTINGS_IDENTITY};
    lb_training_config config = {.model = "seq2seq"};
    cJSON *json = NULL;
    char *text = fuzz_text(data, size);
    if (lb_json_parse(text, strlen(text), NULL, &json)) json = NULL;
    free(text);
    for (int i = 0; i < 3; i++) {
        lb_error error = {0};
        lb_buffer printed = {0};
        lb_settings_read(&config, json, lists[i]);
        config.model = "seq2seq";
        lb_status status = lb_settings_check(&config, &error);
        fuzz_require_told(status == LB_OK, &error);
        if (!status) lb_settings_print(&printed, &config, LB_SETTINGS_IN_FORCE, 1, LB_SETTINGS_END);
        lb_release(printed.text);
    }
    cJSON_Delete(json);
    return 0;
}
