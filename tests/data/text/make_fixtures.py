#!/usr/bin/env python3
"""Writes the fixtures of tests/data beside itself: what Python makes of letters, texts and counted words.

characters.txt  FIRST LAST KIND: all characters of this Python's Unicode, as ranges, by what they mean to a capital sigma
                beside them (cased, ignored, other), or space
lower.txt       CHARACTER LOWER...: the characters that have another lower case
texts.txt       TEXT|WORD|WORD...: text.lower().split(), non-ASCII as \\uXXXX or \\UXXXXXXXX, backslash and bar too
normal.txt      TEXT TAB NFC TAB NFD: unicodedata.normalize(), in UTF-8
vocabulary.txt  a line of words, and for each of some least counts a line with it and the symbols in the order of ids
"""

import os
import random
import sys
import unicodedata
from collections import Counter

os.chdir(os.path.dirname(os.path.abspath(__file__)))

characters = [c for c in range(sys.maxunicode + 1) if unicodedata.category(chr(c)) not in ("Cn", "Cs")]


def kind(character: str) -> str:
    """A capital sigma ends a word if a letter is before it and none behind, with ignored characters between."""
    if character.isspace():
        return "space"
    if (character + "Σ").lower().endswith("ς"):
        return "cased"
    return "ignored" if ("A" + character + "Σ").lower().endswith("ς") else "other"


ranges: list[list] = []
for c in characters:
    if ranges and ranges[-1][1] == c - 1 and ranges[-1][2] == kind(chr(c)):
        ranges[-1][1] = c
    else:
        ranges.append([c, c, kind(chr(c))])
with open("characters.txt", "w", encoding="ascii") as file:
    for first, last, name in ranges:
        print(f"{first:x} {last:x} {name}", file=file)

with open("lower.txt", "w", encoding="ascii") as file:
    for c in characters:
        if chr(c).lower() != chr(c):
            print(f"{c:x}", *(f"{ord(lower):x}" for lower in chr(c).lower()), file=file)

TEXTS = (
    "",
    " \t\n",
    "one",
    "  The Film,\tthe film.\r\nTHE END ",
    "<br /><br />It's GOOD!",
    "a\u00a0b\u2003c\u3000d\u1680e\u2028f\u2029g\u0085h\u202fi\u205fj",
    "a\x1cb\x1dc\x1ed\x1fe\x0bf\x0cg",
    "zero\u200bwidth\u2060joiner\ufeffmark\u180evowel",
    "ÉCOLE ÄÖÜ ẞ ß ÇA",
    "İSTANBUL I ı İ",
    "ΌΔΟΣ ΣΟΦΟΣ Σ ΣΣ",
    "ΟΔΟΣ. ΟΔΟΣ' ΟΔΟΣ's Σ.Α Α.Σ ΑΣ:Β ΑΣ\u00adΒ ΑΣ\u00ad 'Σ A\u0301Σ\u0301",
    "ΑΣ\u2003Α ΑΣ-Α ΑΣ1 1Σ ªΣ ⅣΣ ⓐΣ \U0001f130Σ ʰΣ",
    "Ⱥ Ⱦ K Å ǅ ǈ ᾈ Ω",
    "ᏣᎳᎩ Ა ᲐᲑ 𐐀𐐁 𞤀 𝐀 Ａ Ⅳ Ⓐ ꙀꙂ",
    "Привет МИР Ё",
    "日本語　テキスト 中文",
    "\U0001f600 ABC\U0001f600DEF",
    "a|b\\c",
    "الفيلم रोचक",
)


def escape(text: str) -> str:
    """ASCII without line ends and bars."""
    return "".join(
        c if " " <= c <= "~" and c not in "|\\" else f"\\u{ord(c):04x}" if c <= "\uffff" else f"\\U{ord(c):08x}"
        for c in text
    )


with open("texts.txt", "w", encoding="ascii") as file:
    for text in TEXTS:
        print(*map(escape, [text, *text.lower().split()]), sep="|", file=file)

random.seed(5)
# Letters with marks of their own, marks of several classes in any order, jamo, and what is excluded from composition.
PARTS = "aeoqAÅǖḍẛ각가각ΐよ" + "\u0301\u0323\u0307\u030a\u0338\u0344\u05b0\u3099\u0958\u212b\u2126\ufb2c\U0001d15e "
with open("normal.txt", "w", encoding="utf-8") as file:
    for length in [1] * 60 + list(range(2, 12)) * 12 + [300] * 3:
        text = "".join(random.choices(PARTS, k=length))
        print(text, unicodedata.normalize("NFC", text), unicodedata.normalize("NFD", text), sep="\t", file=file)

# As torchtext.vocab.build_vocab_from_iterator(..., min_freq=least, specials=specials) of torchtext 0.14 orders them.
random.seed(4)
SPECIALS = ("<pad>", "<unk>")
LETTERS = "abzéß~日𐐨"
words = ["".join(random.choices(LETTERS, k=random.randint(1, 2))) for _ in range(400)]
words += ["<pad>"] * 3 + ["<unk>", "<bos>"]
random.shuffle(words)
with open("vocabulary.txt", "w", encoding="utf-8") as file:
    print(*words, file=file)
    for least in (1, 2, 5, 1000):
        counts = Counter(words)
        for special in SPECIALS:
            counts.pop(special, None)
        ordered = sorted(counts.items(), key=lambda item: (-item[1], item[0]))
        print(least, *SPECIALS, *(word for word, count in ordered if count >= least), file=file)
