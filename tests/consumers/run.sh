#!/bin/sh
# Does with an installed Lookback what its users do: builds each consumer of this folder against PREFIX alone and runs it.
#   run.sh PREFIX [SOURCE]    with SOURCE, a checkout, also what builds Lookback as a part of itself
# A PREFIX with the component `engine` alone has its consumers alone.
set -eu

test $# -ge 1 || {
    sed -n '2,4s/^# //p' "$0" >&2
    exit 2
}
prefix=$(cd -- "$1" && pwd)
here=$(cd -- "$(dirname -- "$0")" && pwd)
checkout=$(cd -- "$here/../.." && pwd)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

# The consumers see a copy of themselves and the prefix.
cp -r "$here" "$work/consumers"
cp -r "$checkout/examples/arrays" "$checkout/examples/data" "$checkout/examples/own" "$work/consumers"
source=
if [ $# -ge 2 ]; then
    # A copy without .git and build folders, where nobody else builds at the same time.
    source=$work/lookback
    mkdir "$source"
    (cd -- "$2" && tar -cf - CMakeLists.txt LICENSE cmake include src) | tar -xf - -C "$source"
fi
cd "$work/consumers"

libdir=$(dirname -- "$(dirname -- "$(find "$prefix" -name lookback_engine.pc)")")
export PKG_CONFIG_PATH="$libdir/pkgconfig" CMAKE_PREFIX_PATH="$prefix" MAKEFLAGS=
# Lookback is compiled in another folder each time, which does not matter to ccache.
if command -v ccache >/dev/null; then export CMAKE_C_COMPILER_LAUNCHER=ccache CCACHE_BASEDIR="$work" CCACHE_NOHASHDIR=1; fi
unset CFLAGS CXXFLAGS LDFLAGS CPATH LIBRARY_PATH LD_LIBRARY_PATH

failed=0
consumer() { # NAME COMMAND...
    name=$1
    shift
    if "$@" >"$work/log" 2>&1; then
        printf 'passed   %s\n' "$name"
    else
        failed=$((failed + 1))
        printf 'FAILED   %s\n' "$name"
        sed 's/^/    /' "$work/log"
    fi
}

skipped() { # NAME WHY
    printf 'skipped  %s: %s\n' "$1" "$2"
}

result() {
    test $failed -eq 0 || {
        echo "$failed failed" >&2
        return 1
    }
}

# Nobody waits for a fast program here, and an unoptimised one is compiled in a third of the time.
cmake_project() { # FOLDER [FLAG]...
    folder=$1
    shift
    cmake -S "$folder" -B "$work/build" -DCMAKE_BUILD_TYPE=Debug "$@" &&
        cmake --build "$work/build" --parallel 2 && ctest --test-dir "$work/build" --output-on-failure --no-tests=error
    status=$?
    rm -rf "$work/build"
    return $status
}

headers() { # COMPILER LANGUAGE STANDARD...
    compiler=$1 language=$2
    shift 2
    for standard; do
        for header in "$prefix"/include/lookback/*.h; do
            # It renames what others declare, and declares nothing.
            test "${header##*/}" != f64_names.h || continue
            for precision in -ULB_REAL_IS_DOUBLE -DLB_REAL_IS_DOUBLE; do
                printf '#include <lookback/%s>\n' "${header##*/}" |
                    "$compiler" -x "$language" -std="$standard" -Wall -Wextra -Wpedantic -Wconversion -Wshadow -Werror \
                        -fsyntax-only $precision "-I$prefix/include" - || return 1
            done
        done
    done
}

