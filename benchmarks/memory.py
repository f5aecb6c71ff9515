"""Measure the memory of long simulations: it is the same for many games as for few.

    python benchmarks/memory.py [--workers N]

Each row of the table is one command in a separate process: the games it was asked for, the games it
played, and the peak memory of the process. The simulation of a billion games is interrupted after
some seconds. The last line is what one game takes in the file of a run.
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


def peak(command: list[str], seconds: float | None) -> tuple[float, str]:
    """The peak memory of a process in MB, and its text on standard error."""
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
    return used.ru_maxrss / 1000, told


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--workers", type=int, default=1, help="their memory is not counted")
    parser.add_argument("--seconds", type=float, default=8, help="until a billion are interrupted")
    given = parser.parse_args()
    signal.signal(signal.SIGINT, signal.default_int_handler)  # ignored in the background of a shell
    print("| command | games asked for | games played | peak memory |\n|---|--:|--:|--:|")
    for kind, mines in KINDS.items():
        for games, kept in ((20_000, False), (200_000, False), (200_000, True), (BILLION, False)):
            with tempfile.TemporaryDirectory() as folder:
                command = [sys.executable, "-m", "csp_mines", kind, *BOARD, *mines]
                command += ["--workers", str(given.workers), "--games", str(games)]
                command += ["--out", str(Path(folder, "games"))] if kept else []
                seconds = given.seconds if games == BILLION else None
                megabytes, told = peak(command, seconds)
            counted = re.match(r"interrupted: ([\d,]+) of", told)
            if games == BILLION and counted is None:
                raise SystemExit(f"no game was played within {given.seconds:g} s; give more")
            played = counted[1] if counted else "all"
            name = kind + (" --out" if kept else "")
            print(f"| `{name}` | {games:,} | {played} | {megabytes:.1f} MB |", flush=True)
    print(
        f"\nA game of one agent on an expert board takes {bytes_per_game():.0f} bytes in the file."
    )


def bytes_per_game(games: int = 20_000) -> float:
    """How much a file of a run grows with every game."""
    with tempfile.TemporaryDirectory() as folder:
        sizes = []
        for number in (games, 2 * games):
            path = Path(folder, f"{number}.db")
            command = [sys.executable, "-m", "csp_mines", "simulate", "--level", "expert"]
            command += ["--agent", "exact", "--workers", "1", "--games", str(number)]
            peak([*command, "--out", str(path)], None)
            sizes.append(path.stat().st_size)
    return (sizes[1] - sizes[0]) / games


if __name__ == "__main__":
    main()
