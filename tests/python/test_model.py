"""Applying a model: what the program `predict` says, from Python."""
import base64
import gc
import importlib.util
import json
import math
import os
import pickle
import re
import subprocess
import threading
import weakref
import zlib

import pytest
from conftest import words

import lookback
from lookback import program

HAS_NUMPY = importlib.util.find_spec("numpy") is not None
Status = lookback.Status


def predict(folder, texts, *options):
    done = subprocess.run([program.PATH, "predict", *options, folder], input="\n".join(texts) + "\n", encoding="utf-8",
                          stdout=subprocess.PIPE, check=True)
    return done.stdout.splitlines()


def test_a_thousand_texts_have_the_outputs_of_the_program(model, folder):
    texts = words(1000, 2)
    assert model(texts) == [line.partition("\t")[2] for line in predict(folder, texts)]
    assert sum(output == text[::-1].upper() for text, output in zip(texts, model(texts))) > 900


def test_each_number_of_an_output_is_that_of_the_program(model, folder):
    texts = ["abc", "ebx"]
    for line, found in zip(predict(folder, texts, "--jsonl", "--n-best", "3"), model.translate(texts, n_best=3)):
        expected = json.loads(line)
        assert len(found) == len(expected["outputs"]) == 3
        assert found.unknown == expected["unknown"]
        assert found.unlike == expected.get("unlike", False)
        for output, wanted in zip(found, expected["outputs"]):
            assert output.text == wanted["text"]
            assert output.finished == wanted["finished"]
            assert output.symbols == [each["symbol"] for each in wanted["symbols"]]
            probabilities = [each["probability"] for each in wanted["symbols"]] + [wanted["end"]] * output.finished
            assert output.symbol_probabilities == pytest.approx(probabilities, rel=1e-6)
            assert (output.score, output.probability) == pytest.approx((wanted["score"], wanted["probability"]), rel=1e-6)


def test_erasure_and_gradient_are_those_of_the_program(model, folder):
    wanted = json.loads(predict(folder, ["abcd"], "--jsonl", "--why")[0])["outputs"][0]
    found = model.translate("abcd", erasure=True, gradient=True)
    assert found.attention is None
    for measure in ("erasure", "gradient"):
        rows = [[float(number) for number in row] for row in getattr(found, measure)]
        assert [len(row) for row in rows] == [4] * 5
        for row, expected in zip(rows, wanted[measure]):
            assert row == pytest.approx(expected, rel=1e-4, abs=1e-5)
        # The first letter is written from the last one.
        assert max(rows[0]) == rows[0][3] > 0.1
    assert wanted["source_symbols"] == found[0].source
    assert found[0].why_null is None
    single = json.loads(predict(folder, ["a"], "--jsonl", "--why")[0])["outputs"][0]
    assert model.translate("a", erasure=True, gradient=True)[0].why_null == single["why_null"]
    assert (model.translate("abcd").erasure, model.translate("abcd").gradient) == (None, None)
    with pytest.raises(TypeError, match="erasure: found 1"):
        model.translate("abcd", erasure=1)


def test_a_text_gives_one_and_texts_a_list(model):
    one = model.translate("abc")
    assert one.text == one[0].text == model("abc") == "CBA"
    assert (one.symbols, one.score, one.probability) == (one[0].symbols, one[0].score, one[0].probability)
    assert [each.text for each in model.translate(["abc", "de"])] == model(["abc", "de"]) == ["CBA", "ED"]
    assert model([]) == []
    assert repr(one) == f"(Output('CBA', probability={one.probability:.4g}),)"


def test_attention_is_an_array_with_numpy_and_lists_without(model):
    output = model.translate("abcd", attention=True)[0]
    steps, length = len(output.symbol_probabilities), len(output.source)
    assert (steps, length, output.source) == (5, 4, list("abcd"))
    if HAS_NUMPY:
        assert output.attention.shape == (1, 1, 5, 4)
        assert output.attention.dtype.name == "float32"
    rows = [[float(weight) for weight in row] for row in output.attention[0][0]]
    assert [len(row) for row in rows] == [4] * 5
    assert [sum(row) for row in rows] == pytest.approx([1] * 5, abs=1e-5)
    assert isinstance(output.attention, list) != HAS_NUMPY
    # The first letter is written where the last one is read.
    assert max(rows[0]) == rows[0][3]
    assert model.translate("abcd").attention is None


