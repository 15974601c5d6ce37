"""The program: `python -m lookback train pairs.tsv --out model` is `lookback train pairs.tsv --out model`."""
import os
import signal
import subprocess
import sys

from .program import PATH


def main() -> None:
    """Becomes the program. On Windows no process becomes another: it waits, also while Ctrl-C lets the program save."""
    if os.name == "nt":
        signal.signal(signal.SIGINT, signal.SIG_IGN)
        sys.exit(subprocess.call([PATH, *sys.argv[1:]]))
    os.execv(PATH, ["lookback", *sys.argv[1:]])


if __name__ == "__main__":
    main()
