#!/usr/bin/env python3
"""Time one training step in PyTorch, or train the sort model until it sorts; prints one JSON object.

    python3 bench/torch_sort.py --config small --threads 2 --steps 50
    python3 bench/torch_sort.py --until-target START --threads 1

One step is forward, backward, clipping and Adam, as a PyTorch user would write them for speed. In the first form all
lists have the same length, so that nothing is packed or masked; making a batch is not timed. The second trains on what
`bench_start CHECKPOINT START` wrote: the first weights, the lists and the recipe of a run of train_sort.
"""

from __future__ import annotations

import argparse
import math
import sys
import time
from pathlib import Path
from typing import Callable

from torch_bench import add_arguments, at_its_best, report, time_runs, timing

if __name__ == "__main__":
    at_its_best()

import numpy as np  # noqa: E402
import torch  # noqa: E402
from torch import Tensor  # noqa: E402
from torch.nn.utils import clip_grad_norm_  # noqa: E402

from torch_configs import build, size_of  # noqa: E402
from torch_model import Seq2Seq, Seq2SeqConfig, sequence_loss  # noqa: E402
from torch_task import Batch, Start, draw_lists, make_batch, read_start, vocabulary_size  # noqa: E402


def make_step(
    forward: Callable[[Batch], Tensor],
    model: torch.nn.Module,
    optimizer: torch.optim.Optimizer,
    clip_norm: float,
) -> Callable[[Batch], float]:
    """Return a function that trains on one batch and gives its loss."""
    parameters = list(model.parameters())

    def step(batch: Batch) -> float:
        optimizer.zero_grad(set_to_none=True)
        loss = sequence_loss(forward(batch), batch.target_out)
        loss.backward()
        clip_grad_norm_(parameters, clip_norm)
        optimizer.step()
        return loss.item()

    return step


def measure(args: argparse.Namespace) -> dict[str, object]:
    """Time steps on batches of equal lengths."""
    size = size_of(args)
    model = build(args.config, size)
    called = torch.compile(model) if args.compile else model

    def forward(batch: Batch) -> Tensor:
        with torch.autocast("cpu", dtype=torch.bfloat16, enabled=args.autocast):
            result = called(batch.source, batch.target_in)
        logits = result[0] if isinstance(result, tuple) else result
        return logits.float()

    step = make_step(forward, model, torch.optim.Adam(model.parameters(), lr=1e-3, foreach=True), 1.0)
    rng = np.random.default_rng(args.seed)
    max_number = size.vocabulary - vocabulary_size(0)
    losses = []
    times = time_runs(
        args,
        lambda: make_batch(draw_lists(rng, size.batch, max_number, size.length, size.length)),
        lambda batch: losses.append(step(batch)),
    )
    return {
        "config": args.config,
        **size._asdict(),
        "compiled": args.compile,
        **timing(times, "step", size.batch * (size.length + 1)),
        "loss": losses[-1],
    }


@torch.no_grad()
def exact_match(model: Seq2Seq, batch: Batch) -> float:
    """The share of lists that greedy decoding would sort: each symbol is right, given the right ones before."""
    logits, _ = model(batch.source, batch.target_in, batch.lengths)
    right = (logits.argmax(dim=2) == batch.target_out) | (batch.target_out == 0)
    return right.all(dim=1).double().mean().item()


class Average:
    """The mean of the latest weights; `decay` of it is old in each step, less at the beginning."""

    def __init__(self, model: torch.nn.Module, decay: float) -> None:
        self.decay = decay
        self.weights = list(model.parameters())
        self.means = [torch.zeros_like(weight) for weight in self.weights]

    @torch.no_grad()
    def update(self, step: int) -> None:
        """Take in the weights behind step number `step`, counted from 0."""
        decay = min((1 + step) / (10 + step), self.decay)
        torch._foreach_mul_(self.means, decay)
        torch._foreach_add_(self.means, self.weights, alpha=1 - decay)

    @torch.no_grad()
    def swap(self) -> None:
        """Exchange the weights with their mean: to evaluate it, and to get back."""
        for mean, weight in zip(self.means, self.weights):
            weight.data, mean.data = mean.data, weight.data


def train_until_target(args: argparse.Namespace) -> dict[str, object]:
    """Train until the target or the last step; evaluation counts as time, drawing lists does not."""
    start: Start = read_start(Path(args.until_target))
    recipe = start.recipe
    vocabulary = start.weights["source_embedding.weight"].shape[0]
    model = Seq2Seq(Seq2SeqConfig(vocabulary, vocabulary, recipe["embed"], recipe["hidden"]))
    model.load_state_dict(start.weights)
    optimizer = torch.optim.Adam(model.parameters(), lr=recipe["lr"], foreach=True)
    average = Average(model, recipe["average"])
    step = make_step(
        lambda batch: model(batch.source, batch.target_in, batch.lengths)[0],
        model,
        optimizer,
        recipe["clip_norm"],
    )
    held_out = make_batch(start.held_out)
    size, steps = recipe["batch"], recipe["steps"]
    begin = time.perf_counter()
    for index in range(steps):
        optimizer.param_groups[0]["lr"] = recipe["lr"] * (1 + math.cos(math.pi * index / steps)) / 2
        loss = step(make_batch(start.lists[index * size : (index + 1) * size]))
        average.update(index)
        if (index + 1) % recipe["evaluate_every"] and index + 1 != steps:
            continue
        average.swap()
        match = exact_match(model, held_out)
        average.swap()
        report_line = f"{index + 1:6d}  loss {loss:.4f}  exact {match:.4f}"
        print(f"{report_line}  {time.perf_counter() - begin:.1f} s", file=sys.stderr, flush=True)
        if match >= recipe["target"]:
            break
    return {
        "step": index + 1,
        "train_seconds": round(time.perf_counter() - begin, 2),
        "exact_match": match,
    }


def main() -> None:
    """Run one measurement and print it."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    add_arguments(parser, "steps")
    parser.add_argument("--compile", action="store_true", help="compile the model, where PyTorch can")
    parser.add_argument("--autocast", action="store_true", help="multiply in bfloat16")
    parser.add_argument("--until-target", metavar="START", help="train from what bench_start wrote")
    args = parser.parse_args()
    if args.compile and not hasattr(torch, "compile"):
        parser.error(f"PyTorch {torch.__version__} cannot compile")
    torch.set_num_threads(args.threads)
    torch.manual_seed(args.seed)
    report(train_until_target(args) if args.until_target else measure(args), args)


if __name__ == "__main__":
    main()
