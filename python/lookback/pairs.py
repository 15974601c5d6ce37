"""Pairs of texts as the library takes them, arrays of strings; and as the program takes them, lines of its input."""
import os
from typing import Any, Dict, Iterable, Iterator, List, Sequence, Tuple, Union

from . import _c
from .library import Error, PathLike, Status, encode, encode_path, strings

Pairs = Union[PathLike, Iterable[Sequence[str]]]
"""A TSV file; or tuples (source, target), or (source, features, target) for a model that reads features."""

FIELDS = {2: ("source", "target"), 3: ("source", "features", "target")}


def is_file(pairs: Pairs) -> bool:
    return isinstance(pairs, (str, os.PathLike))


def _encoded(pairs: Iterable[Sequence[str]], what: str) -> Iterator[Tuple[bytes, ...]]:
    """The texts of each pair, as many as those of the first. Pairs are counted from 0, as in errors of the library."""
    length = 0
    for number, pair in enumerate(pairs):
        found = 0 if isinstance(pair, str) else len(pair)
        length = length or found
        if found != length or length not in FIELDS:
            expected = f"{length} texts, as in pair 0" if length in FIELDS and number else " or ".join(
                f"({', '.join(fields)})" for fields in FIELDS.values())
            raise Error(Status.ARGUMENT, f"{what}: pair {number}: found {pair!r:.80}, expected {expected}")
        yield tuple(encode(text, f"{what}: pair {number}, {field}") for text, field in zip(pair, FIELDS[length]))


def columns(pairs: Iterable[Sequence[str]], what: str) -> Dict[str, List[bytes]]:
    """The texts of all pairs, field by field."""
    rows = list(_encoded(pairs, what))
    if not rows:
        raise Error(Status.FORMAT, f"{what}: found no pair, expected at least one")
    return dict(zip(FIELDS[len(rows[0])], map(list, zip(*rows))))


def set_pairs(config: Union[_c.lb_training_config, _c.lb_test], pairs: Pairs, file: str, field: str, what: str) -> None:
    """Puts pairs into a field of the configuration, or the name of their file into another one. The struct keeps them."""
    if is_file(pairs):
        setattr(config, file, encode_path(pairs, what))
    else:
        texts = columns(pairs, what)
        arrays: Dict[str, Any] = {name: strings(column) for name, column in texts.items()}
        setattr(config, field, _c.lb_pair_texts(count=len(texts["source"]), **arrays))


def lines(pairs: Iterable[Sequence[str]], what: str) -> Tuple[bytes, Dict[str, int]]:
    """The pairs as a TSV file, and the options that say which column is what."""
    texts = columns(pairs, what)
    for name, column in texts.items():
        for number, text in enumerate(column):
            if any(mark in text for mark in (b"\t", b"\n", b"\r")):
                raise Error(Status.FORMAT, f"{what}: pair {number}, {name}: found a tab or a line break, which no text can have")
    text = b"".join(b"\t".join(row) + b"\n" for row in zip(*texts.values()))
    return text, {f"{name}_column": i for i, name in enumerate(texts, 1)}
