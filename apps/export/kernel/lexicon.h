/* ---- The lexicon: texts whose outputs are known. ---- */

#include "lexicon_search.h"

/* Writes the known output for the text that was read last. Returns its bytes, or an error; 0: there is none. */
static int write_known(const memory *m, char *out, size_t room)
{
    const lexicon_table table = {lexicon, lexicon + sizeof lexicon, lexicon_places, ENTRIES};
    lexicon_entry entry;
    if (lexicon_find(&table, (const unsigned char *)m->sought, (size_t)m->sought_bytes, &entry) <= 0)
        return 0;
    if (entry.bytes >= room) return G2P_NO_ROOM;
    memcpy(out, entry.answers, entry.bytes);
    out[entry.bytes] = '\0';
    return (int)entry.bytes;
}
