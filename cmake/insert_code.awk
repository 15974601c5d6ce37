# Prints the second file with the first one before the line that has `-v before=TEXT`; with `-v instead=1`, instead of it.
FNR == NR { if (NF) code = code $0 "\n"; next }
index($0, before) { printf "%s", code; found = 1; if (instead) next }
{ print }
END { exit !found }