# What is installed names neither the checkout nor the folder in which it lies, and brings no search path.
moves() {
    ! grep -rlF -e "$prefix" -e "$checkout" "$prefix" && ! readelf --dynamic "$libdir"/*.so "$prefix"/bin/* 2>/dev/null | grep -E 'RPATH|RUNPATH'
}

core() {
    cmake -S "$source" -B "$work/core" -DCMAKE_BUILD_TYPE=Release -DLOOKBACK_FILES=OFF -DLOOKBACK_PLOT=OFF \
        -DLOOKBACK_TESTS=OFF &&
        CMAKE_BUILD_PARALLEL_LEVEL=2 cmake --install "$work/core" --prefix "$work/a core" --strip || return 1
    # It links neither of these, and nobody looked for them.
    ! readelf --dynamic "$work/a core/lib/liblookback.so" | grep -E 'NEEDED.*(cjson|utf8proc|libz|cairo|harfbuzz|fribidi|freetype)' || return 1
    ! grep -E '^(CJSON|UTF8PROC|ZLIB|STB|CAIRO|HARFBUZZ|FRIBIDI|FREETYPE|CHECK)_|FONT_DIR' "$work/core/CMakeCache.txt" || return 1
    # Code for three generations of processors, for two of them twice, and no fonts, which alone have 1.4 MB.
    core_size=$(wc -c <"$work/a core/lib/liblookback.so")
    test "$core_size" -lt 1250000 || {
        echo "the core has $core_size bytes" >&2
        return 1
    }
    CMAKE_PREFIX_PATH="$work/a core" cmake_project core
}

# The engine from the sources, where nobody looks for what texts and figures need.
engine() {
    cmake -S "$source" -B "$work/engine" -DCMAKE_BUILD_TYPE=Release -DLOOKBACK_TEXT=OFF -DLOOKBACK_PLOT=OFF -DLOOKBACK_TESTS=OFF &&
        CMAKE_BUILD_PARALLEL_LEVEL=2 cmake --install "$work/engine" --component engine --prefix "$work/an engine" || return 1
    ! grep -E '^(UTF8PROC|STB|CAIRO|HARFBUZZ|FRIBIDI|FREETYPE|CHECK)_|FONT_DIR' "$work/engine/CMakeCache.txt" || return 1
    CMAKE_PREFIX_PATH="$work/an engine" cmake_project engine
}

program() {
    "$prefix/bin/lookback" --version && "$prefix/bin/lookback" predict --help
}

# Each program gives the outputs of `predict`, and refuses what `predict` refuses, with its message and its status.
same_outputs() { # PROGRAM
    "$1" model <words.txt | cmp - expected.txt || return 1
    for input in "damaged words.txt" "model invalid.txt" "missing words.txt"; do
        refused=0
        "$1" "${input% *}" <"${input#* }" >/dev/null 2>message || refused=$?
        test $refused -ge 64 && test $refused -le 66 && test -s message || return 1
    done
}

predict() {
    head -n 200 data/spanish_train.tsv >pairs.tsv
    cut -f 1 data/spanish_train.tsv >words.txt
    printf '\303\050\n' >invalid.txt
    "$prefix/bin/lookback" train pairs.tsv --target-separator ' ' --embed 16 --hidden 32 --steps 200 --quiet --out model &&
        "$prefix/bin/lookback" predict --only-outputs model <words.txt >expected.txt || return 1
    head -c 20000 model/model.safetensors >damaged
    cmake -S predict -B "$work/predict" -DCMAKE_BUILD_TYPE=Release && cmake --build "$work/predict" && make -C predict || return 1
    for program in "$work/predict/lookback_predict" "$work/predict/lookback_predict_static" predict/apply; do
        LD_LIBRARY_PATH=$libdir same_outputs "$program" || return 1
    done
    # An archive of cJSON is not everywhere: packages are built with it.
    needed='libc|libm|ld-linux-.*'
    beside=$(sed -n 's/^Libs.private: *//p' "$libdir/pkgconfig/lookback_predict.pc" | tr ' ' '\n' | sed -n 's/^-l/|lib/p' | tr -d '\n')
    ! readelf --dynamic "$libdir/liblookback_predict.so" | sed -n 's/.*NEEDED.*\[\(.*\)\]/\1/p' |
        grep -vE "^($needed$beside)\.so" || return 1
    strip -o stripped "$libdir/liblookback_predict.so"
    test "$(wc -c <stripped)" -le 950000 || {
        wc -c stripped
        return 1
    }
}

