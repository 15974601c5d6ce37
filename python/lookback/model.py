"""A trained model: text in, text out."""
import copy
import json
import os
import weakref
from contextlib import contextmanager, nullcontext
from ctypes import c_void_p, pointer
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, Any, ContextManager, Dict, Iterable, Iterator, List, Optional, Tuple, Union, overload

from . import _c, program
from .callbacks import Callbacks, in_main_thread
from .library import Error, Failure, PathLike, Status, c, encode, encode_path, set_field, strings
from .output import Output, Translation, translation
from .pairs import Pairs, is_file, lines, set_pairs

if TYPE_CHECKING:
    from typing_extensions import Unpack

    from ._c import TranslateOptions

BATCH = 256  # texts for one call of the library, as for the program

File = Union[PathLike, bytes, bytearray, memoryview]
"""A model: the path of its file or folder; or the bytes of its file."""

_fields: Any = _c.lb_translate_config._fields_
# Fields of lb_translate_config that are options: numbers and truths, but for what Python sets itself.
OPTIONS = {name for name, kind in _fields
           if name not in ("skip_bad_texts", "first_text") and kind is not c_void_p and hasattr(kind(), "value")}


def free_with(owner: object, free: Any, memory: Any) -> None:
    """Frees memory of C when nobody uses its owner any more. At the end of the interpreter the system frees it: until the
    process is gone, daemon threads may be reading it."""
    weakref.finalize(owner, free, memory).atexit = False


class _Translator:
    """An lb_translator, which is freed when nobody uses it any more."""

    def __init__(self, path: PathLike) -> None:
        error = Failure()
        self._as_parameter_ = c.lb_translator_open(encode_path(path), error)
        error.check(self._as_parameter_)
        free_with(self, c.lb_translator_close, self._as_parameter_)

    def __reduce__(self) -> Any:
        raise TypeError("cannot pickle a _Translator: it is memory of this process; pickle its Model")


@contextmanager
def _file_of(content: bytes) -> Iterator[Path]:
    """A file with this content. On Windows, nobody else opens a NamedTemporaryFile."""
    with TemporaryDirectory(prefix="lookback-") as folder:
        path = Path(folder, "model.safetensors")
        path.write_bytes(content)
        yield path


def _translator_of(content: bytes) -> _Translator:
    """The model whose file has this content."""
    with _file_of(content) as path:
        try:
            return _Translator(path)
        except Error as error:
            raise Error(error.status, error.message.replace(str(path), "the bytes of the model")) from None


