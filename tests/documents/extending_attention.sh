#!/bin/sh
# usage: extending_attention.sh PROGRAM FOLDER
# The attention that docs/extending.md adds: help lists it, it trains, and exports refuse it by its name.
set -eu
program=$1
rm -rf "$2"
mkdir -p "$2"
cd "$2"

expect() # TEXT COMMAND...
{
    text=$1
    shift
    "$@" > said 2>&1 || true
    tr -s ' \n' ' ' < said | grep -qF -- "$text" && return
    cat said
    echo "extending_attention.sh: found no \"$text\" in the output of: $*"
    exit 1
}

expect "location, cosine" "$program" train --help
expect "location, cosine, lstm" "$program" compare --help
expect "length additive cosine 2 " "$program" compare --kinds cosine,additive --max-number 9 --min-length 2 \
    --max-length 3 --hidden 8 --batch 4 --steps 3 --threads 1 --out compared
printf '%s\t%s\n' a b ab bc b c abc bcd c d bc cd > pairs.tsv
expect "exact match" "$program" train --train pairs.tsv --dev pairs.tsv --attention cosine --hidden 8 --steps 3 \
    --threads 1 --out trained
expect "found cosine attention, expected a single model of texts with soft attention" "$program" export trained -o a.c
expect "found cosine attention, expected a single model of texts, without features" "$program" export trained -o a.onnx