@pytest.mark.skipif(not HAS_NUMPY, reason="numpy is not installed")
def test_an_array_keeps_its_memory_and_nobody_else_does(model, monkeypatch):
    freed, free = [], lookback.model.c.lb_translations_free
    monkeypatch.setattr(lookback.model.c, "lb_translations_free", lambda found: (freed.append(1), free(found)))
    attention = model.translate("abcd", attention=True).attention
    expected = attention.copy()
    model.close()
    gc.collect()
    assert not freed
    assert (attention == expected).all()
    del attention
    gc.collect()
    assert len(freed) == 1


def test_a_model_that_nobody_uses_is_freed(folder, monkeypatch):
    freed, free = [], lookback.model.c.lb_translator_close
    monkeypatch.setattr(lookback.model.c, "lb_translator_close", lambda translator: (freed.append(1), free(translator)))
    alive = weakref.ref(lookback.open(folder))
    gc.collect()
    assert alive() is None and len(freed) == 1
    with lookback.open(folder) as model:
        model.close()
    assert len(freed) == 2


def test_score_is_the_log_probability_of_the_target(model):
    best = model.translate("abc")
    scored = model.score("abc", best.text)
    assert scored.symbols == best.symbols
    assert scored.probability == pytest.approx(best.probability, rel=1e-5)
    assert scored.attention is None
    there = model.translate("abc", attention=True)[0].attention[0][0]
    for step, found in zip(there, model.score("abc", best.text, attention=True).attention[0][0]):
        assert list(found) == pytest.approx(list(step), abs=1e-5)
    good, bad = model.score(["abc", "abc"], ["CBA", "ABC"])
    assert good.score > bad.score + 1


def test_options_are_those_of_the_library(model):
    assert len(model.translate("abcde", n_best=4, beam=4)) == 4
    assert len(model.translate("abcde", limit=2)[0].symbols) == 2
    first = [each.text for each in model.translate(["abc"] * 300, sample=True, temperature=3.0, seed=1)]
    assert first == [each.text for each in model.translate(["abc"] * 300, sample=True, temperature=3.0, seed=1)]
    # Samples depend on the number of a text, also beyond the first batch.
    assert first[:44] != first[256:]
    long, short = model.translate("aabbccddee", length_penalty=0), model.translate("aabbccddee")
    assert long.score == pytest.approx(sum(map(math.log, long[0].symbol_probabilities)), rel=1e-4)
    assert long.score < short.score
    with pytest.raises(TypeError, match="no option 'beams'"):
        model.translate("abc", beams=3)
    with pytest.raises(TypeError, match="beam: found 'wide'"):
        model.translate("abc", beam="wide")
    with pytest.raises(lookback.Error, match="beam: 4294967296 is out of range"):
        model.translate("abc", beam=2**32)
    with pytest.raises(lookback.Error, match="beam") as caught:
        model.translate("abc", beam=-1)
    assert caught.value.status is Status.ARGUMENT


