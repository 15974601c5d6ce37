#!/bin/bash
# The unit tests under the memory and the thread sanitizer, as far as build/msan and build/tsan have them, and under valgrind;
# and the programs under valgrind. Any finding is a failure.
name=$(basename "$0" .sh)
# shellcheck source=common.bash
. "$(dirname -- "$0")/common.bash"
export CK_TIMEOUT_MULTIPLIER=100
layers=(base tensor autograd nn models train io data)
failures_in_all=0

# Left out: minutes of the same arithmetic under valgrind, or what replaces the functions that the tools replace.
slow=" test_gemm test_elementary test_greedy test_beam test_sample test_other_threads test_optimizer "

# `units` becomes a list of "PROGRAM UNIT" for a folder of tests.
find_units() { # FOLDER
    local layer unit
    units=()
    for layer in "${layers[@]}"; do
        [[ -x $1/${layer}_tests ]] || continue
        while read -r unit; do
            [[ $slow == *" $unit "* ]] || units+=("$1/${layer}_tests $unit")
        done < <("$1/${layer}_tests" 2>&1 | grep -o 'test_[a-z0-9_]*')
    done
}

# Runs each unit once, in a random order, and then again, for some seconds; one that needs longer is not counted.
run_units() { # WHAT SECONDS PREFIX...
    local what=$1 end=$((SECONDS + $2)) status unit left=()
    shift 2
    trials=0 failures=0
    while ((SECONDS < end)) && ((${#units[@]})); do
        ((${#left[@]})) || mapfile -t left < <(printf '%s\n' "${units[@]}" | shuffled)
        unit=${left[-1]}
        unset 'left[-1]'
        status=0
        # shellcheck disable=SC2086
        timeout -k 5 $((end - SECONDS + 20)) "$@" $unit >"$folder/log" 2>&1 || status=$?
        ((status < 124)) || continue
        trials=$((trials + 1))
        ((status == 0)) || failure "$what: ${unit#"$root/"}: $(grep -m 1 -E 'WARNING|==.*(Invalid|uninit|lost)|:[FE]:' "$folder/log")"
    done
    report "units under $what"
    failures_in_all=$((failures_in_all + failures))
}

sanitized() { # NAME SECONDS
    if [[ $other_builds == no || ! -x $root/build/$1/tests/tensor_tests ]]; then
        echo "$name: $1 is left out: ./run test $1 has not been run"
        return
    fi
    find_units "$root/build/$1/tests"
    run_units "$1" "$2" env
}

export TSAN_OPTIONS=ignore_noninstrumented_modules=1 MSAN_OPTIONS=poison_in_malloc=0:poison_in_free=0
sanitized msan $((seconds / 4))
sanitized tsan $((seconds / 4))

if ! command -v valgrind >/dev/null; then
    echo "$name: valgrind is left out: it is not installed"
    exit $((failures_in_all > 0))
fi
memcheck=(valgrind -q --error-exitcode=99 --leak-check=full --show-leak-kinds=definite --errors-for-leak-kinds=definite
    --suppressions="$root/tests/sanitizers/valgrind.supp")
# One thread: valgrind runs them one after the other, and the runtimes of threads have pools that they never free.
export OMP_NUM_THREADS=1 OPENBLAS_NUM_THREADS=1
find_units "${bin%/bin}/tests"
run_units valgrind $((seconds / 4)) "${memcheck[@]}"

make_model
# Not seeds and ensemble: they start themselves again, and what valgrind finds at /proc/self/exe is valgrind.
programs+=(join compare report from)
trials=0 failures=0 most_seconds=600
until time_is_up; do
    draw ${#programs[@]}
    program=${programs[drawn]}
    status=0
    run_program "$program" "${memcheck[@]}" || status=$?
    trials=$((trials + 1))
    ((status == 0)) || failure "$program under valgrind: status $status: $(grep -m 1 '==' "$folder/now/message")"
done
report "programs under valgrind"
exit $((failures_in_all + failures > 0))
