/* What a program prints about a result: the line of a training, and the table of models that were joined. */
#include "several/side_by_side.h"

#include "base/buffer.h"
#include "base/format.h"
#include "base/group.h"
#include "console/console.h"
#include "io/file.h"
#include "io/path.h"
#include "translate/batches/evaluate.h"
#include "translate/plan/recipe.h"

#include <math.h>

/* What evaluations count. */
static const char *judged(const lb_training_config *c)
{
    return c->sort ? "held-out list" : c->any_target ? "source" : "pair";
}

const char *app_name_evaluations(const lb_training_config *c, const lb_criterion *by, char label[APP_LABEL])
{
    const char *of = c->sort ? "" : c->dev ? "dev " : c->no_hold_out ? "training " : "held-out ";
    snprintf(label, APP_LABEL, "%s on %s%ss%s%s", by->axis, of, judged(c), *c->test->name ? " and tests" : "",
             by->scale == 100 ? ", %" : "");
    return c->no_hold_out ? "loss at evaluation" : "dev loss";
}

char *app_tell_measure(const lb_criterion *by, const lb_evaluation *found, int digits, char text[APP_MEASURE])
{
    char number[APP_MEASURED];
    app_measured(lb_criterion_value(by, found), by->at == offsetof(lb_evaluation, loss) ? 4 : digits, number);
    snprintf(text, APP_MEASURE, "%s %s%s", by->title, number, by->scale == 100 ? " %" : "");
    return text;
}

char *app_tell_measures(const lb_criterion *by, const lb_evaluation *found, char text[APP_MEASURES])
{
    static const char *const names[] = {"exact", "symbol", "bleu", "chrf"};
    char measure[APP_MEASURE];
    size_t used = 0;
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        const lb_criterion *one = lb_criterion_find(names[i], NULL);
        if (i == 0 ? by == one : !one->texts || found->own[LB_OWN_TEXTS] > 0)
            used += (size_t)snprintf(text + used, APP_MEASURES - used, "%s, ",
                                     app_tell_measure(one, found, 2, measure));
    }
    return text;
}

void app_print_result(const lb_training_config *c, const char *search, const lb_evaluation *dev,
                      int64_t pairs, const lb_evaluation *test, const int64_t *test_pairs)
{
    const char *from = c->sort ? "" : c->dev || c->no_hold_out ? " of " : " held out from ";
    const lb_criterion *by = lb_criterion_find(c->choose, dev);
    char measure[APP_MEASURE], how[APP_SHORT] = "";
    if (!lb_group_leads(c->group)) return;
    if (by->texts) pairs = (int64_t)dev->own[LB_OWN_TEXTS];
    if (by->at != offsetof(lb_evaluation, loss)) snprintf(how, sizeof how, " (%s)", search);
    if (pairs > 0)
        app_print("%s%s on %lld %s%s%s%s%s\n", app_tell_measure(by, dev, 2, measure), how, (long long)pairs,
                  judged(c), lb_plural(pairs), from,
                  c->sort ? "" : lb_pair_file_name(c->dev ? c->dev : c->train),
                  c->no_hold_out ? ", on which it was trained" : "");
    for (int i = 0; i < LB_MOST_TESTS && *c->test[i].name; i++)
        app_print("%s%s on %lld %s%s of %s, test %s%s\n",
                  app_tell_measure(lb_criterion_find(by->name, &test[i]), &test[i], 2, measure), how,
                  (long long)test_pairs[i], judged(c), lb_plural(test_pairs[i]),
                  lb_pair_file_name(c->test[i].file), c->test[i].name,
                  i == lb_config_test(c, c->choose_on) ? ", which is spent: the model was chosen on it" : "");
}

lb_status app_count_joined(void *progress, const lb_event *event, lb_error *error)
{
    (void)error;
    if (event->kind == LB_EVENT_COUNTED) app_progress_count(progress, event->unit, event->done, event->total);
    return LB_OK;
}

/* A row of the table as it is shown, and as it is in a file, where what was not measured stays empty. */
static void add_row(lb_buffer *shown, lb_buffer *file, double weight, const lb_evaluation *dev,
                    const char *label, const char *path)
{
    char loss[APP_MEASURED];
    lb_buffer_print(shown, "%-8.4f ", weight);
    lb_buffer_print(file, "%.4f\t", weight);
    if (dev) {
        lb_buffer_print(shown, "%-12.4f %-13.4f %-10s ", dev->exact_match, dev->symbol_error,
                        app_measured(dev->loss, 4, loss));
        lb_buffer_print(file, "%.6f\t%.6f\t%s", dev->exact_match, dev->symbol_error,
                        isnan(dev->loss) ? "" : app_measured(dev->loss, 6, loss));
    } else {
        lb_buffer_print(file, "\t\t");
    }
    lb_buffer_print(shown, "%-20s %s\n", label, path);
    lb_buffer_print(file, "\t%s\t", label);
    lb_buffer_cell(file, path);
    lb_buffer_print(file, "\n");
}

lb_status app_show_joined(const lb_join_result *result, const char *path, lb_error *error)
{
    lb_buffer shown = {0}, file = {0};
    const bool measured = result->pairs > 0;
    lb_buffer_print(&shown, "%-8s %s%-20s %s\n", "weight",
                    measured ? "exact match  symbol error  dev loss   " : "", "kind", "model");
    lb_buffer_print(&file, "weight\texact_match\tsymbol_error\tdev_loss\tkind\tmodel\n");
    for (int i = 0; i < result->count; i++) {
        const lb_join_member *m = &result->member[i];
        add_row(&shown, &file, m->weight, measured ? &m->dev : NULL, m->label, m->path);
    }
    const size_t members = shown.length;
    add_row(&shown, &file, 1, measured ? &result->dev : NULL, "all", "together");
    lb_status status = shown.failed || file.failed ? lb_out_of_memory_for(path ? path : "the table", error)
                       : path ? lb_file_write_own(path, &(lb_bytes){file.text, file.length}, 1, error)
                              : LB_OK;
    if (!measured && !shown.failed) shown.text[members] = '\0'; /* the vote has a row in the file only */
    if (!status) app_put(shown.text);
    lb_release(shown.text);
    lb_release(file.text);
    return status;
}
