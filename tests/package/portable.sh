#!/bin/bash
# Trains with --isa portable and translates with a beam, and fails unless the weights and the bytes of the outputs have the
# hashes of portable.txt: "STEPS MODEL WEIGHTS OUTPUTS".
# What it prints of a line that is not there is what the list needs after a change of the arithmetic.
#   portable.sh [PLATFORM]...       builds the program for each platform, and trains on it: all steps on this processor, by
#                                   each of its instruction sets, musl and WebAssembly, 10 steps under an emulator
#   portable.sh --short PROGRAM     10 steps by this program, on three threads
set -euo pipefail
cd -- "$(dirname -- "$0")/../.."
here=$PWD threads=1 data=$PWD/examples/data list=$PWD/tests/package/portable.txt
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

awk 'BEGIN {
    for (i = 1; i <= 40; i++) {
        for (j = 0; j < 1 + i % 10; j++) printf "%s%d", j ? " " : "", (37 * i + 59 * j) % 100
        print ""
    }
}' >"$work/lists.txt"
cut -f1 "$data/spanish_dev.tsv" >"$work/words.txt"
head -n 40 "$data/sentences.de" >"$work/sentences.txt"

sum() {
    sha256sum | cut -c1-16
}

fail() {
    echo "FAILED   $*" >&2
    exit 1
}

quietly() { # COMMAND...
    "$@" >"$work/log" 2>&1 || {
        tail -n 40 "$work/log"
        fail "$*"
    }
}

# Its line of the list.
train() { # MODEL STEPS TEXTS COMMAND...
    local model=$1 steps=$2 texts=$3 portably=(--isa portable --threads "$threads")
    shift 3
    "${lookback[@]}" "$@" --hidden 64 --steps "$steps" "${portably[@]}" --quiet --fresh --out "$model" >/dev/null
    "${lookback[@]}" inspect "$model" --json >about
    "${lookback[@]}" predict "$model" "$texts" --beam 5 --n-best 5 --jsonl "${portably[@]}" >outputs 2>notes || fail "$(<notes)"
    echo "$steps $model $(sed 's/.*"weights":"\([0-9a-f]*\)".*/\1/' about) $(sum <outputs)"
}

train_all() { # [STEPS]
    local spanish=(train "$data/spanish_train.tsv" --dev "$data/spanish_dev.tsv" --target-separator ' ')
    train additive "${1-200}" "$work/lists.txt" sort --attention additive --target 0
    train multi-head "${1-200}" "$work/lists.txt" sort --attention multi-head --target 0
    train transformer "${1-60}" "$work/words.txt" "${spanish[@]}" --model transformer
    train words "${1-100}" "$work/words.txt" "${spanish[@]}"
    train subwords "${1-30}" "$work/sentences.txt" train "$data/sentences.de" --train-targets "$data/sentences.en" --subwords 200
}

# Fails unless what `train_all` prints is in the list, and the model of docs/reproduce.md can be made again.
check() { # WHAT [STEPS]
    mkdir -p "$work/$1"
    (
        cd "$work/$1"
        train_all "${@:2}" >found
        "${lookback[@]}" reproduce "$data/spanish.safetensors" --train "$data/spanish_train.tsv" --threads "$threads" --quiet >reproduced
    )
    ! grep -vxFf "$list" "$work/$1/found" || fail "$1: these lines are not in portable.txt"
    echo "passed   $1, ${2-all} steps"
}

if [[ ${1-} == --short ]]; then
    threads=3
    lookback=("$(cd -- "$(dirname -- "$2")" && pwd)/$(basename -- "$2")")
    check short 10
    exit
fi

# The C file of the transformer of gcc: each program writes it, and each compiler makes the same of it.
check_exported() { # PLATFORM
    (
        cd "$work/$1"
        "${lookback[@]}" export "$work/gcc-baseline/transformer" --type f32 --quiet -o g2p.c
        "${compiler[@]}" -O2 -I. "$here/tests/export/lines.c" g2p.c -lm -o "lines$suffix"
        "${emulator[@]}" "./lines$suffix" <"$work/words.txt" >lines.txt
    )
    [[ $1 == gcc ]] || cmp "$work/gcc/g2p.c" "$work/$1/g2p.c"
    echo "60 exported - $(sum <"$work/$1/lines.txt")" | grep -vxFf "$list" && fail "$1: this line is not in portable.txt"
    echo "passed   $1, the exported transformer"
}

