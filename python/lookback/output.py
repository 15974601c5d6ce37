"""An output of a model, and where it looked."""
from base64 import b64encode
from ctypes import c_double
from dataclasses import dataclass
from html import escape
from math import isnan
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, List, Optional, Tuple

from . import _c
from .library import DRAWS, Error, Failure, Status, array, c, decode, encode, strings

END = "<eos>"  # the label of the step that ends an output


@dataclass(frozen=True, eq=False, repr=False)
class Output:
    """One output for a text."""

    text: str
    score: float  # for comparing outputs; of Model.score, the log-probability
    probability: float  # of the whole output, 0 to 1
    symbols: List[str]  # of the text; U+FFFD for the unknown symbol
    symbol_probabilities: List[float]  # of each symbol, and of the end if the model wrote it
    finished: bool  # whether it did, within the limit
    source: List[str]  # the symbols of the source, as the model reads it
    # [layers, heads, steps, len(source)], if asked for: where each step looked; float32 of numpy, or nested lists without
    # numpy. The steps are those of symbol_probabilities. None for a model without attention.
    attention: Any
    erasure: Any = None  # [steps, len(source)], if asked for: log-probability that a step loses without a source symbol
    gradient: Any = None  # [steps, len(source)], if asked for: gradient times input
    from_lexicon: bool = False  # the lexicon has it; its numbers are nan if the model lacks one of its symbols

    @property
    def why_null(self) -> Optional[str]:
        """Why a number of this output is nan, or its erasure None though asked for, as `predict --why` says it; else None."""
        if self.from_lexicon and isnan(self.score):
            return "the model lacks a symbol of this answer of the lexicon, or the room for it"
        return "a source of one symbol has no erasure" if self.gradient is not None and self.erasure is None else None

    def __repr__(self) -> str:
        return f"Output({self.text!r}, probability={self.probability:.4g})"

    def svg(self) -> str:
        """A heat map of the attention as SVG: a row for each step, a column for each symbol of the source, a map for each
        head. Raises ValueError if there is no attention; Error."""
        if self.attention is None:
            raise ValueError("there is no attention: translate with attention=True, by a model that has one")
        if not DRAWS:
            raise Error(Status.ARGUMENT, "this lookback is built without figures; the page of Model.report() draws attention")
        return _draw(self.attention, self.source, self.symbols + [END] * self.finished)

    def _repr_html_(self) -> Optional[str]:
        if self.attention is None or not DRAWS:
            return None
        # As an image of its own, so that the names in one drawing do not meet those in another.
        image = b64encode(self.svg().encode()).decode()
        return f'<img alt="{escape(repr(self))}" src="data:image/svg+xml;base64,{image}">'


def _doubles(rows: Any) -> Any:
    """A matrix [rows, columns] as C takes it."""
    numbers = [number for row in rows for number in row]
    return (c_double * len(numbers))(*numbers)


def _heat_map(title: str, rows: Any, target: List[str], source: List[str], span: int) -> _c.lb_heatmap:
    return _c.lb_heatmap(values=_doubles(rows), rows=len(target), columns=len(source),
                         row_labels=strings(map(encode, target)), column_labels=strings(map(encode, source)),
                         title=title.encode(), x_label=b"input", y_label=b"output",
                         bar_label=b"attention weight", range=span)


def _draw(attention: Any, source: List[str], target: List[str]) -> str:
    many = len(attention) > 1, len(attention[0]) > 1
    highest = max(float(max(row)) for layer in attention for head in layer for row in head)
    # Small weights alone would all be pale on a scale to 1.
    span = _c.lb_range.UNIT if highest >= 0.5 else _c.lb_range.DATA
    maps = []
    for i, layer in enumerate(attention, 1):
        for j, head in enumerate(layer, 1):
            title = ", ".join([f"Layer {i}"] * many[0] + [f"Head {j}"] * many[1])
            maps.append(_heat_map(title, head, target, source, span))
    error = Failure()
    # The library draws into files.
    with TemporaryDirectory(prefix="lookback-") as folder:
        path = Path(folder, "attention.svg")
        together = (_c.lb_heatmap * len(maps))(*maps)
        status = c.lb_heatmap_save_grid(together, len(maps), len(attention[0]), None, bytes(path), error)
        error.check(not status)
        return path.read_text(encoding="utf-8")


class Translation(Tuple[Output, ...]):
    """The outputs for one text, the best first. `text`, `score`, `probability`, `symbols`, `attention`, `erasure` and
    `gradient` are those of the best one."""

    unknown: List[str]  # the symbols of the text that the model does not know
    unlike: bool  # whether the text is unlike those of the training: expect mistakes
    text: str = property(lambda self: self[0].text)  # type: ignore[assignment]
    score: float = property(lambda self: self[0].score)  # type: ignore[assignment]
    probability: float = property(lambda self: self[0].probability)  # type: ignore[assignment]
    symbols: List[str] = property(lambda self: self[0].symbols)  # type: ignore[assignment]
    attention: Any = property(lambda self: self[0].attention)
    erasure: Any = property(lambda self: self[0].erasure)
    gradient: Any = property(lambda self: self[0].gradient)

    def _repr_html_(self) -> Optional[str]:
        return self[0]._repr_html_()


def translation(found: Any, owner: Any) -> Translation:
    """An lb_translation, whose memory belongs to `owner`, the lb_translations."""
    source = decode(found.symbol, found.length)
    outputs = []
    for output in found.output[:found.count]:
        shape = (owner.layers, owner.heads, output.steps, found.length)
        outputs.append(Output(
            output.text.decode(), output.score, output.probability, decode(output.symbol, output.length),
            output.symbol_probability[:output.steps], output.finished, source,
            array(output.weights, shape, owner) if output.weights else None,
            array(output.erasure, shape[2:], owner) if output.erasure else None,
            array(output.gradient, shape[2:], owner) if output.gradient else None, output.from_lexicon))
    made = Translation(outputs)
    made.unknown = decode(found.unknown, found.unknown_count)
    made.unlike = bool(found.unlike)
    return made
