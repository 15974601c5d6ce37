"""A small task that is learned in a second, and a model of it."""
import random

import pytest

import lookback

SETTINGS = {"hidden": 24, "embed": 16, "steps": 240, "evaluate_every": 60, "batch": 32, "lr": 0.01, "dropout": 0, "warm_up": 20}


def words(count, seed):
    source = random.Random(seed)
    return ["".join(source.choices("abcde", k=source.randint(2, 5))) for _ in range(count)]


@pytest.fixture(scope="session")
def pairs():
    """Words, and the same in capitals from the end."""
    return [(word, word[::-1].upper()) for word in words(400, 1)]


@pytest.fixture(scope="session")
def folder(pairs, tmp_path_factory):
    out = tmp_path_factory.mktemp("model")
    lookback.train(pairs, out=out, **SETTINGS).close()
    return out


@pytest.fixture
def model(folder):
    with lookback.open(folder) as opened:
        yield opened


@pytest.fixture
def settings():
    return dict(SETTINGS)
