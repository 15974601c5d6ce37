/* Token ids that every vocabulary starts with. */
#ifndef LB_SPECIAL_IDS_H
#define LB_SPECIAL_IDS_H

enum {
    LB_PAD,        /* behind the end of a row */
    LB_BOS,        /* what a decoder reads before its first token */
    LB_EOS,        /* what it writes after its last */
    LB_UNK,        /* a symbol that the vocabulary does not have */
    LB_FIRST_TOKEN /* the first id that stands for a symbol */
};

#endif
