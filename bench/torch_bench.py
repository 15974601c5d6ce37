"""What the PyTorch programs of the benchmark share: how PyTorch is run at its best, timed and reported."""

from __future__ import annotations

import argparse
import ctypes
import glob
import json
import os
import re
import resource
import statistics
import sys
import time
from pathlib import Path
from typing import Any, Callable

CLEARED = ("OPENBLAS_", "GOTO_", "MKL_", "OMP_", "GOMP_", "KMP_", "ATEN_")


def at_its_best() -> None:
    """Start over in the environment in which PyTorch is fastest; to be called before it is imported.

    Nothing steers BLAS and threads. Of Debian's two builds of OpenBLAS the one with threads of its own, beside
    PyTorch's, gains nothing from a second core. PyTorch 1.13 leaves AVX-512 alone unless it is told.
    """
    wanted = {name: value for name, value in os.environ.items() if not name.startswith(CLEARED)}
    openmp = glob.glob("/usr/lib/*/openblas-openmp")
    if openmp:
        wanted["LD_LIBRARY_PATH"] = openmp[0]
    flags = re.search(r"^flags\s*:(.*)$", Path("/proc/cpuinfo").read_text(), re.MULTILINE)
    if flags and {"avx512f", "avx512bw", "avx512dq", "avx512vl"} <= set(flags[1].split()):
        wanted["ATEN_CPU_CAPABILITY"] = "avx512"
    if wanted != dict(os.environ):
        os.execve(sys.executable, [sys.executable, *sys.argv], wanted)


def add_arguments(parser: argparse.ArgumentParser, what: str) -> None:
    """The flags that say what is measured and for how long; the programs in C have the same."""
    configs = ("tiny", "small", "medium", "large", "transformer")
    parser.add_argument("--config", choices=configs, default="small")
    for name in ("embed", "hidden", "batch", "length", "vocabulary"):
        parser.add_argument(f"--{name}", type=int, help="the config's")
    parser.add_argument("--threads", type=int, default=1)
    parser.add_argument("--steps", type=int, default=50, help=f"{what} that are timed, at most")
    parser.add_argument("--seconds", type=float, default=0, help="no new ones after that time; 0: all")
    parser.add_argument("--warm-up", type=int, default=5, help=f"{what} before the clock starts")
    parser.add_argument("--seed", type=int, default=1)


def time_runs(
    args: argparse.Namespace, prepare: Callable[[], Any], run: Callable[[Any], object]
) -> list[float]:
    """Seconds of each run(prepare()); what prepare takes does not count."""
    enough, limit = 2, args.seconds or float("inf")
    begin = time.perf_counter()
    for index in range(args.warm_up):
        if index >= enough and time.perf_counter() - begin >= limit:
            break
        run(prepare())
    times: list[float] = []
    begin = time.perf_counter()
    while len(times) < args.steps and time.perf_counter() - begin < limit:
        prepared = prepare()
        start = time.perf_counter()
        run(prepared)
        times.append(time.perf_counter() - start)
    return times


def timing(times: list[float], what: str, tokens: int) -> dict[str, object]:
    """The fields that tell how long a step or a run took."""
    median = statistics.median(times)
    return {
        f"{what}s": len(times),
        f"ms_per_{what}": round(median * 1e3, 4),
        f"ms_per_{what}_min": round(min(times) * 1e3, 4),
        "tokens_per_second": round(tokens / median),
    }


def blas_kernel() -> str:
    """The OpenBLAS that PyTorch has loaded and the kernel that it chose."""
    for line in Path("/proc/self/maps").read_text().splitlines():
        if "libopenblas" in line:
            blas = ctypes.CDLL(line.split()[-1])
            blas.openblas_get_config.restype = blas.openblas_get_corename.restype = ctypes.c_char_p
            threads = ("without threads", "with its own threads", "with OpenMP")[blas.openblas_get_parallel()]
            version = " ".join(blas.openblas_get_config().decode().split()[:2])
            return f"{version} {blas.openblas_get_corename().decode()} {threads}"
    return "unknown"


def report(result: dict[str, object], args: argparse.Namespace) -> None:
    """Print one JSON object."""
    import torch

    capability = re.search(r"CPU capability usage: (.*)", torch.__config__.show())
    everything = {
        "program": "pytorch",
        **result,
        "threads": args.threads,
        "peak_mb": round(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024, 1),
        "torch": torch.__version__,
        "kernel": blas_kernel(),
        "capability": capability[1] if capability else "unknown",
    }
    print(json.dumps(everything))
