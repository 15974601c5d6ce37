#!/bin/bash
# Translates the same thousand words through each door by which a model leaves: the program, the C library, the library for
# prediction, Python, npm, and one C file. Prints the size of what each needs and its processor time, the table of
# docs/shipping.md, and fails unless all of them write what `lookback predict` writes. Then the model gets a lexicon of
# 5,000 words: each door must write all of its entries, and the other words as before; and one without case, whose spellings
# each door must prefer alike. At last a model of subwords: each
# door must cut a thousand sentences into the same pieces, and translate them alike.
#   doors.sh PACKAGES BUILD    the folder of ./run package, and that of the build of the preset release
set -euo pipefail

packages=$(cd -- "$1" && pwd)
build=$(cd -- "$2" && pwd)
checkout=$(cd -- "$(dirname -- "$0")/../.." && pwd)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work"
export OMP_NUM_THREADS=1
unset OPENBLAS_CORETYPE OPENBLAS_L2_SIZE

"$build/bin/lookback" train "$checkout/examples/data/spanish_train.tsv" --dev "$checkout/examples/data/spanish_dev.tsv" \
    --target-separator ' ' --steps 400 --quiet --out model >/dev/null
cp model/model.safetensors model.st
cut -f 1 "$checkout"/examples/data/spanish_{train,dev}.tsv >known
# Words, and each joined with the next one, until they are a thousand.
paste -d '\0' known <(tail -n +2 known) | cat known - | head -n 1000 >words
test "$(wc -l <words)" -eq 1000
: >none

cmake --install "$build" --prefix "$work/prefix" --strip >/dev/null
lib=$(dirname -- "$(find "$work/prefix" -name liblookback_predict.a)")
compile() { # OUTPUT FILE...
    cc -std=c11 -O2 -I"$work/prefix/include" -o "$@"
}
compile whole "$checkout/tests/consumers/predict/apply.c" -L"$lib" -llookback -Wl,-rpath,"$lib"
compile shared "$checkout/tests/consumers/predict/apply.c" -L"$lib" -llookback_predict -Wl,-rpath,"$lib"
compile archive "$checkout/tests/consumers/predict/apply.c" "$lib/liblookback_predict.a" -lm -s

python3 -m venv --without-pip python
python3 -m zipfile -e "$packages"/lookback-*_"$(uname -m)".whl python/lib/python3*/site-packages
chmod +x python/lib/python3*/site-packages/lookback/native/lookback
cat >apply.py <<'END'
import sys
import lookback
lookback.set_threads(1)
model = lookback.open(sys.argv[1])
for line in sys.stdin:
    print(model(line.rstrip("\n")))
END

npm install --offline --ignore-scripts --no-audit --no-fund --silent "$packages"/lookback-*.tgz
cat >apply.mjs <<'END'
import { readFileSync } from "node:fs";
import { open } from "lookback";
const model = await open(readFileSync(process.argv[2]));
for (const line of readFileSync(0, "utf8").split("\n").filter(Boolean)) console.log(model.translate(line).outputs[0].text);
END

export_c() { # MODEL TYPE FOLDER [FLAG]...
    local model=$1 type=$2 folder=$3
    shift 3
    mkdir "$folder"
    "$build/bin/lookback" export "$model" -o "$folder/g2p.c" --type "$type" --beam 5 --quiet "$@" >/dev/null
    cc -std=c99 -O2 -s -I"$folder" -o "$folder/apply" "$checkout/tests/export/lines.c" "$folder/g2p.c" -lm
}
for type in f32 int8; do export_c model $type $type; done

# Bytes of files, and of each of them as gzip.
bytes() { # FILE...
    find -L "$@" -type f | while IFS= read -r file; do
        echo "$(wc -c <"$file") $(gzip -9cq "$file" | wc -c)"
    done | awk '{ plain += $1; packed += $2 } END { printf "%d kB | %d kB", plain / 1000, packed / 1000 }'
}

# Milliseconds of a processor that a command takes.
milliseconds() { # INPUT OUTPUT COMMAND...
    local input=$1 output=$2 TIMEFORMAT='%U %S'
    shift 2
    { time "$@" <"$input" >"$output" 2>/dev/null; } 2>&1 | awk '{ print ($1 + $2) * 1000 }'
}

failed=0
printf '| way | size | as gzip | start, ms | a word, ms | differ |\n|---|---|---|---|---|---|\n'
door() { # NAME SIZES ALLOWED COMMAND...
    local name=$1 size=$2 allowed=$3 start all differ
    shift 3
    all=$(milliseconds words found "$@")
    start=$(milliseconds none /dev/null "$@")
    differ=$(paste -d '\t' expected found | awk -F '\t' '$1 != $2 { n++ } END { print n + 0 }')
    test "$(wc -l <found)" -eq "$(wc -l <words)" || differ=lines
    awk -v name="$name" -v size="$size" -v start="$start" -v all="$all" -v differ="$differ" \
        'BEGIN { printf "| %s | %s | %.0f | %.1f | %s |\n", name, size, start, (all - start) / 1000, differ }'
    test "$differ" != lines && test "$differ" -le "$allowed" || failed=1
}

