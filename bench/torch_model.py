"""The sort model in PyTorch: GRU encoder, additive attention, attending GRU decoder.

The one definition of the model that Lookback is measured against: `tests/data/fixtures/make_fixtures.py` takes
numbers from it, `bench/torch_sort.py` takes times. Names and layouts of the parameters are the ones that
Lookback's checkpoints carry.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple, Optional

import torch
import torch.nn.functional as F
from torch import Tensor, nn
from torch.nn.utils.rnn import pack_padded_sequence, pad_packed_sequence

PAD, BOS, EOS, UNK = range(4)


@dataclass(frozen=True)
class Seq2SeqConfig:
    """Sizes of a model; `layers` counts for the encoder and for the decoder."""

    source_vocab: int
    target_vocab: int
    embed: int
    hidden: int
    layers: int = 1
    bidirectional: bool = False

    @property
    def memory(self) -> int:
        """Width of an encoder output: both directions side by side."""
        return self.hidden * (2 if self.bidirectional else 1)


class AdditiveAttention(nn.Module):
    """score(q, k) = v' tanh(W_q q + W_k k), softmax over the keys (Bahdanau, Cho, Bengio 2015)."""

    def __init__(self, query_width: int, key_width: int) -> None:
        super().__init__()
        self.W_q = nn.Linear(query_width, query_width, bias=False)
        self.W_k = nn.Linear(key_width, query_width, bias=False)
        self.v = nn.Linear(query_width, 1, bias=False)

    def forward(
        self, query: Tensor, keys: Tensor, values: Tensor, mask: Optional[Tensor] = None
    ) -> tuple[Tensor, Tensor]:
        """Attend with every query to every key.

        query [B, Q, H], keys [B, K, D], values [B, K, D'], mask [B, K] (0 hides a key)
        -> context [B, Q, D'], weights [B, Q, K]
        """
        summed = self.W_q(query).unsqueeze(2) + self.W_k(keys).unsqueeze(1)
        scores = self.v(torch.tanh(summed)).squeeze(-1)
        if mask is not None:
            scores = scores.masked_fill(mask.unsqueeze(1) == 0, float("-inf"))
        weights = torch.softmax(scores, dim=-1)
        return torch.bmm(weights, values), weights


class Memory(NamedTuple):
    """What the decoder looks back at; all of it is computed once per batch."""

    values: Tensor  # [B, K, D*H], the encoder's outputs, zero at padding
    keys: Tensor  # [B, K, H], the values projected by W_k
    hidden: Optional[Tensor]  # [B, K], true where there is nothing to see; None if no list is padded


