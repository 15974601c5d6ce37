#!/usr/bin/env python3
"""Time decoding in PyTorch; prints one JSON object.

    python3 bench/torch_decode.py --config small --batch 256
    python3 bench/torch_decode.py --config transformer --batch 1 --beam 5

Written as a PyTorch user would write it for speed: whole batches, keys and values projected once and kept, inference
mode. The model has learned nothing and cannot end, so that every list is written to the limit.
"""

from __future__ import annotations

import argparse
import math
from typing import Any, NamedTuple, Protocol

from torch_bench import add_arguments, at_its_best, report, time_runs, timing

if __name__ == "__main__":
    at_its_best()

import numpy as np  # noqa: E402
import torch  # noqa: E402
import torch.nn.functional as F  # noqa: E402
from torch import Tensor, nn  # noqa: E402

from torch_configs import build, size_of  # noqa: E402
from torch_model import BOS, EOS, PAD, Memory, Seq2Seq  # noqa: E402
from torch_task import draw_lists, make_batch, vocabulary_size  # noqa: E402
from torch_transformer import SortTransformer  # noqa: E402

NEVER = -1e4  # a bias that keeps a symbol from being chosen


class Decoder(Protocol):
    """A model as decoding sees it; a state belongs to a batch of rows."""

    def start(self, source: Tensor) -> Any:
        """The state behind the sources [B, K]."""

    def step(self, symbol: Tensor, state: Any) -> tuple[Tensor, Tensor, Any]:
        """One more symbol [B] -> logits [B, V], where each row looked, the next state."""

    def expand(self, state: Any, copies: int) -> Any:
        """Each row, `copies` times."""

    def reorder(self, state: Any, origin: Tensor) -> Any:
        """Rows origin[0], origin[1], ..., each of which reads the source that stands in its place."""


class Seq2SeqState(NamedTuple):
    """What a GRU decoder goes on from."""

    memory: Memory
    hidden: Tensor


class Seq2SeqDecoder:
    """A GRU that attends; one layer."""

    def __init__(self, model: Seq2Seq) -> None:
        self.model = model

    def start(self, source: Tensor) -> Seq2SeqState:
        memory, hidden = self.model.encode(source)
        return Seq2SeqState(memory, hidden[0])

    def step(self, symbol: Tensor, state: Seq2SeqState) -> tuple[Tensor, Tensor, Seq2SeqState]:
        context, weights = self.model.attend(state.hidden, state.memory)
        inputs = torch.cat((self.model.target_embedding(symbol), context), dim=1)
        hidden = self.model.cell(0, inputs, state.hidden)
        logits = self.model.output(torch.cat((hidden, context), dim=1))
        return logits, weights, Seq2SeqState(state.memory, hidden)

    def expand(self, state: Seq2SeqState, copies: int) -> Seq2SeqState:
        values, keys, _ = state.memory
        memory = Memory(values.repeat_interleave(copies, 0), keys.repeat_interleave(copies, 0), None)
        return Seq2SeqState(memory, state.hidden.repeat_interleave(copies, 0))

    def reorder(self, state: Seq2SeqState, origin: Tensor) -> Seq2SeqState:
        return state._replace(hidden=state.hidden.index_select(0, origin))


class TransformerState(NamedTuple):
    """Keys and values of all layers: [layers] of [2, B, heads, length, width of a head]."""

    source: list[Tensor]
    past: list[Tensor]  # room for all symbols
    length: int  # symbols so far


