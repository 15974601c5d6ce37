"""A model in other processes, in the last moments of its own, and under Ctrl-C."""
import copy
import multiprocessing
import os
import pickle
import signal
import subprocess
import sys
import threading

import pytest
from conftest import words

import lookback
from lookback.model import _Translator

Status = lookback.Status


def translate_in_child(model, texts):
    return model(texts)


def run_python(source, *arguments, **options):
    """What a Python of its own prints, and how it ends."""
    return subprocess.run([sys.executable, "-c", source, *map(str, arguments)], stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                          encoding="utf-8", timeout=100, check=False, **options)


@pytest.fixture(params=["path", "bytes"])
def either(request, folder):
    """A model opened by its path, and by its bytes."""
    file = folder / "model.safetensors"
    with lookback.open(file if request.param == "path" else file.read_bytes()) as opened:
        yield opened


@pytest.mark.parametrize("make", [lambda model: pickle.loads(pickle.dumps(model)), copy.copy, copy.deepcopy])
def test_a_copy_translates_after_the_model_is_closed(either, make):
    expected, made = either(words(20, 5)), make(either)
    assert made.training == either.training and made.path == either.path
    either.close()
    assert made(words(20, 5)) == expected
    made.close()
    with pytest.raises(lookback.Error, match="closed"):
        made("abc")


def test_a_copy_can_be_closed_without_the_model(either):
    copy.copy(either).close()
    copy.deepcopy(either).close()
    pickle.loads(pickle.dumps(either)).close()
    assert either("abc") == "CBA"


def test_a_copy_by_deepcopy_has_a_record_of_its_own(model):
    made = copy.deepcopy(model)
    made.training["options"]["seed"] = 99
    assert model.training["options"]["seed"] == 1


def test_a_pickle_has_the_path_and_no_bytes_or_the_bytes_and_no_path(folder):
    file = folder / "model.safetensors"
    with lookback.open(folder) as by_path, lookback.open(file.read_bytes()) as by_bytes:
        assert by_path.__reduce__() == (lookback.Model, (str(file),))
        assert by_bytes.__reduce__() == (lookback.Model, (file.read_bytes(),))
        assert len(pickle.dumps(by_path)) < 1000


def test_a_closed_model_is_not_pickled(folder):
    model = lookback.open(folder)
    model.close()
    with pytest.raises(lookback.Error, match="closed"):
        pickle.dumps(model)
    with pytest.raises(lookback.Error, match="closed"):
        copy.deepcopy(model)("abc")


def test_what_is_an_address_is_not_pickled(model):
    assert isinstance(model._translator, _Translator)
    for copied in (pickle.dumps, copy.copy, copy.deepcopy):
        with pytest.raises(TypeError, match="cannot pickle a _Translator"):
            copied(model._translator)


def test_outputs_are_pickled_with_their_attention(model):
    found = model.translate("abcd", n_best=2, attention=True)
    for copied in (pickle.loads(pickle.dumps(found)), copy.deepcopy(found)):
        assert type(copied) is type(found) and copied.unknown == found.unknown
        for output, expected in zip(copied, found):
            assert (output.text, output.score, output.symbols) == (expected.text, expected.score, expected.symbols)
            assert [list(row) for row in output.attention[0][0]] == [list(row) for row in expected.attention[0][0]]


def test_a_model_of_bytes_is_evaluated_and_says_what_is_wrong(folder, tmp_path):
    whole = (folder / "model.safetensors").read_bytes()
    with lookback.open(bytearray(whole)) as model:
        assert model.path is None and repr(model) == f"lookback.open(<{len(whole)} bytes>)"
        assert model.evaluate([("abc", "CBA")])["pairs"] == 1
        assert model.report([("abc", "CBA")], tmp_path / "page.html").exists()
    for content in (b"", b"not a model", whole[:-1]):
        with pytest.raises(lookback.Error, match="^the bytes of the model: ") as caught:
            lookback.open(content)
        assert caught.value.status is Status.FORMAT


@pytest.mark.parametrize("method", ["spawn", "forkserver", "fork"])
def test_a_pool_translates_with_the_model(either, method):
    expected = either(["abc", "de"])
    with multiprocessing.get_context(method).Pool(2) as pool:
        assert pool.starmap(translate_in_child, [(either, ["abc", "de"])] * 4) == [expected] * 4
        assert pool.map(either.translate, ["abc"])[0].text == expected[0]  # a method has its model


def test_a_child_of_fork_ends_with_a_model_and_with_threads_of_its_parent(folder):
    done = run_python("""
import os, sys, threading
import lookback
model = lookback.open(sys.argv[1])
begun = threading.Event()
def work():
    while True:
        model(["abc"] * 50)
        begun.set()
threading.Thread(target=work, daemon=True).start()
begun.wait()
child = os.fork()
if child == 0:
    # Its only thread ends as usual: by the end of the interpreter.
    sys.exit(0 if model("abc") == "CBA" else 1)
print(os.waitpid(child, 0)[1])
""", folder)
    assert (done.stdout, done.stderr, done.returncode) == ("0\n", "", 0)


