#!/bin/bash
# Exports a model that it trains, and compares the C file with predict under several compilers and processors.
#   run.sh FOLDER    the folder with the programs lookback, make_dates and random_lists
# shellcheck disable=SC2317 # `check` calls the functions
set -euo pipefail

bin=$(cd -- "$1" && pwd)
here=$(cd -- "$(dirname -- "$0")" && pwd)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work"

warnings=(-std=c99 -Wall -Wextra -Wpedantic -Wconversion -Werror)
m4=(-mcpu=cortex-m4 -mthumb -mfpu=fpv4-sp-d16 -mfloat-abi=hard)
failed=0

# The status of a function is asked for, which switches set -e off in it: what it runs is joined by &&.
check() { # WHAT COMMAND...
    local what=$1
    shift
    if "$@" >log 2>&1; then
        echo "passed   $what"
    else
        failed=$((failed + 1))
        echo "FAILED   $what"
        sed 's/^/    /' log
    fi
}

export_model() { # TYPE [FLAG]...
    "$bin/lookback" export model --quiet -o g2p.c --type "$@"
}

# Each compiler has the outputs of predict for all texts.
same_as_predict() { # COMPILER...
    "$@" "${warnings[@]}" -I. "$here/lines.c" g2p.c -lm -o lines && ./lines <texts.txt >found.txt && cmp found.txt expected.txt
}

# How many held-out pairs an exported model gets wrong.
wrong() { # TYPE
    export_model "$1" && gcc -O2 -I. "$here/lines.c" g2p.c -lm -o lines &&
        cut -f1 dev.tsv | ./lines | paste - <(cut -f2 dev.tsv) | awk -F'\t' '$1 != $2 { n++ } END { print n + 0 }'
}

# At most 0.2 points more errors.
nearly_as_good() { # WRONG OF THOSE
    echo "$1 of $(wc -l <dev.tsv) are wrong, and $2 as f32"
    awk -v a="$1" -v b="$2" -v n="$(wc -l <dev.tsv)" 'BEGIN { exit !(a - b <= 0.002 * n) }'
}

# The code and the constants for a million weights.
is_small() {
    "$bin/lookback" train dates/train.tsv --dev dev.tsv --steps 1 --quiet --out large >/dev/null &&
        "$bin/lookback" export large --quiet -o g2p.c && gcc "${warnings[@]}" -O2 -c g2p.c && size g2p.o &&
        grep 'weights, as int8' g2p.c && size g2p.o | awk 'NR == 2 { exit !($1 + $2 < 1100000) }' && grep -q ' with 9[0-9]\{5\} weights\| with 1[0-9]\{6\} weights' g2p.c
}

# A program of newlib, which reads some of the texts and writes by semihosting.
compile_for_arm() { # FLAG...
    head -n 300 texts.txt >some.txt &&
        arm-none-eabi-gcc "${warnings[@]}" -O2 -I. -DLINES_FROM='"some.txt"' "$here/lines.c" g2p.c --specs=rdimon.specs "$@" -lm -o arm.elf
}

under_qemu_arm() {
    compile_for_arm && qemu-arm arm.elf >found.txt && cmp found.txt <(head -n 300 expected.txt)
}

on_a_board() {
    compile_for_arm "${m4[@]}" "$here/mps2.c" -T "$here/mps2.ld" &&
        qemu-system-arm -M mps2-an386 -display none -monitor none -serial none -semihosting-config enable=on,target=native \
            -kernel arm.elf >found.txt </dev/null && cmp found.txt <(head -n 300 "$1")
}

# libFuzzer, and the other program of fuzz.c with the sanitizers of gcc.
fuzz() { # RUNS
    clang "${warnings[@]}" -g -O1 -fsanitize=fuzzer,address,undefined -fno-sanitize-recover=all -I. "$here/fuzz.c" g2p.c -lm -o fuzz &&
        ./fuzz -runs="$1" -max_len=200 -seed=1 &&
        gcc "${warnings[@]}" -g -O1 -DRUNS=$(($1 / 5)) -fsanitize=address,undefined -fno-sanitize-recover=all -I. "$here/fuzz.c" g2p.c -lm \
            -o watched && ./watched
}

# The program of docs/shipping.md says what predict says.
as_documented() {
    awk '/^```c$/ { inside = 1; next } /^```$/ { inside = 0 } inside' "$here/../../docs/shipping.md" >main.c &&
        gcc "${warnings[@]}" -O2 main.c g2p.c -lm -o main && ./main >found.txt &&
        echo guitarra | "$bin/lookback" predict model --beam 1 --only-outputs --quiet | cmp found.txt -
}

mkdir dates
"$bin/make_dates" dates >/dev/null
cp dates/dev.tsv dev.tsv
"$bin/lookback" train dates/train.tsv --dev dev.tsv --embed 24 --hidden 48 --batch 48 --lr 0.01 --steps 600 --set merge=false --quiet --out model
# 10,000 texts over the symbols of the model, and three that it does not know.
{
    printf '%s\n' é '#' ß
    cut -f1 dates/train.tsv | awk '{ for (i = 1; i <= length($0); i++) if (!seen[substr($0, i, 1)]++) print substr($0, i, 1) }'
} >symbols.txt
"$bin/random_lists" 1 10000 0 15 "$(wc -l <symbols.txt)" | awk '
    NR == FNR { symbol[NR - 1] = $0; next }
    {
        text = "a"
        for (i = 1; i <= NF; i++) text = text symbol[$i]
        print text
    }' symbols.txt - >texts.txt
"$bin/lookback" predict model texts.txt --beam 1 --only-outputs --quiet >expected.txt

export_model f32
check "f32, gcc: the outputs of predict for 10,000 texts" same_as_predict gcc -O2
check "f32, the program of docs/shipping.md" as_documented
check "f32, clang" same_as_predict clang -O2
check "f32, tcc" same_as_predict tcc
check "f32, for ARM under qemu-arm" under_qemu_arm
check "f32, on a Cortex-M4" on_a_board expected.txt
as_f32=$(wrong f32) && as_bf16=$(wrong bf16) && as_int8=$(wrong int8)
check "bf16: hardly more errors on held-out pairs" nearly_as_good "$as_bf16" "$as_f32"
check "int8: hardly more errors on held-out pairs" nearly_as_good "$as_int8" "$as_f32"
./lines <texts.txt >expected_int8.txt
cp expected_int8.txt expected.txt
check "int8, clang: the outputs of gcc" same_as_predict clang -O2
check "int8, tcc" same_as_predict tcc
check "int8, on a Cortex-M4" on_a_board expected_int8.txt
check "int8, fuzzed" fuzz 3000
export_model int8 --beam 3
check "int8 with a beam of 3, fuzzed" fuzz 500
check "int8: a million weights in 1.1 MB" is_small
exit "$((failed > 0))"
