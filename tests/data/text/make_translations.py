#!/usr/bin/env python3
"""Writes translations.txt beside itself: small corpora of outputs and references, with their BLEU and chrF2.

Both are written here from their definitions, in other ways than in the library: words by regular expressions, n-grams
in a Counter.

= NAME TAB mixed or lower TAB BLEU TAB chrF2    begins a corpus
OUTPUT TAB REFERENCE TAB REFERENCE...           a sentence; \\n stands for the end of a line
"""

from __future__ import annotations

import math
import os
import random
import re
from collections import Counter
from typing import Sequence

Sentence = Sequence[str]  # an output and its references

ENTITIES = (("<skipped>", ""), ("-\n", ""), ("\n", " "), ("&quot;", '"'), ("&amp;", "&"), ("&lt;", "<"), ("&gt;", ">"))
SIGNS = "".join(chr(c) for c in range(0x20, 0x7F) if not chr(c).isalnum() and chr(c) not in "',-.")


def words_13a(text: str) -> list[str]:
    """What NIST's mteval-v13a.pl takes for words."""
    text = text.rstrip()
    for entity, character in ENTITIES:
        text = text.replace(entity, character)
    text = f" {text} "
    text = re.sub(f"[{re.escape(SIGNS)}]", lambda sign: f" {sign[0]} ", text)
    text = re.sub(r"([^0-9])([.,])", r"\1 \2 ", text)  # not between digits
    text = re.sub(r"([.,])([^0-9])", r" \1 \2", text)
    text = re.sub(r"([0-9])(-)", r"\1 \2 ", text)  # behind a digit
    return text.split()


def ngrams(sequence: Sequence[str], n: int) -> Counter[tuple[str, ...]]:
    """All n-grams with their numbers."""
    return Counter(tuple(sequence[i : i + n]) for i in range(len(sequence) - n + 1))


def bleu(corpus: Sequence[Sentence]) -> float:
    """Papineni et al. 2002, with exponential smoothing and without effective order."""
    right, all_, length, wanted = [0] * 4, [0] * 4, 0, 0
    for output, *references in ([words_13a(text) for text in sentence] for sentence in corpus):
        length += len(output)
        wanted += min((abs(len(r) - len(output)), len(r)) for r in references)[1]
        for n in range(4):
            most: Counter[tuple[str, ...]] = Counter()
            for reference in references:
                most |= ngrams(reference, n + 1)
            found = ngrams(output, n + 1)
            right[n] += sum((found & most).values())
            all_[n] += sum(found.values())
    if not any(right) or 0 in all_:
        return 0.0
    logarithms, halved = 0.0, 1.0
    for n in range(4):
        if right[n] == 0:
            halved /= 2
        logarithms += math.log((right[n] or halved) / all_[n])
    return 100 * math.exp(logarithms / 4 + min(0.0, 1 - wanted / length))


def f_score(statistics: Sequence[tuple[int, int, int]]) -> float:
    """Popovic 2015 with beta 2: of mean precision and recall, over the orders that both sides have."""
    orders = [(both, output, reference) for both, output, reference in statistics if output and reference]
    precision = sum(both / output for both, output, _ in orders) / max(len(orders), 1)
    recall = sum(both / reference for both, _, reference in orders) / max(len(orders), 1)
    return 100 * 5 * precision * recall / (4 * precision + recall) if precision + recall else 0.0


def chrf2(corpus: Sequence[Sentence]) -> float:
    """Characters without white space, n-grams of 1 to 6; of several references, the one with the best score."""
    total = [(0, 0, 0)] * 6
    for output, *references in (["".join(text.split()) for text in sentence] for sentence in corpus):
        best: tuple[float, list[tuple[int, int, int]]] = (-1.0, [])
        for reference in references:
            own = []
            for n in range(1, 7):
                found, expected = ngrams(output, n), ngrams(reference, n)
                count = sum(found.values()) if expected else 0
                own.append((sum((found & expected).values()), count, sum(expected.values())))
            if f_score(own) > best[0]:
                best = (f_score(own), own)
        total = [(a + x, b + y, c + z) for (a, b, c), (x, y, z) in zip(total, best[1])]
    return f_score(total)


