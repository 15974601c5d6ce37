#!/bin/bash
# Runs all campaigns, two side by side, and writes docs/reliability.md and bench/results/reliability.md.
set -euo pipefail
unset CDPATH
here=$(cd -- "$(dirname -- "$0")" && pwd)
root=$(cd -- "$here/../.." && pwd)
programs=$root/build/release/tests

help() {
    cat <<'END'
usage: ./run proof [--hours H] [--seconds S] [--seed N] [--only NAME]... [--only fuzz/TARGET]...

Tries to break Lookback for H hours (1), or S seconds: kills, power cuts, system calls and allocations that fail, damaged and
hostile files, fuzzing, random programs of ops, threads, long runs, other processors, faults planted in the source. Prints what
failed and how to repeat it, and writes what was tried to docs/reliability.md, and each run to bench/results/reliability.md; what
is not run keeps its row. The logs are in build/proof/. --only none writes the pages alone.
END
}

total=3600 seed=1 only=() targets=()
while (($#)); do
    case $1 in
    --hours) total=$(awk -v hours="$2" 'BEGIN { printf "%d", 3600 * hours }') ;;
    --seconds) total=$2 ;;
    --seed) seed=$2 ;;
    --only)
        only+=("${2%%/*}") # as in the record, or the name of its program
        only[-1]=${only[-1]#proof_}
        [[ $2 != */* ]] || targets+=("${2#*/}")
        ;;
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

# Share of the time, program, and what it does.
campaigns="
18 $here/proof_kills.sh|SIGKILL at random moments of a training and at each system call of its saves; resumed, it has to end with the same file
4 $here/proof_parents.sh|SIGKILL at random moments of the parent of a sweep or an ensemble; the same command at once waits for what is left behind, and has to end with the same file
2 $here/proof_grids.sh|random grids of a sweep, with equal values and members that cannot be: refused before anything is trained, or a folder and a result each
2 $here/proof_pipes.sh|files of many formats, plain and compressed, from a file, through pipes in pieces and from a FIFO: the same output, messages and losses
2 $here/proof_columns.sh|tables with their columns in random orders: the same figures and outputs as in the order of the training
3 $here/proof_answers.sh|lines with up to 120,000 right answers: pairs as awk counts them, and four times as many in about four times the time of the processor
2 $here/proof_limits.sh|few open files, little memory, a small stack, small files, a disk that is full or read-only
2 $here/proof_links.sh|a link planted under each name that a program writes and that its user has not named: what it leads to stays as it is
2 $here/proof_locales.sh|locales with a decimal comma, or with another small letter of I: the same output and files, byte for byte
20 $here/proof_faults.sh|one system call fails (EIO, ENOSPC, EACCES, EINTR and others), in each program
14 $here/proof_more_faults.sh|the same in further programs: join, compare, report, several seeds, an ensemble, from a model
6 $here/proof_calls.sh|one write is short, or the clock fails once, in each program
14 $here/proof_memory.sh|one allocation fails, or all from one on, in each program
14 $here/proof_more_memory.sh|the same in further programs, and in a resumed training and in sort
10 $programs/proof_graphs|random programs of ops with extreme values and shapes: values against the reference, gradients against differences
2 $programs/proof_damage|bits flipped, files cut off, hostile files with right checksums: each command accepts what the library accepts
3 $programs/proof_checkpoints|hostile checkpoints to resume and models to start from, with right checksums
2 $programs/proof_terminal|models, files and names with random sequences that control a terminal: each command shows them on one without obeying, and a pipe gets them as they are
2 $programs/proof_power_cut|a power cut at each moment of a save, with every state of the disk that POSIX allows
30 $root/tests/fuzz/fuzz.sh|libFuzzer with address and undefined-behaviour sanitizers, one target for each loader
4 $here/proof_threads.sh|1 to 16 threads, one processor, a busy machine: one model file, byte for byte
2 $programs/proof_two_threads|two models on two threads of one process: the same weights and outputs as alone
2 $programs/proof_forks|a process that has trained with several threads forks: its children train what it would, byte for byte
3 $here/proof_python.sh|interpreters of Python that end while daemon threads translate and train, and models that are copied, pickled and spawned
28 $here/proof_soak.sh|long streams and long trainings: level memory and rate, and after interruptions the same file
12 $here/proof_sanitizers.sh|unit tests under the memory and the thread sanitizer and under valgrind, programs under valgrind
4 $here/proof_machines.sh|other processors, emulated: the same outputs, files in both directions
20 $here/mutants.sh|a fault planted in one line of a folder of src/ or apps/: the unit tests of the folder have to notice it"

work=$root/build/proof
mkdir -p "$work"
run=$(mktemp -d -p "$work" run.XXXX)
trap 'rm -rf "$run"' EXIT
: >"$run/rows"

# The rows of the record for one campaign: campaign, what, trials, failures, date, commit, seed, minutes.
note_rows() { # NAME SECONDS
    awk -v OFS='\t' -v name="${1#proof_}" -v seed="$seed" -v minutes="$(awk -v s="$2" 'BEGIN { printf "%.1f", s / 60 }')" \
        -v date="$(date -u +%Y-%m-%d)" -v commit="$(git -C "$root" rev-parse --short HEAD)" '/: [0-9]+ trials, [0-9]+ failures$/ {
            what = $0
            sub(/: [0-9]+ trials.*/, "", what)
            sub(/^proof_/, "", what)
            sub("^" name " *(of )?", "", what)
            gsub(/_/, " ", what)
            print name, what, $(NF - 3), $(NF - 1), date, commit, seed, minutes
        }' "$work/$1.log"
}

run_one() { # SHARE PROGRAM
    local name seconds=$((total * 2 * $1 / shares))
    ((seconds <= total)) || seconds=$total
    name=$(basename "$2" .sh)
    local begin=$SECONDS more
    more=()
    [[ $name != fuzz ]] || more=(--most 10000000 "${targets[@]}")
    "$2" --seconds $((seconds > 10 ? seconds : 10)) --seed "$seed" --folder "$work/$name" "${more[@]}" >"$work/$name.log" 2>&1 ||
        (($? == 77)) || echo "$name" >>"$run/failed"
    note_rows "$name" $((SECONDS - begin)) >>"$run/rows"
    grep '^FAILURE' "$work/$name.log" || tail -n 3 "$work/$name.log"
}

chosen='' shares=0 known=' none '
while IFS='|' read -r entry _; do
    [[ -n $entry ]] || continue
    name=$(basename "${entry#* }" .sh)
    known+="${name#proof_} "
    if ((${#only[@]})) && [[ " ${only[*]} " != *" ${name#proof_} "* ]]; then continue; fi
    if [[ ! -x ${entry#* } ]]; then
        echo "$name: not run: it has not been built"
        continue
    fi
    rm -rf "${work:?}/$name"
    mkdir -p "$work/$name"
    chosen+="$entry"$'\n'
    shares=$((shares + ${entry%% *}))
done <<<"$campaigns"
for name in "${only[@]}"; do
    [[ $known == *" $name "* ]] || {
        echo "proof.sh: --only: found $name, expected one of$known" >&2
        exit 2
    }
done
# What the mutants need is built before: that is not part of their time.
if [[ $chosen == *mutants.sh* ]]; then
    "$here/mutants.sh" --seconds 0 --folder "$work/mutants" >"$work/mutants/build.txt" 2>&1 || cat "$work/mutants/build.txt"
fi
# Two lanes, one for each core, take from one queue, the longest first. The shell reads byte by byte: one at a time.
next_entry() {
    local read=0
    flock 7
    read -r share program <&8 || read=1
    flock -u 7
    ((read == 0)) && [[ -n $program ]]
}
lane() {
    local share program
    while next_entry; do run_one "$share" "$program"; done
} 7>"$run/lock"
mkfifo "$run/queue"
exec 8<>"$run/queue"
{
    sort -rn <<<"${chosen%$'\n'}"
    printf '\n\n' # an end for each lane
} >&8
lane &
lane
wait
exec 8>&-

# NAME|WHAT, in the order of the page.
described() {
    awk -F'|' 'NF { count = split($1, part, "/"); file = part[count]; sub(/[.]sh$/, "", file); sub(/^proof_/, "", file)
        print file "|" $2 }' <<<"$campaigns"
}

# The sum of a column of the record: 3, the trials, or 4, the failures; of one campaign, or of all.
sum_of() { # COLUMN [NAME]
    awk -F'\t' -v column="$1" -v name="${2-}" 'name == "" || $1 == name { sum += $column }
        END { printf "%d", sum }' "$record"
}

page() {
    cat <<END
# Reliability

\`./run proof\` tries to break Lookback. The last runs of its campaigns had $(sum_of 3) trials and $(sum_of 4) failures.
[The results](../bench/results/reliability.md) have the date, commit, seed and minutes of each run. A seed makes the
same trials, as far as time allows.

| campaign | what it does | trials |
|---|---|---|
END
    while IFS='|' read -r campaign what; do
        echo "| $campaign | $what | $(sum_of 3 "$campaign") |"
    done < <(described)
    echo
    cat "$here/notes.md"
}

results() {
    cat <<END
# Results of \`./run proof\`

[Reliability](../../docs/reliability.md) sums up these runs by campaign. Times are of one core of the machine of that
day, an AMD EPYC or an Intel Xeon with AVX-512. Below the runs are [rules of single
campaigns](#rules-of-single-campaigns) and [tests that walk through every kind](#tests-that-walk-through-every-kind).

| campaign | trials | failures | date | commit | seed | minutes |
|---|---|---|---|---|---|---|
END
    while IFS='|' read -r campaign _; do
        awk -F'\t' -v name="$campaign" '$1 == name {
            printf "| %s%s | %d | %d | %s | %s | %s | %s |\n", $1, $2 ? ": " $2 : "", $3, $4, $5, $6, $7, $8
        }' "$record"
    done < <(described)
    if [[ -s $survivors ]]; then
        printf '\nFaults that no test noticed:\n\n```text\n'
        cat "$survivors"
        echo '```'
    fi
    echo
    cat "$here/notes_suite.md"
}

# What a campaign counted as one before is replaced by its parts.
record=$here/record.tsv
{
    awk -F'\t' 'FILENAME == ARGV[1] { now[$1, $2]; tried[$1]; next } !(($1, $2) in now || $2 == "" && $1 in tried)' \
        "$run/rows" "$record"
    cat "$run/rows"
} | sort -t $'\t' -k 1,2 >"$run/record.tsv"
cp "$run/record.tsv" "$record"
# What the last run of the mutants left unnoticed.
survivors=$here/survivors.txt
if grep -q '^mutants' "$run/rows"; then
    sed -n 's/^FAILURE: \(.*\); repeat with: .*/\1/p' "$work/mutants.log" | sort >"$survivors"
fi
page >"$root/docs/reliability.md"
results >"$root/bench/results/reliability.md"
echo "docs/reliability.md"
[[ ! -e $run/failed ]]
