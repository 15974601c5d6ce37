"""The sort task for the PyTorch model: lists of numbers, padded to batches."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import torch
from torch import Tensor

from torch_model import BOS, EOS, PAD, UNK

FIRST_NUMBER = UNK + 1  # the id of the number 0


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
) -> list[tuple[int, ...]]:
    """Draw lists of independent numbers; lengths are uniform, both ends included."""
    lengths = rng.integers(min_length, max_length + 1, size=count)
    return [tuple(rng.integers(0, max_number + 1, size=length).tolist()) for length in lengths]


def make_batch(lists: list[tuple[int, ...]], width: int = 0) -> Batch:
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
