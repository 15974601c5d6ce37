/* The commands of `lookback`; the function NAME_main is the command NAME. cmake/programs.cmake reads these names from
 * here. */
#ifndef APP_PROGRAMS_H
#define APP_PROGRAMS_H

/* name, what it does */
#define APP_PROGRAM_LIST(X)                                                                                  \
    X(train, "train a model on pairs of texts, such as words and their sounds")                              \
    X(data, "look at pairs before training on them")                                                         \
    X(join, "combine trained models into one that votes")                                                    \
    X(predict, "apply a model to lines of text")                                                             \
    X(evaluate, "measure a model, or predictions, against references")                                       \
    X(score, "print how likely a model finds given pairs")                                                   \
    X(report, "write a page about what a model does: outputs, attention, errors")                            \
    X(inspect, "show what a model file holds")                                                               \
    X(visualize, "draw where a model looks")                                                                 \
    X(export, "write a model as C or as ONNX")                                                               \
    X(compare, "train a model with each kind of attention, and without")                                     \
    X(sort, "train a model to sort numbers")

/** The main functions, such as predict_main, return the exit status. */
#define APP_PROGRAM_MAIN(name, about) int name##_main(int argc, char **argv);
APP_PROGRAM_LIST(APP_PROGRAM_MAIN)
#undef APP_PROGRAM_MAIN

#endif
