#!/usr/bin/env python3
"""Time the sort model in PyTorch, or train it until it sorts; prints one JSON object.

    python3 bench/torch_sort.py --config small --threads 2 --steps 50
    python3 bench/torch_sort.py --until-target --threads 1

One step is forward, backward, clipping and Adam, as a PyTorch user would write them for speed. In the
first form all lists have the same length, so that nothing is packed or masked; making a batch is not timed.
Let OpenBLAS choose its kernel (`env -u OPENBLAS_CORETYPE`), and take its OpenMP build: OpenBLAS's own
threads beside PyTorch's gain nothing from a second core.
"""

from __future__ import annotations

import argparse
import json
import resource
import statistics
import sys
import time
from typing import Callable, NamedTuple

import numpy as np
import torch
from torch.nn.utils import clip_grad_norm_

from torch_model import Seq2Seq, Seq2SeqConfig, sequence_loss
from torch_task import Batch, draw_lists, make_batch, vocabulary_size


class Size(NamedTuple):
    """Sizes of one benchmark."""

    embed: int
    hidden: int
    batch: int
    length: int


CONFIGS = {
    "tiny": Size(16, 32, 16, 8),
    "small": Size(64, 128, 64, 10),
    "medium": Size(128, 256, 128, 20),
    "large": Size(256, 512, 128, 40),
}
BENCH_VOCABULARY = 100
WARM_UP_STEPS = 5

MAX_NUMBER, MIN_LENGTH, MAX_LENGTH = 99, 5, 10
HELD_OUT = 2000
EVALUATE_EVERY = 250


def make_step(model: Seq2Seq, optimizer: torch.optim.Optimizer, packed: bool) -> Callable[[Batch], float]:
    """Return a function that trains on one batch and gives its loss."""
    parameters = list(model.parameters())

    def step(batch: Batch) -> float:
        optimizer.zero_grad(set_to_none=True)
        logits, _ = model(batch.source, batch.target_in, batch.lengths if packed else None)
        loss = sequence_loss(logits, batch.target_out)
        loss.backward()
        clip_grad_norm_(parameters, 1.0)
        optimizer.step()
        return loss.item()

    return step


def measure(args: argparse.Namespace) -> dict[str, object]:
    """Time steps on batches of equal lengths."""
    size = CONFIGS[args.config]
    model = Seq2Seq(
        Seq2SeqConfig(
            BENCH_VOCABULARY, BENCH_VOCABULARY, size.embed, size.hidden, args.layers, args.bidirectional
        )
    )
    step = make_step(model, torch.optim.Adam(model.parameters(), lr=1e-3, foreach=args.foreach), packed=False)
    max_number = BENCH_VOCABULARY - vocabulary_size(0)
    rng = np.random.default_rng(args.seed)
    times = []
    for index in range(WARM_UP_STEPS + args.steps):
        batch = make_batch(draw_lists(rng, size.batch, max_number, size.length, size.length))
        start = time.perf_counter()
        loss = step(batch)
        if index >= WARM_UP_STEPS:
            times.append(time.perf_counter() - start)
    median = statistics.median(times)
    return {
        "config": args.config,
        "embed": size.embed,
        "hidden": size.hidden,
        "batch": size.batch,
        "length": size.length,
        "steps": args.steps,
        "ms_per_step": round(median * 1e3, 3),
        "ms_per_step_min": round(min(times) * 1e3, 3),
        "tokens_per_second": round(size.batch * (size.length + 1) / median),
        "loss": loss,
    }


def exact_match(model: Seq2Seq, held_out: Batch) -> float:
    """The share of held-out lists that come out sorted, from the first symbol to EOS."""
    ids, _ = model.greedy(held_out.source, held_out.target_out.shape[1], held_out.lengths)
    return (ids == held_out.target_out).all(dim=1).double().mean().item()


def train_until_target(args: argparse.Namespace) -> dict[str, object]:
    """Train on the sort task until the target or the last step; evaluation counts as time."""
    rng = np.random.default_rng(args.seed)
    draw = (MAX_NUMBER, MIN_LENGTH, MAX_LENGTH)
    held_out_lists = draw_lists(rng, HELD_OUT, *draw)
    forbidden = set(held_out_lists)
    held_out = make_batch(held_out_lists)
    vocabulary = vocabulary_size(MAX_NUMBER)
    model = Seq2Seq(
        Seq2SeqConfig(vocabulary, vocabulary, args.embed, args.hidden, args.layers, args.bidirectional)
    )
    optimizer = torch.optim.Adam(model.parameters(), lr=args.lr, foreach=args.foreach)
    schedule = torch.optim.lr_scheduler.CosineAnnealingLR(optimizer, args.steps)
    step = make_step(model, optimizer, packed=True)
    start = time.perf_counter()
    match, reached = 0.0, None
    for index in range(1, args.steps + 1):
        drawn = draw_lists(rng, args.batch, *draw)
        lists = [numbers for numbers in drawn if numbers not in forbidden]
        loss = step(make_batch(lists))
        schedule.step()
        if index % EVALUATE_EVERY == 0 or index == args.steps:
            match = exact_match(model, held_out)
            elapsed = time.perf_counter() - start
            report = f"{index:6d}  loss {loss:.4f}  exact {match:.4f}  {elapsed:.1f} s"
            print(report, file=sys.stderr, flush=True)
            if match >= args.target:
                reached = index
                break
    return {
        "embed": args.embed,
        "hidden": args.hidden,
        "layers": args.layers,
        "bidirectional": args.bidirectional,
        "lr": args.lr,
        "schedule_steps": args.steps,
        "steps": index,
        "seconds": round(time.perf_counter() - start, 2),
        "exact_match": match,
        "reached_target": reached is not None,
    }


def parse_arguments() -> argparse.Namespace:
    """Read the command line."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--config", choices=CONFIGS, default="small")
    parser.add_argument("--threads", type=int, default=1)
    parser.add_argument("--steps", type=int, help="50; with --until-target 4000, the length of the cosine")
    parser.add_argument("--layers", type=int, default=1)
    parser.add_argument("--bidirectional", action="store_true")
    parser.add_argument(
        "--no-foreach", dest="foreach", action="store_false", help="Adam runs parameter by parameter"
    )
    parser.add_argument("--seed", type=int, default=1)
    training = parser.add_argument_group("with --until-target")
    training.add_argument("--until-target", action="store_true", help="train on 0..99, lists of 5 to 10")
    training.add_argument("--target", type=float, default=0.99, help="exact match on held-out lists (0.99)")
    training.add_argument("--lr", type=float, default=3e-3)
    training.add_argument("--embed", type=int, default=64)
    training.add_argument("--hidden", type=int, default=128)
    training.add_argument("--batch", type=int, default=64)
    args = parser.parse_args()
    if args.steps is None:
        args.steps = 4000 if args.until_target else 50
    return args


def main() -> None:
    """Run one measurement and print it."""
    args = parse_arguments()
    torch.set_num_threads(args.threads)
    torch.manual_seed(args.seed)
    result = train_until_target(args) if args.until_target else measure(args)
    result |= {
        "threads": args.threads,
        "seed": args.seed,
        "peak_rss_mb": round(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024, 1),
        "torch": torch.__version__,
    }
    print(json.dumps(result))


if __name__ == "__main__":
    main()
