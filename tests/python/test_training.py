"""Training: pairs in each form, options, progress, and what ends it early."""
import logging
import os
import signal
import subprocess
import sys

import pytest

import lookback

Status = lookback.Status


def model_of(folder):
    return (folder / "model.safetensors").read_bytes()


@pytest.fixture
def short(settings):
    return {**settings, "steps": 40, "evaluate_every": 20}


def test_a_list_gives_the_weights_of_a_file(pairs, short, tmp_path):
    file = tmp_path / "pairs.tsv"
    file.write_text("".join(f"{source}\t{target}\n" for source, target in pairs))
    lookback.train(iter(pairs), dev=pairs[:20], out=tmp_path / "list", **short)
    lookback.train(str(file), dev=pairs[:20], out=str(tmp_path / "file"), **short)
    assert model_of(tmp_path / "list") == model_of(tmp_path / "file")


def test_reproduce_is_the_same_from_a_list_and_from_a_file(pairs, short, tmp_path):
    file = tmp_path / "pairs.tsv"
    file.write_text("".join(f"{source}\t{target}\n" for source, target in pairs))
    model = lookback.train(pairs, out=tmp_path / "model", **short)
    seen = []
    found = lookback.reproduce(model, file, progress=seen.append)
    assert found == lookback.reproduce(tmp_path / "model", pairs) == (True, 2, 40, 0, "", "")
    assert [now.step for now in seen if now.evaluation] == [20, 40]
    assert lookback.reproduce(model_of(tmp_path / "model"), file, steps=20).evaluations == 1
    changed = lookback.reproduce(model, pairs[1:] + pairs[:1])
    assert not changed.same and changed.step == 20 and changed.what.startswith("weights: found ")
    assert changed.why.startswith("data or options: it was trained on other pairs")
    with pytest.raises(lookback.Error):
        lookback.reproduce(model)  # its record names no file


def test_reproduce_trains_each_member_of_an_ensemble(pairs, short, tmp_path):
    lookback.train(pairs, out=tmp_path / "vote", ensemble="dot-backward,transformer", attention="additive",
                   **{**short, "bidirectional": False})
    found = lookback.reproduce(tmp_path / "vote", pairs)
    assert found.same and found.evaluations == 4 and found.member == 2


def test_the_program_of_the_wheel_trains_to_the_same_weights(pairs, short, tmp_path):
    file = tmp_path / "pairs.tsv"
    file.write_text("".join(f"{source}\t{target}\n" for source, target in pairs))
    words = [f"--{name.replace('_', '-')}={value}" for name, value in short.items()]
    subprocess.run([lookback.program.PATH, "train", file, "--quiet", f"--out={tmp_path / 'program'}", *words], check=True)
    lookback.train(file, out=tmp_path / "package", **short)
    scores = [lookback.open(tmp_path / name).score("abc", "CBA").score for name in ("program", "package")]
    assert scores[0] == scores[1]


def run_ensemble(file, short, folder, ensemble):
    words = [f"--{name.replace('_', '-')}={value}" for name, value in short.items()]
    subprocess.run([lookback.program.PATH, "train", file, "--quiet", f"--out={folder}", f"--ensemble={ensemble}", *words],
                   check=True, stdout=subprocess.DEVNULL)


def votes_of(folder):
    with lookback.open(folder) as model:
        return [(score.score, score.symbol_probabilities) for score in model.score(["abc", "edcb"], ["CBA", "BCDE"])]


@pytest.mark.parametrize("ensemble, members", [("additive,backward:2", ["additive-1", "backward-2", "backward-3"]),
                                               (2, ["model-1", "model-2"])])
def test_an_ensemble_has_the_members_and_weights_of_the_program(pairs, short, tmp_path, ensemble, members):
    file = tmp_path / "pairs.tsv"
    file.write_text("".join(f"{source}\t{target}\n" for source, target in pairs))
    run_ensemble(file, short, tmp_path / "program", ensemble)
    told = []
    lookback.train(file, out=tmp_path / "package", ensemble=ensemble, progress=told.append, **short).close()
    assert list(dict.fromkeys(now.name for now in told)) == members
    for name in [*members, "."]:
        assert votes_of(tmp_path / "package" / name) == votes_of(tmp_path / "program" / name)


