# Prints a file with the edits of a fault, as mutants_list.awk writes them: -v fault=LINE.
BEGIN {
    fields = split(fault, field, "\t")
    # The last edit of a line first: the columns are those of the original.
    for (k = fields - 3; k > 4; k -= 4) {
        at = field[k]
        edits[at] = edits[at] " " k
    }
}
{
    n = split(edits[FNR], which, " ")
    for (j = 1; j <= n; j++) {
        k = which[j]
        $0 = substr($0, 1, field[k + 1] - 1) field[k + 3] substr($0, field[k + 1] + field[k + 2])
    }
    print
}
