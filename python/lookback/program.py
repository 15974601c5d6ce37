"""The program `lookback` that the wheel carries, for what the library has no function for."""
import logging
import os
import subprocess
from typing import Any, Mapping, Optional

from .library import NATIVE, Error, PathLike, Status

PATH = NATIVE / ("lookback.exe" if os.name == "nt" else "lookback")
log = logging.getLogger("lookback")

# Of the exit statuses in LB_STATUS_LIST, those that a command without a training can end with.
STATUS = {2: Status.ARGUMENT, 65: Status.FORMAT, 66: Status.OPEN, 74: Status.WRITE}


def _option(name: str, value: Any) -> str:
    name = name.replace("_", "-")
    if isinstance(value, bool):
        return f"--{name}" if value else f"--no-{name}"
    return f"--{name}={value}"


def run(command: str, *operands: PathLike, options: Mapping[str, Any], text: Optional[bytes] = None) -> str:
    """What `lookback COMMAND --OPTION=VALUE ... OPERAND ...` prints, with the operand - for `text`. Its messages go to the
    log "lookback"; the last one of a failure is the Error."""
    arguments = [_option(name, value) for name, value in options.items()]
    # An absolute path is neither an option nor "-".
    words = [os.fspath(PATH), command, *arguments, *(os.path.abspath(operand) for operand in operands)]
    words += [] if text is None else ["-"]
    try:
        done = subprocess.run(words, input=text or b"", stdout=subprocess.PIPE, stderr=subprocess.PIPE, check=False)
    except ValueError as error:  # NUL
        raise Error(Status.ARGUMENT, f"lookback {command}: {error}") from None
    said = f"lookback {command}: "
    messages = [line.replace(said, "", 1) for line in done.stderr.decode(errors="replace").splitlines()]
    if done.returncode:
        message = messages[-1] if messages else f"{said}ended with status {done.returncode}"
        raise Error(STATUS.get(done.returncode, Status.MEMORY), message)
    for message in messages:
        log.info("%s", message)
    return done.stdout.decode()
