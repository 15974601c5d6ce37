"""Trains a sequence-to-sequence model in PyTorch and writes it for `lookback predict`.

usage: fine_tune.py PAIRS OUT [MODEL]

PAIRS has a source, a tab and a target on each line; each character is a symbol. MODEL is a model file of Lookback to start
from, with additive attention. Without it, the model is a new one.
"""

import json
import pathlib
import sys

import torch

import model_file

sys.path.append(str(pathlib.Path(__file__).parents[2] / "bench"))
from torch_model import BOS, EOS, PAD, UNK, Seq2Seq, Seq2SeqConfig, sequence_loss  # noqa: E402

SPECIAL = ["<pad>", "<bos>", "<eos>", "<unk>"]
STEPS, BATCH = 400, 32


def describe(pairs):
    """The metadata of a new model for these pairs."""
    source = SPECIAL + sorted({symbol for text, _ in pairs for symbol in text})
    target = SPECIAL + sorted({symbol for _, text in pairs for symbol in text})
    config = {"source_vocab": len(source), "target_vocab": len(target), "embed": 32, "hidden": 64, "layers": 1}
    config |= {"bidirectional": True, "attention": "additive", "dropout": 0}
    rule = {"separator": "", "normalize": "none"}
    task = {"task": "pairs", "source": rule, "target": rule, "shortest_source": 1}
    task["longest_source"] = max(len(text) for text, _ in pairs)
    task["longest_target"] = max(len(text) for _, text in pairs)
    return {
        "lookback.model": "seq2seq",
        "lookback.config": json.dumps(config),
        "lookback.task": json.dumps(task),
        "lookback.source_vocabulary": json.dumps(source),
        "lookback.target_vocabulary": json.dumps(target),
    }


def build(metadata):
    """The PyTorch model that a file describes. Its parameters have the names of the file."""
    config = json.loads(metadata["lookback.config"])
    if metadata["lookback.model"] != "seq2seq" or config["attention"] != "additive":
        sys.exit("expected a seq2seq with additive attention")
    names = ("source_vocab", "target_vocab", "embed", "hidden", "layers", "bidirectional")
    return Seq2Seq(Seq2SeqConfig(**{name: config[name] for name in names}))


def batch_of(rows, fill=PAD):
    """Lists of ids as one tensor."""
    longest = max(len(row) for row in rows)
    return torch.tensor([row + [fill] * (longest - len(row)) for row in rows])


def main():
    if len(sys.argv) not in (3, 4):
        sys.exit(__doc__.split("\n\n")[1])
    torch.manual_seed(1)
    with open(sys.argv[1], encoding="utf-8") as file:
        pairs = [line.rstrip("\n").split("\t") for line in file]
    weights, metadata = model_file.read(sys.argv[3]) if len(sys.argv) == 4 else (None, describe(pairs))
    model = build(metadata)
    if weights:
        model.load_state_dict(weights)
    source_id = {symbol: i for i, symbol in enumerate(json.loads(metadata["lookback.source_vocabulary"]))}
    target_id = {symbol: i for i, symbol in enumerate(json.loads(metadata["lookback.target_vocabulary"]))}
    optimizer = torch.optim.Adam(model.parameters(), lr=0.003)
    for step in range(STEPS):
        chosen = [pairs[i] for i in torch.randint(len(pairs), (BATCH,)).tolist()]
        source = [[source_id.get(symbol, UNK) for symbol in text] for text, _ in chosen]
        target = [[target_id.get(symbol, UNK) for symbol in text] for _, text in chosen]
        lengths = torch.tensor([len(row) for row in source])
        logits, _ = model(batch_of(source), batch_of([[BOS] + row for row in target]), lengths)
        loss = sequence_loss(logits, batch_of([row + [EOS] for row in target]))
        optimizer.zero_grad()
        loss.backward()
        torch.nn.utils.clip_grad_norm_(model.parameters(), 1.0)
        optimizer.step()
        if step % 100 == 0 or step == STEPS - 1:
            print(f"step {step + 1}: loss {loss.item():.4f}", file=sys.stderr)
    model_file.write(sys.argv[2], model.state_dict(), metadata)


main()
