#include "base/group.h"

#include <stdio.h>
#include <string.h>

enum { TEXT = 384, MOST_TEXT = 80 };

static bool is_power_of_two(int number)
{
    return number > 0 && (number & (number - 1)) == 0;
}

lb_status lb_group_check(const lb_group *group, int shards, lb_error *error)
{
    int size = lb_group_size(group);
    if (!is_power_of_two(shards) || shards > LB_MOST_SHARDS)
        return lb_error_set(error, LB_ERROR_ARGUMENT, "shards: found %d, expected a power of two up to %d",
                            shards, LB_MOST_SHARDS);
    if (!is_power_of_two(size) || shards % size != 0)
        return lb_error_set(
            error, LB_ERROR_ARGUMENT,
            "cannot share %d shards among %d processes: expected 1, 2, 4, ... up to %d processes", shards,
            size, shards);
    return LB_OK;
}

int lb_group_size(const lb_group *group)
{
    return group ? group->size : 1;
}

bool lb_group_leads(const lb_group *group)
{
    return !group || group->rank == 0;
}

/* A half of the range is sent to the partner, who adds it to his; the other half is kept. */
typedef struct range {
    int64_t first, count;
} range;

static void halve(range whole, bool upper, range *kept, range *given)
{
    range low = {whole.first, whole.count / 2},
          high = {whole.first + whole.count / 2, whole.count - whole.count / 2};
    *kept = upper ? high : low;
    *given = upper ? low : high;
}

static lb_status swap(const lb_group *g, int partner, const lb_real *send, range sent, lb_real *receive,
                      range received, lb_error *error)
{
    return g->exchange(g->context, partner, send + sent.first, (size_t)sent.count * sizeof *send,
                       receive + received.first, (size_t)received.count * sizeof *receive, error);
}

/* Sums of ranges that get smaller: at last, each process has its own range of the sum of all. On the way back, the
 * ranges get larger again. */
static lb_status add_range(const lb_group *g, int distance, lb_real *values, range whole, lb_real *room,
                           lb_add_fn *add, lb_error *error)
{
    range kept, given;
    if (distance == g->size) return LB_OK;
    int partner = g->rank ^ distance;
    halve(whole, g->rank & distance, &kept, &given);
    lb_status status = swap(g, partner, values, given, room, kept, error);
    if (status) return status;
    add(kept.count, room + kept.first, values + kept.first);
    status = add_range(g, 2 * distance, values, kept, room, add, error);
    return status ? status : swap(g, partner, values, kept, values, given, error);
}

lb_status lb_group_add(const lb_group *group, lb_real *values, int64_t count, lb_real *room, lb_add_fn *add,
                       lb_error *error)
{
    lb_status status = LB_OK;
    for (int64_t first = 0; group && first < count && !status; first += LB_GROUP_ROOM) {
        int64_t most = count - first < LB_GROUP_ROOM ? count - first : LB_GROUP_ROOM;
        status = add_range(group, 1, values + first, (range){0, most}, room, add, error);
    }
    return status;
}

lb_status lb_group_add_doubles(const lb_group *group, double *values, int count, lb_error *error)
{
    double theirs[LB_GROUP_DOUBLES];
    size_t bytes = (size_t)count * sizeof *values;
    for (int distance = 1; distance < lb_group_size(group); distance *= 2) {
        lb_status status =
            group->exchange(group->context, group->rank ^ distance, values, bytes, theirs, bytes, error);
        if (status) return status;
        for (int i = 0; i < count; i++) values[i] += theirs[i];
    }
    return LB_OK;
}

lb_status lb_group_tell(const lb_group *group, void *bytes, size_t count, lb_error *error)
{
    char none = 0, answer;
    lb_status status = LB_OK;
    for (int other = 1; other < lb_group_size(group) && !status; other++) {
        if (group->rank == 0)
            status = group->exchange(group->context, other, bytes, count, &answer, 1, error);
        else if (group->rank == other)
            status = group->exchange(group->context, 0, &none, 1, bytes, count, error);
    }
    return status;
}

/* All get the text of the first process that has one. Process 0 hears all others, and then answers them. */
static lb_status share_first(const lb_group *g, char text[TEXT], lb_error *error)
{
    char theirs[TEXT];
    bool leads = g->rank == 0;
    lb_status status = LB_OK;
    for (int round = 0; round < 2; round++)
        for (int other = 1; other < g->size && !status; other++) {
            if (!leads && g->rank != other) continue;
            status = g->exchange(g->context, leads ? other : 0, text, TEXT, theirs, TEXT, error);
            if (!status && *theirs && !(leads && *text)) memcpy(text, theirs, TEXT);
        }
    return status;
}

lb_status lb_group_agree(const lb_group *group, const char *what, const char *text, lb_error *error)
{
    char ours[TEXT] = "", first[TEXT] = "", complaint[TEXT] = "";
    if (!group) return LB_OK;
    snprintf(ours, sizeof ours, "%.*s", MOST_TEXT, text);
    if (group->rank == 0) memcpy(first, ours, sizeof first);
    lb_status status = share_first(group, first, error);
    first[MOST_TEXT] = '\0';
    if (strcmp(ours, first) != 0)
        snprintf(complaint, sizeof complaint, "%.95s: found the %.40s %.*s, expected %.*s as in rank 0",
                 group->name, what, MOST_TEXT, ours, MOST_TEXT, first);
    if (!status) status = share_first(group, complaint, error);
    if (status || !*complaint) return status;
    complaint[TEXT - 1] = '\0';
    return lb_error_set(error, LB_ERROR_ARGUMENT, "%s", complaint);
}
