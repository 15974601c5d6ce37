"""The notebook, run by Jupyter's kernel, where it is installed."""
import json
import shutil
import sys
from pathlib import Path

import pytest

EXAMPLES = Path(__file__).parents[2] / "examples"


def test_the_notebook_shows_training_heat_map_and_report(tmp_path, monkeypatch):
    nbformat, nbclient = pytest.importorskip("nbformat"), pytest.importorskip("nbclient")
    # A kernel of this environment. Debian's own is one of the system.
    kernel = tmp_path / "kernels/python3/kernel.json"
    kernel.parent.mkdir(parents=True)
    words = [sys.executable, "-m", "ipykernel_launcher", "-f", "{connection_file}"]
    kernel.write_text(json.dumps({"argv": words, "display_name": "Python 3", "language": "python"}))
    monkeypatch.setenv("JUPYTER_PATH", str(tmp_path))
    for folder in ("data", "python"):
        shutil.copytree(EXAMPLES / folder, tmp_path / "examples" / folder)
    place = tmp_path / "examples/python"
    notebook = nbformat.read(place / "spanish.ipynb", as_version=4)
    nbformat.validate(notebook)
    nbclient.NotebookClient(notebook, timeout=None, resources={"metadata": {"path": str(place)}}).execute()
    outputs = [output for cell in notebook.cells for output in cell.get("outputs", ())]
    said = "".join(output.text for output in outputs if output.output_type == "stream")
    assert "step 400/400  loss" in said and "ɡ from g" in said
    shown = [output.data for output in outputs if output.output_type == "execute_result"]
    assert any(data.get("text/html", "").startswith("<img alt=\"Output(&#x27;ɡ i t a") for data in shown)
    assert "'value': " in shown[-2]["text/plain"]
    assert (tmp_path / "out/notebook/report.html").stat().st_size > 100000
