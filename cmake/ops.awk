# Reads src/autograd/ops/*.c and writes their public functions: those with a /** comment */ before them.
#   -v mode=header     their declarations, as a C header
#   -v mode=reference  the same as a page of documentation, with each op's operands, formula and derivative
function flush_file() {
    if (mode == "header") {
        gsub(/\n/, "\n * ", intro)
        if (intro != "") print "/* ---- " intro " ---- */\n"
        printf "%s", functions
    } else if (file != "") {
        print "\n## " file "\n\n" intro "\n"
        if (rows != "") print "| op | operands | forward | backward |\n|---|---|---|---|\n" rows
        sub(/\n$/, "", functions)
        print "```c\n" functions "```"
    }
    rows = functions = intro = state = ""
}
BEGIN {
    if (mode == "header") {
        print "/* The ops, family by family; docs/ops.md has their formulas. Generated from src/autograd/ops by cmake/ops.awk. */"
        print "#ifndef LOOKBACK_OPS_H\n#define LOOKBACK_OPS_H\n\n#include \"lookback/autograd.h\"\n\nLB_BEGIN_DECLS\n"
    } else {
        print "# The ops\n\nGenerated from `src/autograd/ops` by `cmake/ops.awk`; a test keeps it current."
        print "In a derivative, dx is the gradient of x; backward adds to it. A question mark marks an operand that may be NULL; three"
        print "dots mean any number of operands."
    }
}
FNR == 1 {
    flush_file()
    file = FILENAME
    sub(/.*\//, "", file)
    state = /^\/\*/ ? "intro" : ""
}
state == "intro" {
    ended = sub(/ *\*\//, "")
    sub(/^(\/\*| \*) /, "")
    intro = intro (intro == "" ? "" : "\n") $0
    if (ended) state = ""
    next
}
/^\/\*\*/ { state = "comment" }
state == "comment" {
    functions = functions $0 "\n"
    if ($0 ~ /\*\//) state = "function"
    next
}
state == "function" {
    if ($0 == "{") { sub(/\n$/, ";\n\n", functions); state = "" }
    else functions = functions $0 "\n"
    next
}
# A macro that writes descriptors says the operands of them all, in front of them; that of autograd/loops.h has two.
/LB_PAIR_OP\(/ { operands = "a b" }
match($0, /\.operands = "[^"]*"/) { operands = substr($0, RSTART + 13, RLENGTH - 14) }
# A descriptor, or the macro that writes one: name, operands, formula and derivative are its first four strings, or a
# macro's first operand and two strings. A string may go on in the next line.
/^static const lb_(cell_)?op [a-z_]+ =( |$)/ { state = "descriptor"; text = "" }
state == "descriptor" {
    text = text $0
    if ($0 !~ /;$/) next
    state = ""
    gsub(/" +"/, "", text)
    count = split(text, part, "\"")
    if (part[1] ~ /\( *[a-z_]+, *$/) {
        name = part[1]
        sub(/.*\( */, "", name)
        sub(/,.*/, "", name)
        formula = part[2]
        derivative = part[4]
    } else {
        name = part[2]
        formula = part[6]
        derivative = part[8]
    }
    rows = rows "| `" name "` | `" operands "` | `" formula "` | `" derivative "` |\n"
}
END {
    flush_file()
    if (mode == "header") print "LB_END_DECLS\n\n#endif"
}
