# shellcheck shell=bash disable=SC2034,SC2154,SC2119
# Shared by the campaigns: arguments, a scratch folder, counting. To be sourced by bash; `name` is the campaign's.
#   NAME [--seconds S] [--seed N] [--folder DIR]
set -euo pipefail
unset CDPATH OPENBLAS_CORETYPE OPENBLAS_L2_SIZE
root=$(cd -- "$(dirname -- "${BASH_SOURCE[0]}")/../.." && pwd)
bin=${BIN:-$root/build/release/bin}
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

time_is_up() {
    ((SECONDS >= seconds))
}

# A number from 0 to below $1, in $drawn. No subshell: that would have random numbers of its own.
draw() { # BOUND
    drawn=$(((RANDOM * 32768 + RANDOM) % $1))
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
    echo "$name: not run: $*"
    exit 0
}

# Pairs that a small model learns in seconds.
make_pairs() { # FILE COUNT
    awk -v count="$2" 'BEGIN {
        srand(7)
        for (i = 0; i < count; i++) {
            source = target = ""
            length_of = 2 + int(4 * rand())
            for (k = 0; k < length_of; k++) {
                letter = substr("abcdefgh", 1 + int(8 * rand()), 1)
                source = source letter
                target = letter target
            }
            print source "\t" target
        }
    }' >"$1"
}

# A training of half a second on them; --out is missing.
small=("$bin/lookback" train --train "$folder/train.tsv" --dev "$folder/dev.tsv" --embed 8 --hidden 12 --batch 8 --threads 1
    --evaluate-every 5 --patience 0 --steps 60)
