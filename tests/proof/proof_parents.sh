#!/bin/bash
# SIGKILL at random moments of the parent of a sweep or an ensemble. The same command at once waits for the trainings that are
# left behind, and ends with the same model file, byte for byte.
name=$(basename "$0" .sh)
# shellcheck source=common.bash
. "$(dirname -- "$0")/common.bash"
make_pairs "$folder/train.tsv" 300
make_pairs "$folder/dev.tsv" 10
echo '{"seed": [1, 2]}' >"$folder/sweep.json"
# Steps of tens of milliseconds: a training that is told to end still has its folder when the next run begins.
parent=("${small[@]}" --embed 16 --hidden 96 --batch 64 --steps 10 --evaluate-every 10 --threads 2)

# $command is that of a sweep or an ensemble into a folder.
set_command() { # KIND OUT
    command=("${parent[@]}" --sweep "$folder/sweep.json" --out "$2")
    [[ $1 == sweep ]] || command=("${parent[@]}" --ensemble additive:2 --out "$2")
}

# $microseconds is what a whole run takes.
declare -A microseconds
for kind in sweep ensemble; do
    begin=$EPOCHREALTIME
    set_command $kind "$folder/whole-$kind"
    "${command[@]}" >/dev/null 2>"$folder/log" || failure "$kind does not run: $(tail -n 1 "$folder/log")"
    microseconds[$kind]=$((${EPOCHREALTIME/./} - ${begin/./}))
done

kill_parent() { # KIND
    local kind=$1 after
    draw $((microseconds[$kind] + 1))
    after=$drawn
    rm -rf "$folder/killed"
    set_command "$kind" "$folder/killed"
    trials=$((trials + 1))
    "${command[@]}" >/dev/null 2>&1 &
    sleep "$((after / 1000000)).$(printf %06d $((after % 1000000)))"
    kill -KILL $! 2>/dev/null || true
    wait $! 2>/dev/null || true
    if ! "${command[@]}" >/dev/null 2>"$folder/log"; then
        failure "$kind whose parent was killed after $after us does not resume: $(tail -n 1 "$folder/log")"
    elif ! cmp -s "$folder/whole-$kind/model.safetensors" "$folder/killed/model.safetensors"; then
        failure "$kind whose parent was killed after $after us ends with another model"
    fi
    if grep -q "; waiting up to" "$folder/log"; then waited=$((waited + 1)); fi
}

waited=0
until time_is_up; do
    kill_parent sweep
    time_is_up || kill_parent ensemble
done
echo "$waited of them found trainings that were left behind"
finish
