#!/bin/bash
# lookback.exe under wine, and beside a build for Linux that multiplies by the same kernels (LOOKBACK_BLAS=none):
#
#     tests/windows/program.sh build/windows build/no-blas
#
# The same bits and outputs, UTF-8 and long paths, CRLF, names that no file can have, a folder in use, trainings side by
# side, Ctrl-C, and an exported model.
set -euo pipefail
windows=$(cd -- "$1" && pwd) linux=$(cd -- "$2" && pwd)/bin/lookback tests=$PWD/tests data=$PWD/examples/data
export WINEDEBUG=-all WINEPREFIX=$windows/../wine LC_ALL=C.UTF-8 OMP_WAIT_POLICY=passive
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"

lookback() { wine "$windows/bin/lookback.exe" "$@"; }

fail() {
    echo "FAILED: $*" >&2
    exit 1
}

says() { # TEXT COMMAND...: it fails, and says so
    local text=$1
    shift
    ! "$@" >said 2>&1 || fail "$* succeeded"
    grep -qF -- "$text" said || fail "$*: found \"$(tail -n 1 said)\", expected \"$text\""
}

lookback --version >version
! grep -q $'\r' version || fail "a line ends with CR"

echo "200 steps have the same bits"
small=(--hidden 64 --evaluate-every 100 --steps 200 --quiet)
lookback train "$data/spanish_train.tsv" "${small[@]}" --out 'größe 日本\words' >there
"$linux" train "$data/spanish_train.tsv" "${small[@]}" --out here >expected
cmp 'größe 日本/words/model.safetensors' here/model.safetensors
cmp there expected
paste "$data/sentences.en" "$data/sentences.de" | head -n 300 >sentences.tsv
lookback train sentences.tsv "${small[@]}" --subwords 200 --out texts >there
"$linux" train sentences.tsv "${small[@]}" --subwords 200 --out texts-here >expected
cmp texts/model.safetensors texts-here/model.safetensors

echo "1000 words and 300 sentences have the same outputs"
cut -f 1 "$data/spanish_train.tsv" | awk '{ word[NR] = $0 } END { for (i = 0; i < 1000; i++) print word[i % NR + 1] word[i * 7 % 97 + 1] "\r" }' >words.txt
lookback predict 'größe 日本/words' <words.txt >there
"$linux" predict here <words.txt >expected
cmp there expected
test "$(wc -l <there)" -eq 1000
cut -f 1 sentences.tsv >lines.txt
lookback predict texts lines.txt >there
"$linux" predict texts-here lines.txt >expected
cmp there expected
test "$(wc -l <there)" -eq 300

echo "a path of more than 260 letters"
long=$(printf '%080d/' 1 2 3 4)model
lookback train "$data/spanish_train.tsv" "${small[@]}" --out "$long" >there
cmp "$long/model.safetensors" here/model.safetensors

echo "names that no file can have are refused"
says 'NUL' lookback report here "$data/spanish_dev.tsv" -o NUL
says 'page.html:stream' lookback report here "$data/spanish_dev.tsv" -o page.html:stream
test ! -e page.html || fail "a stream was written"

echo "what would draw says that it cannot"
says 'is built without figures' lookback visualize here --input abc -o map.png
lookback report here "$data/spanish_dev.tsv" -o page.html
"$linux" report here "$data/spanish_dev.tsv" -o expected.html
grep -q '</html>' page.html

echo "an exported model computes as it does here"
lookback export here -o g2p.c
gcc=x86_64-w64-mingw32-gcc
$gcc -std=c99 -O2 -I. "$tests/export/lines.c" g2p.c -o g2p.exe
tr -d '\r' <words.txt >lines.txt
wine g2p.exe <lines.txt | tr -d '\r' >there
cc -std=c99 -O2 -I. "$tests/export/lines.c" g2p.c -o g2p -lm
./g2p <lines.txt >expected
cmp there expected

echo "the library for prediction translates as the program does"
$gcc -I"$tests/../include" -I"$windows/generated/include" "$tests/consumers/predict/apply.c" \
    "$windows/liblookback_predict.dll" -o apply.exe
cp "$windows/liblookback_predict.dll" .
wine apply.exe here <lines.txt | tr -d '\r' >there
"$linux" predict here --only-outputs <lines.txt >expected
cmp there expected

echo "trainings side by side"
lookback train "$data/spanish_train.tsv" --ensemble general:2 --hidden 32 --steps 20 --quiet --out several >there
"$linux" train "$data/spanish_train.tsv" --ensemble general:2 --hidden 32 --steps 20 --quiet --out several-here |
    sed 's/several-here/several/' >expected
cmp there expected

echo "Ctrl-C saves, and a folder in use is refused"
long=(train "$data/spanish_train.tsv" --hidden 32 --steps 100000 --evaluate-every 100 --out stopped)
mkfifo heard
wine "$windows/bin/lookback.exe" "${long[@]}" 2>heard &
program=$!
exec 3<heard
while read -r line <&3; do case $line in step*) break ;; esac done
cat <&3 >rest &
says 'another training writes to this folder' lookback "${long[@]}"
kill -INT "$program"
status=0
wait "$program" || status=$?
test "$status" -eq 130 || fail "Ctrl-C: found status $status, expected 130"
test -s stopped/checkpoint.safetensors
lookback inspect stopped >there
echo "all of it"
