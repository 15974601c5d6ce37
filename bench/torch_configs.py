"""The sizes at which Lookback and PyTorch are compared; bench/shared/model.c has the same."""

from __future__ import annotations

import argparse
from typing import NamedTuple

from torch import nn

from torch_model import Seq2Seq, Seq2SeqConfig
from torch_transformer import SortTransformer, TransformerConfig


class Size(NamedTuple):
    """Sizes of one benchmark; a transformer's embeddings are as wide as its layers."""

    embed: int
    hidden: int
    batch: int
    length: int
    vocabulary: int = 100  # symbols of the source, and of the target


CONFIGS = {
    "tiny": Size(16, 32, 16, 8),
    "small": Size(64, 128, 64, 10),
    "medium": Size(128, 256, 128, 20),
    "large": Size(256, 512, 128, 40),
    "transformer": Size(128, 128, 64, 10),
}


def size_of(args: argparse.Namespace) -> Size:
    """The config's sizes, with those in place of them that the command line gives."""
    given = {name: getattr(args, name) for name in Size._fields if getattr(args, name)}
    return CONFIGS[args.config]._replace(**given)


def build(config: str, size: Size) -> nn.Module:
    """A fresh model."""
    symbols, width = size.vocabulary, size.hidden
    if config == "transformer":
        transformer = TransformerConfig(symbols, symbols, width, 4, 4 * width, 2)
        return SortTransformer(transformer, longest=size.length + 1)
    return Seq2Seq(Seq2SeqConfig(symbols, symbols, size.embed, width))
