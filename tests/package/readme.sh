#!/bin/bash
# Runs all commands of README, in their order, in a clone of this commit on a Debian that has only git, and compares what they
# print with what README shows. Each is printed with the seconds that have passed.
#   readme.sh [RELEASE]...    as root; without RELEASE on Debian 12 and on Debian 13
set -euo pipefail

(($#)) || set -- bookworm trixie
unset LOOKBACK_WERROR # a user does not have it
here=$(cd -- "$(dirname -- "$0")" && pwd)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

# The clone has the name that is likely for it.
mkdir "$work/user"
git clone --quiet --no-hardlinks "$here/../.." "$work/user/lookback"

# What the page shows is compared with what its commands print.
{
    printf '%s\n' 'set -euo pipefail' 'exec 3>&1' 'BASH_XTRACEFD=3' "PS4='+ \$SECONDS s: '" 'cd lookback' 'set -x'
    awk -v whole=1 -v compare=tests/documents/same_output.awk -f "$here/../documents/outputs.awk" "$work/user/lookback/README.md"
    printf '%s\n' 'git diff --exit-code'
} >"$work/user/use.sh"

for release; do
    "$here/bare.sh" "$release" "$work/user" git ca-certificates 2>&1 | tee "$work/log"
    ! grep -qx 'no model' "$work/log" || exit 1
    echo "every command of README works on a Debian ($release) that has only git"
done
