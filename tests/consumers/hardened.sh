#!/bin/sh
# What the programs and shared libraries of an installed Lookback are protected by, as checksec sees it.
#   hardened.sh PREFIX
set -eu
command -v checksec >/dev/null || {
    echo "not run: checksec is missing"
    exit 0
}
failed=0
check() { # FILE
    file=$1
    found=$(checksec --format=csv --file="$file")
    for wanted in 'Full RELRO' 'Canary found' 'NX enabled' 'No RPATH' 'No RUNPATH'; do
        case $found in
        *"$wanted"*) ;;
        *)
            echo "$file: no \"$wanted\" in $found"
            failed=1
            ;;
        esac
    done
    case $found in
    *'PIE enabled'*,Yes,* | *DSO*,Yes,*) ;;
    *)
        echo "$file: not fortified, or not position-independent: $found"
        failed=1
        ;;
    esac
}

cd "$1"
find . -type f \( -path '*/bin/lookback' -o -name 'liblookback*.so.*' \) >"${TMPDIR:-/tmp}/hardened.$$"
while read -r path; do check "$path"; done <"${TMPDIR:-/tmp}/hardened.$$"
rm "${TMPDIR:-/tmp}/hardened.$$"
exit $failed
