#!/bin/bash
# Runs the tests of a clone of this commit on a Debian that has only git: all of the release build, and with each further
# compiler of the release what computes, which gives the bits of this system. Everything is built, and a warning is an error.
#   compilers.sh RELEASE COMPILER...    as root; COMPILER is clang or gcc-13
set -euo pipefail

release=$1
shift
here=$(cd -- "$(dirname -- "$0")" && pwd)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

mkdir "$work/user"
git clone --quiet --no-hardlinks "$here/../.." "$work/user/lookback"
{
    echo 'set -euxo pipefail; export LOOKBACK_WERROR=ON LOOKBACK_TEST_SECONDS=3600 OMP_WAIT_POLICY=passive; cd lookback'
    echo "./run test release -LE '^proof\$'"
    for compiler; do
        echo "apt-get install -qy --no-install-recommends $compiler; rm -rf build"
        echo "CC=$compiler ./run test $([[ $compiler == clang ]] && echo release-clang) -L '^(tensor|autograd|nn|models|train)\$'"
    done
    echo "tests/package/same_sums.sh gcc $* | diff ../bits -"
} >"$work/user/use.sh"
"$here/same_sums.sh" gcc clang >"$work/user/bits"
"$here/bare.sh" "$release" "$work/user" git ca-certificates
