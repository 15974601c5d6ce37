# Of a compile_commands.json, the first command of each file: what reads the sources need not read them for each precision.
BEGIN {
    print "["
}

/^\{/ {
    entry = ""
}

{
    entry = entry $0 "\n"
}

/^ *"file":/ {
    file = $0
}

/^\}/ && !seen[file]++ {
    sub(/,?\n$/, "", entry)
    printf "%s%s", separator, entry
    separator = ",\n"
}

END {
    print "\n]"
}
