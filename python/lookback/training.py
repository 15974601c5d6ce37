"""Training: pairs in, a model out."""
import difflib
import html
import json
import logging
import math
import os
import re
import sys
import time
from ctypes import byref, c_char_p
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, Any, Callable, Dict, List, Mapping, NamedTuple, Optional, Union

from . import _c
from .callbacks import Callbacks
from .library import Error, Failure, PathLike, Status, c, encode, encode_path, names, set_field, strings
from .model import File, Model
from .pairs import Pairs, set_pairs

if TYPE_CHECKING:
    from typing_extensions import Unpack

    from ._c import TrainOptions

log = logging.getLogger("lookback")


class Evaluation(NamedTuple):
    """What an evaluation on held-out pairs found."""

    exact_match: float  # share of completely correct outputs
    symbol_error: float  # edits per symbol of the target
    loss: float  # mean cross-entropy per symbol of the target, in nats; unknown symbols count as <unk>
    bleu_13a: float = math.nan  # BLEU and chrF2 of texts, 0 to 100, with choose="bleu" or "chrf"
    chrf2: float = math.nan


class Progress(NamedTuple):
    """Where a training is: after a step, or, if there is an `evaluation`, after that evaluation."""

    step: int  # steps done; 0 for the evaluation of a model that the training starts from
    steps: int  # of the whole training
    loss: float  # of the step; with an evaluation, the mean since the one before, and NaN for the first model
    evaluation: Optional[Evaluation]
    name: Optional[str]  # "seed 3" or "additive-3", if several models are trained
    tests: Dict[str, Evaluation] = {}  # with an evaluation, what it found on each test
    choose: str = "exact"  # what the best model is chosen by, as the option


def _measured(loss: float) -> str:
    return "-" if math.isnan(loss) else f"{loss:.4f}"


def _chosen(choose: str, found: Evaluation) -> str:
    """The measure that the best model is chosen by, or symbol error where texts were not compared."""
    if choose in ("bleu", "chrf") and not math.isnan(found.chrf2):
        return f"BLEU {found.bleu_13a:.2f}" if choose == "bleu" else f"chrF2 {found.chrf2:.2f}"
    if choose == "exact":
        return f"exact match {found.exact_match:.4f}"
    return f"loss {_measured(found.loss)}" if choose == "loss" else f"symbol error {found.symbol_error:.4f}"


def _line(now: Progress) -> str:
    name = f"{now.name}: " if now.name else ""
    measured = ""
    if now.evaluation:
        tests = "".join(f"  {test} {_chosen(now.choose, found)}" for test, found in now.tests.items())
        chosen = "" if now.choose == "loss" else f"  {_chosen(now.choose, now.evaluation)}"
        measured = f"  dev loss {_measured(now.evaluation.loss)}{chosen}{tests}"
    return f"{name}step {now.step}/{now.steps}  loss {_measured(now.loss)}{measured}"


def _print_progress(now: Progress) -> None:
    if now.evaluation:
        print(_line(now), file=sys.stderr, flush=True)


class _Bar:
    """A bar below the cell of a notebook, with the line of the last evaluation."""

    EVERY = 0.1  # seconds

    def __init__(self) -> None:
        self.handle: Any = None
        self.shown, self.evaluated = 0.0, ""

    def __call__(self, now: Progress) -> None:
        if now.evaluation:
            self.evaluated = _line(now)
        elif time.monotonic() - self.shown < self.EVERY:
            return
        text = self.evaluated or _line(now)
        bar = f'<progress value="{now.step}" max="{now.steps}"></progress> {html.escape(text)}'
        data = {"text/plain": text, "text/html": bar}
        self.shown = time.monotonic()
        if self.handle:
            self.handle.update(data, raw=True)
        else:
            self.handle = sys.modules["IPython"].display.display(data, raw=True, display_id=True)


def _shown(progress: Union[bool, Callable[[Progress], Any]]) -> Optional[Callable[[Progress], Any]]:
    if progress is not True:
        return progress or None
    shell = sys.modules["IPython"].get_ipython() if "IPython" in sys.modules else None
    return _Bar() if hasattr(shell, "kernel") else _print_progress


def _evaluation(found: Any) -> Evaluation:
    measures = found.exact_match, found.symbol_error, found.loss
    return Evaluation(*measures, *found.own[1:3]) if found.own[0] > 0 else Evaluation(*measures)


