"""The program: `python -m lookback train pairs.tsv --out model` is `lookback train pairs.tsv --out model`."""
import os
import sys

from .program import PATH


def main() -> None:
    """Becomes the program."""
    os.execv(PATH, ["lookback", *sys.argv[1:]])


if __name__ == "__main__":
    main()
