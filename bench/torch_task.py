"""The sort task for the PyTorch model: lists of numbers, padded to batches."""

from __future__ import annotations

import json
from pathlib import Path
from typing import NamedTuple

import numpy as np
import torch
from torch import Tensor

from torch_model import BOS, EOS, PAD, UNK

FIRST_NUMBER = UNK + 1  # the id of the number 0
Lists = list[tuple[int, ...]]


class Batch(NamedTuple):
    """Ids of a batch; lists are padded at the end with PAD."""

    source: Tensor  # [B, K]
    lengths: Tensor  # [B]
    target_in: Tensor  # [B, K + 1], BOS y1 .. yn
    target_out: Tensor  # [B, K + 1], y1 .. yn EOS


def vocabulary_size(max_number: int) -> int:
    """PAD, BOS, EOS, UNK and the numbers from 0 to max_number."""
    return FIRST_NUMBER + max_number + 1


def draw_lists(
    rng: np.random.Generator, count: int, max_number: int, min_length: int, max_length: int
) -> Lists:
    """Draw lists of independent numbers; lengths are uniform, both ends included."""
    lengths = rng.integers(min_length, max_length + 1, size=count)
    return [tuple(rng.integers(0, max_number + 1, size=length).tolist()) for length in lengths]


def make_batch(lists: Lists, width: int = 0) -> Batch:
    """Pad lists to the longest of them, or to width if that is more."""
    width = max(width, max(len(numbers) for numbers in lists))
    source = np.full((len(lists), width), PAD)
    target_in = np.full((len(lists), width + 1), PAD)
    target_out = np.full((len(lists), width + 1), PAD)
    for row, numbers in enumerate(lists):
        ids = np.array(numbers) + FIRST_NUMBER
        source[row, : len(ids)] = ids
        target_in[row, 0] = BOS
        target_in[row, 1 : len(ids) + 1] = np.sort(ids)
        target_out[row, : len(ids)] = np.sort(ids)
        target_out[row, len(ids)] = EOS
    lengths = torch.tensor([len(numbers) for numbers in lists])
    return Batch(torch.from_numpy(source), lengths, torch.from_numpy(target_in), torch.from_numpy(target_out))


class Start(NamedTuple):
    """What a training begins with."""

    recipe: dict[str, float]
    weights: dict[str, Tensor]
    lists: Lists  # of all steps, one behind the other
    held_out: Lists


def read_start(path: Path) -> Start:
    """Read what bench_start wrote: a safetensors file whose lists are rows with -1 behind their ends."""
    content = path.read_bytes()
    begin = 8 + int.from_bytes(content[:8], "little")
    header = json.loads(content[8:begin])
    recipe = json.loads(header.pop("__metadata__")["recipe"])
    arrays = {}
    for name, entry in header.items():
        first, end = entry["data_offsets"]
        layout = {"F32": np.float32, "I32": np.int32}[entry["dtype"]]
        arrays[name] = np.frombuffer(content[begin + first : begin + end], layout).reshape(entry["shape"])
    lists, held_out = (
        [tuple(number for number in row if number >= 0) for row in arrays.pop(name).tolist()]
        for name in ("lists", "held_out")
    )
    return Start(recipe, {name: torch.tensor(array) for name, array in arrays.items()}, lists, held_out)