_Event = _c.lb_event_kind
_LEVELS = {_Event.EVENT_REPORT: logging.INFO, _Event.EVENT_NOTE: logging.INFO, _Event.EVENT_HINT: logging.WARNING}


class _Listener(Callbacks):
    """The callbacks of one training. An exception in one of them ends the training after its step."""

    def __init__(self, progress: Optional[Callable[[Progress], Any]], tests: List[str]) -> None:
        super().__init__()
        self.progress = progress
        self.tests = tests

    def listen(self, config: _c.lb_training_config) -> None:
        kinds = dict(config._fields_)
        config.tell = kinds["tell"](self.guard(self._hear))  # the struct keeps the callback alive, too
        config.stop = kinds["stop"](self.stop)

    def _hear(self, context: Any, pointer: Any, error: Any) -> None:
        event = pointer.contents
        if event.kind in _LEVELS:
            log.log(_LEVELS[event.kind], "%s", event.text.decode(errors="replace").rstrip())
        elif event.kind == _Event.EVENT_UNSAVED:
            log.warning("%s; the training goes on", event.error.contents.message.decode(errors="replace"))
        elif self.progress and event.kind == _Event.EVENT_STEPPED:
            self._tell(event.run.contents, event.step.step, event.step.loss, None, {})
        elif self.progress and event.kind == _Event.EVENT_POINT:
            history = event.history.contents
            last = history.points[history.count - 1]
            tests = {name: _evaluation(found) for name, found in zip(self.tests, last.test)}
            self._tell(event.run.contents, last.step, last.loss, _evaluation(last.dev), tests)

    def _tell(self, run: Any, step: int, loss: float, evaluation: Optional[Evaluation],
              tests: Dict[str, Evaluation]) -> None:
        assert self.progress
        name = run.name.decode() if run.name else None
        self.progress(Progress(step, run.steps, loss, evaluation, name, tests, run.choose.decode()))


def _set_tests(config: _c.lb_training_config, tests: Mapping[str, Pairs]) -> None:
    if len(tests) > len(config.test):
        raise Error(Status.ARGUMENT, f"test: found {len(tests)} tests, expected at most {len(config.test)}")
    for place, (name, pairs) in zip(config.test, tests.items()):
        text = encode(name, "test")
        if not 0 < len(text) < _c.lb_test.name.size:
            raise Error(Status.ARGUMENT, f"test: found the name {name!r}, expected 1 to {_c.lb_test.name.size - 1} letters")
        place.name = text
        set_pairs(place, pairs, "file", "pairs", f"test {name}")


# Of the fields, numbers and texts are options, but for arguments of train() and what Python has no use for.
NOT_OPTIONS = ("train", "dev", "lexicon", "out", "group", "options", "context")
_fields: Any = _c.lb_training_config._fields_
FIELDS = {name: kind for name, kind in _fields
          if name not in NOT_OPTIONS and hasattr(kind(), "value")}


def _meant(found: str, known: List[str]) -> str:
    likely = difflib.get_close_matches(found, known, 1)
    return f"; did you mean {likely[0]!r}?" if likely else ""


def _number_of(name: str, value: str) -> int:
    choices = _c.CHOICES[name]
    known = names(choices) if isinstance(choices, str) else list(choices)
    if value not in known:
        likely = _meant(str(value), known)
        raise Error(Status.ARGUMENT, f"{name}: expected one of {', '.join(known)}, found {value!r}{likely}")
    return known.index(value)


def _value(name: str, value: Any) -> Any:
    """An option as its field takes it."""
    kind = FIELDS[name]
    if name in _c.CHOICES:
        return _number_of(name, value)
    if kind is c_char_p:
        return encode_path(value, name) if name in _c.PATHS else encode(value, name)
    if name in _c.ZERO_IS_VALUE and value == 0:
        return -1
    return value


def _set_option(config: _c.lb_training_config, option: str, value: Any) -> None:
    name = option.rstrip("_")  # "from" is a word of Python
    if name in _c.OPPOSITES:
        name, value = _c.OPPOSITES[name], not value
    if name not in FIELDS:
        raise TypeError(f"train() has no option {option!r}" + _meant(name, [*FIELDS, *_c.OPPOSITES]))
    set_field(config, name, _value(name, value))