def test_a_lexicon_is_written_exactly_and_can_be_taken_out(model, folder, tmp_path):
    exact = model.with_lexicon([("abc", "X Y"), ("abc", "CAB"), ("de", "D")], tmp_path / "exact")
    assert exact(["abc", "de", "ab"]) == ["X Y", "D", "BA"]
    best = exact.translate("abc", n_best=3, attention=True)
    assert [each.text for each in best] == ["X Y", "CAB", "CBA"]
    assert [each.from_lexicon for each in best] == [True, True, False]
    assert math.isnan(best[0].probability) and best[0].attention is None
    wanted = json.loads(predict(tmp_path / "exact", ["abc"], "--jsonl", "--n-best", "3")[0])["outputs"]
    assert [each.why_null for each in best] == [each.get("why_null") for each in wanted] and best[0].why_null
    assert math.log(best[1].probability) == pytest.approx(model.score("abc", "CAB").score, rel=1e-4)
    assert exact.translate("abc", no_lexicon=True).text == "CBA"
    assert exact.with_lexicon(None, tmp_path / "plain")("abc") == "CBA"
    assert (tmp_path / "plain/model.safetensors").read_bytes() == model.path.read_bytes()
    assert model.with_lexicon([("ABC", "D")], tmp_path / "folded", case="fold")("abc") == "D"
    with pytest.raises(lookback.Error, match="pair 1: found an empty source"):
        model.with_lexicon([("a", "b"), ("", "b")], tmp_path / "bad")
    with pytest.raises(lookback.Error, match="lexicon_case: found \"other\", expected exact or fold"):
        model.with_lexicon([("a", "b")], tmp_path / "bad", case="other")
    trained = lookback.train([("ab", "BA")] * 8, dev=[("ab", "BA")], out=tmp_path / "new", steps=1, hidden=8, embed=4,
                             lexicon=[("zz", "Q")])
    assert trained("zz") == "Q"


def test_evaluate_and_report_are_those_of_the_program(model, folder, pairs, tmp_path):
    found = model.evaluate(pairs[:50])
    assert found["pairs"] == 50
    wrong = sum(model(source) != target for source, target in pairs[:50])
    assert found["sequence_error_rate"]["value"] == pytest.approx(2 * wrong)
    assert len(model.evaluate(pairs[:50], beam=1, confusions=1)["confusions"]) <= 1
    file = tmp_path / "-.tsv"
    file.write_text("".join(f"{source}\t{target}\n" for source, target in pairs[:50]))
    assert model.evaluate(file) == found
    page = model.report(file, tmp_path / "page.html", title="capitals")
    packed = re.search(r'id="data" data-encoding="deflate\+base64">([^<]*)<', page.read_text(encoding="utf-8"))
    assert json.loads(zlib.decompress(base64.b64decode(packed[1])))["about"]["title"] == "capitals"
    file.write_text("abc\tCBA\nabc\n")
    with pytest.raises(lookback.Error, match=r"-\.tsv:2: ") as caught:
        model.evaluate(file)
    assert caught.value.status is Status.FORMAT
    with pytest.raises(lookback.Error, match=r"unknown option --beams") as caught:
        model.evaluate(pairs, beams=1)
    assert caught.value.status is Status.ARGUMENT
    with pytest.raises(lookback.Error) as caught:
        model.report(pairs[:5], tmp_path / "missing" / "page.html")
    assert caught.value.status is Status.WRITE


@pytest.mark.parametrize("text, message", [
    ("", "text 1: "), ("a\0b", "text 1: .*NUL"), ("a\ud800b", r"text 1: not UTF-8: .*U\+D800"), ("a" * 100000, "text 1: ")])
def test_a_bad_text_has_its_number(model, text, message):
    with pytest.raises(lookback.Error, match=message) as caught:
        model(["abc", text])
    assert caught.value.status is Status.FORMAT
    assert model("abc") == "CBA"


def test_a_bad_text_beyond_the_first_batch_has_its_number(model):
    with pytest.raises(lookback.Error, match="text 699: "):
        model(["abc"] * 699 + [""])
    with pytest.raises(lookback.Error, match="text 299: "):
        model.score(["abc"] * 300, ["CBA"] * 299 + ["A" * 100000])


def test_values_of_other_types_are_refused(model):
    for bad in (1, None, b"abc", [1], ["abc", None]):
        with pytest.raises(TypeError):
            model(bad)
    with pytest.raises(TypeError):
        lookback.open(3)
    with pytest.raises(lookback.Error, match="2 sources and 1 targets") as caught:
        model.score(["abc", "abc"], ["CBA"])
    assert caught.value.status is Status.ARGUMENT


