"""One trial of proof_python.sh, in a Python of its own: python_trial.py end|copies MODEL FOLDER SEED.

`end` prints the status that it has to end with, and ends while daemon threads are in the library. `copies` sends a model and
its outputs to other processes, and fails if they differ there.
"""
import copy
import ctypes
import multiprocessing
import os
import pickle
import random
import subprocess
import sys
import threading

import lookback

WORDS = ["abc", "fedcba", "hh", "gfa", "bcdefgha"]


def texts(draw):
    return [draw.choice(WORDS) for _ in range(draw.choice([1, 3, 40]))]


def work_of(kind, model, folder, draw, begun):
    """A function for a thread: it says each time that it has done something."""
    def progress(_):
        begun.release()
        if kind == "a progress that never returns":
            threading.Event().wait()

    def use():
        while True:
            if kind == "score":
                model.score(["abc"] * 9, ["cba"] * 9)
            elif kind == "copies":
                copy.deepcopy(model)("abc")
            elif kind == "many models":
                with lookback.open(model.path) as other:
                    other("abc")
            else:
                str(model.translate(texts(draw), n_best=draw.randint(1, 5), attention=True)[0][0].attention)
            begun.release()

    def train():
        lookback.train([(word, word[::-1]) for word in WORDS], out=folder, steps=10**6, batch=4, hidden=8, embed=8,
                       hold_out=False, fresh=True, progress=progress)

    return train if kind in ("train", "a progress that never returns") else use


def end(model, folder, draw):
    kinds = ["translate", "translate", "translate", "score", "copies", "many models",
             draw.choice(["train", "a progress that never returns"])]
    begun = threading.Semaphore(0)
    works = draw.sample(kinds, draw.randint(1, 4))
    status = draw.choice([0, 0, 1, 3])
    print(status, ", ".join(works), flush=True)
    for kind in works:
        threading.Thread(target=work_of(kind, model, folder, random.Random(draw.random()), begun), daemon=True).start()
    for _ in range(draw.choice([1, len(works), 20])):
        # Training alone may be in a function that does not return.
        begun.acquire(timeout=0.2)
    if draw.random() < 0.3:
        # What C does after the interpreter takes some time: as many microseconds as the status, a hundred times.
        library = ctypes.CDLL(None)
        for _ in range(100):
            library.on_exit(library.usleep, None)
    sys.exit(status)


def outputs(model, given):
    return [(each.text, each.score, each.symbols) for each in model.translate(given)]


def attention_of(translation):
    return [[float(weight) for weight in row] for row in translation.attention[0][0]]


def second_process(folder, found):
    """What a Python of its own makes of a pickle."""
    file = os.path.join(folder, "pickle")
    with open(file, "wb") as writer:
        pickle.dump(found, writer)
    done = subprocess.run([sys.executable, __file__, "unpickle", file], stdout=subprocess.PIPE, check=True)
    return pickle.loads(done.stdout)


def copies(model, folder, draw):
    given = texts(draw)
    if draw.random() < 0.5:
        with open(model.path, "rb") as file:
            model = lookback.open(file.read())
    expected, looked = outputs(model, given), model.translate(given[0], attention=True)
    passed = draw.choice([lambda: model, lambda: copy.copy(model), lambda: copy.deepcopy(model),
                          lambda: pickle.loads(pickle.dumps(model))])()
    if draw.random() < 0.5 and passed is not model:
        model.close()
    method = draw.choice(["spawn", "spawn", "forkserver", "fork", "a second process"])
    if method == "a second process":
        found, there = second_process(folder, (passed, given))
        assert attention_of(there) == attention_of(looked)
        assert found == expected
    else:
        with multiprocessing.get_context(method).Pool(draw.randint(1, 3)) as pool:
            assert pool.starmap(outputs, [(passed, given)] * 4) == [expected] * 4, method
            there = pool.apply(passed.translate, (given[0],), {"attention": True})
            assert attention_of(there) == attention_of(looked), method
    assert outputs(passed, given) == expected
    print(0, method)


def main():
    if sys.argv[1] == "unpickle":
        with open(sys.argv[2], "rb") as file:
            model, given = pickle.load(file)
        sys.stdout.buffer.write(pickle.dumps((outputs(model, given), model.translate(given[0], attention=True))))
        return
    kind, path, folder, seed = sys.argv[1:]
    lookback.set_threads(1)
    {"end": end, "copies": copies}[kind](lookback.open(path), folder, random.Random(int(seed)))


if __name__ == "__main__":
    main()
