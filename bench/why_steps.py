#!/usr/bin/env python3
"""In which steps attention and erasure have the same first symbol: those that need a symbol, and the others.

    bench/why_steps.py [--columns N] MODEL FILE [MODEL FILE]...

MODEL is the folder of a model, and FILE has pairs, whose first N columns are the source, 1 unless there are features. A
step needs a symbol if it loses a nat or more without it. For each model it prints a row of a table, in percent: the
steps that need one; of these, those in which attention, as the mean of the heads of the last layer, has its largest
weight there, and one symbol beside it; and of the others, those in which it has it where the loss is largest.
bench/why.sh trains the models; BIN is the folder of lookback.
"""
import argparse
import json
import os
import subprocess
import sys
import tempfile

BIN = os.environ.get("BIN", os.path.join(os.path.dirname(os.path.abspath(__file__)), "../build/release/bin"))


def steps_of(model, pairs, columns):
    """The largest loss of each step, and how far attention is from it."""
    with open(pairs, encoding="utf-8") as file:
        sources = "".join("\t".join(line.rstrip("\n").split("\t")[:columns]) + "\n" for line in file)
    with tempfile.TemporaryDirectory() as folder:
        attention = os.path.join(folder, "attention.jsonl")
        command = [f"{BIN}/lookback", "predict", model, "--jsonl", "--why", "--attention", attention]
        found = subprocess.run(command, input=sources, capture_output=True, text=True, encoding="utf-8", check=True)
        with open(attention, encoding="utf-8") as lines:
            maps = [json.loads(line)["attention"][-1] for line in lines]
    for line, heads in zip(found.stdout.splitlines(), maps):
        for step, losses in enumerate(json.loads(line)["outputs"][0]["erasure"] or []):
            weights = [sum(head[step][symbol] for head in heads) for symbol in range(len(losses))]
            yield max(losses), abs(weights.index(max(weights)) - losses.index(max(losses)))


def percent(part, whole):
    return f"{100 * part / whole:.1f}" if whole else "-"


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--columns", type=int, default=1)
    parser.add_argument("names", nargs="+", metavar="MODEL FILE")
    asked = parser.parse_args()
    if len(asked.names) % 2:
        parser.error("expected a FILE for each MODEL")
    print("| model | need a symbol | same | beside it | others: same |\n|---|---|---|---|---|")
    for model, pairs in zip(asked.names[::2], asked.names[1::2]):
        steps = list(steps_of(model, pairs, asked.columns))
        need = [away for loss, away in steps if loss >= 1]
        others = [away for loss, away in steps if loss < 1]
        shares = ((len(need), len(steps)), (need.count(0), len(need)), (need.count(1), len(need)),
                  (others.count(0), len(others)))
        print(f"| {model} |", " | ".join(percent(*share) for share in shares), "|")


if __name__ == "__main__":
    sys.exit(main())
