/* Settings from the record of a training: what each member becomes, and what is left out. */
#include "settings/settings.h"

#include "io/json.h"
#include "support/suite.h"

#include <stdlib.h>
#include <string.h>

static lb_training_config config;

/* The texts of the configuration are those of the object. */
static cJSON *read_from(const char *text, lb_setting_list list)
{
    cJSON *json = cJSON_Parse(text);
    ck_assert_ptr_nonnull(json);
    lb_settings_read(&config, json, list);
    return json;
}

START_TEST(test_read_takes_options_as_programs_and_python_spell_them)
{
    config = (lb_training_config){.hidden = 7};
    cJSON *json =
        read_from("{\"train\":\"a.tsv\",\"hidden\":8,\"embed\":16,\"attention\":\"luong\",\"dropout\":0,"
                  "\"label-smoothing\":0.1,\"hold-out\":false,\"bidirectional\":true,\"tied\":false,"
                  "\"min_count\":2,\"test\":{\"long\":\"l.tsv\"},\"out\":\"folder\",\"seed\":5,"
                  "\"teacher\":\"t\",\"choose\":\"\",\"patience\":null}",
                  LB_SETTINGS_LISTS);
    ck_assert_str_eq(config.train, "a.tsv");
    ck_assert_int_eq(config.hidden, 7); /* was not open */
    ck_assert_int_eq(config.embed, 16);
    ck_assert_int_eq(config.attention, LB_ATTENTION_GENERAL);
    ck_assert(config.dropout < 0 && config.label_smoothing == 0.1); /* zero is a value, not the default */
    ck_assert(config.no_hold_out && !config.one_direction && config.tied == -1);
    ck_assert_int_eq(config.min_count, 2);
    ck_assert_str_eq(config.test[0].name, "long");
    ck_assert_str_eq(config.test[0].file, "l.tsv");
    ck_assert(!config.out && config.seed == 0 && !config.choose && config.patience == 0);
    cJSON_Delete(json);
    json = read_from("{\"no-hold-out\":true,\"embed\":99}", LB_SETTINGS_LISTS);
    ck_assert(config.no_hold_out && config.embed == 16);
    cJSON_Delete(json);
}
END_TEST

/* The hashes of the pairs of a run have the names of their files. */
START_TEST(test_read_of_a_list_leaves_the_rest)
{
    config = (lb_training_config){0};
    cJSON *json = read_from("{\"train\":\"0123456789abcdef\",\"test\":\"long 0123\",\"model\":{\"hidden\":4},"
                            "\"evaluate_every\":50,\"hold_out\":false}",
                            LB_SETTINGS_IDENTITY);
    ck_assert(!config.train && !config.model && !*config.test[0].name);
    ck_assert(config.evaluate_every == 50 && config.no_hold_out);
    cJSON_Delete(json);
}
END_TEST

START_TEST(test_read_leaves_values_of_another_type)
{
    static const lb_training_config none;
    static const char *const wrong[] = {
        "{\"hidden\":\"8\"}", "{\"hidden\":1e99}",    "{\"copy\":1}",   "{\"attention\":\"x\"}",
        "{\"train\":3}",      "{\"test\":{\"a\":1}}", "{\"model\":[]}", "{\"test\":{\"a b\":\"f\"}}",
        "{\"lr\":true}"};
    for (size_t i = 0; SUPPORT_ROW(i, wrong); i++) {
        config = none;
        cJSON_Delete(read_from(wrong[i], LB_SETTINGS_LISTS));
        ck_assert_msg(memcmp(&config, &none, sizeof none) == 0, "%s", wrong[i]);
    }
}
END_TEST

/* Numbers of a record give the same training: all of their digits are there, and no more than that takes. */
START_TEST(test_read_gives_the_number_that_was_printed)
{
    static const double rates[] = {0.002, 0.1, 1.0 / 3, 0.43789012345678901};
    for (size_t i = 0; SUPPORT_ROW(i, rates); i++) {
        lb_buffer json = {0};
        const lb_training_config printed = {.model = "seq2seq", .lr = rates[i]};
        lb_buffer_print(&json, "{");
        lb_settings_print(&json, &printed, LB_SETTINGS_IN_FORCE, 3, 3);
        lb_buffer_print(&json, "}");
        config = (lb_training_config){0};
        cJSON_Delete(read_from(json.text, LB_SETTINGS_IN_FORCE));
        ck_assert(config.lr == rates[i]);
        if (i == 0) ck_assert_str_eq(json.text, "{\"lr\":0.002}");
        lb_release(json.text);
    }
}
END_TEST
