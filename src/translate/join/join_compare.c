/* Whether models can become one: they must read and write the same symbols. */
#include "data/text/subwords.h"
#include "data/text/symbols.h"
#include "translate/join/join_fit.h"

#include <string.h>

/* The first symbol that two vocabularies do not have in common. */
static lb_status compare_symbols(const char *path, const char *side, const lb_vocabulary *a,
                                 const lb_vocabulary *b, const char *other, lb_error *error)
{
    int32_t ours = lb_vocabulary_size(a), found = lb_vocabulary_size(b);
    for (int32_t id = 0; id < ours || id < found; id++) {
        const char *x = id < ours ? lb_vocabulary_symbol(a, id) : "no symbol",
                   *y = id < found ? lb_vocabulary_symbol(b, id) : "no symbol";
        if (id < ours && id < found && strcmp(x, y) == 0) continue;
        return lb_error_set(
            error, LB_ERROR_ARGUMENT,
            "cannot join %s and %s: the vocabularies of the %ss differ: symbol %d is \"%.40s\" in the "
            "first and \"%.40s\" in the second",
            path, other, side, (int)id, lb_symbol_name(x), lb_symbol_name(y));
    }
    return LB_OK;
}

static const char *text_or_none(const char *text)
{
    return text ? text : "";
}

static const char *merges_of(const lb_symbol_rule *rule)
{
    return rule->subwords ? rule->subwords->text : "";
}

static lb_status compare_rules(const char *path, const char *side, const lb_symbol_rule *a,
                               const lb_symbol_rule *b, const char *other, lb_error *error)
{
    const struct {
        const char *name, *ours, *found;
    } parts[] = {{"separator", text_or_none(a->separator), text_or_none(b->separator)},
                 {"symbols", lb_symbol_kind_names[a->graphemes], lb_symbol_kind_names[b->graphemes]},
                 {"normal form", lb_normal_form_names[a->normalize], lb_normal_form_names[b->normalize]},
                 {"separator of features", text_or_none(a->features), text_or_none(b->features)}};
    for (size_t i = 0; i < sizeof parts / sizeof *parts; i++)
        if (strcmp(parts[i].ours, parts[i].found) != 0)
            return lb_error_set(
                error, LB_ERROR_ARGUMENT,
                "cannot join %s and %s: the %s of the %ss is \"%.40s\" in the first and \"%.40s\" in "
                "the second",
                path, other, parts[i].name, side, parts[i].ours, parts[i].found);
    if (strcmp(merges_of(a), merges_of(b)) != 0)
        return lb_error_set(error, LB_ERROR_ARGUMENT,
                            "cannot join %s and %s: the subwords of the %ss differ, expected the same merges",
                            path, other, side);
    return LB_OK;
}

lb_status lb_join_compare(const char *path, const lb_text_model *a, const char *other, const lb_text_model *b,
                          lb_error *error)
{
    if (a->sorts != b->sorts)
        return lb_error_set(error, LB_ERROR_ARGUMENT, "cannot join %s and %s: only one of them sorts lists",
                            path, other);
    if (a->task.what != b->task.what)
        return lb_error_set(error, LB_ERROR_ARGUMENT,
                            "cannot join %s and %s: the task is %s in the first and %s in "
                            "the second",
                            path, other, lb_list_task_names[a->task.what], lb_list_task_names[b->task.what]);
    lb_status status = compare_rules(path, "source", &a->source_rule, &b->source_rule, other, error);
    if (!status) status = compare_rules(path, "target", &a->target_rule, &b->target_rule, other, error);
    if (!status) status = compare_symbols(path, "source", a->source, b->source, other, error);
    return status ? status : compare_symbols(path, "target", a->target, b->target, other, error);
}
