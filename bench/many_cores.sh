#!/bin/bash
# Measures how one training step scales over the processors of a machine that may be bare: `bench/many_cores.sh --help`.
set -euo pipefail
unset CDPATH OPENBLAS_CORETYPE OPENBLAS_L2_SIZE
here=$(cd -- "$(dirname -- "$0")" && pwd)

help() {
    cat <<'END'
usage: bench/many_cores.sh --collect FOLDER
       FOLDER/many_cores.sh [--seconds S] [--threads "1 2 4 ..."] [CONFIG]...

The first form copies what the second one needs to FOLDER: this script, bench_train, and its libraries, those of the compiler
and of C included, compressed. FOLDER can be copied to any Linux with the same processor architecture, bash, awk and gzip.

Prints, for each CONFIG (tiny small medium large transformer):
  - the milliseconds of a step on 1, 2, 4, 8 ... threads, and what it gains over one thread;
  - the ceiling: what as many independent trainings of one thread gain, all at once;
  - for each number of threads, the milliseconds of each stage of a step: ops, products, the optimiser, and the rest.
The weights after three steps must be the same for any number of threads: the script fails if they are not.
END
}

fail() { # MESSAGE
    echo "many_cores.sh: $1" >&2
    exit 1
}

collect() { # FOLDER
    program=$here/../build/release/bin/bench_train
    [[ -x $program ]] || fail "$program is missing; ./run build makes it"
    rm -rf "$1"
    mkdir -p "$1"
    cp "$here/many_cores.sh" "$program" "$1"
    # The path of each library is the only word with a slash in its line, or the one after the arrow.
    ldd "$program" | sed -n 's/.*=> \(\/[^ ]*\) .*/\1/p; s/^[[:space:]]*\(\/[^ ]*\) .*/\1/p' |
        while read -r library; do gzip -c "$library" >"$1/$(basename "$library").gz"; done
    strip "$1/bench_train"
    du -sh "$1"
}

# The programs run by the loader of the folder, with the libraries of the folder. A program that the loader started cannot
# restart itself, so its setting of how threads wait is made here.
unpack() {
    libraries=$(mktemp -d)
    trap 'rm -rf "$libraries"' EXIT
    for packed in "$here"/*.gz; do gzip -dc "$packed" >"$libraries/$(basename "$packed" .gz)"; done
    chmod +x "$libraries"/*
    loader=$(echo "$libraries"/ld-linux*)
    export GOMP_SPINCOUNT=${GOMP_SPINCOUNT-10000} KMP_BLOCKTIME=0
}

train() { # CONFIG THREADS OPTION...
    "$loader" --library-path "$libraries" "$here/bench_train" --config "$1" --threads "$2" "${@:3}"
}

field() { # NAME; of one line of JSON on standard input
    sed "s/.*\"$1\":\"\{0,1\}\([^,\"}]*\).*/\1/"
}

# The milliseconds of a step while COUNT trainings run at once, each on one thread.
independent() { # CONFIG COUNT
    for ((i = 0; i < $2; i++)); do train "$1" 1 --seconds "$seconds" --steps 100000 >"$libraries/run$i" & done
    wait
    for ((i = 0; i < $2; i++)); do field ms_per_step <"$libraries/run$i"; done | awk '{s += $1} END {print s / NR}'
}

same_bits() { # CONFIG
    for count in $threads; do train "$1" "$count" --steps 1 --warm-up 2 --seconds 0 | field fingerprint; done |
        sort -u | awk 'END {exit NR != 1}' || fail "$1: other threads give other bits"
}

stages_of() { # one line of JSON; prints a line for each stage
    sed 's/.*"stages":{\([^}]*\)}.*/\1/; s/,"/\n"/g' <<<"$1" | sed 's/"//; s/":/\t/'
}

measure() { # CONFIG
    printf '\n%s\n%-44s' "$1" "threads"
    # shellcheck disable=SC2086 # numbers
    printf '%9s' $threads
    printf '\n'
    all=() ms=() ceiling=()
    for count in $threads; do
        line=$(train "$1" "$count" --seconds "$seconds" --steps 100000 --stages)
        all+=("$line")
        ms+=("$(field ms_per_step <<<"$line")")
        ceiling+=("$(if ((count == 1)); then echo "${ms[0]}"; else independent "$1" "$count"; fi)")
    done
    row "ms" "${ms[@]}"
    gain=() most=()
    # shellcheck disable=SC2206 # numbers
    counts=($threads)
    for i in "${!ms[@]}"; do
        gain+=("$(awk "BEGIN {print ${ms[0]} / ${ms[i]}}")")
        most+=("$(awk "BEGIN {print ${counts[i]} * ${ms[0]} / ${ceiling[i]}}")")
    done
    row "gain" "${gain[@]}"
    row "gain of independent trainings" "${most[@]}"
    stages_of "${all[0]}" | cut -f 1 | while read -r stage; do
        times=()
        for line in "${all[@]}"; do times+=("$(stages_of "$line" | awk -F '\t' -v s="$stage" '$1 == s {print $2}')"); done
        row "  $stage" "${times[@]}"
    done
}

row() { # NAME NUMBER...
    printf '%-44s' "$1"
    printf '%9.3g' "${@:2}"
    printf '\n'
}

seconds=0.7 threads="" configs=()
while (($#)); do
    case $1 in
    --collect)
        [[ -n ${2-} ]] || fail "--collect: expected a folder"
        collect "$2"
        exit
        ;;
    --seconds | --threads)
        [[ -n ${2-} ]] || fail "$1: expected a value"
        declare "${1#--}=$2"
        shift
        ;;
    -h | --help)
        help
        exit
        ;;
    -*) fail "unknown option $1; see --help" ;;
    *) configs+=("$1") ;;
    esac
    shift
done
[[ ${#configs[@]} -gt 0 ]] || configs=(tiny small medium large transformer)
compgen -G "$here/*.gz" >/dev/null || fail "there are no libraries here; see --help"
[[ -n $threads ]] || for ((n = 1; n <= $(nproc); n *= 2)); do threads="$threads${threads:+ }$n"; done
unpack
sed -n 's/^model name[^:]*: //p' /proc/cpuinfo | sort | uniq -c
echo "kernel: $(train tiny 1 --steps 1 | field kernel)"
for config in "${configs[@]}"; do
    same_bits "$config"
    measure "$config"
done