CORPORA: dict[str, list[Sentence]] = {
    "plain": [
        ("The old man walks his dog in the park.", "An old man walks his dog through the park."),
        ("Two girls are playing football on the beach.", "Two girls play football at the beach."),
        ("A woman sings.", "A woman is singing on a stage."),
    ],
    "empty output": [("", "Nothing was written here."), ("Something is here.", "Something was here.")],
    "only empty outputs": [("", "There is a reference."), (" ", "And another one.")],
    "empty reference": [
        ("Something that nobody wanted.", ""),
        ("A cat sleeps on a chair.", "A cat sleeps on the chair."),
    ],
    "no 4-gram": [
        ("She reads a red book today", "He reads a red paper now"),
        ("The train is late again", "The bus was early again"),
    ],
    "no word": [("xyz uvw qrs tpo nml", "The sun is shining today.")],
    "one word a line": [("yes", "yes"), ("no", "maybe"), ("stop", "stop")],
    "one sentence of three words": [("A small dog", "A small dog")],
    "punctuation": [
        ("\"Stop!\" he said (twice); nobody's there - really?", "\"Stop\", he said (twice): nobody's here - really?!"),
        (
            "It costs $5/kg, i.e. too much... #1 @home [sic] {x} a_b ~c `d^e",
            "It costs 5 $/kg, e.g. too much . . . #1 @home",
        ),
        ("a well-known 19-year-old, 3-4 times", "the well-known 19 - year - old, 3 - 4 times"),
    ],
    "numbers": [
        (
            "In 1999, 1,234.50 people paid .5 or 5. euros, 3,a and b,4.",
            "In 1999 1,234.50 people paid 0.5 or 5 euros, 3, a and b, 4.",
        ),
        ("10.000,25 and 1.2.3 .,. ,, 7,,8", "10,000.25 and 1.2.3 . , . , , 7 , , 8"),
    ],
    "entities": [
        (
            "Tom &amp; Jerry say &quot;hi&quot; &lt;b&gt; &amp;lt; &amp;amp; &#39;",
            "Tom & Jerry say \"hi\" <b> < &amp; '",
        ),
        ("a <skipped> gap and a broken-\nword on\ntwo lines-\n", "a gap and a brokenword on two lines-"),
    ],
    "other scripts": [
        ("Мужчина идёт по улице, а собака лает.", "Человек идёт по улице; собака лает!"),
        ("Ο γέρος κάθεται στο παγκάκι.", "Ένας γέρος κάθεται στο παγκάκι·"),
        ("一个男人在公园里遛狗。", "一名男子在公园里遛他的狗。"),
        ("الرجل يمشي، والكلب ينبح.", "الرجل يسير والكلب ينبح؟"),
        ("देश\u3000में\u00a0शांति है।", "देश में शांति है ।"),
        ("Fünf Käfer 😀 größer", "Fünf Käfer 😀😀 größer"),
    ],
    "Chinese without blanks": [
        ("两个女孩在沙滩上踢足球,很开心!", "两个女孩正在沙滩上踢足球,非常开心!"),
        ("他花了3.5元,买了10-12个苹果", "他用3.5元买了10-12个苹果"),
    ],
    "several references": [
        (
            "A man is walking a dog.",
            "A man walks his dog.",
            "Somebody is walking a dog in the park.",
            "A dog is walked.",
        ),
        ("The children laugh.", "Children are laughing loudly at him.", "The kids laugh."),
        ("It rains", "Rain.", "It is raining, as it has been for days"),
        ("of of of the the", "of the and the", "of of or", "the the the"),
    ],
    "letters and case": [
        ("THE Cat SAT on The Mat", "The cat sat on the mat"),
        ("ΟΔΟΣ ΣΟΦΟΣ İSTANBUL ÄÖÜ Straße", "οδος σοφος i̇stanbul äöü straße"),
    ],
}

random.seed(13)
PARTS = (*"aab12.,,--&/'\"()#|x;: ", " ", " ", "&amp;", "&lt;", "ü", "。", "词", "\u00a0", "e\u0301", "<skipped>")


def noise(longest: int) -> str:
    """Parts that tokenization treats in different ways."""
    return "".join(random.choices(PARTS, k=random.randint(0, longest)))


CORPORA["noise"] = []
for _ in range(60):
    written = noise(40)
    references = [written[: len(written) // 2] + noise(40) for _ in range(random.randint(1, 3))]
    CORPORA["noise"].append((written, *references))


def main() -> None:
    """Writes the file."""
    os.chdir(os.path.dirname(os.path.abspath(__file__)))
    with open("translations.txt", "w", encoding="utf-8") as file:
        for name, corpus in CORPORA.items():
            for case in ("mixed", "lower"):
                cased = [[text.lower() if case == "lower" else text for text in sentence] for sentence in corpus]
                if case == "lower" and cased == [list(sentence) for sentence in corpus]:
                    continue
                print("= " + name, case, f"{bleu(cased):.10f}", f"{chrf2(cased):.10f}", sep="\t", file=file)
                for sentence in corpus:
                    print(*(text.replace("\n", "\\n") for text in sentence), sep="\t", file=file)


main()
