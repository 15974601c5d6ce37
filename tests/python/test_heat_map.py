"""The picture of an output."""
import base64
import re
import shutil
import subprocess
import sys
import xml.etree.ElementTree as xml

import pytest

import lookback
from lookback import library
from lookback.output import Output


def texts_of(svg):
    return ["".join(element.itertext()) for element in xml.fromstring(svg).iter("{http://www.w3.org/2000/svg}text")]


def test_a_heat_map_has_a_row_for_each_step_and_a_column_for_each_symbol(model):
    output = model.translate("abcd", attention=True)[0]
    texts = texts_of(output.svg())
    for label in [*"abcd", *"DCBA", "<eos>", "input", "output", "attention weight"]:
        assert label in texts
    weights = [f"{weight:.2f}" for row in output.attention[0][0] for weight in row]
    assert [text for text in texts if text in weights]


def test_jupyter_shows_it_as_an_image_of_its_own(model):
    found = model.translate("abcd", n_best=2, attention=True)
    html = found._repr_html_()
    assert html == found[0]._repr_html_()
    image = re.fullmatch(r'<img alt="Output\(&#x27;DCBA&#x27;, [^"]*" src="data:image/svg\+xml;base64,([^"]*)">', html)
    assert base64.b64decode(image[1]).decode() == found[0].svg()
    assert model.translate("abcd")._repr_html_() is None


def test_markup_in_a_text_stays_text(pairs, settings, tmp_path):
    model = lookback.train([('<b>"&', "<i>'&")] * 40, out=tmp_path, hold_out=False, **{**settings, "steps": 60})
    output = model.translate('<b>"&', attention=True)
    assert "&" in texts_of(output[0].svg())
    assert "<i>" not in output._repr_html_() and "&lt;" in output._repr_html_()


def test_each_head_of_each_layer_has_a_map(pairs, settings, tmp_path):
    settings.update(model="transformer", hidden=16, embed=None, heads=2, layers=2, steps=10)
    model = lookback.train(pairs, out=tmp_path, **settings)
    output = model.translate("abc", attention=True)[0]
    assert (len(output.attention), len(output.attention[0])) == (2, 2)
    texts = texts_of(output.svg())
    for title in ("Layer 1, Head 1", "Layer 1, Head 2", "Layer 2, Head 1", "Layer 2, Head 2"):
        assert title in texts


def output(attention, finished=True):
    """An output of "x", or of "xy" without an end, with these weights."""
    symbols = ["x"] if finished else ["x", "y"]
    return Output("".join(symbols), -1.0, 0.5, symbols, [0.5, 0.5], finished, ["a", "b"], attention)


def test_only_what_there_are_several_of_is_in_a_title():
    rows = [[0.5, 0.5], [0.25, 0.75]]
    for attention, titles in (([[rows]], []), ([[rows, rows]], ["Head 1", "Head 2"]),
                              ([[rows], [rows]], ["Layer 1", "Layer 2"])):
        assert [text for text in texts_of(output(attention).svg()) if "Layer" in text or "Head" in text] == titles


def test_the_scale_ends_at_1_unless_all_weights_are_below_a_half():
    for highest, ends in ((0.5, True), (0.49, False), (0.1, False)):
        texts = texts_of(output([[[[0.05, highest], [0.05, 0.05]]]]).svg())
        assert ("1.0" in texts) == ends


def test_an_output_without_an_end_has_no_row_for_it():
    rows = [[[[0.5, 0.5], [0.25, 0.75]]]]
    assert "<eos>" in texts_of(output(rows).svg())
    texts = texts_of(output(rows, finished=False).svg())
    assert "<eos>" not in texts and "y" in texts


def test_without_attention_there_is_none(pairs, settings, tmp_path, model):
    with pytest.raises(ValueError, match="attention=True"):
        model.translate("abc")[0].svg()
    bottleneck = lookback.train(pairs, out=tmp_path, attention="none", **{**settings, "steps": 10})
    assert bottleneck.translate("abc", attention=True).attention is None


WITHOUT_FIGURES = """
import sys, lookback
output = lookback.open(sys.argv[1]).translate("abcd", attention=True)[0]
assert output.text == "DCBA" and output._repr_html_() is None
try:
    output.svg()
except lookback.Error as error:
    print(error)
"""


def test_a_package_without_figures_says_so_and_does_the_rest(folder, tmp_path):
    """A copy, in whose library the function that draws has another name."""
    shutil.copytree(library.NATIVE.parent, tmp_path / "lookback")
    copied = tmp_path / "lookback/native/liblookback.so.0"
    content = copied.read_bytes()
    assert content.count(b"\0lb_heatmap_save_grid\0") == 1
    copied.write_bytes(content.replace(b"lb_heatmap_save_grid\0", b"no_heatmap_save_grid\0"))
    said = subprocess.run([sys.executable, "-c", WITHOUT_FIGURES, folder], cwd=tmp_path, encoding="utf-8",
                          stdout=subprocess.PIPE, check=True).stdout
    assert said == "this lookback is built without figures; the page of Model.report() draws attention\n"
