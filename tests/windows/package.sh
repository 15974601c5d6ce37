#!/bin/bash
# What is published for Windows, in a fresh folder under wine, where there is no Python: the zip, whose program predicts and
# whose library a C program links; and of the wheel the library, its layouts, and what its files need and export.
#
#     tests/windows/package.sh build/packages build/release
set -euo pipefail
packages=$(cd -- "$1" && pwd) linux=$(cd -- "$2" && pwd)/bin/lookback tests=$PWD/tests data=$PWD/examples/data
export WINEDEBUG=-all WINEPREFIX=$PWD/build/wine LC_ALL=C.UTF-8 OMP_WAIT_POLICY=passive PYTHONDONTWRITEBYTECODE=1
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"

fail() {
    echo "FAILED: $*" >&2
    exit 1
}

gcc() { x86_64-w64-mingw32-gcc -std=c11 -Werror "$@"; }

needs() { # FILE...: all that is not in the folder is in every Windows
    local file found
    for file; do
        found=$(x86_64-w64-mingw32-objdump -p "$file" | sed -n 's/.*DLL Name: //p' | grep -vixE 'kernel32\.dll|msvcrt\.dll' || true)
        test -z "$found" || fail "$file needs $found"
    done
}

echo "the zip: program and library predict as on Linux"
python3 -m zipfile -e "$packages"/lookback-*-windows.zip .
cd lookback-*-windows
for part in README.txt LICENSE.txt licenses/{cjson,utf8proc,libz-mingw-w64-dev,gcc-mingw-w64,mingw-w64}*; do test -s "$part"; done
cut -f 1 "$data"/spanish_{dev,train}.tsv >words
"$linux" predict "$data/spanish.safetensors" --only-outputs <words >expected 2>notes
test "$(wc -l <expected)" -ge 500
needs lookback.exe liblookback_predict.dll
wine lookback.exe predict "$data/spanish.safetensors" --only-outputs <words >there 2>notes
cmp there expected
gcc "$tests/consumers/predict/apply.c" -Iinclude liblookback_predict.dll.a -o apply.exe
wine apply.exe "$data/spanish.safetensors" <words | tr -d '\r' >there
cmp there expected
include=$PWD/include

echo "the wheel: library and program"
mkdir ../wheel && cd ../wheel
python3 -m zipfile -e "$packages"/lookback-*-win_amd64.whl .
grep -qx 'Tag: py3-none-win_amd64' lookback-*.dist-info/WHEEL
needs lookback/native/*
python3 "$tests/python/layouts.py" lookback .
gcc layouts.c -I"$include" -o layouts.exe
wine layouts.exe | tr -d '\r' >there
cmp there expected
# All that Python calls is there, except for drawing.
x86_64-w64-mingw32-objdump -p lookback/native/liblookback.dll | sed -n 's/^\t\[ *[0-9]*\] \([A-Za-z]\)/\1/p' >exports
lacks=$(grep -vxFf exports functions)
test "$lacks" = lb_heatmap_save_grid || fail "the library lacks $lacks, expected lb_heatmap_save_grid"
! grep -v '^lb_' exports || fail "these names are not ours"
gcc "$tests/consumers/train.c" -I"$include" lookback/native/liblookback.dll -o train.exe
cp lookback/native/liblookback.dll .
wine train.exe
test "$(wine lookback/native/lookback.exe --version | sed -n 1p)" = "$("$linux" --version | sed -n 1p)"
