"""Editors and mypy know the options: they are typed by the table of settings, and those of the library are the same."""
import shutil
import subprocess
import sys

import pytest

from lookback import _c, model, training

CALLS = """
import lookback
model = lookback.train([("a", "b")], out="o", hidden=3, hold_out=False, from_=None, lr=1, choose_on="x")
print(model.translate("a", n_best=2, beam=5).text, model.translate(["a"], limit=3)[0].text)
lookback.train([("a", "b")], out="o", hiden=3)
lookback.train([("a", "b")], out="o", hidden="3")
model.translate("a", nbest=3)
"""


def test_options_have_the_types_of_the_fields():
    of_training = {name.rstrip("_") for name in _c.TrainOptions.__annotations__}
    assert of_training == {*training.FIELDS, *_c.OPPOSITES} - {"attention"}
    assert set(_c.TranslateOptions.__annotations__) == model.OPTIONS - {"n_best", "attention"}


@pytest.mark.skipif(not shutil.which("mypy"), reason="there is no mypy")
def test_the_package_uses_nothing_that_windows_lacks(tmp_path):
    found = subprocess.run(["mypy", "--platform=win32", "--python-executable", sys.executable, "-p", "lookback"], cwd=tmp_path,
                           encoding="utf-8", stdout=subprocess.PIPE, check=False).stdout
    assert "source files)" in found and "[attr-defined]" not in found, found


@pytest.mark.skipif(not shutil.which("mypy"), reason="there is no mypy")
def test_mypy_finds_options_that_do_not_exist(tmp_path):
    (tmp_path / "calls.py").write_text(CALLS)
    found = subprocess.run(
        ["mypy", "--enable-incomplete-feature=Unpack", "--python-executable", sys.executable, "calls.py"],
        cwd=tmp_path, encoding="utf-8", stdout=subprocess.PIPE, check=False).stdout
    lines = [line for line in found.splitlines() if ": error: " in line]
    assert [line.split(":")[1] for line in lines] == ["5", "6", "7"], found
    assert "hiden" in lines[0] and "hidden" in lines[1]
