#!/bin/bash
# Other processors, by emulation: a model trained here gives the same outputs there, and one that was trained there here.
name=$(basename "$0" .sh)
# shellcheck source=common.bash
. "$(dirname -- "$0")/common.bash"
command -v qemu-x86_64 >/dev/null || not_run "qemu-x86_64 is missing"
make_pairs "$folder/train.tsv" 400
make_pairs "$folder/dev.tsv" 40
"${small[@]}" --hidden 32 --steps 400 --lr 0.01 --out "$folder/here" >/dev/null 2>&1
cut -f1 "$folder/dev.tsv" >"$folder/texts"
outputs=$("$bin/lookback" predict "$folder/here" --threads 1 <"$folder/texts")

machine() { # NAME PREFIX... PROGRAM
    local machine=$1
    shift
    trials=$((trials + 1))
    if [[ $("$@" predict "$folder/here" --threads 1 <"$folder/texts" 2>"$folder/log") != "$outputs" ]]; then
        failure "$machine: a model from here gives other outputs: $(tail -n 1 "$folder/log")"
    fi
    trials=$((trials + 1))
    rm -rf "$folder/there"
    if ! "$@" train --train "$folder/train.tsv" --dev "$folder/dev.tsv" --embed 8 --hidden 12 --batch 8 --threads 1 --steps 10 \
        --out "$folder/there" >/dev/null 2>"$folder/log"; then
        failure "$machine: cannot train: $(tail -n 1 "$folder/log")"
    elif [[ $("$bin/lookback" predict "$folder/there" --threads 1 <"$folder/texts" 2>/dev/null) != \
        $("$@" predict "$folder/there" --threads 1 <"$folder/texts" 2>/dev/null) ]]; then
        failure "$machine: a model from there gives other outputs here"
    fi
}

machine "x86-64 without AVX (Nehalem)" qemu-x86_64 -cpu Nehalem "$bin/lookback"
machine "x86-64 with AVX2 (Haswell)" qemu-x86_64 -cpu Haswell "$bin/lookback"
finish
