# What the generators of pairs share: numbers from a seed, the same with every awk, and pairs whose sources differ.

# A whole number from 0 to bound - 1. Source: Park and Miller 1988.
function below(bound) {
    state = (state * 16807) % 2147483647
    return state % bound
}

# One of the words between the blanks of a text.
function pick(words, list, count) {
    count = split(words, list, " ")
    return list[1 + below(count)]
}

# Prints a pair, unless its source has been there.
function pair(source, target) {
    if (source in printed) return
    printed[source] = 1
    print source "\t" target
    pairs++
}

BEGIN {
    state = 20221122
    for (skipped = 0; skipped < 10; skipped++) below(2)
}