def test_an_ensemble_goes_on_after_an_exception_and_replaces_its_own_model_alone(pairs, short, tmp_path):
    lookback.train(pairs, out=tmp_path / "whole", ensemble="additive,lstm", **short).close()
    lookback.train(pairs, out=tmp_path / "all", **short).close()
    earlier = model_of(tmp_path / "all")

    def stop(now):
        if now.name == "lstm-2" and now.step == 10:
            raise ValueError

    with pytest.raises(ValueError):
        lookback.train(pairs, out=tmp_path / "all", ensemble="additive,lstm", progress=stop, **short)
    assert model_of(tmp_path / "all") == earlier
    for _ in range(2):
        lookback.train(pairs, out=tmp_path / "all", ensemble="additive,lstm", **short).close()
        assert votes_of(tmp_path / "all") == votes_of(tmp_path / "whole")
        assert (tmp_path / "all" / "model.old-1.safetensors").read_bytes() == earlier
        assert not (tmp_path / "all" / "model.old-2.safetensors").exists()


def test_an_ensemble_of_all_pairs_has_equal_weights(pairs, short, tmp_path):
    model = lookback.train(pairs, out=tmp_path, ensemble=2, hold_out=False, **short)
    member = [dict(options)["exact_match"] for options in model.training["members"]]
    assert len(member) == 2 and "exact_match" not in model.training


@pytest.mark.parametrize("ensemble, message", [
    ("additve", "found the kind \"additve\", expected one of none, additive, "),
    ("additive:x", "ensemble: found 'additive:x', expected 1 to 64 models in all"),
    ("additive:60,dot:5", "expected 1 to 64 models in all"),
    (0, "ensemble: found 0, expected 1 to 64 models in all"),
    ("additive,dot", "dot-2: attention: dot needs encoder states as wide"),
])
def test_an_impossible_ensemble_is_named(pairs, short, tmp_path, ensemble, message):
    with pytest.raises(lookback.Error) as found:
        lookback.train(pairs, out=tmp_path / "out", ensemble=ensemble, **short)
    assert found.value.status == Status.ARGUMENT and message in found.value.message
    assert not (tmp_path / "out").exists()


def test_features_are_the_second_text_of_three(short, tmp_path):
    pairs = [(word, feature, word + ending) for word in ("walk", "talk", "call", "jump", "play")
             for feature, ending in (("V;PST", "ed"), ("V;3;SG", "s"), ("V;PTCP", "ing"))] * 10
    model = lookback.train(pairs, out=tmp_path, **{**short, "steps": 200}, hold_out=False)
    assert model(["walk\tV;PST", "jump\tV;3;SG"]) == ["walked", "jumps"]
    assert model.evaluate(pairs)["exact_match"]["value"] == 100


def test_names_of_the_library_and_of_the_program_are_options(pairs, short, tmp_path):
    model = lookback.train(pairs, out=tmp_path, attention="multi-head", cell="lstm", bidirectional=False, hold_out=False,
                           normalize="none", heads=2, seed=3, patience=None, **short)
    inspected = subprocess.run([lookback.program.PATH, "inspect", model.path], stdout=subprocess.PIPE, check=True).stdout
    for line in (b'attention: "multi-head"', b"heads: 2", b'cell: "lstm"', b"bidirectional: false", b"dropout: 0\n"):
        assert line in inspected
    assert model.training["seed"] == 3
    finer = lookback.train(pairs, out=tmp_path / "finer", from_=model.path, steps=10)
    assert len(finer.translate("abc", attention=True).attention[0]) == 2


def test_products_are_rounded_where_the_processor_can(pairs, short, tmp_path):
    try:
        model = lookback.train(pairs, out=tmp_path, precision="bfloat16", **short)
    except lookback.Error as error:
        assert str(error).endswith("this processor has no avx512_bf16")
    else:
        assert model.training["options"]["precision"] == "bfloat16"


