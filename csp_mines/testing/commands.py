"""Try every command of csp-mines: `python -m csp_mines.testing --commands`.

Each trial runs a command in a new process, and checks its exit status and its output. All trials
run in one temporary folder, so a trial can read a file that an earlier trial wrote. If a command
needs a library that is not installed, the command must say how to install the library. So the
trials test every installation, with or without extras. They need no source tree."""

from __future__ import annotations

import os
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory

from csp_mines.words import plural

BOARD = "b1_4x4_m3_1HHHHHHHHHHHHHHH"
PROVED = "b1_1x5_m2_H1H1H"
LAYOUT = "*..\n...\n...\n"
GAMES = ("--size", "4x4", "--mines", "3")
NOT_INSTALLED = "not installed"
SECONDS = 120  # a command that takes longer has failed


@dataclass(frozen=True)
class Trial:
    """A command line (`words`), its standard input (`stdin`), and a text that the standard
    output must contain (`expected`). `library` is true if the command needs a library that may not
    be installed."""

    words: tuple[str, ...]
    expected: str
    stdin: str = ""
    library: bool = False

    @property
    def name(self) -> str:
        return " ".join(self.words)


TRIALS = (
    Trial(("--version",), "csp-mines "),
    Trial(("--help",), "Exit status"),
    Trial(("backends",), "native"),
    Trial(("formats",), "canonical"),
    Trial(("solve", PROVED), "0,2"),
    Trial(("solve", PROVED, "--json"), '"status": "progress"'),
    Trial(("solve", PROVED, "--backend", "pysat"), "0,2"),
    Trial(("solve", PROVED, "--backend", "cpsat"), "0,2", library=True),
    Trial(("solve", BOARD, "--clues", "cautious"), "risk"),
    Trial(("compare", PROVED), "native"),
    Trial(("explain", PROVED), "safe"),
    Trial(("assist", *GAMES), "Open 0,0", stdin="1\nquit\n"),
    Trial(("play", *GAMES, "--seed", "1"), "open 0,0"),
    Trial(("simulate", *GAMES, "--games", "20", "--out", "run.sqlite"), "exact"),
    Trial(("results", "run.sqlite"), "exact"),
    Trial(("densities", "--size", "4x4", "-d", "0.1:0.2:0.1", "--games", "5"), "exact"),
    Trial(("densities", "--size", "4x4", "-d", "0.1:0.2:0.1", "--games", "5", "--plot", "d.png"),
          "exact", library=True),
    Trial(("influence", *GAMES), "longest chain"),
    Trial(("generate", *GAMES, "--no-guess", "--certificate", "proof.json"), "?"),
    Trial(("verify", "proof.json"), "1 certificate holds"),
    Trial(("grade", "layout.txt"), "3×3"),
    Trial(("convert", PROVED, "--to", "canonical"), "?1?1?"),
    Trial(("export", PROVED, "--to", "dimacs"), "p cnf"),
    Trial(("draw", PROVED, "board.svg"), ""),
    Trial(("draw", PROVED, "board.png"), "", library=True),
    Trial(("play", *GAMES, "--log", "game.jsonl"), "open 0,0"),
    Trial(("review", "game.jsonl", "--seconds", "1"), "game.jsonl"),
    Trial(("web", "--help"), "The port to listen on"),
)  # fmt: skip


def check_commands() -> int:
    """Run every trial and print its result. Return the exit status: 0 if every command works or
    says how to install the library that it needs, else 1."""
    lacking, failed = 0, 0
    with TemporaryDirectory() as folder:
        Path(folder, "layout.txt").write_text(LAYOUT, encoding="utf-8")
        for trial in TRIALS:
            problem = _outcome(trial, folder)
            missing = problem is not None and problem.startswith(NOT_INSTALLED)
            lacking += missing
            failed += problem is not None and not missing
            print(f"  {trial.name:<60} {problem or 'ok'}", flush=True)
    worked = len(TRIALS) - lacking - failed
    said = f"; a library is missing for {plural(lacking, 'command')}" if lacking else ""
    print(f"{worked} of {len(TRIALS)} commands work{said}")
    return 1 if failed else 0


def _outcome(trial: Trial, folder: str) -> str | None:
    """Run one trial in a folder. Return what went wrong, or None if the command worked."""
    environment = {**os.environ, "XDG_STATE_HOME": folder, "COLUMNS": "100", "NO_COLOR": "1"}
    command = [sys.executable, "-P", "-m", "csp_mines", *trial.words]
    try:
        done = subprocess.run(
            command, cwd=folder, env=environment, input=trial.stdin, capture_output=True,
            encoding="utf-8", timeout=SECONDS, check=False,
        )  # fmt: skip
    except subprocess.TimeoutExpired:
        return f"no answer within {SECONDS} seconds"
    if trial.library and done.returncode == 2 and " install " in done.stderr:
        return f"{NOT_INSTALLED}: {done.stderr.strip()}"
    if done.returncode != 0:
        return f"exit status {done.returncode}: {done.stderr.strip() or done.stdout.strip()}"
    if trial.expected not in done.stdout:
        return f"expected {trial.expected!r} in the output, got {done.stdout[:200]!r}"
    return None
