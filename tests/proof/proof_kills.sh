#!/bin/bash
# SIGKILL at random moments of a training, and at each system call of its saves. Whatever was there before is whole, and the
# same command ends with the same model file, byte for byte.
name=$(basename "$0" .sh)
# shellcheck source=common.bash
. "$(dirname -- "$0")/common.bash"
strace -o /dev/null true 2>/dev/null || not_run "strace is missing, or may not trace"
make_pairs "$folder/train.tsv" 60
make_pairs "$folder/dev.tsv" 10
begin=$EPOCHREALTIME
"${small[@]}" --out "$folder/whole" >/dev/null 2>&1
microseconds=$((${EPOCHREALTIME/./} - ${begin/./}))

# After a kill: the model is missing or can be read; after another run, it is the whole one.
check() { # HOW
    trials=$((trials + 1))
    if [[ -e $folder/killed/model.safetensors ]] && ! "$bin/lookback" inspect "$folder/killed" >/dev/null 2>&1; then
        failure "$1: the model cannot be read"
    fi
    if ! "${small[@]}" --out "$folder/killed" >/dev/null 2>"$folder/log"; then
        failure "$1: the training does not resume: $(tail -n 1 "$folder/log")"
    elif ! cmp -s "$folder/whole/model.safetensors" "$folder/killed/model.safetensors"; then
        failure "$1: the resumed training ends with another model"
    fi
    if compgen -G "$folder/killed/*.tmp*" >/dev/null; then failure "$1: a file in progress is left"; fi
    rm -rf "$folder/killed"
}

random_kills() {
    local after
    while ! time_is_up; do
        draw $((microseconds + 1))
        after=$drawn
        "${small[@]}" --out "$folder/killed" >/dev/null 2>&1 &
        sleep "$((after / 1000000)).$(printf %06d $((after % 1000000)))"
        kill -KILL $! 2>/dev/null || true
        wait $! 2>/dev/null || true
        check "killed after $after us"
    done
}

# The calls of a save, each of them once more often than the last time.
kills_at_calls() {
    local call n killed
    for call in openat write fsync linkat rename flock close ftruncate fchmod getdents64; do
        for ((n = 1;; n++)); do
            time_is_up && return
            killed=0
            # In a group: the shell would report each kill.
            {
                strace -qq -f -o /dev/null -P "$folder/killed" -P "$folder/killed/model.safetensors" \
                    -P "$folder/killed/checkpoint.safetensors" -P "$folder/killed/log.jsonl" -P "$folder/killed/log.csv" \
                    -e "trace=$call" -e "inject=$call:signal=KILL:when=$n" "${small[@]}" --out "$folder/killed" >&2 || killed=1
            } 2>/dev/null
            if ((killed == 0)); then
                rm -rf "$folder/killed"
                break
            fi
            check "killed at call $n of $call"
        done
    done
}

half=$((seconds / 2)) all=$seconds total=0
seconds=$half
kills_at_calls
report "system calls"
total=$failures trials=0 failures=0 seconds=$all
random_kills
report "random moments"
((total + failures == 0))