class Model:
    """An open model of any kind, including ensembles.

    model(text) is the best output for a text, and model(texts) a list of them. Threads may share a model.
    Close it with close() or `with`; otherwise it is closed when nobody uses it any more.
    """

    def __init__(self, file: File) -> None:
        self._content = None if isinstance(file, (str, os.PathLike)) else bytes(memoryview(file))
        self._translator: Optional[_Translator] = (
            _Translator(file) if self._content is None else _translator_of(self._content))
        facts = c.lb_translator_about(self._translator)
        self.path = None if self._content is not None else Path(os.fsdecode(facts.path)).absolute()
        """The file of the model; None if it was opened from bytes."""
        self.training: Optional[Dict[str, Any]] = json.loads(facts.training) if facts.training else None
        """The record of the training in the file; None without one."""

    def __repr__(self) -> str:
        return f"lookback.open({str(self.path)!r})" if self.path else f"lookback.open(<{len(self._content or b'')} bytes>)"

    def __reduce__(self) -> Tuple[Any, ...]:
        """A model pickles as its path, or as its bytes if it was opened from them."""
        self._open_translator()
        return type(self), (str(self.path) if self.path else self._content,)

    def __copy__(self) -> "Model":
        """The same model, which nothing changes, to be closed on its own."""
        made = object.__new__(type(self))
        made.__dict__.update(self.__dict__)
        return made

    def __deepcopy__(self, memo: Dict[int, Any]) -> "Model":
        made = copy.copy(self)
        made.training = copy.deepcopy(self.training, memo)
        return made

    def _open_translator(self) -> _Translator:
        if not self._translator:
            raise Error(Status.ARGUMENT, f"the model is closed: {self.path or 'opened from bytes'}")
        return self._translator

    def close(self) -> None:
        """Frees the model, once no other thread is using it. Outputs and their attention stay."""
        self._translator = None

    def __enter__(self) -> "Model":
        return self

    def __exit__(self, *_: Any) -> None:
        self.close()

    @overload
    def __call__(self, text: str) -> str: ...  # type: ignore[misc]  # a str is an Iterable[str], too
    @overload
    def __call__(self, text: Iterable[str]) -> List[str]: ...

    def __call__(self, text: Union[str, Iterable[str]]) -> Union[str, List[str]]:
        """The best output for a text, or a list of them for texts. Raises Error as translate."""
        if isinstance(text, str):
            return self.translate(text).text
        return [each.text for each in self.translate(text)]

    @overload
    def translate(  # type: ignore[misc]
        self, texts: str, *, n_best: int = ..., attention: bool = ..., **options: "Unpack[TranslateOptions]") -> Translation: ...
    @overload
    def translate(
        self, texts: Iterable[str], *, n_best: int = ..., attention: bool = ...,
        **options: "Unpack[TranslateOptions]") -> List[Translation]: ...

    def translate(self, texts: Union[str, Iterable[str]], *, n_best: int = 1, attention: bool = False,
                  **options: "Unpack[TranslateOptions]") -> Union[Translation, List[Translation]]:
        """The outputs for a text, at most `n_best`, the best first; or a list of that for texts.

        attention  also where the model looked: Output.attention, [layers, heads, steps, symbols of the source]
        options    the other fields of lb_translate_config by their names: beam=5, length_penalty=1, limit, copy_unknown,
                   sample=True with temperature=1 and seed, member; erasure=True and gradient=True, for what each output
                   depends on: Output.erasure and Output.gradient, [steps, symbols of the source]

        A model with features takes them after a tab, "walk\\tV;PST". Ctrl-C, and an exception in another signal handler, end
        the call after the step of the outputs that it is at.

        Raises Error: FORMAT, with the number of the text, counted from 0, for a text that is empty, too long, not UTF-8, or
        that the model cannot read; ARGUMENT for an impossible option, or a model that is closed; MEMORY. Raises TypeError
        for an unknown option or a value of another type.
        """
        if isinstance(texts, str):
            return self.translate([texts], n_best=n_best, attention=attention, **options)[0]
        listed = [encode(text, f"text {number}") for number, text in enumerate(texts)]
        callbacks = Callbacks()
        config = _c.lb_translate_config(skip_bad_texts=True)
        if in_main_thread():  # other threads hear no signals
            config.stop = dict(config._fields_)["stop"](callbacks.stop)
        asked: Dict[str, Any] = {"n_best": n_best, "attention": attention, **options}
        for name, value in asked.items():
            if name not in OPTIONS:
                raise TypeError(f"translate() has no option {name!r}")
            set_field(config, name, -1 if name == "length_penalty" and value == 0 else value)
        found: List[Translation] = []
        for first in range(0, len(listed), BATCH):
            config.first_text = first
            batch = listed[first:first + BATCH]
            found += self._call(c.lb_translate_all, strings(batch), len(batch), config, first=first, callbacks=callbacks)
        return found

    @overload
    def score(self, sources: str, targets: str, *, attention: bool = False) -> Output: ...  # type: ignore[misc]
    @overload
    def score(self, sources: Iterable[str], targets: Iterable[str], *, attention: bool = False) -> List[Output]: ...

    def score(self, sources: Union[str, Iterable[str]], targets: Union[str, Iterable[str]], *,
              attention: bool = False) -> Union[Output, List[Output]]:
        """How likely the model finds each target for its source: Outputs, as if it had written the targets. `score` is the
        log-probability of all symbols and of the end. A symbol that the model does not know counts as its unknown one.

        attention  keep where the model looks while it writes the targets, unless members vote

        Raises Error: FORMAT, with the number of the pair, if it cannot be read; ARGUMENT if there are not as many
        targets as sources, or if the model is closed; MEMORY.
        """
        if isinstance(sources, str) and isinstance(targets, str):
            return self.score([sources], [targets], attention=attention)[0]
        texts = [encode(text, f"source {number}") for number, text in enumerate(sources)]
        wanted = [encode(text, f"target {number}") for number, text in enumerate(targets)]
        if len(texts) != len(wanted):
            raise Error(Status.ARGUMENT, f"found {len(texts)} sources and {len(wanted)} targets, expected the same number")
        found: List[Translation] = []
        config = _c.lb_score_config(attention=attention)
        for first in range(0, len(texts), BATCH):
            batch = texts[first:first + BATCH], wanted[first:first + BATCH]
            found += self._call(c.lb_translator_score, *map(strings, batch), len(batch[0]), config, first=first)
        return [each[0] for each in found]

    def with_lexicon(self, pairs: Optional[Pairs], out: PathLike, *, case: str = "exact") -> "Model":
        """Writes the model to the folder `out` with a lexicon, pairs that it then writes exactly, in place of an earlier one,
        and opens it; without one if `pairs` is None.

        case  "fold": the case of sources does not matter

        Raises Error: OPEN; FORMAT, with its line or the number of its pair, for a bad pair; ARGUMENT if the result would
        overwrite the model, or for a model that sorts lists; WRITE; MEMORY.
        """
        error, settings = Failure(), _c.lb_training_config(lexicon_case=encode(case, "case"))
        if pairs is not None:
            set_pairs(settings, pairs, "lexicon", "lexicon_pairs", "lexicon")
        with self._file() as model:
            join = _c.lb_join_config(models=strings([encode_path(model)]), count=1, out=encode_path(out, "out"),
                                     data=None if pairs is None else pointer(settings), no_lexicon=pairs is None)
            c.lb_translator_join(join, None, error)
        error.check()
        return Model(out)

    def save(self, path: PathLike) -> Path:
        """Writes the file of the model to `path`, such as "model.safetensors". Returns the path. Raises OSError."""
        content = self._content if self.path is None else self.path.read_bytes()
        Path(path).write_bytes(content or b"")
        return Path(path)

    def _call(self, function: Any, *arguments: Any, first: int, callbacks: Optional[Callbacks] = None) -> List[Translation]:
        """Calls a function that returns an lb_translations, of texts from number `first` on."""
        error, translator = Failure(), self._open_translator()
        with callbacks.calling() if callbacks and in_main_thread() else nullcontext():
            found = function(translator, *arguments, error)
        if found:
            owner = found.contents
            free_with(owner, c.lb_translations_free, found)
        if callbacks and callbacks.raised is not None:
            raise callbacks.raised
        error.check(found)
        translations = owner.text[:owner.count]
        for number, each in enumerate(translations, first):
            if each.error:
                raise Error(Status.FORMAT, f"text {number}: {each.error.decode(errors='replace')}")
        return [translation(each, owner) for each in translations]

    def evaluate(self, pairs: Pairs, **options: Any) -> Dict[str, Any]:
        """Applies the model to the sources of `pairs`, a TSV file or tuples, and compares its outputs with the targets.

        Returns what `lookback evaluate --json` prints: pairs, exact_match, sequence_error_rate, symbol_error_rate,
        word_error_rate (if targets have several words) and bleu, in percent, each a dict of value, low and high, the ends
        of the 95 % interval; bleu_of, the units of BLEU: "characters", "graphemes" or, with a separator, "symbols";
        bleu_13a and chrf2 (if targets are texts of several words), BLEU and chrF2 as sacreBLEU defines them, with their
        signature; perplexity of a symbol, and word_perplexity if targets are such texts; and confusions, a list of dicts.

        options  those of `lookback evaluate` by their names: beam=1, confusions=20, skip_bad_lines=True

        The program of the package does it, with the file of the model as it now is. Raises Error: OPEN; FORMAT, with its
        line, for a bad pair; ARGUMENT for an unknown option; MEMORY.
        """
        measures: Dict[str, Any] = json.loads(self._run("evaluate", pairs, {**options, "json": True}))
        return measures

    def report(self, pairs: Pairs, output: PathLike = "report.html", **options: Any) -> Path:
        """Writes a page about the model and `pairs`, one HTML file that needs no network: all outputs, where the model
        looked, and its errors. Returns its path.

        options  those of `lookback report` by their names: title="French", details=200, beam=5

        The program of the package does it, with the file of the model as it now is. Raises Error as evaluate; WRITE.
        """
        encode_path(output, "output")
        self._run("report", pairs, {**options, "output": Path(output).absolute(), "quiet": True})
        return Path(output)

    def _file(self) -> ContextManager[Path]:
        """The file of the model, for the program."""
        return nullcontext(self.path) if self.path else _file_of(self._content or b"")

    def _run(self, command: str, pairs: Pairs, options: Dict[str, Any]) -> str:
        with self._file() as model:
            if is_file(pairs):
                return program.run(command, model, pairs, options=options)
            text, columns = lines(pairs, "pairs")
            return program.run(command, model, options={**columns, **options}, text=text)
