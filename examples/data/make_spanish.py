#!/usr/bin/env python3
"""Writes spanish_train.tsv and spanish_dev.tsv from spanish_words.txt: words and their sounds in Castilian, by rule."""
import pathlib
import re
import unicodedata

HERE = pathlib.Path(__file__).parent
VOWELS = "aeiouáéíóúü"
PLAIN = str.maketrans("áéíóú", "aeiou")


def sounds(word):
    """The phonemes of a word, without stress."""
    found, at = [], 0
    while at < len(word):
        one, two, after = word[at], word[at : at + 2], word[at + 1 : at + 2]
        before, softer = word[at - 1 : at], after in tuple("eiéí")
        vowel_after, step = after != "" and after in VOWELS, 1
        if two in ("ch", "ll", "rr"):
            found.append({"ch": "tʃ", "ll": "ʎ", "rr": "r"}[two])
            step = 2
        elif two in ("qu", "gu") and word[at + 2 : at + 3] in tuple("eiéí"):
            found.append("k" if two == "qu" else "ɡ")
            step = 2
        elif one == "c":
            found.append("θ" if softer else "k")
        elif one == "g":
            found.append("x" if softer else "ɡ")
        elif one == "r":
            found.append("r" if before in ("", "n", "l", "s") else "ɾ")
        elif one == "y":
            found.append("ʝ" if vowel_after else "j")
        elif one == "x":
            found += ["k", "s"]
        elif one in "iuü":
            glide = vowel_after or (before != "" and before in VOWELS and before not in "iuü")
            found.append(("j" if one == "i" else "w") if glide or one == "ü" else one)
        elif one != "h":
            found.append({"j": "x", "z": "θ", "ñ": "ɲ", "v": "b"}.get(one, one.translate(PLAIN)))
        at += step
    return found


def main():
    text = unicodedata.normalize("NFC", (HERE / "spanish_words.txt").read_text(encoding="utf-8"))
    words = list(dict.fromkeys(re.findall(r"\w+", text)))
    held_out = words[4::10]
    for name, kept in ("train", [w for w in words if w not in held_out]), ("dev", held_out):
        lines = (f"{word}\t{' '.join(sounds(word))}\n" for word in kept)
        (HERE / f"spanish_{name}.tsv").write_text("".join(lines), encoding="utf-8")


main()
