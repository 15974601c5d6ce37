# A program of examples/ as Doxygen reads it: a page with its source, which every function that it calls refers to.
FNR == 1 {
    name = FILENAME
    sub(/.*\//, "", name)
    sub(/^\/\* */, "")
    printf "/** \\example %s\n%s\n", name, $0
    if (/\*\//) exit
    next
}
{ print }
/\*\// { exit }
