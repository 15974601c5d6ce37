#include "base/table.h"

#include "base/alloc.h"

bool lb_table_fill(lb_table *t, size_t room, int32_t first, int32_t end)
{
    assert((room & (room - 1)) == 0 && (size_t)end <= room);
    if (t->room != room) {
        lb_table_fork *forks = lb_alloc(room * (sizeof *forks + 2 * sizeof *t->slots));
        if (!forks) return false;
        lb_release(t->forks);
        *t = (lb_table){t->key_of, t->owner, forks, (int32_t *)(forks + room), 2 * room - 1, room};
    }
    for (size_t i = 0; i <= t->mask; i++) t->slots[i] = LB_TABLE_NONE;
    for (int32_t number = first; number < end; number++) lb_table_add(t, number);
    return true;
}

bool lb_table_more(lb_table *t, int32_t first, int32_t count, void *array, size_t size)
{
    enum { FIRST = 64 };
    size_t room = count > 0 ? 2 * (size_t)count : FIRST, capacity = (size_t)count;
    return (size_t)count < t->room ||
           (room <= INT32_MAX && lb_alloc_room(array, (size_t)count, room, &capacity, size) &&
            lb_table_fill(t, room, first, count));
}

void lb_table_add(lb_table *t, int32_t number)
{
    assert(number >= 0 && (size_t)number < t->room);
    lb_table_key key = t->key_of(t->owner, number);
    int32_t found = lb_table_find(t, key), *place = &t->slots[key.hash & t->mask];
    if (found == LB_TABLE_NONE) {
        *place = number;
        return;
    }
    lb_table_key other = t->key_of(t->owner, found);
    lb_table_fork *made = &t->forks[number], *fork;
    made->bit = 0;
    assert(key.hash != other.hash || lb_bytes_compare(key.string, key.length, other.string, other.length));
    while (lb_table_bit(&key, made->bit) == lb_table_bit(&other, made->bit)) made->bit++;
    /* The bits of forks grow from a slot on: the new one goes before the first with a later bit. */
    for (; *place < LB_TABLE_NONE; place = &fork->place[lb_table_bit(&key, fork->bit)]) {
        fork = &t->forks[LB_TABLE_NONE - 1 - *place];
        if (fork->bit > made->bit) break;
    }
    unsigned side = lb_table_bit(&key, made->bit);
    made->place[side] = number;
    made->place[!side] = *place;
    *place = LB_TABLE_NONE - 1 - number;
}
