/* The programs. Each is a subcommand of `lookback`, and can be called by its own name too. */
#ifndef APP_PROGRAMS_H
#define APP_PROGRAMS_H

/* name, what it does */
#define APP_PROGRAM_LIST(X)                                                                                  \
    X(train_seq2seq, "train a model on pairs of texts, such as words and their sounds")                      \
    X(predict, "apply a model to lines of text")                                                             \
    X(evaluate, "measure a model, or predictions, against references")                                       \
    X(visualize, "draw where a model looks")                                                                 \
    X(inspect, "say what a model file holds")                                                                \
    X(train_sort, "train a model to sort numbers")                                                           \
    X(compare_attention, "train a model with each kind of attention, and without")                           \
    X(attend_text, "draw attention over the words of reviews")

/** The main of each, such as predict_main: returns the status to exit with. */
#define APP_PROGRAM_MAIN(name, about) int name##_main(int argc, char **argv);
APP_PROGRAM_LIST(APP_PROGRAM_MAIN)
#undef APP_PROGRAM_MAIN

#endif