END = """
import sys, threading
import lookback
folder, works = sys.argv[1], sys.argv[2:]
model = lookback.open(folder)
begun = threading.Semaphore(0)
def translate():
    while True:
        str(model.translate(["abcde"] * 50, attention=True)[0][0].attention)
        begun.release()
def score():
    while True:
        model.score(["abcde"] * 50, ["EDCBA"] * 50)
        begun.release()
def train(progress=lambda now: begun.release()):
    pairs = [("ab" * i, "ba" * i) for i in range(1, 9)]
    lookback.train(pairs, out=f"{folder}/again", steps=10**6, batch=4, hidden=8, embed=8, fresh=True, hold_out=False,
                   progress=progress)
def train_and_wait():
    train(lambda now: (begun.release(), threading.Event().wait()))
for work in works:
    threading.Thread(target=globals()[work], daemon=True).start()
for work in works:
    begun.acquire()
"""


@pytest.mark.parametrize("works", [
    ["translate"], ["translate"] * 3, ["score"], ["train"], ["train_and_wait"], ["translate", "train"],
    ["score", "translate", "train_and_wait"]], ids="+".join)
def test_the_interpreter_ends_while_daemon_threads_are_in_the_library(folder, works):
    done = run_python(END, folder, *works)
    assert (done.stderr, done.returncode) == ("", 0)


def test_a_thread_that_trains_does_not_come_back_after_the_end(tmp_path):
    # A step takes longer than the end of the interpreter, and the end of the process after it a second.
    done = run_python("""
import ctypes, sys, threading
import lookback
begun = threading.Event()
def train():
    lookback.train([("ab" * 10, "ba" * 10)] * 64, out=sys.argv[1], steps=1000, batch=64, hidden=192, hold_out=False,
                   progress=lambda now: begun.set())
lookback.set_threads(1)
threading.Thread(target=train, daemon=True).start()
begun.wait()
c = ctypes.CDLL(None)
c.on_exit(c.sleep, None)
sys.exit(1)
""", tmp_path)
    assert (done.stderr, done.returncode) == ("", 1)


def test_a_subinterpreter_is_refused_in_words():
    interpreters = pytest.importorskip("_xxsubinterpreters")
    mine = interpreters.create()
    interpreters.run_string(mine, """
try:
    import lookback
except ImportError as error:
    assert "found a subinterpreter, expected the main interpreter" in str(error), error
else:
    raise AssertionError("it has been imported")
""")
    interpreters.destroy(mine)


def test_ctrl_c_stops_a_translation(folder):
    begun, ended = os.pipe()
    child = subprocess.Popen([sys.executable, "-c", """
import os, signal, sys, lookback
signal.signal(signal.SIGINT, signal.default_int_handler)  # a shell starts what is in the background with SIGINT ignored
model = lookback.open(sys.argv[1])
try:
    os.write(int(sys.argv[2]), b"x")
    model.translate(["abcde"] * 256, n_best=1000, limit=65535)
except KeyboardInterrupt:
    sys.exit(7 if model("abc") == "CBA" else 8)
""", str(folder), str(ended)], pass_fds=[ended])
    os.read(begun, 1)
    child.send_signal(signal.SIGINT)
    assert child.wait(100) == 7
    os.close(begun)
    os.close(ended)


def test_what_a_signal_handler_raises_ends_a_translation_within_its_steps(model, monkeypatch):
    class TooLate(Exception):
        pass

    def raise_it(number, frame):
        raise TooLate

    asked, stop = [], lookback.model.Callbacks.stop

    def send_at_the_third_step(callbacks, context):
        asked.append(1)
        if len(asked) == 3:
            signal.raise_signal(signal.SIGALRM)
        return stop(callbacks, context)

    monkeypatch.setattr(lookback.model.Callbacks, "stop", send_at_the_third_step)
    before = signal.signal(signal.SIGALRM, raise_it)
    try:
        with pytest.raises(TooLate):
            model.translate("abcde")
        assert len(asked) == 3
        assert signal.getsignal(signal.SIGALRM) is raise_it
    finally:
        signal.signal(signal.SIGALRM, before)
    assert model("abc") == "CBA"


def test_other_threads_are_not_asked(model, monkeypatch):
    monkeypatch.setattr(lookback.model.Callbacks, "stop", lambda callbacks, context: True)
    found = []
    thread = threading.Thread(target=lambda: found.append(model("abc")))
    thread.start()
    thread.join()
    assert found == ["CBA"]


@pytest.mark.parametrize("option", [
    {"n_best": 10**9}, {"n_best": 1001}, {"beam": 10**9}, {"limit": 2**62}, {"limit": 65536}, {"limit": -1},
    {"length_penalty": float("inf")}, {"length_penalty": float("nan")}, {"length_penalty": -float("inf")},
    {"length_penalty": 1e308}, {"temperature": float("inf"), "sample": True}])
def test_a_number_beyond_its_range_is_an_error(model, option):
    with pytest.raises(lookback.Error, match=next(iter(option))) as caught:
        model.translate("abc", **option)
    assert caught.value.status is Status.ARGUMENT
    assert model("abc") == "CBA"


def test_what_python_sets_itself_is_no_option(model):
    for name in ("stop", "context", "prefixes", "first_text", "skip_bad_texts"):
        with pytest.raises(TypeError, match=f"no option '{name}'"):
            model.translate("abc", **{name: None})
