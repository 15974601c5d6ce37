#!/bin/sh
# usage: extending_format.sh PROGRAM WORDS.TSV FOLDER
# The format that docs/extending.md adds: a message lists it, and a file in it is recognised and has the pairs of WORDS.TSV.
set -eu
program=$1
mkdir -p "$3"
cd "$3"

fail() # TEXT
{
    cat said
    echo "extending_format.sh: $1"
    exit 1
}

awk -F '\t' '{ print $1 " [" $2 "]" }' "$2" > words.brackets
"$program" evaluate --json --predictions "$2" words.brackets > said 2>&1 || fail "the file was not read"
grep -q "words.brackets: read as brackets$" said || fail "the format was not recognised"
grep -q '"exact_match":{"value":100,' said || fail "the file has other pairs"
cat "$2" "$2" > twice.tsv
echo "no brackets" >> words.brackets
if "$program" evaluate --predictions twice.tsv words.brackets --format brackets > said 2>&1; then
    fail "a line without brackets was read"
fi
grep -q "words.brackets:13: " said || fail "the message does not name the line"
if "$program" evaluate --predictions "$2" "$2" --format xml > said 2>&1; then fail "xml is a format"; fi
grep -q "expected .*brackets, .*lines:TEXT" said || fail "the message does not list the format"
