/* ---- The lexicon: texts whose outputs are known. ---- */

#include "lexicon_search.h"

/* Writes the known output for the text that was read last. Returns its bytes, or an error; 0: there is none. */
static int write_known(const memory *m, char *out, size_t room)
{
    const char *all = (const char *)lexicon, *end = all + sizeof lexicon;
    const char *found = lexicon_find(all, end, (const char *)m->sought, (size_t)m->sought_bytes);
    if (!found) return 0;
    size_t bytes = (size_t)((const char *)memchr(found, 0xFF, (size_t)(end - found)) - found);
    if (bytes >= room) return G2P_NO_ROOM;
    memcpy(out, found, bytes);
    out[bytes] = '\0';
    return (int)bytes;
}
