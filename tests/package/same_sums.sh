#!/bin/bash
# Builds the core without OpenBLAS with each compiler, and fails unless all compute the same bits in each instruction set of
# this processor, in both precisions. Prints these bits, and the functions of libm that decide them, too.
#   same_sums.sh COMPILER...
set -euo pipefail
cd -- "$(dirname -- "$0")/../.."
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

for compiler; do
    {
        cmake -S . -B "$work/$compiler" -G Ninja -D CMAKE_BUILD_TYPE=Release -D CMAKE_C_COMPILER="$compiler" \
            -D LOOKBACK_PROGRAMS=OFF -D LOOKBACK_FILES=OFF -D LOOKBACK_PLOT=OFF -D LOOKBACK_OPENMP=OFF -D LOOKBACK_BLAS=none
        ninja -C "$work/$compiler" bits_lookback bits_lookback_f64
    } >"$work/log" 2>&1 || {
        tail -n 20 "$work/log" >&2
        exit 1
    }
    for set in portable baseline avx2 avx512; do
        for program in bits_lookback bits_lookback_f64; do
            LOOKBACK_ISA=$set "$work/$compiler/tests/core/$program" >"$work/bits" 2>"$work/log" ||
                grep -q 'this processor has no more than' "$work/log" || { cat "$work/log" >&2 && exit 1; }
            sed "s/^/$set $program /" "$work/bits"
        done
    done >"$work/bits_of_$compiler"
    cmp "$work/bits_of_$1" "$work/bits_of_$compiler" || {
        diff "$work/bits_of_$1" "$work/bits_of_$compiler" | head >&2
        echo "same_sums.sh: $compiler computes other bits than $1" >&2
        exit 1
    }
done
cat "$work/bits_of_$1"
nm -D --defined-only "$("$1" -print-file-name=libm.so.6)" | sed 's/.* //; s/@.*//' | sort -u >"$work/libm"
echo "libm: $(nm -u "$work/$1"/liblookback*.a | awk '/ U / { print $2 }' | sort -u | comm -12 - "$work/libm" | tr '\n' ' ')"
