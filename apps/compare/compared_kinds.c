#include "compare/comparison.h"

#include "cli/option.h"
#include "settings/settings.h"

#include <stdio.h>
#include <string.h>

enum { TEXT = 1024 };

/* Models that differ by something else than their attention. */
static const app_compared_kind others[] = {
    {"sparsemax", .weights = LB_SPARSEMAX},
    {"entmax", .weights = LB_ENTMAX},
    {"transformer", .transformer = true},
    {"lstm", .cell = LB_CELL_LSTM},
    {"copy", .copy = true},
    {"relative", .transformer = true, .positions = LB_POSITIONAL_RELATIVE},
    {"alibi", .transformer = true, .positions = LB_POSITIONAL_ALIBI},
    {"rotary", .transformer = true, .positions = LB_POSITIONAL_ROTARY},
    {"fire", .transformer = true, .positions = LB_POSITIONAL_FIRE},
    {"random", .transformer = true, .positions = LB_POSITIONAL_RANDOM},
};

/* Takes the next word off a list, which becomes NULL after the last one. An alias becomes the name of its attention. */
static bool next_word(const char **list, char word[TEXT])
{
    if (!*list) return false;
    size_t length = strcspn(*list, ",");
    snprintf(word, TEXT, "%.*s", (int)length, *list);
    for (const lb_alias *alias = lb_setting_find("attention")->aliases; alias->name; alias++)
        if (strcmp(alias->name, word) == 0) snprintf(word, TEXT, "%s", lb_attention_names[alias->choice]);
    *list = (*list)[length] ? *list + length + 1 : NULL;
    return true;
}

static bool is_in(const char *list, const char *name)
{
    char word[TEXT];
    while (next_word(&list, word))
        if (strcmp(word, name) == 0) return true;
    return false;
}

static void add_name(char names[TEXT], const char *name)
{
    size_t length = strlen(names);
    if (!is_in(names, name)) snprintf(names + length, TEXT - length, ",%s", name);
}

/* All kinds: the usual ones, then attention, then other models. */
static const char *all_names(void)
{
    static char names[TEXT] = APP_USUAL_KINDS;
    for (int i = 0; lb_attention_names[i]; i++) add_name(names, lb_attention_names[i]);
    for (size_t i = 0; i < sizeof others / sizeof *others; i++) add_name(names, others[i].name);
    return names;
}

static app_compared_kind kind_of(const char *name)
{
    for (size_t i = 0; i < sizeof others / sizeof *others; i++)
        if (strcmp(others[i].name, name) == 0) return others[i];
    int attention = 0;
    while (strcmp(lb_attention_names[attention], name) != 0) attention++;
    return (app_compared_kind){lb_attention_names[attention], .attention = (lb_attention_kind)attention};
}

const char *app_compared_kinds_help(void)
{
    static char text[TEXT];
    char word[TEXT];
    size_t length = (size_t)snprintf(text, TEXT, "kinds to compare, separated by commas; also ");
    const char *rest = all_names() + sizeof APP_USUAL_KINDS;
    for (bool first = true; next_word(&rest, word) && !kind_of(word).positions; first = false)
        length += (size_t)snprintf(text + length, TEXT - length, "%s%s", first ? "" : ", ", word);
    snprintf(text + length, TEXT - length,
             "; relative, alibi and rotary are transformers with these positions");
    return text;
}

static lb_status unknown_kind(const char *found, lb_error *error)
{
    char word[TEXT], hint[APP_HINT];
    app_nearest nearest = {.word = found};
    lb_status status = LB_OK;
    for (const char *rest = all_names(); !status && next_word(&rest, word);)
        status = app_nearest_try(&nearest, kind_of(word).name, error);
    if (status) return status;
    return lb_error_set(error, LB_ERROR_ARGUMENT,
                        "--kinds: expected a comma-separated list of some of %s, found \"%s\"%s", all_names(),
                        found, app_nearest_hint(&nearest, "", hint));
}

int app_compared_kinds_read(const char *list, app_compared_kind kinds[APP_COMPARED_KINDS], lb_error *error)
{
    char word[TEXT];
    int count = 0;
    const char *all = all_names();
    for (const char *rest = list; next_word(&rest, word);)
        if (!is_in(all, word)) {
            unknown_kind(word, error);
            return 0;
        }
    while (count < APP_COMPARED_KINDS && next_word(&all, word))
        if (is_in(list, word)) kinds[count++] = kind_of(word);
    return count;
}