"$build/bin/lookback" predict --only-outputs model <words 2>/dev/null >expected
site=$(echo python/lib/python3*/site-packages/lookback)
door "program" "$(bytes "$work/prefix/bin/lookback")" 0 "$work/prefix/bin/lookback" predict --only-outputs model
door "C library" "$(bytes "$lib/liblookback.so")" 0 ./whole model
door "library for prediction, shared" "$(bytes "$lib/liblookback_predict.so")" 0 ./shared model
door "library for prediction, archive" "$(bytes archive)" 0 ./archive model
door "Python" "$(bytes "$site")" 0 python/bin/python apply.py model
door "npm" "$(bytes node_modules/lookback/{index.js,lookback.js,lookback.wasm})" 0 node apply.mjs model.st
door "one C file, f32" "$(bytes f32/apply)" 0 f32/apply
door "one C file, int8" "$(bytes int8/apply)" 20 int8/apply

# Entries of symbols that the model knows and of others, with answers that it would not write, and with those that it
# would: a C file leaves these to it.
paste words expected | awk -F '\t' '
    NR <= 500 { print $1 "\t" $2; next }
    { print $1 "\tx " NR "\n" $1 "7\ta b " NR "\n" $1 "ñé\tk a s a" }
    NR % 2 { for (i = 0; i < 12; i++) print $1 "-" i "\ts o l" }' | awk -F '\t' '!seen[$1]++' | head -n 5000 >lexicon.tsv
test "$(wc -l <lexicon.tsv)" -eq 5000
"$build/bin/lookback" join model --lexicon lexicon.tsv --out exact >/dev/null
cp exact/model.safetensors exact.st
export_c exact int8 exceptions
export_c exact f32 all --lexicon all
cut -f 1 lexicon.tsv >known_words
cut -f 2 lexicon.tsv >known_outputs
awk -F '\t' 'NR == FNR { known[$1]; next } !($1 in known)' lexicon.tsv words | cat - <(sed 's/^/ab/' words | head -n 300) >others
"$build/bin/lookback" predict --only-outputs model <others 2>/dev/null >other_outputs

exact_door() { # NAME ALLOWED COMMAND... : how many of the entries, and of the other words, differ
    local name=$1 allowed=$2 known other
    shift 2
    "$@" <known_words 2>/dev/null >found
    known=$(paste -d '\t' known_outputs found | awk -F '\t' '$1 != $2 { n++ } END { print n + 0 }')
    "$@" <others 2>/dev/null >found
    other=$(paste -d '\t' other_outputs found | awk -F '\t' '$1 != $2 { n++ } END { print n + 0 }')
    echo "$name: $known of 5000 entries and $other of $(wc -l <others) other words differ"
    test "$known" -eq 0 && test "$other" -le "$allowed" || failed=1
}
exact_door "program" 0 "$work/prefix/bin/lookback" predict --only-outputs exact
exact_door "C library" 0 ./whole exact
exact_door "library for prediction, shared" 0 ./shared exact
exact_door "library for prediction, archive" 0 ./archive exact
exact_door "Python" 0 python/bin/python apply.py exact
exact_door "npm" 0 node apply.mjs exact.st
exact_door "one C file, int8, exceptions" 20 exceptions/apply
exact_door "one C file, f32, all" 0 all/apply

# A lexicon without case: an entry that is spelled as the text comes first, and sharp s is no double s.
printf 'job\tx o b\nJob\ty o b\nMaße\tm a s\nMasse\tm a s e\nÉté\te t e\n' >folded.tsv
printf '%s\n' Job job JOB Maße maße Masse MASSE été ÉTÉ >folded_words
printf '%s\n' 'y o b' 'x o b' 'x o b' 'm a s' 'm a s' 'm a s e' 'm a s e' 'e t e' 'e t e' >folded_outputs
"$build/bin/lookback" join model --lexicon folded.tsv --lexicon-case fold --out folded >/dev/null
cp folded/model.safetensors folded.st
export_c folded f32 folded_c
folded_door() { # NAME COMMAND...
    local name=$1
    shift
    "$@" <folded_words 2>/dev/null | cmp -s folded_outputs - && echo "$name: all spellings are as they should be" && return
    echo "$name: another answer to a spelling"
    failed=1
}
folded_door "program" "$work/prefix/bin/lookback" predict --only-outputs folded
folded_door "C library" ./whole folded
folded_door "library for prediction, shared" ./shared folded
folded_door "library for prediction, archive" ./archive folded
folded_door "Python" python/bin/python apply.py folded
folded_door "npm" node apply.mjs folded.st
folded_door "one C file" folded_c/apply

