#include "report/judged.h"

#include "base/alloc.h"
#include "report/pack.h"

#include <string.h>

lb_status app_answers_split(app_answers *a, const lb_symbol_rule *rule, const char *const *texts,
                            size_t count, lb_error *error)
{
    size_t before = a->room;
    a->count = 0;
    if (!lb_alloc_room(&a->answer, before, count, &a->room, sizeof *a->answer))
        return app_report_no_memory(error);
    for (size_t i = before; i < a->room; i++) a->answer[i] = (lb_symbols){0};
    for (size_t i = 0; i < count; i++) {
        lb_status status = lb_symbols_split(rule, texts[i], strlen(texts[i]), &a->answer[i], error);
        if (status) return status;
    }
    a->count = count;
    return LB_OK;
}

void app_answers_free(app_answers *a)
{
    for (size_t i = 0; i < a->room; i++) lb_symbols_free(&a->answer[i]);
    lb_release(a->answer);
    *a = (app_answers){0};
}

/* Writes the ids of symbols to `to`; new ones get the next ids. */
static lb_status encode(lb_vocabulary *all, const char *const *symbols, size_t count, int32_t *to,
                        lb_sequence *sequence, lb_error *error)
{
    lb_status status = lb_vocabulary_add(all, symbols, (int64_t)count, error);
    if (!status) lb_vocabulary_encode(all, symbols, (int64_t)count, to, (int32_t)count);
    *sequence = (lb_sequence){to, (int64_t)count};
    return status;
}

lb_status app_judge(app_judged *j, lb_vocabulary *symbols, const lb_output *output,
                    const app_answers *answers, lb_error *error)
{
    size_t length = (size_t)output->length, all = length;
    for (size_t i = 0; i < answers->count; i++) all += answers->answer[i].count;
    *j = (app_judged){.id = lb_alloc((all + 1) * sizeof *j->id),
                      .reference = lb_alloc((answers->count + 1) * sizeof *j->reference)};
    if (!j->id || !j->reference) return app_report_no_memory(error);
    lb_status status = encode(symbols, output->symbol, length, j->id, &j->output, error);
    int32_t *to = j->id + length;
    for (size_t i = 0; i < answers->count && !status; i++) {
        const lb_symbols *answer = &answers->answer[i];
        status = encode(symbols, answer->symbol, answer->count, to, &j->reference[i], error);
        to += answer->count;
    }
    return status ? status
                  : lb_statistics_of(j->output, j->reference, (int64_t)answers->count, &j->found, &j->nearest,
                                     error);
}

void app_judged_free(app_judged *j)
{
    lb_release(j->id);
    lb_release(j->reference);
    *j = (app_judged){0};
}