class TransformerDecoder:
    """The decoder of nn.Transformer, symbol by symbol; norm first."""

    def __init__(self, model: SortTransformer, limit: int) -> None:
        self.model, self.limit = model, limit
        self.width, self.heads = model.config.width, model.config.heads
        self.scale = 1 / math.sqrt(self.width // self.heads)

    def start(self, source: Tensor) -> TransformerState:
        memory, _ = self.model.encode(source)
        batch, length, width = memory.shape
        projected, past = [], []
        for layer in self.model.transformer.decoder.layers:
            cross = layer.multihead_attn
            both = F.linear(memory, cross.in_proj_weight[width:], cross.in_proj_bias[width:])
            by_head = both.view(batch, length, 2, self.heads, width // self.heads).permute(2, 0, 3, 1, 4)
            projected.append(by_head.contiguous())
            past.append(memory.new_empty(2, batch, self.heads, self.limit, width // self.heads))
        return TransformerState(projected, past, 0)

    def attend(self, query: Tensor, keys: Tensor, values: Tensor) -> tuple[Tensor, Tensor]:
        """One query a row: [B, heads, width] -> context [B, heads * width], weights [B, heads, K]."""
        weights = torch.softmax(torch.matmul(query.unsqueeze(2) * self.scale, keys.transpose(2, 3)), dim=3)
        return torch.matmul(weights, values).flatten(1), weights.squeeze(2)

    def layer(
        self, layer: nn.TransformerDecoderLayer, x: Tensor, past: Tensor, length: int, source: Tensor
    ) -> tuple[Tensor, Tensor]:
        """x [B, width] through one layer; its keys and values join the past."""
        own, cross = layer.self_attn, layer.multihead_attn
        projected = F.linear(layer.norm1(x), own.in_proj_weight, own.in_proj_bias)
        query, key, value = projected.view(len(x), 3, self.heads, -1).unbind(1)
        past[0, :, :, length] = key
        past[1, :, :, length] = value
        context, _ = self.attend(query, past[0, :, :, : length + 1], past[1, :, :, : length + 1])
        x = x + own.out_proj(context)
        width = self.width
        query = F.linear(layer.norm2(x), cross.in_proj_weight[:width], cross.in_proj_bias[:width])
        context, weights = self.attend(query.view(len(x), self.heads, -1), source[0], source[1])
        x = x + cross.out_proj(context)
        return x + layer.linear2(torch.relu(layer.linear1(layer.norm3(x)))), weights

    def step(self, symbol: Tensor, state: TransformerState) -> tuple[Tensor, Tensor, TransformerState]:
        decoder = self.model.transformer.decoder
        x = self.model.target_embedding(symbol) * math.sqrt(self.width)
        x = x + self.model.positions[state.length]
        weights = []
        for layer, past, source in zip(decoder.layers, state.past, state.source):
            x, seen = self.layer(layer, x, past, state.length, source)
            weights.append(seen)
        logits = self.model.output(decoder.norm(x))
        return logits, torch.stack(weights, 1), state._replace(length=state.length + 1)

    def expand(self, state: TransformerState, copies: int) -> TransformerState:
        source, past = (
            [both.repeat_interleave(copies, 1) for both in layers] for layers in (state.source, state.past)
        )
        return TransformerState(source, past, state.length)

    def reorder(self, state: TransformerState, origin: Tensor) -> TransformerState:
        return state._replace(past=[both.index_select(1, origin) for both in state.past])


def greedy(decoder: Decoder, source: Tensor, limit: int) -> tuple[Tensor, Tensor]:
    """The likeliest symbol, step by step: ids [B, steps], PAD from a list's EOS on, and where each step looked."""
    state = decoder.start(source)
    symbol = torch.full((len(source),), BOS)
    done = torch.zeros(len(source), dtype=torch.bool)
    ids, weights = [], []
    for _ in range(limit):
        logits, seen, state = decoder.step(symbol, state)
        symbol = logits.argmax(dim=1)
        done |= symbol == EOS
        ids.append(symbol.masked_fill(done, PAD))
        weights.append(seen)
        if done.all():
            break
    return torch.stack(ids, 1), torch.stack(weights, 1)


def beam_search(
    decoder: Decoder, source: Tensor, beam: int, limit: int, symbols: int
) -> tuple[Tensor, Tensor]:
    """Several hypotheses a list, side by side: ids [B, beam, steps] and scores [B, beam], the best first.

    A hypothesis that has come to EOS stays where it is and writes PAD; scores are log-probabilities over lengths.
    """
    batch = len(source)
    state = decoder.expand(decoder.start(source), beam)
    symbol = torch.full((batch * beam,), BOS)
    done = torch.zeros(batch * beam, dtype=torch.bool)
    ids = torch.empty(batch * beam, 0, dtype=torch.long)
    scores = torch.full((batch, beam), float("-inf"))
    scores[:, 0] = 0
    first = torch.arange(batch).unsqueeze(1) * beam
    stay = torch.full((symbols,), float("-inf"))
    stay[PAD] = 0
    for _ in range(limit):
        logits, _, state = decoder.step(symbol, state)
        added = torch.where(done.unsqueeze(1), stay, torch.log_softmax(logits, dim=1))
        scores, best = (scores.view(-1, 1) + added).view(batch, -1).topk(beam, dim=1)
        origin = (first + torch.div(best, symbols, rounding_mode="floor")).flatten()
        symbol = (best % symbols).flatten()
        state = decoder.reorder(state, origin)
        done = done[origin] | (symbol == EOS)
        ids = torch.cat((ids[origin], symbol.unsqueeze(1)), dim=1)
        if done.all():
            break
    by_list = ids.view(batch, beam, -1)
    scores, order = (scores / (by_list != PAD).sum(2)).sort(dim=1, descending=True)
    return by_list.gather(1, order.unsqueeze(2).expand_as(by_list)), scores


def measure(args: argparse.Namespace) -> dict[str, object]:
    """Time the decoding of whole batches of lists of one length."""
    size = size_of(args)
    limit = size.length + 1
    model = build(args.config, size).eval()
    with torch.no_grad():
        model.output.bias[EOS] = model.output.bias[PAD] = NEVER
    decoder = TransformerDecoder(model, limit) if args.config == "transformer" else Seq2SeqDecoder(model)
    rng = np.random.default_rng(args.seed)
    max_number = size.vocabulary - vocabulary_size(0)
    written = []

    def decode(source: Tensor) -> None:
        with torch.inference_mode():
            if args.beam == 1:
                ids, _ = greedy(decoder, source, limit)
            else:
                ids = beam_search(decoder, source, args.beam, limit, size.vocabulary)[0][:, 0]
            written.append(int((ids != PAD).sum()))

    times = time_runs(
        args,
        lambda: make_batch(draw_lists(rng, size.batch, max_number, size.length, size.length)).source,
        decode,
    )
    return {
        "config": args.config,
        **size._asdict(),
        "beam": args.beam,
        **timing(times, "run", written[-1]),
    }


def main() -> None:
    """Run one measurement and print it."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    add_arguments(parser, "runs")
    parser.add_argument("--beam", type=int, default=1, help="hypotheses of each list; 1: greedy decoding")
    parser.set_defaults(batch=1)
    args = parser.parse_args()
    torch.set_num_threads(args.threads)
    torch.manual_seed(args.seed)
    report(measure(args), args)


if __name__ == "__main__":
    main()
