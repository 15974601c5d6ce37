#include "g2p.h"

#include <math.h>
#include <stdint.h>
#include <string.h>

#include "types.h"

#include "model.h"

#include "work.h"

#include "linear.c"

#include "text.c"

#if TRANSFORMER
#    include "transformer.c"
#else
#    include "recurrent.c"
#endif

#include "search.c"

/* ---- From text to text. ---- */

int g2p_translate(const char *text, char *out, size_t room, void *work)
{
    memory *m = work;
    if (room == 0) return G2P_NO_ROOM;
    *out = '\0';
    m->length = read_text(m, text);
    if (m->length <= 0) return m->length < 0 ? m->length : G2P_EMPTY;
    encode(m);
    return write_text(m, decode(m), out, room);
}
