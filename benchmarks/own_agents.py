"""Check that a bot plays the same games in one process, on two workers and on Dask.

The bot is a function in one process, and a class on two workers. On Dask, it has the name that an
installed package gives it.

python benchmarks/own_agents.py                     # 10,000 games on beginner boards
python benchmarks/own_agents.py --games 500

The script installs examples/own-agents into a temporary folder, without the network. It ends with
an error if a single game differs."""

from __future__ import annotations

import argparse
import importlib
import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from csp_mines import LEVELS, Plan, Setup, simulate

PACKAGE = Path(__file__).parents[1] / "examples" / "own-agents"
CLUSTER = (
    "import sys\n"
    "from distributed import LocalCluster\n"
    "if __name__ == '__main__':\n"
    "    cluster = LocalCluster(2, threads_per_worker=1, dashboard_address=None)\n"
    "    print(cluster.scheduler_address, flush=True)\n"
    "    sys.stdin.read()\n"
)


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--games", type=int, default=10_000)
    given = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        install(folder)
        bots = importlib.import_module("careful_bots")
        with cluster(folder) as address:
            first, *others = (
                outcomes(bots.careful, given.games, workers=1),
                outcomes(bots.Careful, given.games, workers=2),
                outcomes("careful", given.games, dask=address),
            )
    won = sum(record["won"] for record in first)
    print(f"Each of the three runs won {won:,} of {given.games:,} games." if all(
        run == first for run in others) else "The runs differ.")  # fmt: skip
    return int(any(run != first for run in others))


def install(folder: str) -> None:
    """Install the example package into a folder, and import from there."""
    pip = [sys.executable, "-m", "pip", "install", "--quiet", "--no-deps", "--no-index"]
    options = ["--no-build-isolation", "--target", folder, str(PACKAGE)]
    subprocess.run([*pip, *options], check=True)
    sys.path.insert(0, folder)
    importlib.invalidate_caches()


@contextmanager
def cluster(folder: str) -> Iterator[str]:
    """Start a Dask cluster in a process of its own, which imports from the folder."""
    environment = os.environ | {"PYTHONPATH": folder}
    with tempfile.NamedTemporaryFile("w", suffix=".py") as script:
        script.write(CLUSTER)
        script.flush()
        process = subprocess.Popen(
            [sys.executable, script.name],
            env=environment,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
        )
        assert process.stdout is not None
        try:
            yield process.stdout.readline().strip()
        finally:
            process.communicate("")


def outcomes(agent: Any, games: int, **way: Any) -> list[dict[str, Any]]:
    """Play the games and print a line; return the records without the agent's name."""
    begin = time.monotonic()
    results = simulate(Plan([Setup(LEVELS["beginner"])], [agent], games), **way)
    (name,) = results.plan.agents
    took = time.monotonic() - begin
    print(f"{name:28} {way!s:36} {took:6.1f} s", file=sys.stderr)
    return [{**outcome.to_json(), "agent": ""} for outcome in results.of(name)]


if __name__ == "__main__":
    sys.exit(main())
