#!/bin/bash
# System calls that fail, one at a time: each program ends with a message and a status, or with the right result; it never
# crashes, and what was saved before is whole.
name=$(basename "$0" .sh)
# shellcheck source=common.bash
. "$(dirname -- "$0")/common.bash"
command -v strace >/dev/null || not_run "strace is missing"
make_pairs "$folder/train.tsv" 60
make_pairs "$folder/dev.tsv" 10
"${small[@]}" --out "$folder/model" >/dev/null 2>&1
cut -f1 "$folder/dev.tsv" >"$folder/texts"

declare -A errors=(
    [openat]="EIO ENOSPC EACCES EMFILE EINTR" [read]="EIO EINTR" [write]="EIO ENOSPC EINTR" [fsync]="EIO ENOSPC"
    [linkat]="EIO ENOSPC EPERM" [rename]="EIO ENOSPC EACCES" [close]="EIO EINTR" [mkdir]="EACCES ENOSPC EIO"
    [newfstatat]="EIO EACCES" [fstat]="EIO" [flock]="EIO ENOLCK EINTR" [mmap]="ENOMEM" [ftruncate]="EIO"
    [getdents64]="EIO" [access]="EACCES" [pwrite64]="EIO ENOSPC" [unlink]="EACCES"
)
calls=("${!errors[@]}")
mapfile -t calls < <(printf '%s\n' "${calls[@]}" | sort)
programs=(train resume fresh predict evaluate score inspect visualize sort)

# Runs a program in $folder/now, where the model of before is in out/. Files to compare are left in result/.
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
    esac
    rm -rf "$folder/now"
    mkdir "$folder/now"
    cp -r "$folder/model" "$folder/now/out"
    (cd "$folder/now" && timeout 60 "$@" <../texts >output 2>message)
}

# What a run that ends with 0 has to leave.
results() {
    (cd "$folder/now" && cat output && find . -name '*.safetensors' ! -name 'checkpoint*' -o -name 'map.png' | sort | xargs cksum)
}

declare -A expected count
for program in "${programs[@]}"; do
    run_program "$program" strace -qq -f -o "$folder/trace" || failure "$program does not run: $(cat "$folder/now/message")"
    expected[$program]=$(results)
    for call in "${calls[@]}"; do
        count[$program.$call]=$(grep -cE "^[0-9]+ +$call\(" "$folder/trace" || true)
    done
done

check() { # STATUS WHAT PROGRAM
    local status=$1 what=$2 program=$3
    # The loader of shared libraries has calls of its own.
    if ((status == 127)) && grep -q "error while loading shared libraries" "$folder/now/message"; then return; fi
    trials=$((trials + 1))
    if ((status >= 124)); then
        failure "$what: status $status: $(head -n 1 "$folder/now/message")"
    elif ((status == 0)); then
        [[ $(results) == "${expected[$program]}" ]] || failure "$what: status 0, but another result"
    elif [[ ! -s $folder/now/message ]]; then
        failure "$what: status $status without a message"
    fi
    for model in "$folder"/now/*/model.safetensors; do
        [[ ! -e $model ]] || "$bin/lookback" inspect "$model" >/dev/null 2>&1 || failure "$what: $model cannot be read"
    done
}

while ! time_is_up; do
    draw ${#programs[@]}
    program=${programs[drawn]}
    draw ${#calls[@]}
    call=${calls[drawn]}
    ((count[$program.$call] > 0)) || continue
    draw "${count[$program.$call]}"
    n=$((drawn + 1))
    read -ra kinds <<<"${errors[$call]}"
    draw ${#kinds[@]}
    error=${kinds[drawn]}
    status=0
    run_program "$program" strace -qq -f -o /dev/null -e "trace=$call" -e "inject=$call:error=$error:when=$n" || status=$?
    check $status "$program, call $n of $call fails with $error" "$program"
done
finish
