#!/usr/bin/env python3
"""How long `lookback predict` takes until its first line of output, and to its end.

    bench/first_output.py [--runs N] MODEL FILE LOOKBACK [FLAG]... [-- LOOKBACK [FLAG]...]...

runs each program in turn, N times, on the lines of FILE, and prints the least milliseconds of a run until the first
output (wall clock) and to the end (wall clock, processor time), and its peak memory and page faults. On a busy machine,
processor time is what to look at. The programs have to print the same bytes. OpenBLAS and OpenMP are told nothing.
"""
import argparse
import os
import sys
import time

IGNORED = ("OPENBLAS_", "OMP_", "GOMP_", "KMP_")


def run(command, model, lines, environment):
    """First output and end in seconds, the usage of the process, and its output."""
    read, write = os.pipe()
    begin = time.perf_counter()
    actions = [(os.POSIX_SPAWN_DUP2, write, 1), (os.POSIX_SPAWN_CLOSE, read), (os.POSIX_SPAWN_CLOSE, write)]
    words = [command[0], "predict", *command[1:], model, lines]
    child = os.posix_spawn(command[0], words, environment, file_actions=actions)
    os.close(write)
    output = os.read(read, 1 << 16)
    first = time.perf_counter() - begin
    while part := os.read(read, 1 << 16):
        output += part
    os.close(read)
    _, status, usage = os.wait4(child, 0)
    end = time.perf_counter() - begin
    if status:
        sys.exit(f"{' '.join(words)}: status {os.waitstatus_to_exitcode(status)}")
    return first, end, usage, output


def split(words):
    commands = [[]]
    for word in words:
        if word == "--":
            commands.append([])
        else:
            commands[-1].append(word)
    return commands


def main():
    parser = argparse.ArgumentParser(usage=__doc__)
    parser.add_argument("--runs", type=int, default=20)
    parser.add_argument("model")
    parser.add_argument("lines")
    parser.add_argument("commands", nargs=argparse.REMAINDER)
    asked = parser.parse_args()
    commands = split(asked.commands)
    if not all(commands):
        parser.error("found no program")
    environment = {name: value for name, value in os.environ.items() if not name.startswith(IGNORED)}
    found = [[] for _ in commands]
    for _ in range(asked.runs):
        for runs, command in zip(found, commands):
            runs.append(run(command, asked.model, asked.lines, environment))
    print("first output  wall   user+sys  user   sys    peak MB  faults")
    for runs, command in zip(found, commands):
        if any(one[3] != found[0][0][3] for one in runs):
            sys.exit(f"{' '.join(command)}: found another output than that of {' '.join(commands[0])}")
        least = [min(values) for values in zip(*(
            (first, end, u.ru_utime + u.ru_stime, u.ru_utime, u.ru_stime, u.ru_maxrss * 1024, u.ru_minflt)
            for first, end, u, _ in runs))]
        times = "  ".join(f"{1000 * value:9.2f}" for value in least[:5])
        print(f"{times}  {least[5] / 1e6:7.1f} {least[6]:7d}  {' '.join(command)}")


main()
