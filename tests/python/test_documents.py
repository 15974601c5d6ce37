"""The Python of the documents runs, with trainings that are shorter."""
import functools
import re
import shutil
from pathlib import Path

import pytest

import lookback

CHECKOUT = Path(__file__).parents[2]


def run(page):
    blocks = re.findall(r"```python\n(.*?)```", (CHECKOUT / page).read_text(encoding="utf-8"), re.S)
    names = {}
    for block in blocks:
        exec(block, names)
    return names


@pytest.fixture
def place(tmp_path, monkeypatch):
    """A folder with the pairs of the documents, where each training takes 20 steps."""
    for name in ("train", "dev"):
        shutil.copy(CHECKOUT / f"examples/data/spanish_{name}.tsv", tmp_path / f"{name}.tsv")
    (tmp_path / "train.tsv").rename(tmp_path / "pairs.tsv")
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(lookback, "train", functools.partial(
        lookback.train, hidden=16, embed=16, steps=20, evaluate_every=10))
    return tmp_path


def test_readme(place, capsys):
    lookback.train("pairs.tsv", out="out/spanish", target_separator=" ")
    names = run("README.md")
    assert capsys.readouterr().out == names["model"]("guitarra") + "\n"


def test_python_md(place, capsys):
    names = run("docs/python.md")
    out, error = capsys.readouterr()
    assert error.startswith("step 10/20  loss ")
    # The same training again opens the model, with nothing to tell.
    lines = out.splitlines()
    assert len(lines) == 4 and lines[-1] == "True text 1: found an empty text"
    assert len(names["best"]) == 3
    assert (place / "report.html").exists()


def test_the_docstring_of_the_package(place):
    text = lookback.__doc__.replace("    import lookback", "    pass")
    code = "\n".join(line[4:] for line in text.splitlines() if line.startswith("    "))
    names = {"lookback": lookback}
    exec(code, names)
    assert len(names["best"]) == 3
