/* Finds, checks, prints and copies settings, for options, files and models, by the rows of table.c. */
#include "settings/settings.h"

#include "base/format.h"
#include "io/json.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

enum { DIGITS = 9 };

/* A choice is read and written as int. */
_Static_assert(sizeof(lb_attention_kind) == sizeof(int), "an enum is as large as an int");

/* Whether `name` is that of the field, of its option or in the configuration of a model, with underscores. */
static bool is_named(const lb_setting *s, const char *name)
{
    return strcmp(s->name, name) == 0 || (s->opposite && strcmp(s->opposite, name) == 0) ||
           (s->in_model && strcmp(s->in_model, name) == 0);
}

static char *replace(char *name, char from, char to)
{
    for (char *letter = name; *letter; letter++)
        if (*letter == from) *letter = to;
    return name;
}

const lb_setting *lb_setting_find(const char *name)
{
    char field[LB_SETTING_NAME];
    snprintf(field, sizeof field, "%s", name);
    replace(field, '-', '_');
    for (const lb_setting *s = lb_settings; s->name; s++)
        if (is_named(s, field)) return s;
    return NULL;
}

const char *lb_setting_field(const char *name)
{
    const lb_setting *s = lb_setting_find(name);
    return s && s->in_model && strcmp(s->in_model, name) == 0 ? s->name : name;
}

char *lb_setting_option(const lb_setting *s, char name[LB_SETTING_NAME])
{
    snprintf(name, LB_SETTING_NAME, "%s", s->opposite ? s->opposite : s->name);
    return replace(name, '_', '-');
}

char *lb_setting_words(const lb_setting *s, char words[LB_SETTING_WORDS])
{
    char option[LB_SETTING_NAME];
    lb_setting_option(s, option);
    snprintf(words, LB_SETTING_WORDS, s->rare ? "--set %s" : "--%s", option);
    return words;
}

int lb_setting_choice(const lb_setting *s, const char *name)
{
    for (const lb_alias *alias = s->aliases; alias && alias->name; alias++)
        if (strcmp(alias->name, name) == 0) return alias->choice;
    return lb_choice_find(s->choices, name);
}

/* What goes before item `i` of `count` in a list: nothing, a comma or, before the last one, `last`. */
static const char *joint(int i, int count, const char *last)
{
    return i == 0 ? "" : i + 1 < count ? ", " : last;
}

char *lb_choices_text(const char *const *choices, char *text, size_t size)
{
    const int count = lb_choices(choices);
    size_t used = 0;
    for (int i = 0; i < count && used < size; i++)
        used += (size_t)snprintf(text + used, size - used, "%s%s", joint(i, count, " or "), choices[i]);
    return text;
}

/* The value of a flag, a number or a choice. */
static double number_of(const lb_setting *s, const lb_training_config *config)
{
    const void *at = (const char *)config + s->at;
    int number;
    if (s->type == LB_SETTING_FLAG && !s->zero_is_value) return *(const bool *)at;
    if (s->type == LB_SETTING_NUMBER) return *(const double *)at;
    if (s->type == LB_SETTING_SEED) return (double)*(const uint64_t *)at;
    memcpy(&number, at, sizeof number);
    return number;
}

static const char *text_of(const lb_setting *s, const lb_training_config *config)
{
    return *(const char *const *)(const void *)((const char *)config + s->at);
}

static bool is_text(const lb_setting *s)
{
    return s->type == LB_SETTING_TEXT || s->type == LB_SETTING_WORD;
}