# Sentences of the training, changed ones, and texts of ten scripts that the model has never seen.
corpus=$checkout/examples/data/sentences
"$build/bin/lookback" train --train "$corpus.de" --train-targets "$corpus.en" --subwords 200 --tied --embed 32 \
    --hidden 64 --batch 16 --steps 600 --quiet --out pieces >/dev/null
cp pieces/model.safetensors pieces.st
python3 - "$corpus.de" >sentences <<'END'
import random
import sys
known = open(sys.argv[1], encoding="utf-8").read().splitlines()
dice = random.Random(52)
scripts = ["aßé", "αψώ", "ждя", "שָׁל", "مِع", "क्षि", "ที่", "각힣", "漢字カ", "🙂👩\u200d🚀", " ", "  ", "7.", "12", "?!", "\u2581<0x41>"]
def changed(text):
    at, end = sorted(dice.randrange(len(text)) for _ in range(2))
    return text[:at] + dice.choice(["", " ", text[at:end].upper(), dice.choice(known)[:20]]) + text[end:]
def made_up():
    return "x" + "".join(dice.choice(dice.choice(scripts)) for _ in range(dice.randrange(1, 14)))
print(*known, *(changed(dice.choice(known)) for _ in range(350)), *(made_up() for _ in range(350)), sep="\n")
END
cat >cut.c <<'END'
#include <lookback/translate.h>
#include <stdio.h>
#include <string.h>
int main(int count, char **arguments)
{
    static char line[4096];
    lb_error error = {0};
    lb_translator *model = count == 2 ? lb_translator_open(arguments[1], &error) : NULL;
    while (model && fgets(line, sizeof line, stdin)) {
        const char *text = line;
        line[strcspn(line, "\n")] = '\0';
        lb_translations *all = lb_translate_all(model, &text, 1, (lb_translate_config){0}, &error);
        if (!all) break;
        for (int64_t i = 0; i < all->text->length; i++) printf("%s|", all->text->symbol[i]);
        printf("\t%s\n", all->text->output->text);
        lb_translations_free(all);
    }
    lb_translator_close(model);
    return error.status ? 1 : 0;
}
END
compile cut_whole cut.c -L"$lib" -llookback -Wl,-rpath,"$lib"
compile cut_shared cut.c -L"$lib" -llookback_predict -Wl,-rpath,"$lib"
compile cut_archive cut.c "$lib/liblookback_predict.a" -lm -s
cat >cut.py <<'END'
import sys
import lookback
lookback.set_threads(1)
model = lookback.open(sys.argv[1])
for line in sys.stdin:
    best = model.translate(line.rstrip("\n"))[0]
    print(*best.source, "\t" + best.text, sep="|")
END
cat >cut.mjs <<'END'
import { readFileSync } from "node:fs";
import { open } from "lookback";
const model = await open(readFileSync(process.argv[2]));
for (const line of readFileSync(0, "utf8").split("\n").filter(Boolean)) {
    const { symbols, outputs } = model.translate(line);
    console.log([...symbols, "\t" + outputs[0].text].join("|"));
}
END
export_c pieces f32 pieces_c
./cut_whole pieces <sentences >pieces_expected

# How many sentences differ, in pieces where the door shows them, or in outputs. A C file rounds otherwise, where two
# outputs are nearly equally likely.
sentence_door() { # NAME ALLOWED COMMAND...
    local name=$1 allowed=$2 differ
    shift 2
    "$@" <sentences 2>/dev/null >found
    differ=$(awk -F '\t' 'NR == FNR { all[FNR] = $0; text[FNR] = $2; next } { n += $0 != all[FNR] && (NF > 1 || $0 != text[FNR]) }
        END { print FNR == 1000 ? n + 0 : "lines" }' pieces_expected found)
    echo "$name: $differ of 1000 sentences differ"
    test "$differ" != lines && test "$differ" -le "$allowed" || failed=1
}
sentence_door "program" 0 "$work/prefix/bin/lookback" predict --only-outputs pieces
sentence_door "C library" 0 ./cut_whole pieces
sentence_door "library for prediction, shared" 0 ./cut_shared pieces
sentence_door "library for prediction, archive" 0 ./cut_archive pieces
sentence_door "Python" 0 python/bin/python cut.py pieces
sentence_door "npm" 0 node cut.mjs pieces.st
sentence_door "one C file, f32" 3 pieces_c/apply
exit $failed
