#!/bin/bash
# The same model file, byte for byte, with any number of threads, on one processor or another, and on a busy machine.
name=$(basename "$0" .sh)
# shellcheck source=common.bash
. "$(dirname -- "$0")/common.bash"
make_pairs "$folder/train.tsv" 200
make_pairs "$folder/dev.tsv" 20
kinds=("" "--model transformer --hidden 16 --heads 2 --layers 1" "--attention multi-head --heads 2 --tied" "--seeds 2 --layers 2"
    "--set attention-weights=entmax --set loss=sparsemax" "--copy")

# The first and the last processor that the campaign may use, and all of them.
processors=$(taskset -cp $$)
processors=${processors##* }
first=${processors%%[,-]*} last=${processors##*[,-]}
sets=("$first")
[[ $last == "$first" ]] || sets+=("$last" "$processors")

train() { # OUT THREADS PREFIX...
    local out=$1 threads=$2
    shift 2
    read -ra flags <<<"$kind"
    "$@" "$bin/lookback" train --train "$folder/train.tsv" --dev "$folder/dev.tsv" --embed 24 --hidden 32 --batch 16 --steps 40 \
        --evaluate-every 20 "${flags[@]}" --threads "$threads" --out "$out" >/dev/null 2>&1
}

compare() { # WHAT
    trials=$((trials + 1))
    cmp -s "$folder/one/model.safetensors" "$folder/other/model.safetensors" || failure "$1${kind:+, $kind}: another model"
    rm -rf "$folder/other"
}

while ! time_is_up; do
    draw ${#kinds[@]}
    kind=${kinds[drawn]}
    draw 1000
    kind+=" --seed $drawn"
    rm -rf "$folder/one"
    [[ $kind == *transformer* ]] && kind=${kind/--hidden/--embed 0 --hidden}
    train "$folder/one" 1 env || failure "cannot train: $kind"
    for threads in 2 3 4 7 8 16; do
        time_is_up && break
        train "$folder/other" $threads env
        compare "$threads threads"
    done
    for set in "${sets[@]}"; do
        train "$folder/other" 2 taskset -c "$set"
        compare "two threads on processors $set"
    done
    timeout 60 sh -c 'while :; do :; done' &
    busy=$!
    train "$folder/other" 2 env
    kill $busy 2>/dev/null || true
    wait $busy 2>/dev/null || true
    compare "busy machine"
done
finish
