#include "g2p.h"

#include <math.h>
#include <stdint.h>
#include <string.h>

#include "types.h"

#include "model.h"

#include "work.h"

#include "linear.h"

#include "text.h"

#if TRANSFORMER
#    include "transformer.h"
#else
#    include "recurrent.h"
#endif

#include "search.h"

#if LEXICON
#    include "lexicon.h"
#endif

/* ---- From text to text. ---- */

int g2p_translate(const char *text, char *out, size_t room, void *work)
{
    memory *m = work;
    if (room == 0) return G2P_NO_ROOM;
    *out = '\0';
    m->length = read_text(m, text);
    if (m->length <= 0) return m->length < 0 ? m->length : G2P_EMPTY;
#if LEXICON
    int known = write_known(m, out, room);
    if (known) return known;
#endif
    encode(m);
    return write_text(m, decode(m), out, room);
}
