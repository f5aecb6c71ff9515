"""Measure the memory of long simulations: it is the same for many games as for few.

    python benchmarks/memory.py [--workers N]

Each line of output is one command in a separate process: the games it was asked for, the games it
played, the peak memory of the process, and the time. The simulation of a billion games is
interrupted after some seconds.
"""

from __future__ import annotations

import argparse
import os
import re
import signal
import subprocess
import sys
import tempfile
import time
from pathlib import Path

BOARD = ("--size", "3x3")
KINDS = {"simulate": ("--mines", "1"), "densities": ("--densities", "0.1,0.2,0.3")}
BILLION = 1_000_000_000


def peak(command: list[str], seconds: float | None) -> tuple[float, float, str]:
    """The peak memory of a process in MB, its time, and its text on standard error."""
    begin = time.perf_counter()
    process = subprocess.Popen(
        command, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True
    )
    assert process.stderr is not None
    if seconds is not None:
        time.sleep(seconds)
        process.send_signal(signal.SIGINT)
    with process.stderr:
        told = process.stderr.read()
    _, status, used = os.wait4(process.pid, 0)
    process.returncode = os.waitstatus_to_exitcode(status)
    if process.returncode != (0 if seconds is None else 130):
        raise SystemExit(f"{' '.join(command)} ended with {process.returncode}: {told}")
    return used.ru_maxrss / 1000, time.perf_counter() - begin, told


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--workers", type=int, default=1, help="their memory is not counted")
    parser.add_argument("--seconds", type=float, default=8, help="until a billion are interrupted")
    given = parser.parse_args()
    signal.signal(signal.SIGINT, signal.default_int_handler)  # ignored in the background of a shell
    print(f"{'command':<16}{'games':>15}{'played':>12}{'MB':>8}{'seconds':>9}")
    for kind, mines in KINDS.items():
        for games, kept in ((20_000, False), (200_000, False), (200_000, True), (BILLION, False)):
            with tempfile.TemporaryDirectory() as folder:
                command = [sys.executable, "-m", "csp_mines", kind, *BOARD, *mines]
                command += ["--workers", str(given.workers), "--games", str(games)]
                command += ["--out", str(Path(folder, "games"))] if kept else []
                seconds = given.seconds if games == BILLION else None
                megabytes, took, told = peak(command, seconds)
            counted = re.match(r"interrupted: ([\d,]+) of", told)
            played = counted[1] if counted else "all"
            name = kind + (" --out" if kept else "")
            print(f"{name:<16}{games:>15,}{played:>12}{megabytes:>8.1f}{took:>9.1f}", flush=True)


if __name__ == "__main__":
    main()
