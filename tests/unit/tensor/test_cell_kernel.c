/* The gates of a GRU and of an LSTM against their equations, in plain loops and double; their gradients against
 * differences. This test runs in both precisions. */
#include "support/suite.h"
#include "tensor/cell_kernel.h"

#include <math.h>
#include <string.h>

/* COUNT units of HIDDEN, from FIRST on: the others stay as they are. */
enum { HIDDEN = 37, FIRST = 3, COUNT = 30, GATES = 4, SAVED = LB_LSTM_SAVED };

static const double CLOSE = sizeof(lb_real) == sizeof(double) ? 1e-13 : 2e-6;

typedef struct row {
    lb_real x[GATES * HIDDEN], product[GATES * HIDDEN], bias[GATES * HIDDEN], state[2 * HIDDEN];
    lb_real output[HIDDEN], saved[SAVED * HIDDEN], dx[GATES * HIDDEN], dstate[2 * HIDDEN];
} row;

typedef void gates_fn(int64_t hidden, int64_t count, const lb_real *x, const lb_real *product,
                      const lb_real *bias, lb_real *state, lb_real *output, lb_real *saved);
typedef void backward_fn(int64_t hidden, int64_t count, lb_real *saved, const lb_real *doutput, lb_real *dx,
                         lb_real *dstate);

/* The numbers of one unit: the sums of its gates, the product that the third gate of a GRU has apart, and its state. */
typedef struct unit {
    double sum[GATES], own, h, c;
} unit;

static double sigmoid(double x)
{
    return 1 / (1 + exp(-x));
}

static void next_gru(const unit *u, double next[2])
{
    double r = sigmoid(u->sum[0]), z = sigmoid(u->sum[1]), n = tanh(u->sum[2] + r * u->own);
    next[0] = (1 - z) * n + z * u->h;
}

static void next_lstm(const unit *u, double next[2])
{
    next[1] = sigmoid(u->sum[1]) * u->c + sigmoid(u->sum[0]) * tanh(u->sum[2]);
    next[0] = sigmoid(u->sum[3]) * tanh(next[1]);
}

typedef struct cell {
    gates_fn *gates;
    backward_fn *backward;
    void (*next)(const unit *u, double next[2]);
    int count; /* of gates */
    bool lstm;
} cell;

static const cell gru = {lb_gru_gates, lb_gru_gates_backward, next_gru, 3, false},
                  lstm = {lb_lstm_gates, lb_lstm_gates_backward, next_lstm, 4, true};

static void fill(lb_real *to, int count, uint64_t which)
{
    for (int i = 0; i < count; i++) to[i] = (lb_real)(sin(1 + 7.3 * i + 100.1 * (double)which) * 1.7);
}

static unit unit_of(const cell *c, const row *r, int at)
{
    unit u = {.h = (double)r->state[at], .c = (double)r->state[HIDDEN + at]};
    for (int gate = 0; gate < c->count; gate++) {
        int k = gate * HIDDEN + at;
        bool apart = !c->lstm && gate == 2;
        u.sum[gate] = (double)r->x[k];
        *(apart ? &u.own : &u.sum[gate]) += (double)r->product[k] + (double)r->bias[k];
    }
    return u;
}

/* h and c weighted by their gradients. */
static double loss(const cell *c, const unit *u, double dh, double dc)
{
    double next[2] = {0};
    c->next(u, next);
    return dh * next[0] + (c->lstm ? dc * next[1] : 0);
}

/* The derivative of the loss by a number of the unit. */
static double slope(const cell *c, unit *u, double *number, double dh, double dc)
{
    const double kept = *number, nudge = 1e-6;
    *number = kept + nudge;
    double above = loss(c, u, dh, dc);
    *number = kept - nudge;
    double below = loss(c, u, dh, dc);
    *number = kept;
    return (above - below) / (2 * nudge);
}

static void expect_near(lb_real found, double expected, double tolerance, const char *what, int at)
{
    SUPPORT_CHECK(fabs((double)found - expected) <= tolerance, "%s of unit %d: found %g, expected %g", what,
                  at, (double)found, expected);
}

static void check(const cell *c)
{
    static row r, before;
    lb_real doutput[HIDDEN];
    const double near = CLOSE > 1e-8 ? CLOSE : 1e-8;
    memset(&r, 0, sizeof r);
    fill(r.x, GATES * HIDDEN, 1);
    fill(r.product, GATES * HIDDEN, 2);
    fill(r.bias, GATES * HIDDEN, 3);
    fill(r.state, 2 * HIDDEN, 4);
    fill(r.dstate, 2 * HIDDEN, 5);
    fill(doutput, HIDDEN, 6);
    before = r;
    c->gates(HIDDEN, COUNT, r.x + FIRST, r.product + FIRST, r.bias + FIRST, r.state + FIRST, r.output + FIRST,
             r.saved + FIRST);
    c->backward(HIDDEN, COUNT, r.saved + FIRST, doutput + FIRST, r.dx + FIRST, r.dstate + FIRST);
    for (int at = 0; at < HIDDEN; at++) {
        unit u = unit_of(c, &before, at);
        double next[2] = {u.h, u.c}, dh = (double)(before.dstate[at] + doutput[at]),
               dc = (double)before.dstate[HIDDEN + at];
        bool inside = at >= FIRST && at < FIRST + COUNT;
        if (inside) c->next(&u, next);
        expect_near(r.state[at], next[0], CLOSE, "h", at);
        expect_near(r.output[at], inside ? next[0] : 0, CLOSE, "output", at);
        expect_near(r.state[HIDDEN + at], next[1], CLOSE, "c", at);
        for (int gate = 0; gate < c->count; gate++)
            expect_near(r.dx[gate * HIDDEN + at], inside ? slope(c, &u, &u.sum[gate], dh, dc) : 0, 4 * near,
                        "a gate's gradient", at);
        if (!inside) continue;
        if (!c->lstm) {
            expect_near(r.saved[LB_GRU_SAVED_H * HIDDEN + at], slope(c, &u, &u.own, dh, dc), 4 * near,
                        "the product's gradient", at);
            expect_near(r.saved[LB_GRU_SAVED_PREVIOUS * HIDDEN + at], u.h, 0, "the previous h", at);
        }
        expect_near(r.dstate[at], c->lstm ? 0 : slope(c, &u, &u.h, dh, dc), 4 * near, "the gradient of h",
                    at);
        if (c->lstm) {
            expect_near(r.dstate[HIDDEN + at], slope(c, &u, &u.c, dh, dc), 4 * near, "the gradient of c", at);
            expect_near(r.saved[LB_LSTM_SAVED_C * HIDDEN + at], u.c, 0, "the previous c", at);
            expect_near(r.saved[LB_LSTM_SAVED_H * HIDDEN + at], u.h, 0, "the previous h", at);
        }
    }
}

START_TEST(test_gru_gates_are_those_of_the_equations_and_their_gradients)
{
    check(&gru);
}
END_TEST

START_TEST(test_lstm_gates_are_those_of_the_equations_and_their_gradients)
{
    check(&lstm);
}
END_TEST
