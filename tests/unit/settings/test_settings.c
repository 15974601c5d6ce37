/* The rows of the settings: names, places in lists, fields of models, and how few files name one of them. */
#include "settings/settings.h"

#include "models/file/model_formats.h"
#include "support/sources.h"
#include "support/suite.h"
#include "support/tempdir.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

START_TEST(test_settings_have_a_name_a_place_and_a_text_of_their_own)
{
    for (const lb_setting *s = lb_settings; s->name; s++) {
        char name[LB_SETTING_NAME];
        ck_assert_ptr_eq(lb_setting_find(s->name), s);
        ck_assert_ptr_eq(lb_setting_find(lb_setting_option(s, name)), s);
        ck_assert_msg(s->help && s->trainings && (s->metavar || s->type == LB_SETTING_FLAG), "%s", s->name);
        for (const lb_setting *other = s + 1; other->name; other++) ck_assert_uint_ne(other->at, s->at);
    }
}
END_TEST

/* A list is printed from its first place to its last. */
START_TEST(test_settings_have_each_place_of_a_list_once)
{
    for (int list = 0; list < LB_SETTINGS_LISTS; list++) {
        int rows = 0, last = 0;
        for (const lb_setting *s = lb_settings; s->name; s++) {
            rows += s->place[list] > 0;
            if (s->place[list] > last) last = s->place[list];
            for (const lb_setting *other = s + 1; other->name; other++)
                ck_assert_msg(!s->place[list] || other->place[list] != s->place[list], "%s and %s", s->name,
                              other->name);
        }
        ck_assert_int_eq(rows, last);
    }
}
END_TEST

/* What a start model decides, and what makes another run, is found by these fields. */
START_TEST(test_settings_of_a_model_are_its_fields)
{
    static const char *const none[] = {"source_vocab",      "target_vocab",    "feed_forward", "post_norm",
                                       "no_self_attention", "no_feed_forward", "max_length"};
    const char *const *models = lb_setting_find("model")->choices;
    for (int i = 0; models[i]; i++)
        for (const lb_config_field *field = lb_model_fields(models[i]); field->key; field++) {
            bool known = lb_setting_find(field->key);
            for (size_t n = 0; SUPPORT_ROW(n, none); n++) known = known || strcmp(none[n], field->key) == 0;
            ck_assert_msg(known, "%s of a %s has no row", field->key, models[i]);
        }
    ck_assert(!lb_setting_is_of(lb_setting_find("cell"), "transformer"));
    ck_assert(!lb_setting_is_of(lb_setting_find("kv-heads"), "seq2seq"));
    ck_assert(lb_setting_is_of(lb_setting_find("batch"), "seq2seq"));
}
END_TEST

static const char *const counted[] = {
    "softcap",     "kv_heads",   "attention_weights", "label_smoothing", "hallucinate",
    "warm_up",     "tied",       "average",           "patience",        "min_count",
    "no_hold_out", "any_target", "skip_bad_lines",    "features_column"};
enum { COUNTED = sizeof counted / sizeof *counted, FEW = 3, MOST = 7 };
static int files[COUNTED];

static bool is_letter(char c)
{
    return isalnum((unsigned char)c) || c == '_';
}

/* As grep -lw does, with "-" for "_", too. */
static bool has_name(const char *text, const char *name)
{
    size_t length = strlen(name);
    for (const char *at = text; (at = strstr(at, name)) != NULL; at++)
        if ((at == text || !is_letter(at[-1])) && !is_letter(at[length])) return true;
    return false;
}

static void count_names(const char *file, char *text)
{
    char dashed[LB_SETTING_NAME];
    (void)file;
    for (int i = 0; i < COUNTED; i++)
        files[i] += has_name(text, counted[i]) ||
                    has_name(text, lb_setting_option(&(lb_setting){.name = counted[i]}, dashed));
}

enum { MANY = 128 };
static bool used[MANY]; /* by the number of the row */

/* Members of a configuration: a name behind "." or "->". A designated initialiser is no use. */
static void note_uses(const char *file, char *text)
{
    (void)file;
    support_keep_code(text);
    for (int i = 0; lb_settings[i].name; i++) {
        const char *name = lb_settings[i].name;
        for (const char *at = text; !used[i] && (at = strstr(at, name)) != NULL; at++)
            used[i] = at > text && (at[-1] == '>' || (at[-1] == '.' && at > text + 1 && is_letter(at[-2]))) &&
                      !is_letter(at[strlen(name)]);
    }
}

/* A field of a model gets its value by its name. */
START_TEST(test_settings_are_used)
{
    support_walk_sources(SOURCE_DIR "/", "src/translate/", note_uses);
    const char *const *models = lb_setting_find("model")->choices;
    for (int i = 0; models[i]; i++)
        for (const lb_config_field *field = lb_model_fields(models[i]); field->key; field++)
            if (lb_setting_find(field->key)) used[lb_setting_find(field->key) - lb_settings] = true;
    for (int i = 0; lb_settings[i].name; i++)
        ck_assert_msg(used[i], "nothing in src/translate/ reads %s", lb_settings[i].name);
}
END_TEST

static int compare(const void *a, const void *b)
{
    return *(const int *)a - *(const int *)b;
}

START_TEST(test_settings_are_named_in_few_files)
{
    support_walk_sources(SOURCE_DIR "/", "apps/", count_names);
    support_walk_sources(SOURCE_DIR "/", "src/translate/", count_names);
    for (int i = 0; i < COUNTED; i++)
        ck_assert_msg(files[i] > 0 && files[i] <= MOST, "%d files name %s", files[i], counted[i]);
    qsort(files, COUNTED, sizeof *files, compare);
    ck_assert_int_le(files[COUNTED / 2 - 1] + files[COUNTED / 2], 2 * FEW);
}
END_TEST