class Seq2Seq(nn.Module):
    """A GRU encoder and a GRU decoder whose lowest layer attends to the encoder's outputs."""

    def __init__(self, config: Seq2SeqConfig) -> None:
        super().__init__()
        self.config = config
        self.source_embedding = nn.Embedding(config.source_vocab, config.embed)
        self.target_embedding = nn.Embedding(config.target_vocab, config.embed)
        self.encoder = nn.GRU(
            config.embed,
            config.hidden,
            num_layers=config.layers,
            bidirectional=config.bidirectional,
            batch_first=True,
        )
        self.bridge = nn.ModuleList(nn.Linear(config.memory, config.hidden) for _ in range(config.layers))
        self.attention = AdditiveAttention(config.hidden, config.memory)
        # Holds the parameters of all layers; layer 0 attends, so it is run step by step.
        self.decoder = nn.GRU(
            config.embed + config.memory, config.hidden, num_layers=config.layers, batch_first=True
        )
        self.output = nn.Linear(config.hidden + config.memory, config.target_vocab)

    def encode(self, source: Tensor, lengths: Optional[Tensor] = None) -> tuple[Memory, list[Tensor]]:
        """Read source [B, K]; without lengths no list is padded.

        Returns the memory and the decoder's initial state, one [B, H] per layer.
        """
        embedded = self.source_embedding(source)
        if lengths is None:
            values, final = self.encoder(embedded)
            hidden = None
        else:
            packed = pack_padded_sequence(embedded, lengths, batch_first=True, enforce_sorted=False)
            packed_values, final = self.encoder(packed)
            values, _ = pad_packed_sequence(packed_values, batch_first=True, total_length=source.shape[1])
            hidden = torch.arange(source.shape[1]) >= lengths.unsqueeze(1)
        batch, directions = source.shape[0], final.shape[0] // self.config.layers
        by_layer = final.view(self.config.layers, directions, batch, self.config.hidden)
        state = [
            torch.tanh(bridge(layer.transpose(0, 1).reshape(batch, -1)))
            for bridge, layer in zip(self.bridge, by_layer)
        ]
        return Memory(values, self.attention.W_k(values), hidden), state

    def attend(self, query: Tensor, memory: Memory) -> tuple[Tensor, Tensor]:
        """One query a list, keys projected beforehand: query [B, H] -> context [B, D*H], weights [B, K]."""
        summed = torch.tanh(self.attention.W_q(query).unsqueeze(1) + memory.keys)
        scores = torch.matmul(summed, self.attention.v.weight[0])
        if memory.hidden is not None:
            scores = scores.masked_fill(memory.hidden, float("-inf"))
        weights = torch.softmax(scores, dim=-1)
        # For a single query this is quicker than torch.bmm, forward and backward.
        return (weights.unsqueeze(2) * memory.values).sum(1), weights

    def cell(self, layer: int, inputs: Tensor, state: Tensor) -> Tensor:
        """One step of one decoder layer."""
        return torch.gru_cell(inputs, state, *self.decoder.all_weights[layer])

    def forward(
        self, source: Tensor, target_in: Tensor, lengths: Optional[Tensor] = None
    ) -> tuple[Tensor, Tensor]:
        """Teacher forcing: source [B, K], target_in [B, T] -> logits [B, T, V], weights [B, T, K]."""
        memory, state = self.encode(source, lengths)
        hidden = state[0]
        states, contexts, weights = [], [], []
        for embedded in self.target_embedding(target_in).unbind(1):
            context, attended = self.attend(hidden, memory)
            hidden = self.cell(0, torch.cat((embedded, context), dim=1), hidden)
            states.append(hidden)
            contexts.append(context)
            weights.append(attended)
        top = torch.stack(states, dim=1)
        if self.config.layers > 1:
            upper = [weight for layer in self.decoder.all_weights[1:] for weight in layer]
            initial = torch.stack(state[1:])
            top, _ = torch.gru(top, initial, upper, True, len(state) - 1, 0.0, self.training, False, True)
        logits = self.output(torch.cat((top, torch.stack(contexts, dim=1)), dim=2))
        return logits, torch.stack(weights, dim=1)

    @torch.no_grad()
    def greedy(
        self, source: Tensor, max_steps: int, lengths: Optional[Tensor] = None
    ) -> tuple[Tensor, Tensor]:
        """Decode a batch, each step the most probable symbol of those after PAD and BOS, which are never written.

        Returns ids [B, max_steps], PAD after a list's EOS, and the weights [B, max_steps, K], zero after EOS.
        """
        memory, state = self.encode(source, lengths)
        batch = source.shape[0]
        symbol = torch.full((batch,), BOS)
        done = torch.zeros(batch, dtype=torch.bool)
        ids = torch.full((batch, max_steps), PAD)
        weights = memory.values.new_zeros(batch, max_steps, source.shape[1])
        for step in range(max_steps):
            context, attended = self.attend(state[0], memory)
            inputs = torch.cat((self.target_embedding(symbol), context), dim=1)
            for layer in range(self.config.layers):
                state[layer] = inputs = self.cell(layer, inputs, state[layer])
            logits = self.output(torch.cat((inputs, context), dim=1))
            symbol = logits[:, EOS:].argmax(dim=1) + EOS
            ids[:, step] = symbol.masked_fill(done, PAD)
            weights[:, step] = attended.masked_fill(done.unsqueeze(1), 0.0)
            done |= symbol == EOS
            if done.all():
                break
        return ids, weights


def sequence_loss(logits: Tensor, target_out: Tensor) -> Tensor:
    """Cross entropy of logits [B, T, V] against ids [B, T], mean over the symbols that are not PAD."""
    return F.cross_entropy(logits.flatten(0, 1), target_out.flatten(), ignore_index=PAD)
