#include "report/pack.h"

#include "base/alloc.h"

#include <limits.h>

enum { STEP = 1 << 16 };

lb_status app_report_no_memory(lb_error *error)
{
    return lb_error_set(error, LB_ERROR_MEMORY, "out of memory for the report");
}

lb_status app_pack_open(app_pack *pack, lb_error *error)
{
    *pack = (app_pack){0};
    pack->open = deflateInit(&pack->stream, Z_BEST_COMPRESSION) == Z_OK;
    return pack->open ? LB_OK : app_report_no_memory(error);
}

static bool make_room(app_pack *pack)
{
    size_t needed = pack->count < pack->capacity ? pack->capacity : pack->capacity + STEP;
    return lb_alloc_room(&pack->bytes, pack->count, needed, &pack->capacity, 1);
}

/* Compresses what the stream has been given, until it wants more or, at the end, has written all. */
static void run(app_pack *pack, int flush)
{
    int result = Z_OK;
    do {
        pack->failed = pack->failed || !make_room(pack);
        if (pack->failed) return;
        size_t room = pack->capacity - pack->count;
        pack->stream.next_out = pack->bytes + pack->count;
        pack->stream.avail_out = room < UINT_MAX ? (unsigned)room : UINT_MAX;
        unsigned before = pack->stream.avail_out;
        result = deflate(&pack->stream, flush);
        pack->count += before - pack->stream.avail_out;
    } while (flush == Z_FINISH ? result != Z_STREAM_END
                               : pack->stream.avail_in > 0 || pack->stream.avail_out == 0);
}

void app_pack_add(app_pack *pack, const void *bytes, size_t count)
{
    enum { MOST = 1 << 30 };
    const unsigned char *from = bytes;
    pack->added += count;
    while (count > 0 && !pack->failed) {
        size_t now = count < MOST ? count : MOST;
        pack->stream.next_in = (z_const Bytef *)from;
        pack->stream.avail_in = (unsigned)now;
        run(pack, Z_NO_FLUSH);
        from += now;
        count -= now;
    }
}

lb_status app_pack_finish(app_pack *pack, lb_error *error)
{
    if (!pack->failed) run(pack, Z_FINISH);
    return pack->failed ? app_report_no_memory(error) : LB_OK;
}

void app_pack_close(app_pack *pack)
{
    if (pack->open) deflateEnd(&pack->stream);
    lb_release(pack->bytes);
    *pack = (app_pack){0};
}
