#!/usr/bin/env python3
"""Writes the fixtures of tests/io beside itself: .npy files with NumPy, a safetensors file with struct and json only."""
import json
import os
import struct

import numpy as np

os.chdir(os.path.dirname(os.path.abspath(__file__)))

# The values that the tests expect: 0.5 i - 3 in C order, as far as the dtype can hold them.
ramp = np.arange(24).reshape(2, 3, 4) * 0.5 - 3
for name, array in {
    "c_f8": ramp,
    "c_f4": ramp.astype("<f4"),
    "c_f2": ramp.astype("<f2"),
    "fortran_f8": np.asfortranarray(ramp),
    "fortran_i4": np.asfortranarray(ramp.astype("<i4")),
    "c_i8": ramp.astype("<i8"),
    "c_u1": (ramp + 3).astype("u1"),
    "c_b1": ramp > 0,
    "scalar_f8": np.float64(2.5),
    "vector_f8": ramp[0, 0],
    "empty_f4": np.zeros((0, 3), "<f4"),
    "big_endian_f8": ramp.astype(">f8"),
}.items():
    np.save(f"{name}.npy", array)
for version in (2, 3):
    with open(f"version{version}_f8.npy", "wb") as file:
        np.lib.format.write_array(file, ramp, version=(version, 0))

# The same numbers in every dtype, in an order that leaves the wider ones unaligned, and no checksum.
values = [0, 1, 2, 100]
arrays = [
    ("u8", "U8", struct.pack("<4B", *values)),
    ("bool", "BOOL", struct.pack("<4?", 0, 1, 1, 1)),
    ("odd", "U8", b"\x07"),
    ("f16", "F16", struct.pack("<4e", *values)),
    ("bf16", "BF16", b"".join(struct.pack("<f", v)[2:] for v in values)),
    ("f32", "F32", struct.pack("<4f", *values)),
    ("i32", "I32", struct.pack("<4i", *values)),
    ("f64", "F64", struct.pack("<4d", *values)),
    ("i64", "I64", struct.pack("<4q", *values)),
]
header, data = {"__metadata__": {"format": "pt", "caf\u00e9": "\u20ac \"quoted\"\n\U0001f600"}}, b""
for name, dtype, content in arrays:
    shape = [1] if name == "odd" else [2, 2]
    header[name] = {"dtype": dtype, "shape": shape, "data_offsets": [len(data), len(data) + len(content)]}
    data += content
header["scalar"] = {"dtype": "F32", "shape": [], "data_offsets": [len(data), len(data) + 4]}
data += struct.pack("<f", 2.5)
header["empty"] = {"dtype": "F32", "shape": [0, 3], "data_offsets": [len(data), len(data)]}
text = json.dumps(header).encode()
with open("others.safetensors", "wb") as file:
    file.write(struct.pack("<Q", len(text)) + text + data)
