/* Checks what g2p_translate promises, for any bytes: a target of libFuzzer, or, with RUNS, a program that makes up
 * bytes. */
#include "g2p.h"

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void require(int holds, const char *what)
{
    if (holds) return;
    fprintf(stderr, "%s\n", what);
    abort();
}

/* Each block of memory is as large as it must be, and no larger: a sanitizer sees what is beyond. */
static int translate(const uint8_t *data, size_t size, size_t room, int dirt, char *out)
{
    char *text = malloc(size + 1), *exact = malloc(room ? room : 1);
    void *work = malloc(G2P_WORK);
    require(text && exact && work, "out of memory");
    memcpy(text, data, size);
    text[size] = '\0';
    memset(work, dirt, G2P_WORK);
    memset(exact, 'x', room ? room : 1);
    int bytes = g2p_translate(text, exact, room, work);
    require(bytes >= G2P_NO_ROOM && bytes < (int)room + (room == 0),
            "the result is neither a length nor an error");
    require(room == 0 ? *exact == 'x' && bytes == G2P_NO_ROOM
                      : strlen(exact) == (size_t)(bytes < 0 ? 0 : bytes),
            "the output has another length than the result");
    memcpy(out, exact, room);
    free(text);
    free(exact);
    free(work);
    return bytes;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static char first[G2P_ROOM], again[G2P_ROOM];
    if (size == 0) return 0;
    size_t room = data[0] < 0xC0 ? G2P_ROOM : (size_t)(data[0] - 0xC0);
    if (room > G2P_ROOM) room = G2P_ROOM;
    int bytes = translate(data + 1, size - 1, room, 0, first);
    require(bytes != G2P_NO_ROOM || room < G2P_ROOM, "G2P_ROOM is not enough");
    require(translate(data + 1, size - 1, room, 0xFF, again) == bytes && memcmp(first, again, room) == 0,
            "the output depends on what was in the memory");
    if (bytes <= 0) return 0;
    require(translate(data + 1, size - 1, (size_t)bytes + 1, 0, again) == bytes,
            "the exact room is not enough");
    require(translate(data + 1, size - 1, (size_t)bytes, 0, again) == G2P_NO_ROOM,
            "less than the room is enough");
    return 0;
}

#ifdef RUNS
/* Bytes of a few sorts: letters, marks, whole characters and anything. */
int main(void)
{
    static const char *const pieces[] = {"a",
                                         "b",
                                         "e",
                                         " ",
                                         "|",
                                         "\xCC\x81",
                                         "\xC3\xA9",
                                         "\xEA\xB0\x81",
                                         "\xE1\xBB\x87",
                                         "\xCC\xA3",
                                         "\xF0\x9F\x98\x80",
                                         "\xED\xA0\x80",
                                         "\xC0\x80",
                                         "\xE2\x82"};
    enum { PIECES = sizeof pieces / sizeof *pieces, MOST = 80 };
    uint32_t random = 1;
    for (int run = 0; run < RUNS; run++) {
        uint8_t data[4 * MOST + 1];
        size_t size = 0;
        random = random * 1664525 + 1013904223;
        data[size++] = (uint8_t)(random >> 24);
        for (int count = (int)(random >> 8) % MOST; count > 0; count--) {
            random = random * 1664525 + 1013904223;
            uint32_t choice = (random >> 16) % (8 * PIECES);
            const char *piece = pieces[choice % PIECES];
            if (choice >= 7 * PIECES && run % 4 == 0)
                data[size++] = (uint8_t)(random >> 24);
            else
                for (; *piece; piece++) data[size++] = (uint8_t)*piece;
        }
        LLVMFuzzerTestOneInput(data, size);
    }
    return 0;
}
#endif
