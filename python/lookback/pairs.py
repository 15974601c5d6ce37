"""Pairs of texts as the library takes them: a file. Lists are written to one.

The library will read pairs from memory; then nothing but this module changes.
"""
import os
from contextlib import contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Dict, Iterable, Iterator, NamedTuple, Optional, Sequence, Union

from .library import Error, PathLike, Status, encode

Pairs = Union[PathLike, Iterable[Sequence[str]]]
"""A TSV file; or tuples (source, target), or (source, features, target) for a model that reads features."""


class PairFile(NamedTuple):
    path: Path
    columns: Dict[str, int]  # of the tuples; empty for a file of the user


FIELDS = {2: ("source", "target"), 3: ("source", "features", "target")}


def _line(pair: Sequence[str], where: str, length: int) -> bytes:
    if isinstance(pair, str) or len(pair) != length:
        found = "a str" if isinstance(pair, str) else f"{len(pair)} texts"
        raise Error(Status.ARGUMENT, f"{where}: found {found}, expected {length} texts, as in pair 1")
    texts = [encode(text, f"{where}, {field}") for text, field in zip(pair, FIELDS[length])]
    for text, field in zip(texts, FIELDS[length]):
        if any(mark in text for mark in (b"\t", b"\n", b"\r")):
            raise Error(Status.FORMAT, f"{where}, {field}: found a tab or a line break, which no text of a pair can have")
    return b"\t".join(texts) + b"\n"


def _write(pairs: Iterable[Sequence[str]], path: Path, what: str) -> PairFile:
    length = 0
    with path.open("wb") as file:
        for number, pair in enumerate(pairs, 1):
            if number == 1:
                length = len(pair) if not isinstance(pair, str) else 0
                if length not in FIELDS:
                    raise Error(Status.ARGUMENT, f"{what}: pair 1: expected (source, target), or (source, features, target)")
            file.write(_line(pair, f"{what}: pair {number}", length))
    if length == 0:
        raise Error(Status.FORMAT, f"{what}: found no pair, expected at least one")
    return PairFile(path, {f"{field}_column": i for i, field in enumerate(FIELDS[length], 1)})


@contextmanager
def as_files(**given: Optional[Pairs]) -> Iterator[Dict[str, PairFile]]:
    """The pairs of each argument as a file, under its name; None is left out. Files that were written are removed at the
    end. In errors of the library, they have the name of the argument."""
    with TemporaryDirectory(prefix="lookback-") as folder:
        files = {}
        for name, pairs in given.items():
            if isinstance(pairs, (str, os.PathLike)):
                files[name] = PairFile(Path(pairs), {})
            elif pairs is not None:
                files[name] = _write(pairs, Path(folder, name), name)
        try:
            yield files
        except Error as error:
            raise Error(error.status, error.message.replace(f"{folder}{os.sep}", "")) from None
