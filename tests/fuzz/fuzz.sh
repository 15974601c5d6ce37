#!/bin/bash
# Runs every target of fuzzing from its corpus, one per processor, and reports trials and failures. See --help.
set -euo pipefail

usage() {
    cat <<'END'
usage: tests/fuzz/fuzz.sh [--seconds S] [--most N] [--seed N] [--bin FOLDER] [--folder DIR] [--grow] [NAME]...

  --seconds S   seconds of a processor in all, divided among the targets [60]
  --most N      inputs of each target, at most [no limit]
  --seed N      seed of libFuzzer [1]
  --bin FOLDER  where the fuzz_NAME are [build/fuzz/bin]; they are made by
                ./run build fuzz
  --folder DIR  for logs, and for the input of each failure [build/fuzz/runs]
  --grow        keep in tests/fuzz/corpus/ what reaches further code, beside the seeds
  NAME          targets [all of them]

Prints "fuzz NAME: T trials, F failures" for each target. A failure ends its target. The status is 0 if there is none.
END
}

fail() {
    echo "fuzz.sh: $*" >&2
    exit 2
}

here=$(cd -- "$(dirname -- "${BASH_SOURCE[0]}")" && pwd)
seconds=60 most=-1 seed=1 bin=$here/../../build/fuzz/bin folder=$here/../../build/fuzz/runs grow=false targets=()
while (($#)); do
    case $1 in
    --seconds | --most | --seed | --bin | --folder)
        (($# > 1)) || fail "$1: expected a value"
        declare "${1#--}=$2"
        shift
        ;;
    --grow) grow=true ;;
    --help)
        usage
        exit
        ;;
    -*) fail "unknown option $1; see --help" ;;
    *) targets+=("$1") ;;
    esac
    shift
done
[[ $seconds =~ ^[0-9]+$ && $most =~ ^(-1|[0-9]+)$ && $seed =~ ^[0-9]+$ ]] || fail "--seconds, --most and --seed: expected whole numbers"

if ((${#targets[@]} == 0)); then
    for source in "$here"/fuzz_*.c; do
        name=${source##*/fuzz_}
        targets+=("${name%.c}")
    done
fi
for name in "${targets[@]}"; do
    [[ -x $bin/fuzz_$name ]] || fail "$bin/fuzz_$name: not found; see --help for how to make it"
done
mkdir -p "$folder"
bin=$(cd -- "$bin" && pwd) folder=$(cd -- "$folder" && pwd)
# One input at a time is too little work for threads, and the programs would wait for each other. nproc obeys them.
processors=$(nproc)
export OMP_NUM_THREADS=1 OPENBLAS_NUM_THREADS=1 OMP_WAIT_POLICY=passive UBSAN_OPTIONS=print_stacktrace=1
# An input allocates much less: what was freed stays recognisable long enough, and pages are used again.
export ASAN_OPTIONS=quarantine_size_mb=16:malloc_context_size=8

# Prints the report of one target into its folder.
run_target() { # NAME SECONDS
    local name=$1 work=$folder/$1 trials failures=0 artifact
    # Seconds of the clock, on a machine that may be busy. A small file must not ask for much memory. The limit for all of it is higher: sanitizers keep what is freed.
    local -a flags=(-timeout=60 -malloc_limit_mb=64 -rss_limit_mb=2048 -seed="$seed")
    # A few lines have all that lines can have; more of them only take longer.
    [[ $name != pairs ]] || flags+=(-max_len=512)
    rm -rf "$work"
    mkdir -p "$work/corpus" "$work/failures"
    cp "$here/corpus/$name"/* "$work/corpus/"
    "$bin/fuzz_$name" "${flags[@]}" -max_total_time="$2" -runs="$most" -print_final_stats=1 \
        -artifact_prefix="$work/failures/" "$work/corpus" >"$work/log" 2>&1 || failures=1
    trials=$(awk '/^stat::number_of_executed_units:/ { n = $2 } END { print n + 0 }' "$work/log")
    {
        echo "fuzz $name: $trials trials, $failures failures"
        for artifact in "$work/failures"/*; do
            [[ -e $artifact ]] || continue
            echo "FAILURE: fuzz $name, seed $seed: $(reason "$work/log"); repeat with: $bin/fuzz_$name $artifact"
            failures=0
        done
        # It did not even start, or was killed.
        ((failures == 0)) ||
            echo "FAILURE: fuzz $name, seed $seed: see $work/log;" \
                "repeat with: $0 --seed $seed --seconds $2 --bin $bin $name"
    } >"$work/report"
}

reason() { # LOG
    grep -m 1 -oE 'fuzz: does not hold: .*|SUMMARY: .*|runtime error: .*|ALARM: .*' "$1" | head -1 || echo "unknown"
}

# Files with names of their own are seeds, and stay. The others are what is needed to reach all code that any reached.
grow_corpus() { # NAME
    local kept=$folder/$1/kept
    rm -rf "$kept"
    mkdir -p "$kept"
    find "$here/corpus/$1" -type f -regextype posix-extended ! -regex '.*/[0-9a-f]{40}' -exec cp {} "$kept" \;
    find "$folder/$1/corpus" -type f -size +4k -delete # the corpus is to stay small
    "$bin/fuzz_$1" -set_cover_merge=1 -use_counters=0 -timeout=5 "$kept" "$here/corpus/$1" "$folder/$1/corpus" \
        >"$folder/$1/merge.log" 2>&1 || fail "$1: cannot merge the corpus; see $folder/$1/merge.log"
    rm -f "$here/corpus/$1"/*
    cp "$kept"/* "$here/corpus/$1/"
}

# What a target leaves of its time, because it has reached the limit of inputs, goes to those after it.
waiting=${#targets[@]}
for name in "${targets[@]}"; do
    while (($(jobs -rp | wc -l) >= processors)); do wait -n; done
    left=$((seconds / processors - SECONDS)) each=$((left * processors / waiting))
    ((each < left)) || each=$left
    run_target "$name" $((each > 0 ? each : 1)) &
    waiting=$((waiting - 1))
done
wait

status=0
for name in "${targets[@]}"; do
    cat "$folder/$name/report"
    ! grep -q '^FAILURE' "$folder/$name/report" || status=1
done
if $grow && ((status == 0)); then
    for name in "${targets[@]}"; do grow_corpus "$name"; done
fi
exit $status
