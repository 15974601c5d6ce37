"""The notebook, run by Jupyter's kernel, where it is installed. Its stored outputs are those of
jupyter nbconvert --execute --inplace examples/python/spanish.ipynb."""
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

    def shown(kind):
        return [output for cell in notebook.cells for output in cell.get("outputs", ()) if output.output_type == kind]

    stored = [output.data["text/plain"] for output in shown("execute_result")]
    nbclient.NotebookClient(notebook, timeout=None, resources={"metadata": {"path": str(place)}}).execute()
    said = shown("stream")
    assert {output.name for output in said} == {"stdout"} and "ɡ from g" in said[-1].text
    [bar] = shown("display_data")
    assert "step 1500/1500  loss" in bar.data["text/plain"]
    assert bar.data["text/html"].startswith("<progress value=\"1500\" max=\"1500\">")
    results = [output.data for output in shown("execute_result")]
    assert results[0]["text/plain"] == stored[0] == "['ɡ i t a r i s t a', 'tʃ i k o', 'θ a p a t i ʎ a']"
    assert any(data.get("text/html", "").startswith("<img alt=\"Output(&#x27;ɡ i t a") for data in results)
    assert "'value': " in results[-2]["text/plain"]
    assert (place / "report.html").stat().st_size > 100000
