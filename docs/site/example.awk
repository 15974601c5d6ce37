# A program of examples/ as Doxygen reads it: its first comment, for a page with its source to which the functions that it calls refer.
FNR == 1 && !/^\/\*/ { exit } # a part of a program
FNR == 1 {
    name = FILENAME
    sub(/.*\//, "", name)
    sub(/^\/\* */, "")
    printf "/** \\example %s\n\\details ", name
}
{
    if (match($0, /docs\/[a-z0-9_\/]+[.]md/)) {
        page = substr($0, RSTART, RLENGTH - 3)
        gsub(/\//, "_", page)
        $0 = substr($0, 1, RSTART - 1) "\\ref " page substr($0, RSTART + RLENGTH)
    }
    print
}
/\*\// { exit }
