#!/bin/bash
# Runs all campaigns, two side by side, and writes docs/reliability.md.
set -euo pipefail
unset CDPATH
here=$(cd -- "$(dirname -- "$0")" && pwd)
root=$(cd -- "$here/../.." && pwd)
programs=$root/build/release/tests

help() {
    cat <<'END'
usage: ./run proof [--hours H] [--seconds S] [--seed N] [--only NAME]...

Tries to break Lookback for H hours (1), or S seconds: kills, power cuts, system calls and allocations that fail, damaged and
hostile files, fuzzing, random programs of ops, threads, long runs, other processors. Prints what failed and how to repeat it, and
writes what was tried to docs/reliability.md, unless only some campaigns are run. The logs are in build/proof/.
END
}

total=3600 seed=1 only=()
while (($#)); do
    case $1 in
    --hours) total=$(awk -v hours="$2" 'BEGIN { printf "%d", 3600 * hours }') ;;
    --seconds) total=$2 ;;
    --seed) seed=$2 ;;
    --only) only+=("$2") ;;
    -h | --help)
        help
        exit
        ;;
    *)
        help >&2
        exit 2
        ;;
    esac
    shift 2
done

# Share of the time in percent, program, and what it does.
campaigns="
19 $here/proof_kills.sh|SIGKILL at random moments of a training and at each system call of its saves; resumed, it has to end with the same file
4 $here/proof_limits.sh|few open files, little memory, a small stack, small files, a disk that is full or read-only
12 $here/proof_faults.sh|one system call fails (EIO, ENOSPC, EACCES, EINTR and others), in each program
10 $here/proof_memory.sh|one allocation fails, or all from one on, in each program
10 $programs/proof_graphs|random programs of ops with extreme values and shapes: values against the reference, gradients against differences
7 $programs/proof_damage|bits flipped, files cut off, hostile files with right checksums
3 $programs/proof_checkpoints|hostile checkpoints to resume and models to start from, with right checksums
4 $programs/proof_power_cut|a power cut at each moment of a save, with every state of the disk that POSIX allows
13 $root/tests/fuzz/fuzz.sh|libFuzzer with address and undefined-behaviour sanitizers, one target for each loader
3 $here/proof_threads.sh|1 to 16 threads, one processor, a busy machine: one model file, byte for byte
2 $programs/proof_two_threads|two models on two threads of one process: the same weights and outputs as alone
6 $here/proof_soak.sh|long streams and long trainings: memory, rate, and the twin that was killed
6 $here/proof_sanitizers.sh|unit tests under the memory and the thread sanitizer and under valgrind, programs under valgrind
2 $here/proof_machines.sh|other processors, emulated: the same outputs, files in both directions"

work=$root/build/proof
rm -rf "$work"
mkdir -p "$work"
run_one() { # SHARE PROGRAM
    local name seconds=$((total * 2 * $1 / 100))
    name=$(basename "$2" .sh)
    mkdir -p "$work/$name"
    "$2" --seconds $((seconds > 10 ? seconds : 10)) --seed "$seed" --folder "$work/$name" >"$work/$name.log" 2>&1 ||
        echo "$name" >>"$work/failed"
    tail -n 3 "$work/$name.log"
}

chosen=
while IFS='|' read -r entry _; do
    [[ -n $entry ]] || continue
    name=$(basename "${entry#* }" .sh)
    if ((${#only[@]})) && [[ " ${only[*]} " != *" $name "* ]]; then continue; fi
    if [[ ! -x ${entry#* } ]]; then
        echo "$name: not run: it has not been built"
        continue
    fi
    chosen+="$entry"$'\n'
done <<<"$campaigns"
# Two lanes, one for each core, take from one queue.
lane() {
    local share program
    while read -r share program <&8 && [[ -n $program ]]; do run_one "$share" "$program"; done
}
mkfifo "$work/queue"
exec 8<>"$work/queue"
printf '%s\n\n' "$chosen" >&8
lane &
lane
wait
exec 8>&-

describe() { # NAME
    awk -F'|' -v name="$1" '{
        count = split($1, part, "/")
        file = part[count]
        sub(/[.]sh$/, "", file)
        if (file == name) print $2
    }' <<<"$campaigns"
}

page() {
    cat <<END
# Reliability

What was tried to break Lookback, and what broke. \`./run proof\` repeats it; the seed makes the same trials, as far as time
allows. Made on $(date -u +%Y-%m-%d) at commit $(git -C "$root" rev-parse --short HEAD), in $((total / 60)) minutes on $(nproc) cores of an
$(awk -F': ' '/^model name/ { print $2; exit }' /proc/cpuinfo), with seed $seed.

| campaign | what | trials | failures |
|---|---|---|---|
END
    local log name
    for log in "$work"/*.log; do
        name=$(basename "$log" .log)
        awk -v what="$(describe "$name")" '/: [0-9]+ trials, [0-9]+ failures$/ {
            title = $0
            sub(/: [0-9]+ trials.*/, "", title)
            sub(/^proof_/, "", title)
            gsub(/_/, " ", title)
            printf "| %s | %s | %d | %d |\n", title, what, $(NF - 3), $(NF - 1)
            what = ""
        }' "$log"
    done
}

grep -h '^FAILURE' "$work"/*.log || true
if ((${#only[@]} == 0)); then
    page >"$work/reliability.md"
    [[ ! -f $here/notes.md ]] || {
        echo
        cat "$here/notes.md"
    } >>"$work/reliability.md"
    cp "$work/reliability.md" "$root/docs/reliability.md"
    echo "docs/reliability.md"
fi
[[ ! -e $work/failed ]]
