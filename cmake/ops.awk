# Reads src/autograd/ops/*.c and writes what is public in them: a function with a /** comment */ in front.
#   -v mode=header     their declarations, as a C header
#   -v mode=reference  the same as a page of documentation, with each op's formula and derivative
function flush_function() {
    if (mode == "header") print comment declaration ";\n"
    else print "```c\n" comment declaration ";\n```\n"
    comment = declaration = ""
}
BEGIN {
    if (mode == "header") {
        print "/* Generated from src/autograd/ops by cmake/ops.awk. */"
        print "#ifndef LB_OPS_H\n#define LB_OPS_H\n\n#include \"autograd/tokens.h\"\n"
    } else {
        print "# The ops\n\nGenerated from `src/autograd/ops` by `cmake/ops.awk`; a test keeps it current.\n"
    }
}
FNR == 1 {
    state = ""
    file = FILENAME
    sub(/.*\//, "", file)
    if (mode == "reference") print "## " file "\n"
}
/^\/\*\*/ { state = "comment"; comment = "" }
state == "comment" {
    comment = comment $0 "\n"
    if ($0 ~ /\*\//) state = "function"
    next
}
state == "function" {
    if ($0 == "{") { state = ""; flush_function() }
    else declaration = declaration (declaration == "" ? "" : "\n") $0
    next
}
mode == "reference" && /^ *\.(name|formula|derivative) = "/ {
    key = $0
    sub(/^ *\./, "", key)
    sub(/ = .*/, "", key)
    value = $0
    sub(/^[^"]*"/, "", value)
    sub(/",?$/, "", value)
    if (key == "name") print "**`" value "`**"
    else if (key == "formula") print ": `" value "`"
    else print "  backward: `" value "`\n"
}
END { if (mode == "header") print "#endif" }
