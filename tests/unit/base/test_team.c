/* Members of a team meet: after each meeting, all of them see what the others wrote before it. */
#include "base/threads.h"
#include "lookback/base.h"
#include "support/suite.h"

#include <stdatomic.h>

enum { MOST = 16, ROUNDS = 300 };

typedef struct meeting_place {
    int64_t written[MOST];
    atomic_int present, wrong;
} meeting_place;

static void walk(const lb_team_thread *me, void *context)
{
    meeting_place *place = context;
    int first = me->group * me->grid.width;
    atomic_fetch_add(&place->present, 1);
    for (int64_t round = 1; round <= ROUNDS; round++) {
        place->written[first + me->place] = round * (first + me->place + 1);
        lb_team_barrier(me);
        for (int other = first; other < first + me->grid.width; other++)
            if (place->written[other] != round * (other + 1)) atomic_fetch_add(&place->wrong, 1);
        lb_team_barrier(me);
    }
    lb_team_barrier_all(me);
    for (int other = 0; other < me->grid.groups * me->grid.width; other++)
        if (place->written[other] != (int64_t)ROUNDS * (other + 1)) atomic_fetch_add(&place->wrong, 1);
}

static int members_of(lb_grid grid)
{
    meeting_place place = {.present = 0};
    lb_team_run(grid, walk, &place);
    ck_assert_int_eq(place.wrong, 0);
    return place.present;
}

START_TEST(test_team_meets_in_groups_and_altogether)
{
    lb_set_threads(MOST);
    int most = lb_threads();
    static const lb_grid grids[] = {{1, 1}, {1, 2}, {3, 1}, {2, 3}, {1, 7}, {4, 4}};
    for (size_t i = 0; SUPPORT_ROW(i, grids); i++) {
        int wanted = grids[i].groups * grids[i].width;
        ck_assert_int_eq(members_of(grids[i]), wanted < most ? wanted : most);
    }
}
END_TEST

START_TEST(test_team_without_enough_threads_is_smaller)
{
    lb_set_threads(2);
    ck_assert_int_le(members_of((lb_grid){2, 4}), 2);
    lb_set_threads(1);
    ck_assert_int_eq(members_of((lb_grid){1, 3}), 1);
}
END_TEST

START_TEST(test_shares_are_even_and_leave_nothing_out)
{
    for (int64_t count = 0; count < 20; count++)
        for (int64_t places = 1; places < 7; places++) {
            int64_t next = 0;
            for (int64_t place = 0; place < places; place++) {
                int64_t first, end = lb_share(count, place, places, &first);
                ck_assert_int_eq(first, next);
                ck_assert_int_ge(end - first, count / places);
                ck_assert_int_le(end - first, count / places + 1);
                next = end;
            }
            ck_assert_int_eq(next, count);
        }
}
END_TEST
