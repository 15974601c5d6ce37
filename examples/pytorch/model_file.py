"""Reads and writes model files of Lookback: safetensors with the description of the model in the metadata."""

import json
import struct

import numpy as np
import torch


def read(path):
    """The tensors of a file by name, and its metadata, in which each value is text."""
    with open(path, "rb") as file:
        (length,) = struct.unpack("<Q", file.read(8))
        header = json.loads(file.read(length))
        data = file.read()
    metadata = header.pop("__metadata__", {})
    types = {"F32": "<f4", "F64": "<f8"}
    tensors = {}
    for name, entry in header.items():
        begin, end = entry["data_offsets"]
        array = np.frombuffer(data[begin:end], types[entry["dtype"]]).reshape(entry["shape"])
        tensors[name] = torch.from_numpy(array.astype(np.float32))
    return tensors, metadata


def write(path, tensors, metadata):
    """Writes a state_dict. Lookback's checksum is left out: it would be that of the old weights."""
    own = ("lookback.crc32", "lookback.format", "lookback.training")
    header = {"__metadata__": {key: value for key, value in metadata.items() if key not in own}}
    parts, end = [], 0
    for name, tensor in tensors.items():
        part = tensor.detach().cpu().numpy().astype("<f4").tobytes()
        header[name] = {"dtype": "F32", "shape": list(tensor.shape), "data_offsets": [end, end + len(part)]}
        parts.append(part)
        end += len(part)
    text = json.dumps(header).encode()
    with open(path, "wb") as file:
        file.write(struct.pack("<Q", len(text)) + text + b"".join(parts))