# Sets `folder`, `compiler`, `emulator`, `suffix` and `lookback`.
build() { # PLATFORM
    local libraries=$here/build/portable/$1/libraries archiver=ar type=Release flags=()
    local double=() # same_sums.sh and the presets musl and wasm have both precisions
    folder=$here/build/portable/$1 emulator=() suffix=''
    case $1 in
    gcc | clang) compiler=("$1") libraries='' ;;
    gcc-O1 | clang-O1) compiler=("${1%-O1}") libraries='' type=Debug ;; # all of it with -O1
    musl) compiler=(musl-gcc -static) ;;
    wasm)
        compiler=(emcc -msimd128) archiver=emar emulator=(node --no-experimental-fetch) suffix=.js
        flags=(-D CMAKE_TOOLCHAIN_FILE=cmake/toolchains/wasm32-emscripten.cmake -D LOOKBACK_HARDEN=OFF)
        export NODE_PATH=/usr/share/nodejs
        ;;
    aarch64 | s390x | riscv64)
        compiler=("$1-linux-gnu-gcc" -static) double=(bits_lookback_f64) archiver=$1-linux-gnu-ar emulator=("qemu-$1")
        flags=(-D CMAKE_SYSTEM_NAME=Linux -D CMAKE_SYSTEM_PROCESSOR="$1" -D CMAKE_CROSSCOMPILING_EMULATOR="qemu-$1")
        ;;
    *) fail "$1: found, expected one of ${platforms[*]}" ;;
    esac
    lookback=("${emulator[@]}" "$folder/bin/lookback$suffix")
    [[ $1 == wasm ]] || flags+=(-D CMAKE_C_COMPILER="${compiler[0]}" -D CMAKE_EXE_LINKER_FLAGS="${compiler[1]-}")
    (
        if [[ $libraries ]]; then
            quietly cmake/toolchains/libraries.sh "$libraries" "${compiler[*]} -O2" "$archiver" cjson utf8proc zlib
            export PKG_CONFIG_LIBDIR=$libraries/lib/pkgconfig PKG_CONFIG_PATH=$libraries/lib/pkgconfig
        fi
        quietly cmake -S . -B "$folder" -G Ninja -D CMAKE_BUILD_TYPE="$type" -D LOOKBACK_PROGRAMS=ON -D LOOKBACK_PLOT=OFF \
            -D LOOKBACK_MPI=OFF -D LOOKBACK_OPENMP=OFF -D LOOKBACK_BLAS=none -D LOOKBACK_SHARED=OFF "${flags[@]}"
        quietly ninja -C "$folder" lookback_program portable_tests "${double[@]}"
        quietly ctest --test-dir "$folder" --output-on-failure -R "^bits_lookback${double:+(_f64)?}\$"
    )
    echo "passed   $1, small models${double:+ in both precisions}"
}

platforms=(gcc clang gcc-O1 clang-O1 musl wasm aarch64 s390x riscv64)
(($#)) || set -- "${platforms[@]}"
[[ $1 == gcc ]] || set -- gcc "$@"
for platform; do
    build "$platform"
    case $platform in
    aarch64 | s390x | riscv64) check "$platform" 10 ;;
    gcc* | clang*)
        lookback=("$folder/tests/core/portable_set")
        for PORTABLE_SET in baseline avx2 avx512; do
            export PORTABLE_SET
            status=0
            "${lookback[@]}" --version >/dev/null || status=$?
            if ((status == 77)); then echo "skipped: $platform, $PORTABLE_SET"; else check "$platform-$PORTABLE_SET"; fi
        done
        lookback=("$folder/bin/lookback")
        ;;
    *) check "$platform" ;;
    esac
    mkdir -p "$work/$platform"
    check_exported "$platform"
done
