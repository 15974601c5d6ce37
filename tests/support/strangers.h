/* Made-up tasks, as from users who have a file of pairs and do not want to tune anything. */
#ifndef SUPPORT_STRANGERS_H
#define SUPPORT_STRANGERS_H

enum { SUPPORT_STRANGER_TEXT = 32 };

typedef enum support_stranger {
    SUPPORT_REVERSED, /* "lamota TAB atomal" */
    SUPPORT_ROMAN,    /* "1979 TAB MCMLXXIX", from 1 to 3999 */
    SUPPORT_PLURALS,  /* "gluty TAB gluties": made-up English nouns */
    SUPPORT_STRANGERS
} support_stranger;

/* Writes `train_count` pairs to the file `train` in the test's folder and `dev_count` to `dev`. No source occurs
 * twice. */
void support_write_stranger(support_stranger kind, const char *train, int train_count, const char *dev,
                            int dev_count);

/* The target of a source. */
void support_stranger_target(support_stranger kind, const char *source, char target[SUPPORT_STRANGER_TEXT]);

#endif
