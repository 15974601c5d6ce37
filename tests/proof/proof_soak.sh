#!/bin/bash
# Long runs: the memory of `predict` on a stream of lines and of a training stays as it is after the first part, and so does
# the processor time of a line; a training that was interrupted ends as one that was not.
name=$(basename "$0" .sh)
# shellcheck source=common.bash
. "$(dirname -- "$0")/common.bash"
make_pairs "$folder/train.tsv" 200
make_pairs "$folder/dev.tsv" 20
"${small[@]}" --out "$folder/model" >/dev/null 2>&1
cut -f1 "$folder/train.tsv" >"$folder/texts"

kilobytes() { # PROCESS
    awk '/^VmRSS:/ { print $2 }' "/proc/$1/status"
}

# Hundredths of seconds of the processor.
processor_time() { # PROCESS
    awk '{ print $14 + $15 }' "/proc/$1/stat"
}

# Lines for a third of the time, and some thousands at least, and then to the end of the current block.
predict_stream() {
    local third=$((seconds / 3)) early late early_lines=0 late_lines=0 early_time late_time process begin=$SECONDS
    mkfifo "$folder/stream"
    "$bin/lookback" predict "$folder/model" --beam 1 --threads 1 <"$folder/stream" >"$folder/out.txt" 2>/dev/null &
    process=$!
    (while cat "$folder/texts"; do :; done) >"$folder/stream" 2>/dev/null &
    local feeder=$!
    until ((early_lines >= 2000 && SECONDS - begin > third / 3)); do
        sleep 0.2
        early_lines=$(wc -l <"$folder/out.txt")
    done
    early=$(kilobytes $process) early_time=$(processor_time $process)
    until ((late_lines >= 3 * early_lines && SECONDS - begin >= third)); do
        sleep 0.2
        late_lines=$(wc -l <"$folder/out.txt")
    done
    late=$(kilobytes $process) late_time=$(processor_time $process)
    kill $feeder 2>/dev/null || true
    wait $feeder 2>/dev/null || true
    wait $process || failure "predict ends with status $?"
    trials=$late_lines
    ((late <= early + 1024)) || failure "predict grew from $early to $late KB in $late_lines lines"
    ((late_lines * (early_time + 1) * 10 >= early_lines * late_time * 7)) ||
        failure "predict became slower: $early_lines lines in $early_time hundredths of a second, $late_lines in $late_time"
    report "predicted lines"
}

# As many steps as fit into the rest of the time, twice: once without interruption, once with one in the middle.
train_long() {
    local steps=$1 process early late
    local -a long=("$bin/lookback" sort --max-number 5 --max-length 3 --embed 4 --hidden 8 --batch 2 --threads 1
        --target 0 --steps "$steps")
    "${long[@]}" --out "$folder/long" >/dev/null 2>&1 &
    process=$!
    # The last samples may be of the drawing of the chart.
    local -a samples=()
    while kill -0 $process 2>/dev/null; do
        sleep 0.2
        samples+=("$(kilobytes $process 2>/dev/null || true)")
    done
    early=${samples[${#samples[@]} / 4]} late=${samples[${#samples[@]} * 3 / 4]}
    wait $process || failure "a training of $steps steps ends with status $?"
    ((${late:-0} <= ${early:-0} + 2048)) || failure "a training of $steps steps grew from $early to $late KB"
    "${long[@]}" --out "$folder/twin" >/dev/null 2>&1 &
    process=$!
    sleep 0.7
    kill -KILL $process 2>/dev/null || true
    wait $process 2>/dev/null || true
    "${long[@]}" --out "$folder/twin" >/dev/null 2>&1
    cmp -s "$folder/long/sort.safetensors" "$folder/twin/sort.safetensors" ||
        failure "a training of $steps steps that was killed ends with another model"
    trials=$((2 * steps))
    report "training steps"
}

total=0
predict_stream
total=$failures failures=0
begin=$EPOCHREALTIME
"$bin/lookback" sort --max-number 5 --max-length 3 --embed 4 --hidden 8 --batch 2 --threads 1 --target 0 --steps 2000 \
    --out "$folder/probe" >/dev/null 2>&1
microseconds=$((${EPOCHREALTIME/./} - ${begin/./}))
steps=$((seconds * 1000000 * 2000 / microseconds / 3))
train_long $((steps > 20000 ? steps : 20000)) # the start of the program is a small part of them
((total + failures == 0))