def _settle(options: Dict[str, Any]) -> _c.lb_training_config:
    config = _c.lb_training_config()
    for option, value in options.items():
        if value is not None:
            _set_option(config, option, value)
    return config


def _record(options: Dict[str, Any]) -> bytes:
    """The options for the record in the model, spelled as those of the program."""
    given = {name.rstrip("_").replace("_", "-"): value for name, value in options.items() if value is not None}
    return json.dumps(given, default=str).encode()


_MOST = len(_c.lb_join_result().member)


def _kinds(ensemble: Union[int, str]) -> List[Optional[str]]:
    """The kind of each member: of "additive:3,backward", or None for each of a number."""
    if isinstance(ensemble, int):
        kinds: List[Optional[str]] = [None] * ensemble
    else:
        found = [re.fullmatch(r"([^:]*)(?::(\d{1,6}))?", item) for item in ensemble.split(",")]
        kinds = [item[1] for item in found if item for _ in range(int(item[2] or 1))]
        if not all(found):
            kinds = []
    if not 1 <= len(kinds) <= _MOST:
        raise Error(Status.ARGUMENT, f"ensemble: found {ensemble!r}, expected 1 to {_MOST} models in all, such as 3 or "
                                     "'additive:3,backward:2'")
    return kinds


def _train_ensemble(config: _c.lb_training_config, kinds: List[Optional[str]], given: Dict[str, Any], out: Path,
                    error: Failure) -> None:
    """Trains the members in folders below `out`, one after the other, and joins them: `lookback train --ensemble`."""
    members = (_c.lb_training * len(kinds))()
    folders = []
    for i, (member, kind) in enumerate(zip(members, kinds)):
        member.config = config
        member.config.seed = config.seed + i
        name = f"{kind or 'model'}-{member.config.seed}"
        folders.append(encode_path(out / name))
        member.name = name.encode()
        member.config.out = folders[i]
        if kind is not None:
            member.config.direction = b"forward"
            c.lb_training_config_set_kind(byref(member.config), encode(kind, "ensemble"), error)
            error.check()
        of_kind = () if kind is None else ("attention", "model", "direction")  # what the kind says instead
        own = {name: value for name, value in given.items() if name not in of_kind}
        member.config.options = _record({**own, "seed": member.config.seed})
    again = all(Path(os.fsdecode(folder), "model.safetensors").exists() for folder in folders)
    c.lb_translator_train_all(_c.lb_trainings(training=members, count=len(kinds)), error)
    data = type(config).from_buffer_copy(config)
    if data.no_hold_out:  # nothing is left to weigh the members by, which have the lexicon
        data.train = data.lexicon = None
        data.lexicon_from_train = False
        data.pairs = data.lexicon_pairs = _c.lb_pair_texts()
    if not error.status:
        join = _c.lb_join_config(models=strings(folders), count=len(kinds), out=config.out, replace=again)
        if not data.no_hold_out or data.test[0].name:
            join.data = dict(join._fields_)["data"](data)
        c.lb_translator_join(join, None, error)


