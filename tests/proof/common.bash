# shellcheck shell=bash disable=SC2034,SC2154,SC2119
# Shared by the campaigns: arguments, a scratch folder, counting. To be sourced by bash; `name` is the campaign's.
#   NAME [--seconds S] [--seed N] [--folder DIR]
set -euo pipefail
unset CDPATH OPENBLAS_CORETYPE OPENBLAS_L2_SIZE
root=$(cd -- "$(dirname -- "${BASH_SOURCE[0]}")/../.." && pwd)
bin=${BIN:-$root/build/release/bin}
# As a test of ctest, a campaign does not touch other builds, which may be in progress.
other_builds=${OTHER_BUILDS:-yes}
export OMP_WAIT_POLICY=passive

seconds=10 seed=1 folder=
while (($#)); do
    case $1 in
    --seconds) seconds=$2 ;;
    --seed) seed=$2 ;;
    --folder) folder=$2 ;;
    *)
        echo "usage: $name [--seconds S] [--seed N] [--folder DIR]" >&2
        exit 2
        ;;
    esac
    shift 2
done
if [[ -z $folder ]]; then
    folder=$(mktemp -d)
    trap 'rm -rf "$folder"' EXIT
fi
folder=$(cd -- "$folder" && pwd)
RANDOM=$seed
trials=0 failures=0

# A campaign makes one trial at least, however long its preparation takes.
time_is_up() {
    ((trials > 0 && SECONDS >= seconds))
}

# A number from 0 to below $1, in $drawn. No subshell: that would have random numbers of its own.
draw() { # BOUND
    drawn=$(((RANDOM * 32768 + RANDOM) % $1))
}

# Lines of standard input in an order that the seed decides.
shuffled() {
    local lines
    mapfile -t lines
    ((${#lines[@]} == 0)) ||
        paste <("$bin/random_lists" "$seed" ${#lines[@]} 1 1 1000000000) <(printf '%s\n' "${lines[@]}") | sort -n | cut -f 2-
}

failure() { # MESSAGE...
    failures=$((failures + 1))
    echo "FAILURE: $*; repeat with: $name --seed $seed"
}

report() { # [WHAT]
    echo "$name${1:+ of $1}: $trials trials, $failures failures"
}

finish() {
    report ""
    ((failures == 0))
}

not_run() { # WHY
    echo "SKIPPED: $name: $*"
    exit 77
}

# Pairs that a small model learns in seconds.
make_pairs() { # FILE COUNT
    "$bin/random_lists" 7 "$2" 2 5 8 | awk '{
        source = target = ""
        for (i = 1; i <= NF; i++) {
            letter = substr("abcdefgh", 1 + $i, 1)
            source = source letter
            target = letter target
        }
        print source "\t" target
    }' >"$1"
}

# A training of half a second on them; --out is missing.
small=("$bin/lookback" train --train "$folder/train.tsv" --dev "$folder/dev.tsv" --embed 8 --hidden 12 --batch 8 --threads 1
    --evaluate-every 5 --patience 0 --steps 60)

# A model, its pairs and a text file, for the programs below.
make_model() {
    make_pairs "$folder/train.tsv" 60
    make_pairs "$folder/dev.tsv" 10
    "${small[@]}" --out "$folder/model" >/dev/null 2>&1
    cut -f1 "$folder/dev.tsv" >"$folder/texts"
}

programs=(train resume fresh predict evaluate score inspect visualize sort)
more_programs=(join compare report seeds ensemble from)

# Runs a program in $folder/now, where the model of before is in out/. $prepare, if it is set, is called there before.
run_program() { # PROGRAM PREFIX...
    local program=$1
    shift
    case $program in
    train) set -- "$@" "${small[@]}" --steps 20 --out new ;;
    resume) set -- "$@" "${small[@]}" --out out ;;
    fresh) set -- "$@" "${small[@]}" --steps 10 --out out --fresh ;;
    predict) set -- "$@" "$bin/lookback" predict out --threads 1 ;;
    evaluate) set -- "$@" "$bin/lookback" evaluate out ../dev.tsv --threads 1 ;;
    score) set -- "$@" "$bin/lookback" score out ../dev.tsv --threads 1 ;;
    inspect) set -- "$@" "$bin/lookback" inspect out --json ;;
    visualize) set -- "$@" "$bin/lookback" visualize out --input abc --output map.png --threads 1 ;;
    sort) set -- "$@" "$bin/lookback" sort --max-number 5 --max-length 3 --embed 4 --hidden 8 --batch 4 --steps 5 --threads 1 --out new ;;
    join) set -- "$@" "$bin/lookback" join out out --dev ../dev.tsv --threads 1 --out new ;;
    compare) set -- "$@" "$bin/lookback" compare --kinds none,dot --max-number 5 --min-length 2 --max-length 3 --hidden 4 --batch 4 \
        --steps 3 --threads 1 --out new ;;
    report) set -- "$@" "$bin/lookback" report out ../dev.tsv --details 2 --heads-off 1 --threads 1 --output page.html ;;
    seeds) set -- "$@" "${small[@]}" --steps 2 --evaluate-every 2 --seeds 2 --out new ;;
    ensemble) set -- "$@" "${small[@]}" --steps 2 --evaluate-every 2 --ensemble 2 --out new ;;
    from) set -- "$@" "${small[@]}" --steps 2 --evaluate-every 2 --from out --out new ;;
    # Of some campaigns only.
    index) set -- "$@" "${small[@]}" --steps 2 --evaluate-every 2 --train pairs.tsv --set index=always --out new ;;
    fractions) set -- "$@" "${small[@]}" --steps 10 --lr 0.0125 --dropout 0.25 --label-smoothing 0.1 --set average=0.9 --out new ;;
    sweep) set -- "$@" "${small[@]}" --steps 2 --evaluate-every 2 --sweep ../grid.json --out new ;;
    esac
    rm -rf "$folder/now"
    mkdir "$folder/now"
    cp -r "$folder/model" "$folder/now/out"
    [[ $program != index ]] || cp "$folder/train.tsv" "$folder/now/pairs.tsv"
    [[ -z ${prepare:-} ]] || (cd "$folder/now" && "$prepare")
    (cd "$folder/now" && timeout -k 5 "${most_seconds:-60}" "$@" <../texts >output 2>message)
}