@pytest.mark.parametrize("options, error, message", [
    ({"hiden": 3}, TypeError, "no option 'hiden'; did you mean 'hidden'"),
    ({"tell": 3}, TypeError, "no option 'tell'"),
    ({"context": 3}, TypeError, "no option 'context'"),
    ({"hidden": "wide"}, TypeError, "hidden: found 'wide'"),
    ({"tied": "no"}, TypeError, "tied: found 'no'"),
    ({"hidden": 2**32 + 64}, lookback.Error, "hidden: 4294967360 is out of range"),
    ({"target_separator": 1}, TypeError, "target_separator"),
    ({"target_separator": "\ud800"}, lookback.Error, "target_separator: not UTF-8"),
    ({"attention": "multihead"}, lookback.Error, "attention: expected one of additive, none, .*, found 'multihead'; did you mean 'multi-head'"),
    ({"precision": "float16"}, lookback.Error, "precision: expected one of float32, bfloat16, found 'float16'; did you mean 'bfloat16'"),
    ({"attention": "dot"}, lookback.Error, "attention: dot needs encoder states as wide"),
    ({"hidden": -1}, lookback.Error, "hidden"),
    ({"steps": 10, "epochs": 1}, lookback.Error, "epochs"),
])
def test_an_impossible_option_is_named(pairs, tmp_path, options, error, message):
    with pytest.raises(error, match=message) as caught:
        lookback.train(pairs, out=tmp_path, **options)
    if error is lookback.Error and "UTF" not in message:
        assert caught.value.status is Status.ARGUMENT


@pytest.mark.parametrize("bad, message", [
    ([], "pairs: found no pair"), ([("a",)], "pairs: pair 0: found .*, expected .source, target. or"),
    (["ab"], "pairs: pair 0: found 'ab', expected"), ([("a", "b"), "ab"], "pairs: pair 1: found 'ab', expected 2 texts"),
    ([("a", "b"), ("a", "b", "c")], "pairs: pair 1: found .*, expected 2 texts, as in pair 0"),
    ([("a", "b"), ("a\tb", "c")], "pair 1: found a tab in the source"), ([("a", "b\n")], "pair 0: found a line break in the target"),
    ([("a", "b"), ("a", "b\0")], "pairs: pair 1, target: found the character NUL"),
    ([("a\udfff", "b")], r"pairs: pair 0, source: not UTF-8: .*U\+DFFF"), ([("a", "b"), ("", "c")], "pair 1: "),
    ("missing.tsv", "missing.tsv"),
])
def test_a_bad_pair_has_its_number(bad, message, tmp_path):
    with pytest.raises(lookback.Error, match=message):
        lookback.train(bad, out=tmp_path / "out")
    with pytest.raises(TypeError):
        lookback.train([(1, 2)], out=tmp_path / "out")


def test_progress_is_told_of_each_step_and_each_evaluation(pairs, short, tmp_path, capfd):
    told = []
    lookback.train(pairs, out=tmp_path, progress=told.append, **short)
    assert [now.step for now in told if now.evaluation is None] == list(range(1, 41))
    assert [now.step for now in told if now.evaluation] == [20, 40]
    assert told[0].steps == 40 and told[0].name is None
    assert 0 < told[-1].loss < told[0].loss
    assert 0 <= told[-1].evaluation.exact_match <= 1 and told[-1].evaluation.loss > 0
    assert capfd.readouterr() == ("", "")
    lookback.train(pairs, out=tmp_path, progress=True, fresh=True, seeds=2, **short)
    lines = capfd.readouterr().err.splitlines()
    assert [line.partition("  ")[0] for line in lines] == [
        "seed 1: step 20/40", "seed 1: step 40/40", "seed 2: step 20/40", "seed 2: step 40/40"]


