/* The commands of `lookback`; apps/NAME.c is the command NAME. In the build folder each also has an old name, a link to
 * the program: cmake/programs.cmake reads these names from here. */
#ifndef APP_PROGRAMS_H
#define APP_PROGRAMS_H

/* name, old name, what it does */
#define APP_PROGRAM_LIST(X)                                                                                  \
    X(train, train_seq2seq, "train a model on pairs of texts, such as words and their sounds")               \
    X(join, join_models, "make one model of finished ones, which vote")                                      \
    X(predict, predict, "apply a model to lines of text")                                                    \
    X(evaluate, evaluate, "measure a model, or predictions, against references")                             \
    X(score, score, "say how likely a model finds given pairs")                                              \
    X(report, report, "write a page about what a model does: outputs, attention, errors")                    \
    X(inspect, inspect, "show what a model file holds")                                                      \
    X(visualize, visualize, "draw where a model looks")                                                      \
    X(compare, compare_attention, "train a model with each kind of attention, and without")                  \
    X(sort, train_sort, "train a model to sort numbers")

/** The main functions, such as predict_main, return the exit status. */
#define APP_PROGRAM_MAIN(name, old_name, about) int name##_main(int argc, char **argv);
APP_PROGRAM_LIST(APP_PROGRAM_MAIN)
#undef APP_PROGRAM_MAIN

/** The options of `train` for a model of this kind if none is given, as in the record of a model file. It changes the
 *  settings of `train`: call it in another command only.
 *  Memory: release it with lb_release; NULL for an unknown kind, or if memory runs out. */
char *train_usual_options(const char *kind);

#endif