static bool is_test_name(const char *name, size_t length)
{
    static const char letters[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_";
    return length > 0 && length < LB_TEST_NAME && strspn(name, letters) >= length;
}

bool lb_setting_add_test(lb_test *tests, const char *name, size_t length, const char *file)
{
    int at = 0;
    if (!is_test_name(name, length) || !*file) return false;
    while (at < LB_MOST_TESTS && *tests[at].name &&
           (strncmp(tests[at].name, name, length) != 0 || tests[at].name[length]))
        at++;
    if (at == LB_MOST_TESTS) return false;
    tests[at] = (lb_test){.file = file};
    memcpy(tests[at].name, name, length);
    return true;
}

void lb_setting_put(const lb_setting *s, lb_training_config *config, double value)
{
    void *at = lb_setting_place(s, config);
    const int number = (int)value;
    if (s->type == LB_SETTING_FLAG && !s->zero_is_value)
        *(bool *)at = value != 0;
    else if (s->type == LB_SETTING_NUMBER)
        *(double *)at = value;
    else
        memcpy(at, &number, sizeof number);
}

void lb_setting_take(const lb_setting *s, lb_training_config *config, const lb_training_config *from)
{
    if (s->type == LB_SETTING_TESTS)
        memcpy(config->test, from->test, sizeof from->test);
    else if (s->type == LB_SETTING_SEED)
        config->seed = from->seed;
    else if (is_text(s))
        *(const char **)lb_setting_place(s, config) = text_of(s, from);
    else
        lb_setting_put(s, config, number_of(s, from));
}

bool lb_setting_is_open(const lb_setting *s, const lb_training_config *config)
{
    if (s->type == LB_SETTING_TESTS) return !*config->test->name;
    return is_text(s) ? !text_of(s, config) : number_of(s, config) == 0;
}

void lb_setting_reset(const lb_setting *s, lb_training_config *config)
{
    static const lb_training_config none;
    lb_setting_take(s, config, &none);
}

void lb_settings_fill_in(lb_training_config *config)
{
    for (const lb_setting *s = lb_settings; s->name; s++) {
        if (is_text(s) && s->choices && !s->zero_is_value && !text_of(s, config))
            *(const char **)lb_setting_place(s, config) = s->choices[(int)s->usual_value];
        else if (!is_text(s) && s->usual_value != 0 && number_of(s, config) == 0)
            lb_setting_put(s, config, s->usual_value);
    }
}

static lb_status out_of_range(const lb_setting *s, double found, const char *expected, lb_error *error)
{
    return lb_error_set(error, LB_ERROR_ARGUMENT, "%s: found %g, expected %s", s->name, found, expected);
}

/* A negative number means zero where zero is the default, and in a share. NaN fails every comparison. */
static lb_status check_number(const lb_setting *s, double found, lb_error *error)
{
    if (s->max > 1) return found >= 0 ? LB_OK : out_of_range(s, found, "0 or more", error);
    if (s->max == 1) return found <= 1 ? LB_OK : out_of_range(s, found, "at most 1", error);
    return found < 1 ? LB_OK : out_of_range(s, found, "less than 1", error);
}

static lb_status check_word(const lb_setting *s, const char *found, lb_error *error)
{
    char all[LB_MESSAGE_LENGTH];
    if (!found || !s->choices || lb_setting_choice(s, found) >= 0) return LB_OK;
    return lb_error_set(error, LB_ERROR_ARGUMENT, "%s: expected %s, found \"%.40s\"", s->name,
                        lb_choices_text(s->choices, all, sizeof all), found);
}

static lb_status check_tests(const lb_setting *s, const lb_test *tests, lb_error *error)
{
    for (int i = 0; i < LB_MOST_TESTS && *tests[i].name; i++)
        if (!is_test_name(tests[i].name, strnlen(tests[i].name, LB_TEST_NAME)))
            return lb_error_set(error, LB_ERROR_ARGUMENT,
                                "%s: found the name \"%.*s\", expected letters, digits, - and _", s->name,
                                LB_TEST_NAME, tests[i].name);
    return LB_OK;
}

static lb_status check_one(const lb_setting *s, const lb_training_config *config, lb_error *error)
{
    if (s->type == LB_SETTING_TESTS) return check_tests(s, config->test, error);
    if (is_text(s)) return check_word(s, text_of(s, config), error);
    if (s->type == LB_SETTING_FLAG || s->type == LB_SETTING_SEED) return LB_OK;
    double found = number_of(s, config);
    if (s->type == LB_SETTING_NUMBER) return check_number(s, found, error);
    int choices = s->choices ? lb_choices(s->choices) : 0;
    if (s->choices && (found < 0 || found >= choices))
        return lb_error_set(error, LB_ERROR_ARGUMENT, "%s: found %d, expected 0 to %d", s->name, (int)found,
                            choices - 1);
    if (found >= 0 || s->zero_is_value) return LB_OK;
    return lb_error_set(error, LB_ERROR_ARGUMENT, "%s: found %d, expected 0 or more", s->name, (int)found);
}

lb_status lb_settings_check(const lb_training_config *config, lb_error *error)
{
    lb_status status = LB_OK;
    for (const lb_setting *s = lb_settings; s->name && !status; s++) status = check_one(s, config, error);
    return status;
}

/* ---- What a model has in its configuration: which kind has a setting, and its value there. ---- */

/* The field with the setting in the configuration of this kind; NULL: it has none. */
static const lb_config_field *field_of(const lb_setting *s, const char *kind)
{
    const lb_config_field *field = lb_model_fields(kind);
    while (field && field->key && !is_named(s, field->key)) field++;
    return field && field->key ? field : NULL;
}

bool lb_setting_is_of(const lb_setting *s, const char *kind)
{
    bool others = false;
    for (const char *const *model = lb_setting_find("model")->choices; *model; model++)
        others = others || field_of(s, *model);
    return field_of(s, kind) || !others;
}

/* Names those that are refused together: "embed, one_direction and attention". */
static lb_status refuse_for_kind(const lb_setting *setting, const char *kind, bool options, lb_error *error)
{
    char names[LB_MESSAGE_LENGTH], name[LB_SETTING_WORDS];
    int count = 0, named = 0;
    size_t used = 0;
    const char *const *owner = lb_setting_find("model")->choices;
    while (!field_of(setting, *owner)) owner++;
    for (const lb_setting *s = lb_settings; s->name; s++) count += s->together == setting->together;
    for (const lb_setting *s = lb_settings; s->name; s++)
        if (s->together == setting->together)
            used +=
                (size_t)snprintf(names + used, sizeof names - used, "%s%s", joint(named++, count, " and "),
                                 options ? lb_setting_words(s, name) : s->name);
    return lb_error_set(error, LB_ERROR_ARGUMENT, "%s %s of %s%s, not of %s%s", names,
                        count > 1 ? "are options" : "is an option", options ? "--model " : "a ", *owner,
                        options ? "" : "a ", kind);
}

lb_status lb_settings_fit_kind(lb_training_config *config, const lb_training_config *usual, bool options,
                               lb_error *error)
{
    const lb_setting *found = NULL;
    for (const lb_setting *s = lb_settings; s->name; s++)
        if (s->together && !lb_setting_is_of(s, config->model) &&
            number_of(s, config) != number_of(s, usual) && (!found || s->together < found->together))
            found = s;
    if (found) return refuse_for_kind(found, config->model, options, error);
    for (const lb_setting *s = lb_settings; s->name; s++)
        if (s->together && !lb_setting_is_of(s, config->model)) lb_setting_reset(s, config);
    return LB_OK;
}

void lb_settings_to_model(const lb_training_config *config, const lb_config_field *fields, void *model)
{
    for (const lb_config_field *field = fields; field->key; field++) {
        const lb_setting *s = lb_setting_find(field->key);
        if (!s) continue;
        double value = fmax(number_of(s, config), 0);
        lb_config_put(field, model, s->opposite ? value == 0 : value);
    }
}

void lb_settings_from_model(lb_training_config *config, const lb_config_field *fields, const void *model)
{
    for (const lb_config_field *field = fields; field->key; field++) {
        const lb_setting *s = lb_setting_find(field->key);
        if (!s || s->only_trains || number_of(s, config) != 0) continue;
        double value = lb_config_number(field, model);
        if (s->opposite) value = value == 0;
        lb_setting_put(s, config, value == 0 && s->zero_is_value ? -1 : value);
    }
}

/* ---- As members of JSON. ---- */

/* The setting at this place of a list; NULL behind the last. */
static const lb_setting *in_place(lb_setting_list list, int place)
{
    const lb_setting *s = lb_settings;
    while (s->name && s->place[list] != place) s++;
    return s->name ? s : NULL;
}

static void print_value(lb_buffer *json, const lb_setting *s, const lb_training_config *config,
                        lb_setting_list list)
{
    char text[LB_NUMBER];
    const double number = is_text(s) ? 0 : fmax(number_of(s, config), 0);
    if (is_text(s)) {
        lb_json_string(json, s->name, text_of(s, config) ? text_of(s, config) : "");
    } else if (s->type == LB_SETTING_FLAG) {
        lb_json_bool(json, s->opposite ? s->opposite : s->name, (number != 0) != (s->opposite != NULL));
    } else if (s->type == LB_SETTING_CHOICE) {
        lb_json_string(json, s->name, s->choices[(int)number]);
    } else if (s->type == LB_SETTING_SEED) {
        lb_json_key(json, s->name);
        lb_buffer_print(json, "\"%llu\"", (unsigned long long)config->seed);
    } else if (s->type == LB_SETTING_NUMBER && list == LB_SETTINGS_IN_FORCE) {
        lb_json_key(json, s->name); /* from which the training can be repeated */
        lb_buffer_print(json, "%s", lb_number_text(number, text));
    } else if (s->type == LB_SETTING_NUMBER) {
        lb_json_number(json, s->name, number, DIGITS);
    } else {
        lb_json_whole(json, s->name, (int64_t)number);
    }
}

static bool is_set(const lb_setting *s, const lb_training_config *config)
{
    if (s->type == LB_SETTING_TESTS) return *config->test->name != '\0';
    if (!is_text(s)) return number_of(s, config) > 0 && number_of(s, config) != s->usual_value;
    const char *text = text_of(s, config);
    return text && *text && !(s->choices && strcmp(text, s->choices[0]) == 0);
}

bool lb_settings_are_set(const lb_training_config *config, lb_setting_part part)
{
    const lb_setting *s = lb_settings;
    while (s->name && (s->part != part || !is_set(s, config))) s++;
    return s->name;
}

void lb_settings_print(lb_buffer *json, const lb_training_config *config, lb_setting_list list, int from,
                       int to)
{
    const lb_setting *s;
    for (int place = from; place <= to && (s = in_place(list, place)); place++) {
        bool left_out = list == LB_SETTINGS_IDENTITY && s->only_if_set && !is_set(s, config);
        bool other = (config->sort && s->part == LB_SETTING_DATA) || !lb_setting_is_of(s, config->model);
        if (!left_out && !other) print_value(json, s, config, list);
    }
}