def test_tests_are_measured_at_each_evaluation(pairs, short, tmp_path):
    told = []
    file = tmp_path / "few.tsv"
    file.write_text("".join(f"{source}\t{target}\n" for source, target in pairs[:20]), encoding="utf-8")
    tests = {"few": pairs[:20], "file": file}
    with lookback.train(pairs, out=tmp_path / "out", test=tests, progress=told.append, **short) as model:
        record = model.training
    found = [now.tests for now in told if now.evaluation]
    assert len(found) == 2 and all(tested["few"] == tested["file"] and tested["few"].loss > 0 for tested in found)
    assert set(record["test"]) == {"few", "file"}
    assert all(now.tests == {} for now in told if not now.evaluation)
    with pytest.raises(lookback.Error, match="choose_on: found .none., expected the name of a test"):
        lookback.train(pairs, out=tmp_path / "none", test=tests, choose_on="none", **short)
    with pytest.raises(lookback.Error, match="expected letters, digits, - and _"):
        lookback.train(pairs, out=tmp_path / "none", test={"a b": file}, **short)


def test_texts_are_compared_where_they_choose(pairs, short, tmp_path, capfd):
    told = []
    lookback.train(pairs, out=tmp_path, choose="chrf", progress=told.append, **short)
    found = [now.evaluation for now in told if now.evaluation]
    assert len(found) == 2 and all(0 <= each.bleu_13a <= 100 and 0 <= each.chrf2 <= 100 for each in found)
    assert {now.choose for now in told} == {"chrf"}
    for choose, shown in ("chrf", "  chrF2 "), ("bleu", "  BLEU "), ("symbol", "  symbol error "), ("loss", "  dev loss "):
        lookback.train(pairs, out=tmp_path, choose=choose, progress=True, fresh=True, **short)
        for line in capfd.readouterr().err.splitlines():
            assert shown in line and "exact match" not in line
    with pytest.raises(lookback.Error, match="choose: .*exact, symbol, loss, bleu or chrf"):
        lookback.train(pairs, out=tmp_path, choose="rouge", **short)


def test_reports_and_warnings_go_to_the_log(pairs, short, tmp_path, caplog):
    caplog.set_level(logging.INFO, "lookback")
    lookback.train(pairs, out=tmp_path, **short)
    assert any("pairs in memory: 400 lines, " in record.message for record in caplog.records)
    lookback.train([(source, " ".join(target)) for source, target in pairs], out=tmp_path, fresh=True, **short)
    assert [record.levelname for record in caplog.records if "symbols between spaces" in record.message] == ["WARNING"]


def test_a_model_without_a_folder_is_in_memory_until_it_is_saved(pairs, short, tmp_path, monkeypatch):
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path))
    with lookback.train(pairs, **short) as model:
        assert model.path is None and list(tmp_path.iterdir()) == []
        saved = model.save(tmp_path / "small.safetensors")
        with lookback.open(saved) as opened:
            assert opened("abcd") == model("abcd")
            assert opened.save(tmp_path / "again").read_bytes() == saved.read_bytes()


def test_an_exception_in_progress_ends_the_training_and_the_same_call_goes_on(pairs, short, tmp_path, folder):
    class Enough(Exception):
        pass

    def stop(now):
        steps.append(now.step)
        if now.step == 25:
            raise Enough("at 25")

    steps = []
    with pytest.raises(Enough, match="at 25") as caught:
        lookback.train(pairs, out=tmp_path / "stopped", progress=stop, **short)
    assert caught.value.__cause__ is None
    assert steps[-1] == 25
    assert (tmp_path / "stopped/checkpoint.safetensors").exists()
    steps = []
    lookback.train(pairs, out=tmp_path / "stopped", progress=lambda now: steps.append(now.step), **short)
    assert steps[0] == 26
    lookback.train(pairs, out=tmp_path / "whole", **short)
    assert lookback.open(tmp_path / "stopped")(["abc", "de"]) == lookback.open(tmp_path / "whole")(["abc", "de"])
    weights = [lookback.open(tmp_path / name).score("abc", "CBA").score for name in ("stopped", "whole")]
    assert weights[0] == weights[1]


def test_a_training_of_other_pairs_or_options_is_kept(pairs, short, tmp_path):
    lookback.train(pairs, out=tmp_path, **short)
    before = model_of(tmp_path)
    with pytest.raises(lookback.Error, match="cannot resume"):
        lookback.train(pairs[:100], out=tmp_path, **short)
    with pytest.raises(lookback.Error, match="hidden"):
        lookback.train(pairs, out=tmp_path, **{**short, "hidden": 32})
    assert model_of(tmp_path) == before


