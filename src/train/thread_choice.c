/* How many threads a step has: each number is timed on real steps, since no bit depends on it. */
#include "train/trainer.h"

#include <math.h>
#include <stdbool.h>

enum { UNSTEADY = 2 }; /* first steps, which reserve memory */

/* A number, here and below, is one of threads. */
static const double WINDOW = 30e6, /* ns with one number: longer than a scheduler lets a process wait */
    STEADY = 120e6,                /* ns of steps that are compared with the cost of the chosen number */
    SLOW = 1.5,                    /* times this cost: something has changed */
    HOPELESS = 1.5,                /* times the least cost: fewer threads are not worth a try */
    WORSE = 1.2,                   /* times the least cost: not worth another pass */
    WORTH = 1.03,                  /* what twice the threads must gain: others may need the processors */
    REST = 32, SHORT_REST = 16,    /* times what a comparison has spent, before the next; if steps are slow */
    MOST_SPENT = 100e9;            /* ns: more is a process that was stopped meanwhile */

lb_thread_choice lb_thread_choice_of(int most)
{
    lb_thread_choice c = {.most = most, .count = 1, .unsteady = UNSTEADY, .passes = LB_THREAD_PASSES};
    while (c.count < LB_THREAD_NUMBERS && most >> c.count > 0) c.count++;
    c.last = c.count - 1;
    return c;
}

int lb_thread_choice_next(const lb_thread_choice *c)
{
    return c->most >> c->next;
}

int lb_thread_choice_best(const lb_thread_choice *c)
{
    return c->most >> c->chosen;
}

/* The median of its windows; of two the lesser. NaN before the first window: no comparison with it is true. */
static double cost_of(const lb_thread_choice *c, int number)
{
    const lb_thread_windows *w = &c->windows[number];
    return w->count > 0 ? w->cost[(w->count - 1) / 2] : (double)NAN;
}

/* Ends the window. Returns its cost. */
static double end_window(lb_thread_choice *c)
{
    const double cost = c->ns / c->work;
    c->ns = c->work = 0;
    return cost;
}

static void add_window(lb_thread_windows *w, double cost)
{
    int at = w->count++;
    for (; at > 0 && w->cost[at - 1] > cost; at--) w->cost[at] = w->cost[at - 1];
    w->cost[at] = cost;
}

/* Compares the numbers next to the chosen one, or all. */
static void begin_comparison(lb_thread_choice *c, bool all)
{
    c->first = all || c->chosen == 0 ? 0 : c->chosen - 1;
    c->last = all || c->chosen == c->count - 1 ? c->count - 1 : c->chosen + 1;
    for (int i = 0; i < c->count; i++) c->windows[i].count = 0;
    c->ns = c->work = c->spent = 0;
    c->passes = LB_THREAD_PASSES;
    c->next = c->first;
}

/* The fewest threads whose cost is at most `share` times the least. */
static int best_of(const lb_thread_choice *c, double share)
{
    int best = c->first;
    for (int i = c->first; i <= c->last; i++)
        if (cost_of(c, i) < cost_of(c, best)) best = i;
    const double most = share * cost_of(c, best);
    for (int i = best; i <= c->last; i++)
        if (cost_of(c, i) <= most) best = i;
    return best;
}

/* The next number of a pass, or the next pass, without those at either end that are worse. */
static void go_on(lb_thread_choice *c)
{
    const int best = best_of(c, 1);
    const double least = cost_of(c, best);
    if (c->next > best && cost_of(c, c->next) > HOPELESS * least) c->last = c->next - 1;
    if (++c->next <= c->last) return;
    while (cost_of(c, c->first) > WORSE * least) c->first++;
    while (cost_of(c, c->last) > WORSE * least) c->last--;
    c->next = c->first;
    if (--c->passes > 0) return;
    c->chosen = c->next = best_of(c, WORTH);
    c->since = 0;
}

static void compare(lb_thread_choice *c, double ns)
{
    if (c->next != c->chosen) c->spent = fmin(c->spent + ns, MOST_SPENT);
    if (c->ns < WINDOW) return;
    add_window(&c->windows[c->next], end_window(c));
    go_on(c);
}

/* Waits for the next comparison, which comes sooner if steps have become slow. */
static void rest(lb_thread_choice *c, double ns)
{
    const bool slow = c->ns >= STEADY && end_window(c) > SLOW * cost_of(c, c->chosen);
    c->since += ns;
    if (c->since >= (slow ? SHORT_REST : REST) * c->spent) begin_comparison(c, slow);
}

void lb_thread_choice_note(lb_thread_choice *c, double ns, double work)
{
    if (c->count == 1 || !(ns > 0)) return; /* the clock may have failed */
    if (c->unsteady > 0) {
        c->unsteady--;
        return;
    }
    c->ns += ns;
    c->work += work;
    if (c->passes > 0)
        compare(c, ns);
    else
        rest(c, ns);
}