def train(pairs: Pairs, *, out: Optional[PathLike] = None, dev: Optional[Pairs] = None, test: Optional[Mapping[str, Pairs]] = None,
          attention: Optional[str] = None, progress: Union[bool, Callable[[Progress], Any]] = False,
          lexicon: Optional[Pairs] = None, ensemble: Union[None, int, str] = None,
          **options: "Unpack[TrainOptions]") -> Model:
    """Trains a model on pairs of texts, and opens it.

    pairs      a TSV file with a source and a target on each line; or tuples (source, target), or (source, features, target)
    out        the folder of the model, its checkpoint and its log; it is created. Without one, the model is in memory only,
               until its save(), and a training that is interrupted is lost
    dev        pairs for choosing the best weights; by default a tenth of `pairs`, held out
    test       pairs by names, {"long": "long.tsv"}: the model is measured on them at each evaluation, and is not chosen by
               them. choose_on="long" chooses it by one of them instead of `dev`
    attention  "additive", "dot", "multi-head" and so on; by default "additive"
    progress   True prints each evaluation on standard error, or shows a bar in a notebook. A function is called with a Progress after each step and
               after each evaluation. An exception in it ends the training and is raised here.
    lexicon    pairs that the model writes exactly, whatever it learns: the first target of each source
    ensemble   trains several models, one after the other, and lets them vote: a number of models with seeds from `seed` on,
               or their kinds, "additive:3,backward:2,transformer-backward", as `lookback train --ensemble` has them. Each
               has a folder below `out`
    options    the fields of lb_training_config, or the options of `lookback train`, by their names: hidden=64, steps=300,
               target_separator=" ", model="transformer", hold_out=False, from_="old". None is the default.

    Ctrl-C, and an exception in `progress`, end the training after the step that it is at, and keep it in `out`: the same
    call goes on there, and ends with the same weights. The same call after the end opens the model again.

    Reports on the data go to the log "lookback" of the module logging, possible faults of the data as warnings.

    Raises Error: ARGUMENT for an impossible option; OPEN; FORMAT, with its line or the number of its pair, for a bad pair,
    or for an `out` that has the training of other pairs or options; DIVERGED; WRITE; BUSY if another process trains in
    `out`; MEMORY. Raises TypeError for an unknown option or a value of another type.
    """
    if out is None:
        with TemporaryDirectory(prefix="lookback-") as folder:
            made = train(pairs, out=folder, dev=dev, test=test, attention=attention, progress=progress, lexicon=lexicon,
                         ensemble=ensemble, **options)
            assert made.path
            return Model(made.path.read_bytes())
    tests = dict(test or {})
    listener = _Listener(_shown(progress), list(tests))
    given: Dict[str, Any] = {"seed": 1, "attention": attention, **options}  # the seed of the program
    config = _settle(given)
    config.out = encode_path(out, "out")
    listener.listen(config)
    config.options = _record(given)
    error = Failure()
    set_pairs(config, pairs, "train", "pairs", "pairs")
    if dev is not None:
        set_pairs(config, dev, "dev", "dev_pairs", "dev")
    _set_tests(config, tests)
    if lexicon is not None:
        set_pairs(config, lexicon, "lexicon", "lexicon_pairs", "lexicon")
    kinds = None if ensemble is None else _kinds(ensemble)
    with listener.calling():
        if kinds is None:
            c.lb_translator_train(config, None, error)
        else:
            _train_ensemble(config, kinds, given, Path(out), error)
    if listener.raised is not None:
        raise listener.raised from None if error.status == Status.INTERRUPTED else error.exception()
    error.check()
    return Model(out)


class Reproduction(NamedTuple):
    """What a training has given that was repeated."""

    same: bool  # all that was compared
    evaluations: int  # that are the same, over all members
    step: int  # of the first evaluation that differs, or the last one
    member: int  # of a vote, from 1 on; 0: it is none
    what: str  # the value that differs: "weights: found X, expected Y"
    why: str  # what can be the reason, beginning with its kind: "version: ..."


def reproduce(model: Union[Model, File], pairs: Optional[Pairs] = None, *, dev: Optional[Pairs] = None,
              test: Optional[Mapping[str, Pairs]] = None, steps: int = 0,
              progress: Union[bool, Callable[[Progress], Any]] = False) -> Reproduction:
    """Trains a model again by the record in its file, without writing one, and compares each evaluation with that record, and
    the weights: `lookback reproduce`. Ends with the first difference.

    pairs, dev, test  as for train(); by default the files that the record names, in the present folder
    steps             compare the evaluations up to this step; 0: all
    progress          as for train()

    Raises Error: FORMAT for a model without a record, or of a training that started from another model; OPEN; ARGUMENT.
    """
    opened = model if isinstance(model, Model) else Model(model)
    listener = _Listener(_shown(progress), list(test or {}))
    config, found, error = _c.lb_training_config(), _c.lb_reproduction(), Failure()
    listener.listen(config)
    if pairs is not None:
        set_pairs(config, pairs, "train", "pairs", "pairs")
    if dev is not None:
        set_pairs(config, dev, "dev", "dev_pairs", "dev")
    _set_tests(config, test or {})
    translator = opened._open_translator()  # pylint: disable=protected-access
    with listener.calling():
        c.lb_translator_reproduce(translator, byref(config), steps, byref(found), error)
    if listener.raised is not None:
        raise listener.raised from None if error.status == Status.INTERRUPTED else error.exception()
    error.check()
    return Reproduction(found.same, found.evaluations, found.step, found.member, found.what.decode(errors="replace"),
                        found.why.decode(errors="replace"))
