"""Send signals to commands at any moment, and check how they end and what they leave behind.

    python benchmarks/interrupts.py [--times 60] [--seconds 2]

The script starts each command `--times` times. It spreads the signals to the process group over the
first `--seconds`. The command must end with status 128 + the signal's number, or with its usual
status if it has finished. It must leave no traceback and no running process. A command that has
not set its signal handlers at that moment is ended and counted apart.
"""

from __future__ import annotations

import argparse
import os
import signal
import subprocess
import sys
import tempfile
import time
from collections import Counter
from pathlib import Path

COMMANDS = {
    "simulate": ["simulate", "-l", "expert", "-a", "disarm", "-n", "999999", "-w", "2", "-o", "g"],
    "simulate, SAT": ["simulate", "-l", "beginner", "-a", "pysat+lowest-risk", "-n", "99999"],
    "densities": ["densities", "-n", "9999", "-a", "cpsat+lowest-risk", "-w", "1"],
    "generate": ["generate", "--no-guess", "-l", "expert", "--count", "99999"],
    "solve": ["solve", "-"],
    "assist": ["assist", "-l", "expert"],
    "help": ["--help"],
}
SIGNALS = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)


def group(leader: int) -> list[str]:
    """The processes of a group that still run."""
    found = []
    for stat in Path("/proc").glob("[0-9]*/stat"):
        try:
            name, _, rest = stat.read_text().rpartition(")")
        except OSError:
            continue
        state, _, pgid, *_ = rest.split()
        if int(pgid) == leader and state != "Z":
            found.append(name)
    return found


def python_started(pid: int) -> bool:
    """Whether the process handles SIGTERM. A command sets its handlers first of all."""
    try:
        status = Path(f"/proc/{pid}/status").read_text()
    except OSError:
        return True
    caught = int(status.partition("SigCgt:\t")[2].split()[0], 16)
    return bool(caught >> signal.SIGTERM - 1 & 1)


def interrupted(arguments: list[str], number: signal.Signals, moment: float) -> str:
    """How a command ends that gets a signal after some seconds."""
    with tempfile.TemporaryDirectory() as folder:
        process = subprocess.Popen(
            [sys.executable, "-m", "csp_mines", *arguments],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
            cwd=folder,
            start_new_session=True,
            env={**os.environ, "XDG_STATE_HOME": folder},
        )
        time.sleep(moment)
        if process.poll() is None and not python_started(process.pid):
            os.killpg(process.pid, signal.SIGKILL)
            process.communicate()
            return "Python had not started"
        if process.poll() is None:
            os.killpg(process.pid, number)
        _, told = process.communicate(timeout=60)
        time.sleep(0.1)
        left = group(process.pid)
    if "Traceback" in told or "Exception ignored" in told or "Warning" in told:
        return f"says: {told}"
    if left:
        return f"leaves {left}"
    return f"status {process.returncode}"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--times", type=int, default=60)
    parser.add_argument("--seconds", type=float, default=2)
    given = parser.parse_args()
    signal.signal(signal.SIGINT, signal.default_int_handler)  # ignored in the background of a shell
    for name, arguments in COMMANDS.items():
        for number in SIGNALS:
            moments = [given.seconds * time / given.times for time in range(given.times)]
            ends = Counter(interrupted(arguments, number, moment) for moment in moments)
            shown = ", ".join(f"{times} × {end}" for end, times in ends.most_common())
            print(f"{name:<16}{number.name:<9}{shown}", flush=True)


if __name__ == "__main__":
    main()
