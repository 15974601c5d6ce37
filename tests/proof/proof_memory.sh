#!/bin/bash
# Memory that runs out: each program, with the n-th allocation failing alone or with all after it, ends with a message and a
# status, or with the right result; it never crashes.
name=$(basename "$0" .sh)
# shellcheck source=common.bash
. "$(dirname -- "$0")/common.bash"
here=$(cd -- "$(dirname -- "$0")" && pwd)
command -v gcc >/dev/null || not_run "gcc is missing"
gcc -O1 -shared -fPIC -o "$folder/fail_malloc.so" "$here/fail_malloc.c"
make_model
if ((${more:-0})); then
    programs=(resume sort "${more_programs[@]}")
else
    programs=(train predict evaluate score inspect visualize)
fi
for program in "${programs[@]}"; do expect_results "$program" env; done

# The number of allocations of a program, in $allocations: the first n for which failing from the n-th on changes nothing.
count_allocations() { # PROGRAM
    local low=1 high=64 middle
    passes() {
        run_program "$1" env LD_PRELOAD="$folder/fail_malloc.so" FAIL_ALL=1 FAIL_AT="$2" 2>/dev/null
    }
    while ! passes "$1" $high; do
        low=$high
        high=$((2 * high))
    done
    while ((high - low > 1)); do
        middle=$(((low + high) / 2))
        if passes "$1" $middle; then high=$middle; else low=$middle; fi
    done
    allocations=$low
}

for program in "${programs[@]}"; do
    count_allocations "$program"
    for ((n = 1; n <= allocations; n++)); do printf '%s\n' "$program $n" "$program $n FAIL_ALL=1"; done
done >"$folder/all"
shuffled <"$folder/all" >"$folder/allocations"

# Cairo and FreeType crash in a drawing (docs/adr/0021). A training draws after it has saved its model, in an ensemble in a
# process of its own; compare draws after the last training.
crashed=0
in_picture() {
    [[ $program == visualize ]] ||
        grep -qsE "kept the model of step|\[2/2\] (none|dot)" "$folder/now/message" "$folder"/now/new/*/train.log
}

# HarfBuzz and Cairo leave out what they have no memory for, and do not say so.
incomplete=0
without_pictures() {
    sed '/[.]png$/d' <<<"$1"
}
only_picture_differs() {
    local now
    now=$(results)
    [[ $now != "${expected[$program]}" && $(without_pictures "$now") == "$(without_pictures "${expected[$program]}")" ]]
}

while ! time_is_up && read -r program n all <&8; do
    status=0
    { run_program "$program" env LD_PRELOAD="$folder/fail_malloc.so" ${all:+"$all"} FAIL_AT="$n" || status=$?; } 2>/dev/null
    if ((status > 128)) && in_picture; then
        crashed=$((crashed + 1))
    elif ((status == 0)) && only_picture_differs; then
        incomplete=$((incomplete + 1))
    else
        check_program $status "$program, allocation $n fails${all:+ and all after it}" "$program"
    fi
done 8<"$folder/allocations"
echo "$name: $trials of $(wc -l <"$folder/allocations") failing allocations"
((crashed == 0)) || echo "$name: $crashed more trials crashed in Cairo or FreeType while a picture was drawn"
((incomplete == 0)) || echo "$name: $incomplete more trials drew an incomplete picture"
finish
