/* ---- The memory for one text. ---- */

/* What the decoder knows of the symbols that it has written. */
typedef struct decoder_state {
    int step; /* how many they are */
#if TRANSFORMER
    float key[LAYERS][LIMIT][KEYS]; /* of each symbol, for the following ones */
    float value[LAYERS][LIMIT][KEYS];
#else
    float layer[LAYERS][STATE];
#endif
#if RECALLS
    float seen[LONGEST]; /* by the attention: see `attend` */
#endif
} decoder_state;

#if BEAM_SEARCH
/* An output that the search follows. */
typedef struct hypothesis {
    float log_probability;
    int greedy; /* whether it took the likeliest symbol at every step */
    int length;
    int written[LIMIT];
    decoder_state state;
} hypothesis;

/* A symbol that may follow it. */
typedef struct candidate {
    int from; /* which hypothesis */
    int symbol;
    int greedy;
    float log_probability;
} candidate;

#endif
typedef struct memory {
    uint32_t character[CHARACTERS]; /* the text, and later the output */
#if LEXICON
    uint32_t sought[CHARACTERS]; /* the key of the text, as bytes */
    int sought_bytes;
#    if FOLDS
    uint32_t small[CHARACTERS]; /* the same in small letters */
    int small_bytes;
#    endif
#endif
#if SUBWORDS
    int piece[CHARACTERS];        /* of the text, in place of its characters */
    uint32_t bytes[OUTPUT_WORDS]; /* of the output, four in each */
#endif
    int length; /* symbols of the text */
    int symbol[LONGEST];
    int written[LIMIT]; /* symbols of the output */
    decoder_state state;
    float logit[TARGETS];
#if BEAM_SEARCH
    hypothesis live[BEAM];
    hypothesis going[BEAM];
    candidate candidates[CANDIDATES];
#endif
#if ATTENDS
    float score[SCORES];
#endif
#if TRANSFORMER
    float x[LONGEST][WIDTH]; /* the text, layer by layer */
    float last[WIDTH];       /* the symbol written last, layer by layer */
    float key[LONGEST][KEYS];
    float value[LONGEST][KEYS];
    float source_key[LAYERS][LONGEST][KEYS]; /* for each layer of the decoder */
    float source_value[LAYERS][LONGEST][KEYS];
    float query[WIDTH];
    float head[WIDTH]; /* what all heads see */
    float normal[WIDTH];
    float part[WIDTH]; /* of a layer: its result */
    float inner[FORWARD];
#else
    float output[BUFFERS][LONGEST][OUTPUTS]; /* of a layer of the encoder, by turns */
    float input[INPUT];                      /* of a cell */
    float gate_input[GATES];                 /* W_i x + b_i */
    float gate_state[GATES];                 /* W_h h + b_h */
    float joined[JOINED];                    /* [state of the last layer; context] */
#    if COMBINES
    float combined[COMBINED];
#    endif
#    if PROJECTS
    float key[LONGEST][KEYS];
#    endif
#    if ASKS
    float query[KEYS];
#    endif
#    if RECALLS
    float added[KEYS]; /* to a key, for what the steps before have looked at */
#    endif
#    if LOCATION
    float feature[FILTERS];
#    endif
#    if MULTI_HEAD
    float value[LONGEST][HIDDEN];
    float head[HIDDEN]; /* what all heads see */
#    endif
#    if PREDICTS
    float middle[HIDDEN];
#    endif
#endif
} memory;

/* An error here: sizes and memory do not belong together. */
typedef char work_is_large_enough[sizeof(memory) <= G2P_WORK ? 1 : -1];
