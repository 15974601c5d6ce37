# Which functions and which types of unknown content the public headers declare. Doxygen knows other types by their names alone. For
# page.awk and header.awk, which make links of them.
BEGIN {
    headers = "cat include/lookback/*.h build/release/generated/include/lookback/ops.h"
    while ((headers | getline line) > 0) {
        if (line ~ /^ *(\/\*|\*)/) continue
        sub(/\/\*.*/, "", line)
        if (line ~ /^typedef struct (lb_[a-z0-9_]+) lb_[a-z0-9_]+;/) {
            split(line, word, /[ ;]/)
            is_opaque[word[4]] = 1
        }
        if (line ~ /^struct lb_[a-z0-9_]+ \{/) {
            split(line, word, " ")
            delete is_opaque[word[2]]
        }
        while (match(line, /lb_[a-z0-9_]+[(]/)) {
            is_function[substr(line, RSTART, RLENGTH - 1)] = 1
            line = substr(line, RSTART + RLENGTH)
        }
    }
    close(headers)
}

# The text with links: Doxygen knows a function by its parentheses, and such a type by a number sign, which it does not show.
function linked(text,   done, name) {
    while (match(text, /lb_[a-z0-9_]+/)) {
        name = substr(text, RSTART, RLENGTH)
        done = done substr(text, 1, RSTART - 1) (name in is_opaque ? "#" : "") name
        text = substr(text, RSTART + RLENGTH)
        if (name in is_function && text !~ /^[(]/) done = done "()"
    }
    return done text
}