# What a run that ends with 0 has to leave.
results() {
    (cd "$folder/now" && cat output &&
        find . -name '*.safetensors' ! -name '*checkpoint.safetensors' -o -name map.png -o -name exact_match.png -o -name page.html |
        sort | xargs cksum)
}

declare -A expected

# Runs a program as it should be, and keeps its results.
expect_results() { # PROGRAM PREFIX...
    run_program "$@" || failure "$1 does not run: $(cat "$folder/now/message")"
    expected[$1]=$(results)
}

# After a program with a fault: the right result, or an error with a message; no crash, models that can be read, and no file in
# progress, unless it is the removal that fails.
check_program() { # STATUS WHAT PROGRAM
    local status=$1 what=$2 program=$3
    # The loader of shared libraries has calls of its own.
    if ((status == 127)) && grep -qE "error while loading shared libraries|cannot allocate TLS" "$folder/now/message"; then return; fi
    trials=$((trials + 1))
    if ((status == 130)) && grep -q "^OpenBLAS blas_thread_init" "$folder/now/message"; then
        : # before main: OpenBLAS cannot start its threads, says so, and ends the program
    elif ((status >= 124)); then
        failure "$what: status $status: $(head -n 1 "$folder/now/message")"
    elif ((status == 0)); then
        [[ $(results) == "${expected[$program]}" ]] || failure "$what: status 0, but another result"
    elif [[ ! -s $folder/now/message ]]; then
        failure "$what: status $status without a message"
    fi
    for model in "$folder"/now/{*,*/*}/model.safetensors; do
        [[ ! -e $model ]] || "$bin/lookback" inspect "$model" >/dev/null 2>&1 || failure "$what: $model cannot be read"
    done
    [[ $what == *" of unlink"* ]] || ((status > 128)) || [[ -z $(find "$folder/now" -name '*.tmp*') ]] ||
        failure "$what: a file in progress is left"
}
