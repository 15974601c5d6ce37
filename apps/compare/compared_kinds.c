#include "compare/compared_kinds.h"

#include "settings/settings.h"

#include <stdio.h>
#include <string.h>

enum { LIST = 256 }; /* bytes of all names with commas between them */

const app_compared_kind app_compared_kinds[APP_COMPARED_KINDS] = {
    {"none", 3e-3, .attention = LB_ATTENTION_NONE},
    {"additive", 3e-3, .attention = LB_ATTENTION_ADDITIVE},
    {"dot", 3e-3, .attention = LB_ATTENTION_DOT},
    {"general", 3e-3, .attention = LB_ATTENTION_GENERAL},
    {"scaled-dot", 3e-3, .attention = LB_ATTENTION_SCALED_DOT},
    {"multi-head", 3e-3, .attention = LB_ATTENTION_MULTI_HEAD},
    {"sparsemax", 3e-3, .attention = LB_ATTENTION_ADDITIVE, .weights = LB_SPARSEMAX},
    {"entmax", 3e-3, .attention = LB_ATTENTION_ADDITIVE, .weights = LB_ENTMAX},
    {"transformer", 1e-3, .transformer = true},
    {"hard", 3e-3, .attention = LB_ATTENTION_HARD},
    {"monotonic", 3e-3, .attention = LB_ATTENTION_MONOTONIC},
    {"monotonic-1", 3e-3, .attention = LB_ATTENTION_MONOTONIC_1},
    {"local-m", 3e-3, .attention = LB_ATTENTION_LOCAL_M},
    {"local-p", 3e-3, .attention = LB_ATTENTION_LOCAL_P},
    {"coverage", 3e-3, .attention = LB_ATTENTION_COVERAGE},
    {"location", 3e-3, .attention = LB_ATTENTION_LOCATION},
    {"lstm", 3e-3, .attention = LB_ATTENTION_ADDITIVE, .cell = LB_CELL_LSTM},
    {"copy", 3e-3, .attention = LB_ATTENTION_ADDITIVE, .copy = true},
    {"relative", 1e-3, .transformer = true, .positions = LB_POSITIONAL_RELATIVE},
    {"alibi", 1e-3, .transformer = true, .positions = LB_POSITIONAL_ALIBI},
    {"rotary", 1e-3, .transformer = true, .positions = LB_POSITIONAL_ROTARY},
};

static bool same_word(const char *name, const char *word, size_t length)
{
    return strlen(name) == length && memcmp(name, word, length) == 0;
}

/* The kind of this name, or APP_COMPARED_KINDS. */
static int find_kind(const char *word, size_t length)
{
    int k = 0;
    for (const lb_alias *alias = lb_setting_find("attention")->aliases; alias->name; alias++)
        if (same_word(alias->name, word, length)) {
            word = lb_attention_names[alias->choice];
            length = strlen(word);
        }
    while (k < APP_COMPARED_KINDS && !same_word(app_compared_kinds[k].name, word, length)) k++;
    return k;
}

static const char *list_all(char text[LIST])
{
    size_t length = 0;
    for (int k = 0; k < APP_COMPARED_KINDS && length < LIST; k++)
        length +=
            (size_t)snprintf(text + length, LIST - length, "%s%s", k ? "," : "", app_compared_kinds[k].name);
    return text;
}

lb_status app_compared_kinds_read(const char *list, bool wanted[APP_COMPARED_KINDS], lb_error *error)
{
    char all[LIST];
    for (const char *word = list;; word++) {
        size_t length = strcspn(word, ",");
        int k = find_kind(word, length);
        if (k == APP_COMPARED_KINDS)
            return lb_error_set(error, LB_ERROR_ARGUMENT,
                                "--kinds: expected a comma-separated list of some of %s, found \"%.*s\"",
                                list_all(all), (int)length, word);
        wanted[k] = true;
        word += length;
        if (*word == '\0') return LB_OK;
    }
}
