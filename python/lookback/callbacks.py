"""Calls of C that call Python back: what is raised meanwhile, and the end of the interpreter."""
import _signal  # type: ignore[import]  # that of C: signal looks up the name of each number, half a millisecond for a call
import atexit
import os
import signal
import threading
from contextlib import contextmanager
from typing import Any, Callable, Dict, Iterator, Optional


class _End:
    """A thread that comes back from C when there is no interpreter any more ends the process with a fault. Daemon threads go
    on until the process ends, so the end waits for each of them that is in C and will call back, and keeps it in Python."""

    def __init__(self) -> None:
        self.changed = threading.Condition()
        self.has_come = False
        self.in_c = 0  # threads that are in C now, and will call back

    def come(self) -> None:
        with self.changed:
            self.has_come = True
            self.changed.wait_for(lambda: not self.in_c)

    def enter_c(self) -> None:
        with self.changed:
            while self.has_come:
                self.changed.wait()  # for the end of the process
            self.in_c += 1

    def leave_c(self) -> None:
        with self.changed:
            self.in_c -= 1
            self.changed.notify_all()


_end = _End()
atexit.register(lambda: _end.come())  # pylint: disable=unnecessary-lambda  # a child of fork has another one


def _forget_other_threads() -> None:
    global _end  # pylint: disable=global-statement
    _end = _End()


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_forget_other_threads)


_SIGNALS = tuple(int(number) for number in signal.valid_signals())


def in_main_thread() -> bool:
    """Whether this is the thread that hears signals, and that ends the interpreter."""
    return threading.current_thread() is threading.main_thread()


class Callbacks:
    """The callbacks of one call. No exception can pass through C: the first one in a callback, or in a signal handler
    meanwhile, is kept for the caller, and `stop` then says that the call should end."""

    def __init__(self) -> None:
        self.raised: Optional[BaseException] = None
        self.end = None if in_main_thread() else _end  # the main thread ends the interpreter: it is not in C then

    def stop(self, context: Any) -> bool:
        """For the library: whether to stop."""
        with self.in_python():
            return self.raised is not None

    def guard(self, function: Callable[..., None]) -> Callable[..., int]:
        """`function` for the library. The status is always that of success: `stop` ends the call."""
        def call(*arguments: Any) -> int:
            with self.in_python(), self.keeping():
                if self.raised is None:
                    function(*arguments)
            return 0
        return call

    @contextmanager
    def in_python(self) -> Iterator[None]:
        """While a callback runs."""
        if self.end:
            self.end.leave_c()
        try:
            yield
        finally:
            if self.end:
                self.end.enter_c()

    @contextmanager
    def keeping(self) -> Iterator[None]:
        """Keeps the first exception of a block."""
        try:
            yield
        except BaseException as error:  # pylint: disable=broad-except
            if self.raised is None:
                self.raised = error

    @contextmanager
    def calling(self) -> Iterator[None]:
        """While the library runs. Python handles a signal in whichever callback comes next, where an exception could get lost
        between two lines. So what the handlers raise, such as that of Ctrl-C, is kept."""
        before: Dict[int, Any] = {}
        if in_main_thread():
            before = {number: _signal.getsignal(number) for number in _SIGNALS}

        def handle(number: int, frame: Any) -> None:
            with self.keeping():
                before[number](number, frame)

        heard = [number for number, handler in before.items() if callable(handler)]
        if self.end:
            self.end.enter_c()
        try:
            for number in heard:
                _signal.signal(number, handle)
            yield
        finally:
            for number in heard:
                _signal.signal(number, before[number])
            if self.end:
                self.end.leave_c()
