/* ---- The memory for one text. ---- */

/* What the decoder knows of the symbols that it has written. */
typedef struct decoder_state {
    int step; /* how many they are */
    float layer[LAYERS][STATE];
#if RECALLS
    float seen[LONGEST]; /* by the attention: see `attend` */
#endif
} decoder_state;

typedef struct memory {
    uint32_t character[CHARACTERS];          /* the text, and later the output */
    int length;                              /* symbols of the text */
    int symbol[LONGEST];
    int written[LIMIT];                      /* symbols of the output */
    float output[BUFFERS][LONGEST][OUTPUTS]; /* of a layer of the encoder for each symbol; layers take turns */
#if ATTENDS
    float score[LONGEST];
#endif
#if PROJECTS
    float key[LONGEST][KEYS];
#endif
#if ASKS
    float query[KEYS];
#endif
#if RECALLS
    float added[KEYS]; /* to a key, for what the steps before have looked at */
#endif
#if LOCATION
    float feature[FILTERS];
#endif
#if MULTI_HEAD
    float value[LONGEST][HIDDEN];
    float head[HIDDEN]; /* what all heads see */
#endif
#if PREDICTS
    float middle[HIDDEN];
#endif
    decoder_state state;
    float input[INPUT];      /* of a cell */
    float gate_input[GATES]; /* W_i x + b_i */
    float gate_state[GATES]; /* W_h h + b_h */
    float joined[JOINED];    /* [state of the last layer; context] */
#if COMBINES
    float combined[COMBINED];
#endif
    float logit[TARGETS];
} memory;

/* An error here: sizes and memory do not belong together. */
typedef char work_is_large_enough[sizeof(memory) <= G2P_WORK ? 1 : -1];
