# Which names the public headers declare: `function_name` are functions, `constant` are macros and enumerators. For page.awk and
# header.awk, which make links of them.
BEGIN {
    headers = "cat include/lookback/*.h build/release/generated/include/lookback/ops.h"
    while ((headers | getline line) > 0) {
        if (line ~ /^ *(\/\*|\*)/) continue
        sub(/\/\*.*/, "", line)
        while (match(line, /[lL][bB]_[A-Za-z0-9_]+ *[(]?/)) {
            name = substr(line, RSTART, RLENGTH)
            line = substr(line, RSTART + RLENGTH)
            if (name ~ /^lb_.*[(]$/) function_name[substr(name, 1, length(name) - 1)] = 1
        }
    }
    close(headers)
}

# The text with links: a function's name gets parentheses, by which Doxygen knows it.
function linked(text,   done, name) {
    done = ""
    while (match(text, /lb_[a-z0-9_]+/)) {
        name = substr(text, RSTART, RLENGTH)
        done = done substr(text, 1, RSTART + RLENGTH - 1)
        text = substr(text, RSTART + RLENGTH)
        if (name in function_name && text !~ /^[(]/) done = done "()"
    }
    return done text
}
