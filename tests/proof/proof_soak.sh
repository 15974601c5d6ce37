#!/bin/bash
# Long runs: the memory of `predict` on a stream of lines and of a training stays as it is after the first part, and so does
# the rate of `predict`; a training that was interrupted ends as one that was not.
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

# Lines for a third of the time, and then to the end of the current block.
predict_stream() {
    local third=$((seconds / 3)) early late early_lines late_lines process begin
    mkfifo "$folder/stream"
    "$bin/lookback" predict "$folder/model" --beam 1 --threads 1 <"$folder/stream" >"$folder/out.txt" 2>/dev/null &
    process=$!
    (while cat "$folder/texts"; do :; done) >"$folder/stream" 2>/dev/null &
    local feeder=$!
    begin=$SECONDS
    sleep $((third / 3 + 1))
    early=$(kilobytes $process) early_lines=$(wc -l <"$folder/out.txt")
    local early_seconds=$((SECONDS - begin))
    while ((SECONDS - begin < third)); do sleep 1; done
    late=$(kilobytes $process) late_lines=$(wc -l <"$folder/out.txt")
    local all_seconds=$((SECONDS - begin))
    kill $feeder 2>/dev/null || true
    wait $feeder 2>/dev/null || true
    wait $process || failure "predict ends with status $?"
    trials=$late_lines
    ((late <= early + 1024)) || failure "predict grew from $early to $late KB in $late_lines lines"
    if ((early_seconds > 0 && all_seconds > early_seconds)); then
        ((late_lines * early_seconds * 10 >= early_lines * all_seconds * 7)) ||
            failure "predict became slower: $early_lines lines in $early_seconds s, $late_lines in $all_seconds s"
    fi
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
train_long $((seconds * 1000000 * 2000 / microseconds / 3))
((total + failures == 0))