# One for each command, and one for all.
manual() {
    for page in "$prefix"/share/man/man1/*.1; do
        name=$(basename "$page" .1)
        man -M "$prefix/share/man" "$name" | grep -F "$name" || return 1
    done
    for command in $("$prefix/bin/lookback" help | sed -n '/^Commands/,/^$/s/^  \([a-z]*\) .*/\1/p'); do
        man -M "$prefix/share/man" "lookback-$command" | grep -F "lookback $command [OPTION]..." || return 1
    done
}

completion() {
    # shellcheck disable=SC2016 # the words are for that shell
    bash -c '. "$0/share/bash-completion/completions/lookback"
        complete -p lookback
        HOME=$0 COMP_WORDS=("~/bin/lookback" train --attention lu) COMP_CWORD=3
        _lookback
        test "${COMPREPLY[*]}" = luong' "$prefix" &&
        test -s "$prefix/share/zsh/site-functions/_lookback" &&
        test -s "$prefix/share/fish/vendor_completions.d/lookback.fish"
}

consumer "the prefix can be moved" moves
for compiler in gcc clang; do
    if command -v $compiler >/dev/null; then
        consumer "each header alone, $compiler, C99 to C23" headers $compiler c c99 c11 c17 c2x
    else
        skipped "headers in C, $compiler" "there is no $compiler"
    fi
done
for compiler in g++ clang++; do
    if command -v $compiler >/dev/null; then
        consumer "each header alone, $compiler, C++11 to C++20" headers $compiler c++ c++11 c++14 c++17 c++20
    else
        skipped "headers in C++, $compiler" "there is no $compiler"
    fi
done
consumer "the engine, find_package" cmake_project engine
consumer "the engine, pkg-config and make" make -C engine
test -e "$libdir/pkgconfig/lookback.pc" || {
    result
    exit
}
consumer "C, find_package" cmake_project find_package
if [ -e "$libdir/liblookback_mpi.so" ] && command -v mpirun >/dev/null; then
    consumer "C, find_package, two ranks" cmake_project mpi
else
    skipped "C, find_package, two ranks" "there is no MPI"
fi
consumer "C++, pkg-config and make" make -C pkg_config LIBRARY=lookback
consumer "C++, pkg-config and make, double" make -C pkg_config -B LIBRARY=lookback_f64
consumer "float and double in one program" make -C two_precisions
# Debian 13 has no archive of Cairo.
case $(cc -print-file-name=libcairo.a) in
*/*) consumer "C, nothing but archives" make -C static ;;
*) skipped "C, nothing but archives" "there is no libcairo.a" ;;
esac
consumer "C, dlopen" make -C dlopen
if command -v python3 >/dev/null; then
    consumer "Python, ctypes" python3 ctypes/train.py "$libdir/liblookback.so.0"
else
    skipped "Python, ctypes" "there is no python3"
fi
if [ -x "$prefix/bin/lookback" ]; then
    consumer "the program" program
    consumer "the library for prediction" predict
    consumer "completion in bash" completion
    if command -v man >/dev/null; then
        consumer "the manual" manual
    else
        skipped "the manual" "there is no man"
    fi
fi
if [ -n "$source" ]; then
    consumer "add_subdirectory" cmake_project subdirectory -DLOOKBACK_SOURCE="$source"
    consumer "FetchContent, a core" cmake_project subdirectory -DLOOKBACK_SOURCE="$source" -DFETCH=ON \
        -DLOOKBACK_FILES=OFF -DLOOKBACK_PLOT=OFF
    consumer "a core without files and figures" core
    consumer "the engine from its sources" engine
fi
result
