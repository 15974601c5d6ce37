"""The C library: loading it, and taking texts, errors and numbers across."""
import ctypes
import os
from contextlib import contextmanager
from functools import lru_cache
from itertools import takewhile
from operator import index
from pathlib import Path
from types import SimpleNamespace
from typing import Any, Iterable, Iterator, List, Optional, Sequence, Union

from . import _c

NATIVE = Path(__file__).with_name("native")  # the library, the program, and the libraries that these need

Status = _c.lb_status
PathLike = Union[str, "os.PathLike[str]"]


class Error(Exception):
    """An error of the library. `status` is a Status, and `message` says what was found and what was expected."""

    def __init__(self, status: int, message: str) -> None:
        super().__init__(status, message)
        self.status = Status(status)
        self.message = message

    def __str__(self) -> str:
        return self.message


@contextmanager
def _short_spins() -> Iterator[None]:
    """Lets threads that wait fall asleep soon, as the program does (docs/adr/0008), unless the user has chosen."""
    chosen = {"OMP_WAIT_POLICY", "GOMP_SPINCOUNT"} & os.environ.keys()
    if not chosen:
        os.environ["GOMP_SPINCOUNT"] = "10000"
    yield
    if not chosen:
        del os.environ["GOMP_SPINCOUNT"]


def _is_main_interpreter() -> bool:
    python = ctypes.pythonapi
    mine, main = python.PyInterpreterState_Get, python.PyInterpreterState_Main
    mine.restype = main.restype = ctypes.c_void_p
    return bool(mine() == main())


# Callbacks of ctypes come back to the main interpreter, whichever has called.
if not _is_main_interpreter():
    raise ImportError("lookback: found a subinterpreter, expected the main interpreter of the process")

# The runtime of OpenMP reads the environment while it is loaded.
with _short_spins():
    _library = ctypes.CDLL(str(NATIVE / ("liblookback.dll" if os.name == "nt" else "liblookback.so.0")))
DRAWS = hasattr(_library, "lb_heatmap_save_grid")  # a build without figures has all but this one
c = SimpleNamespace(**{name: prototype((name, _library)) for name, prototype in _c.PROTOTYPES.items()
                       if DRAWS or name != "lb_heatmap_save_grid"})


def names(table: str) -> List[str]:
    """The names in an array of the library that ends with NULL, such as "lb_attention_names"."""
    array = (ctypes.c_char_p * 64).in_dll(_library, table)
    return [name.decode() for name in takewhile(lambda name: name is not None, array)]


class Failure(_c.lb_error):
    """An lb_error for one call."""

    def exception(self) -> Optional[Error]:
        """The error; None if there is none."""
        return Error(self.status, self.message.decode(errors="replace")) if self.status else None

    def check(self, succeeded: Any = False) -> None:
        """Raises the error, unless the call has succeeded."""
        if not succeeded and (error := self.exception()):
            raise error


def encode(text: str, what: str = "text") -> bytes:
    """A text in UTF-8; `what` names it in errors: Status.FORMAT if it has a surrogate or NUL."""
    if not isinstance(text, str):
        raise TypeError(f"{what}: expected str, found {type(text).__name__}")
    try:
        encoded = text.encode()
    except UnicodeEncodeError as error:
        found = ord(text[error.start])
        raise Error(Status.FORMAT, f"{what}: not UTF-8: found the surrogate U+{found:04X}") from None
    if b"\0" in encoded:
        raise Error(Status.FORMAT, f"{what}: found the character NUL, which no text can have")
    return encoded


def encode_path(path: PathLike, what: str = "path") -> bytes:
    """A path as the system writes it."""
    encoded = os.fsencode(path)
    if b"\0" in encoded:
        raise Error(Status.ARGUMENT, f"{what}: found the character NUL, which no path can have")
    return encoded


def set_field(struct: ctypes.Structure, field: str, value: Any) -> None:
    """Sets a field, where ctypes alone would take anything as a truth, and cut off a large number. Raises TypeError for a
    value of another type; Error: ARGUMENT."""
    kind = dict(struct._fields_)[field]
    try:
        if kind is ctypes.c_bool and not isinstance(value, bool):
            raise TypeError("expected a bool")
        setattr(struct, field, value)
    except TypeError as error:
        raise TypeError(f"{field}: found {value!r}: {error}") from None
    if getattr(struct, field) != value:
        raise Error(Status.ARGUMENT, f"{field}: {value} is out of range")


def strings(texts: Iterable[Optional[bytes]]) -> "ctypes.Array[ctypes.c_char_p]":
    """An array of strings for C."""
    listed = list(texts)
    return (ctypes.c_char_p * len(listed))(*listed)


def decode(array: Any, count: int) -> List[str]:
    """`count` strings of C."""
    return [array[i].decode() for i in range(count)]


@lru_cache(maxsize=None)
def numpy() -> Any:
    """The module numpy; None where it is not installed."""
    try:
        import numpy as module
    except ImportError:
        return None
    return module


def array(pointer: Any, shape: Sequence[int], owner: object) -> Any:
    """The numbers at `pointer` as a numpy array of this shape, without a copy: it keeps `owner` alive, to whom they
    belong. Without numpy, nested lists."""
    count = 1
    for size in shape:
        count *= size
    values = (pointer._type_ * count).from_address(ctypes.addressof(pointer.contents))
    values.owner = owner
    module = numpy()
    if module:
        return module.ctypeslib.as_array(values).reshape(shape)
    nested = list(values)
    for size in reversed(shape[1:]):
        nested = [nested[i:i + size] for i in range(0, len(nested), size)]
    return nested


def version() -> str:
    """The version of the library, such as "0.3.0"."""
    return str(c.lb_version(), "ascii")


def set_threads(threads: int) -> None:
    """Sets the number of threads that later calls from this thread of Python compute with. 0 means OMP_NUM_THREADS, or
    without it one for each processor, of which trainings choose the fastest number. Results do not depend on it."""
    c.lb_set_threads(index(threads))
