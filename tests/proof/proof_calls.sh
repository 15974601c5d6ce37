#!/bin/bash
# Writes that are short and clocks that fail, one at a time: after a short write, each program goes on and has nothing to say
# about it; without a clock, it may end with a message and a status instead of the right result.
name=$(basename "$0" .sh)
# shellcheck source=common.bash
. "$(dirname -- "$0")/common.bash"
here=$(cd -- "$(dirname -- "$0")" && pwd)
command -v gcc >/dev/null || not_run "gcc is missing"
gcc -O1 -shared -fPIC -o "$folder/fail_calls.so" "$here/fail_calls.c"
make_model
programs+=("${more_programs[@]}")

# The calls of each program. It may start others: what counts is the longest list.
for program in "${programs[@]}"; do
    expect_results "$program" env LD_PRELOAD="$folder/fail_calls.so" COUNTS="$folder/counts.$program"
    read -r writes clocks < <(awk '{ if ($1 > w) w = $1; if ($2 > c) c = $2 } END { print +w, +c }' "$folder/counts.$program")
    for ((n = 1; n <= writes; n++)); do echo "$program $n" >&8; done
    for ((n = 1; n <= clocks; n++)); do echo "$program $n" >&9; done
done 8>"$folder/all.short" 9>"$folder/all.clock"

try_calls() { # KIND VARIABLE
    local program n status
    trials=0
    while read -r program n <&8; do
        status=0
        run_program "$program" env LD_PRELOAD="$folder/fail_calls.so" "$2=$n" || status=$?
        check_program $status "$program, $1 $n" "$program"
        if [[ $2 == SHORT_AT ]] && { ((status != 0)) || grep -q "cannot write" "$folder/now/message"; }; then
            failure "$program, $1 $n: status $status: $(grep -m 1 "cannot write" "$folder/now/message")"
        fi
        ! time_is_up || break
    done 8< <(shuffled <"$folder/all.$1")
    echo "$name: $trials of $(wc -l <"$folder/all.$1") calls, $1"
}

all=$seconds total=0
seconds=$((all / 2))
try_calls short SHORT_AT
report "short writes"
total=$failures failures=0 seconds=$all
try_calls clock CLOCK_AT
report "clocks that fail"
((total + failures == 0))
