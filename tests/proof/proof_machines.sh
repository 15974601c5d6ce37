#!/bin/bash
# Other processors, by emulation: a model from here gives the same outputs there, and one from there the same here; a training
# that began on one machine is resumed on the other, from its checkpoint and from its model.
name=$(basename "$0" .sh)
# shellcheck source=common.bash
. "$(dirname -- "$0")/common.bash"
command -v qemu-x86_64 >/dev/null || not_run "qemu-x86_64 is missing"
make_pairs "$folder/train.tsv" 400
make_pairs "$folder/dev.tsv" 40
cut -f1 "$folder/dev.tsv" >"$folder/texts"
kinds=("--embed 8 --attention additive" "--embed 8 --attention multi-head --heads 2 --tied"
    "--embed 8 --attention general --layers 2 --seeds 2" "--embed 8 --attention none" "--model transformer --heads 2 --layers 1")
here=("$bin/lookback")

# Trains in a folder, or resumes what is there, to a number of steps.
train() { # OUT STEPS PROGRAM...
    local out=$1 steps=$2
    shift 2
    "$@" train --train "$folder/train.tsv" --dev "$folder/dev.tsv" --hidden 16 --batch 8 --threads 1 --patience 0 \
        --evaluate-every 10 --lr 0.01 --warm-up 0 "${kind[@]}" --steps "$steps" --out "$out" >/dev/null 2>"$folder/log"
}

outputs() { # MODEL PROGRAM...
    local model=$1
    shift
    "$@" predict "$model" --threads 1 <"$folder/texts" 2>"$folder/log"
}

declare -A trials_of failures_of

check() { # WHAT COMMAND...
    local what=$1
    shift
    trials_of[$machine]=$((${trials_of[$machine]:-0} + 1))
    "$@" && return
    failures_of[$machine]=$((${failures_of[$machine]:-0} + 1))
    failure "$machine, ${kind[*]}: $what: $(tail -n 1 "$folder/log")"
}

same_outputs() { # MODEL
    local ours theirs
    ours=$(outputs "$1" "${here[@]}") && theirs=$(outputs "$1" "${there[@]}") && [[ -n $ours && $ours == "$theirs" ]]
}

resumed() { # OUT STEPS PROGRAM...
    train "$@" && grep -q "resuming at step " "$folder/log"
}

exchange() {
    rm -rf "$folder"/exchange
    mkdir "$folder/exchange"
    check "a model from here gives other outputs there" same_outputs "$folder/here"
    check "a training there fails" train "$folder/exchange/there" 10 "${there[@]}"
    check "a model from there gives other outputs here" same_outputs "$folder/exchange/there"
    check "a checkpoint from there is not resumed here" resumed "$folder/exchange/there" 20 "${here[@]}"
    cp -r "$folder/here" "$folder/exchange/here"
    check "a checkpoint from here is not resumed there" resumed "$folder/exchange/here" $((steps + 10)) "${there[@]}"
    [[ ${kind[*]} != *--seeds* ]] || return 0
    kind+=(--from "$folder/here")
    check "a training from a model of here fails there" train "$folder/exchange/from" 10 "${there[@]}"
    check "a training from the same model is not resumed here" resumed "$folder/exchange/from" 20 "${here[@]}"
    kind=("${kind[@]::${#kind[@]}-2}")
}

machines=("Nehalem|qemu-x86_64 -cpu Nehalem $bin/lookback"
    "Haswell|qemu-x86_64 -cpu Haswell $bin/lookback")
for processor in aarch64 s390x; do
    command=$root/build/$processor/bin/lookback
    if [[ $other_builds == yes && -x $command ]] && command -v qemu-$processor >/dev/null; then
        machines+=("$processor|qemu-$processor -L $root/build/$processor-sysroot $command")
    else
        echo "$name: $processor is left out: ./run build $processor has not been run"
    fi
done

# The first round is of all machines.
round=0 steps=300
until ((round > 0 && SECONDS >= seconds)); do
    draw ${#kinds[@]}
    read -ra kind <<<"${kinds[drawn]}"
    draw 1000
    kind+=(--seed "$drawn")
    rm -rf "$folder/here"
    train "$folder/here" $steps "${here[@]}" || failure "cannot train: ${kind[*]}"
    for entry in "${machines[@]}"; do
        ((round == 0 || SECONDS < seconds)) || break
        machine=${entry%%|*}
        read -ra there <<<"${entry#*|}"
        exchange
    done
    round=$((round + 1))
done
all=$failures
for entry in "${machines[@]}"; do
    machine=${entry%%|*}
    trials=${trials_of[$machine]} failures=${failures_of[$machine]:-0}
    report "$machine"
done
((all == 0))
