"""The sort model as a transformer in PyTorch: embeddings with sinusoidal positions, nn.Transformer, an output layer.

As `torch_model.py` for the GRU: fixtures take numbers from it, benchmarks take times. `state_dict` has the names that
Lookback's checkpoints carry.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Optional

import torch
from torch import Tensor, nn


@dataclass(frozen=True)
class TransformerConfig:
    """Sizes of a model; `layers` counts for the encoder and for the decoder."""

    source_vocab: int
    target_vocab: int
    width: int = 128
    heads: int = 4
    feed_forward: int = 512
    layers: int = 2
    post_norm: bool = False


def sinusoids(length: int, width: int) -> Tensor:
    """Positions 0 to length - 1, as section 3.5 of arXiv:1706.03762 has them: [length, width]."""
    position = torch.arange(length, dtype=torch.get_default_dtype()).unsqueeze(1)
    angle = position / 10000 ** (2 * (torch.arange(width) // 2) / width)
    return torch.where(torch.arange(width) % 2 == 0, angle.sin(), angle.cos())


class SortTransformer(nn.Module):
    """An encoder reads the source, a decoder attends to it and to what it has written."""

    def __init__(self, config: TransformerConfig, longest: int = 512) -> None:
        super().__init__()
        self.config = config
        self.source_embedding = nn.Embedding(config.source_vocab, config.width)
        self.target_embedding = nn.Embedding(config.target_vocab, config.width)
        self.transformer = nn.Transformer(
            config.width,
            config.heads,
            config.layers,
            config.layers,
            config.feed_forward,
            dropout=0.0,
            batch_first=True,
            norm_first=not config.post_norm,
        )
        self.output = nn.Linear(config.width, config.target_vocab)
        self.register_buffer("positions", sinusoids(longest, config.width), persistent=False)

    def embed(self, embedding: nn.Embedding, ids: Tensor) -> Tensor:
        """ids [B, L] -> [B, L, width]"""
        return embedding(ids) * math.sqrt(self.config.width) + self.positions[: ids.shape[1]]

    def encode(self, source: Tensor, lengths: Optional[Tensor] = None) -> tuple[Tensor, Optional[Tensor]]:
        """source [B, K] -> memory [B, K, width], hidden [B, K]: true where there is nothing to see."""
        hidden = None if lengths is None else torch.arange(source.shape[1]) >= lengths.unsqueeze(1)
        embedded = self.embed(self.source_embedding, source)
        return self.transformer.encoder(embedded, src_key_padding_mask=hidden), hidden

    def decode(self, memory: Tensor, hidden: Optional[Tensor], target_in: Tensor) -> Tensor:
        """target_in [B, T] -> logits [B, T, V]"""
        future = torch.ones(target_in.shape[1], target_in.shape[1], dtype=torch.bool).triu(1)
        embedded = self.embed(self.target_embedding, target_in)
        decoded = self.transformer.decoder(
            embedded, memory, tgt_mask=future, memory_key_padding_mask=hidden
        )
        return self.output(decoded)

    def forward(self, source: Tensor, target_in: Tensor, lengths: Optional[Tensor] = None) -> Tensor:
        """Teacher forcing: source [B, K], target_in [B, T] -> logits [B, T, V]."""
        memory, hidden = self.encode(source, lengths)
        return self.decode(memory, hidden, target_in)
