# Reads src/autograd/ops/*.c and writes their public functions: those with a /** comment */ before them.
#   -v mode=header     their declarations, as a C header
#   -v mode=reference  the same as a page of documentation, after a table of all operands, formulas and derivatives
function flush_file() {
    if (mode == "header") {
        gsub(/\n/, "\n * ", intro)
        if (intro != "") print "/* ---- " intro " ---- */\n"
        printf "%s", functions
    } else if (file != "") {
        sub(/\n$/, "", functions)
        sections = sections "\n## " file "\n\n" intro "\n\n```c\n" functions "```\n"
        contents = contents (contents == "" ? "" : ",\n") "[" family "](#" family "c)"
    }
    functions = intro = state = ""
}
BEGIN {
    if (mode == "header") {
        print "/* The ops, family by family; docs/ops.md has their formulas. Generated from src/autograd/ops by cmake/ops.awk. */"
        print "#ifndef LOOKBACK_OPS_H\n#define LOOKBACK_OPS_H\n\n#include \"lookback/autograd.h\"\n\nLB_BEGIN_DECLS\n"
    } else {
        print "# The ops\n\nThe table gives the formulas of each op, and the sections the functions of each file of `src/autograd/ops`. In"
        print "a derivative, dx is the gradient of x, to which backward adds. A question mark marks an operand that may be NULL; three"
        print "dots mean any number of operands. `cmake/ops.awk` generates this page.\n"
    }
}
FNR == 1 {
    flush_file()
    file = FILENAME
    sub(/.*\//, "", file)
    family = file
    sub(/[.]c$/, "", family)
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
    else printf "%s\n\n| op | operands | forward | backward |\n|---|---|---|---|\n%s%s", contents, rows, sections
}
