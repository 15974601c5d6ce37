#!/bin/bash
# Runs all commands of README, in their order, in a clone of this commit on a Debian that has only git. Each is printed with
# the seconds that have passed.
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

# The blocks, and the commands of ./run that a sentence names; each of those runs once. set -e overlooks what fails before &&.
{
    printf '%s\n' 'set -euo pipefail' "PS4='+ \$SECONDS s: '" 'cd lookback' 'set -x'
    awk '
        function run(line) { seen[line]; print line (line ~ /\\$/ ? "" : " || exit") }
        /^```c$/ { print "cat >program.c <<\"END\""; fence = 1; next }
        /^```python$/ { print "python <<\"END\""; fence = 1; next }
        /^```$/ { print "END"; fence = 0; next }
        fence { print; next }
        /^    / { sub(/ +#.*/, ""); run(substr($0, 5)); next }
        {
            while (match($0, /`\.\/run [^`]*`/)) {
                line = substr($0, RSTART + 1, RLENGTH - 2)
                if (!(line in seen)) run(line)
                $0 = substr($0, RSTART + RLENGTH)
            }
        }' "$work/user/lookback/README.md"
    printf '%s\n' 'git diff --exit-code'
} >"$work/user/use.sh"

for release; do
    "$here/bare.sh" "$release" "$work/user" git ca-certificates 2>&1 | tee "$work/log"
    ! grep -qx 'no model' "$work/log" || exit 1
    echo "every command of README works on a Debian ($release) that has only git"
done