def test_a_folder_has_one_training(pairs, short, tmp_path):
    def again(now):
        with pytest.raises(lookback.Error) as caught:
            lookback.train(pairs, out=tmp_path, **short)
        assert caught.value.status is Status.BUSY
        raise StopIteration

    with pytest.raises(StopIteration):
        lookback.train(pairs, out=tmp_path, progress=again, **short)


def test_a_training_that_diverges_says_so(pairs, short, tmp_path):
    with pytest.raises(lookback.Error, match="training diverged") as caught:
        lookback.train(pairs, out=tmp_path, **{**short, "lr": 1e30, "warm_up": 0})
    assert caught.value.status is Status.DIVERGED


def test_a_folder_that_cannot_be_made_is_named(pairs, tmp_path):
    (tmp_path / "file").write_text("")
    with pytest.raises(lookback.Error, match="file") as caught:
        lookback.train(pairs, out=tmp_path / "file" / "out")
    assert caught.value.status in (Status.WRITE, Status.OPEN)
    with pytest.raises(lookback.Error, match="out: found the character NUL"):
        lookback.train(pairs, out="a\0b")


# The child waits at the event until the signal has come: nothing depends on the time.
CHILD = """
import json, logging, signal, sys
import lookback
pairs, out, settings, handled, told = json.loads(sys.argv[1])
signal.signal(signal.SIGINT, signal.default_int_handler)  # a shell starts what is in the background with SIGINT ignored
if handled:
    signal.signal(signal.SIGTERM, lambda number, frame: sys.exit(9))

def progress(now):
    if now.step == 25:
        print("here", flush=True)
        sys.stdin.readline()

if not told:
    logging.basicConfig(stream=sys.stdout, level=logging.INFO)
try:
    lookback.train(map(tuple, pairs), out=out, progress=progress if told else False, **settings)
except KeyboardInterrupt:
    assert signal.getsignal(signal.SIGINT) is signal.default_int_handler
    print("interrupted")
"""


def child(*arguments):
    import json
    return subprocess.Popen([sys.executable, "-c", CHILD, json.dumps(arguments)], stdin=subprocess.PIPE,
                            stdout=subprocess.PIPE, stderr=subprocess.PIPE, encoding="utf-8")


@pytest.mark.parametrize("number, said, status", [(signal.SIGINT, "interrupted\n", 0), (signal.SIGTERM, "", 9)])
def test_a_signal_stops_a_training_and_the_same_call_goes_on(pairs, short, tmp_path, number, said, status):
    with child(pairs, str(tmp_path / "stopped"), short, True, True) as process:
        assert process.stdout.readline() == "here\n"
        process.send_signal(number)
        out, error = process.communicate("\n")
    assert (out, error, process.returncode) == (said, "", status)
    told = []
    lookback.train(pairs, out=tmp_path / "stopped", progress=told.append, **short)
    assert told[0].step == 26
    lookback.train(pairs, out=tmp_path / "whole", **short)
    weights = [lookback.open(tmp_path / name).score("abc", "CBA").score for name in ("stopped", "whole")]
    assert weights[0] == weights[1]


def test_ctrl_c_is_heard_without_a_function_for_progress(pairs, short, tmp_path):
    with child(pairs, str(tmp_path), {**short, "steps": 10**8, "patience": 0}, False, False) as process:
        assert "400 lines" in process.stdout.readline()  # the report on the data: C has begun
        process.send_signal(signal.SIGINT)
        out, error = process.communicate()
    assert out.endswith("interrupted\n")
    assert (error, process.returncode) == ("", 0)
    lookback.train(pairs, out=tmp_path, fresh=True, **short)  # nobody holds its lock


def test_a_thread_trains(pairs, short, tmp_path):
    from concurrent.futures import ThreadPoolExecutor
    with ThreadPoolExecutor(2) as pool:
        found = list(pool.map(lambda name: lookback.train(pairs, out=tmp_path / name, **short)("abc"), ("one", "two")))
    assert found[0] == found[1]
    assert model_of(tmp_path / "one") == model_of(tmp_path / "two")
    assert os.listdir(tmp_path / "one")
