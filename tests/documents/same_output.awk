# Compares what a page shows, the first file, with what a command printed, the second. See outputs.awk.
#   -v place=PAGE:LINE -v within=PERCENT -v free=1
function number(text) {
    return match(text, /[0-9]+(\.[0-9]+)?/)
}

# What follows a number of time: 8.0 s, 12ms, 3 min
function is_time(rest) {
    return rest ~ /^ ?(ms|s|min|h)([^a-zA-Z]|$)/
}

function same(a, b,    x, y, start) {
    while (number(a)) {
        start = RSTART
        x = substr(a, start, RLENGTH)
        if (substr(b, 1, start - 1) != substr(a, 1, start - 1)) return 0
        a = substr(a, start + RLENGTH)
        b = substr(b, start)
        if (number(b) != 1) return 0
        y = substr(b, 1, RLENGTH)
        b = substr(b, RLENGTH + 1)
        if (!(free && is_time(a)) && x != y && (y - x > within / 100 * x || x - y > within / 100 * x)) return 0
    }
    if (a ~ /\.\.\.$/) return index(b, substr(a, 1, length(a) - 3)) == 1
    return a == b
}

function fits(i, j,    k) {
    if (i > shown_count) return j > found_count
    if (shown[i] == "...") {
        for (k = j; k <= found_count + 1; k++)
            if (fits(i + 1, k)) return 1
        return 0
    }
    if (i > furthest) furthest = i
    return j <= found_count && same(shown[i], found[j]) && fits(i + 1, j + 1)
}

{
    gsub(/[ \t]+/, " ")
    sub(/ $/, "")
}
FNR == NR { shown[++shown_count] = $0; next }
{ found[++found_count] = $0 }

END {
    if (fits(1, 1)) exit 0
    printf "%s: the output differs from the page at \"%s\"\n", place, shown[furthest]
    exit 1
}