def test_open_says_what_it_cannot_read(folder, tmp_path):
    whole = (folder / "model.safetensors").read_bytes()
    damaged = tmp_path / "damaged.safetensors"
    for content in (b"", b"not a model", whole[:1000], whole[:-1], whole[:8] + b"\xff" + whole[9:]):
        damaged.write_bytes(content)
        with pytest.raises(lookback.Error, match="damaged.safetensors") as caught:
            lookback.open(damaged)
        assert caught.value.status is Status.FORMAT
    with pytest.raises(lookback.Error) as caught:
        lookback.open(tmp_path / "missing")
    assert caught.value.status is Status.OPEN
    with pytest.raises(lookback.Error, match="NUL"):
        lookback.open("a\0b")


def test_a_closed_model_says_so(folder):
    model = lookback.open(folder)
    model.close()
    model.close()
    for call in (lambda: model("abc"), lambda: model.translate(["abc"]), lambda: model.score("abc", "CBA")):
        with pytest.raises(lookback.Error, match="closed") as caught:
            call()
        assert caught.value.status is Status.ARGUMENT
    assert model.evaluate([("abc", "CBA")])["pairs"] == 1  # by its file


def test_an_error_can_be_pickled():
    error = pickle.loads(pickle.dumps(lookback.Error(Status.FORMAT, "what")))
    assert (error.status, error.message, str(error)) == (Status.FORMAT, "what", "what")


def test_threads_share_a_model(model):
    texts = words(300, 3)
    expected, found = model(texts), {}
    barrier = threading.Barrier(4)

    def work(number):
        barrier.wait()
        found[number] = [model(texts[i::3]) for i in range(3)]

    threads = [threading.Thread(target=work, args=(number,)) for number in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    for each in found.values():
        assert each == [expected[i::3] for i in range(3)]
    assert len(found) == 4


def test_two_threads_translate_at_the_same_time(model, monkeypatch):
    inside, whole, found = threading.Barrier(2), lookback.model.c.lb_translate_all, []

    def meet_and_translate(*arguments):
        inside.wait(60)  # for the other one; a lock around calls would break it
        return whole(*arguments)

    monkeypatch.setattr(lookback.model.c, "lb_translate_all", meet_and_translate)
    threads = [threading.Thread(target=lambda: found.append(model("abc"))) for _ in range(2)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert found == ["CBA", "CBA"]


def test_a_pair_that_is_no_line_is_not_evaluated(model):
    for pair, field in ((("a\tb", "BA"), "source"), (("ab", "B\nA"), "target"), (("a\rb", "BA"), "source")):
        with pytest.raises(lookback.Error, match=f"pairs: pair 1, {field}: found a tab or a line break") as caught:
            model.evaluate([("ab", "BA"), pair])
        assert caught.value.status is Status.FORMAT


def test_a_child_of_fork_translates(model):
    assert model("abc") == "CBA"
    child = os.fork()
    if child == 0:
        os._exit(0 if model(["abc", "de"]) == ["CBA", "ED"] else 1)
    assert os.waitpid(child, 0)[1] == 0


def test_the_record_of_the_training_has_its_options(model, settings):
    assert model.training["options"]["evaluate-every"] == settings["evaluate_every"]
    assert model.path.is_absolute() and model.path.name == "model.safetensors"


def test_threads_of_the_library_can_be_set(model):
    before = model("abcde")
    lookback.set_threads(1)
    assert model("abcde") == before
    lookback.set_threads(0)
    with pytest.raises(TypeError):
        lookback.set_threads("2")


def test_a_model_that_is_closed_within_a_call_is_freed_after_it(folder, monkeypatch):
    freed, free, whole = [], lookback.model.c.lb_translator_close, lookback.model.c.lb_translate_all
    monkeypatch.setattr(lookback.model.c, "lb_translator_close", lambda translator: (freed.append(1), free(translator)))
    model = lookback.open(folder)

    def close_and_translate(*arguments):
        closing = threading.Thread(target=model.close)
        closing.start()
        closing.join()
        assert not freed
        return whole(*arguments)

    monkeypatch.setattr(lookback.model.c, "lb_translate_all", close_and_translate)
    assert model("abc") == "CBA"
    assert len(freed) == 1
