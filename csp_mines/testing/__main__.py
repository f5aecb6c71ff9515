"""The conformance suite as a command: `python -m csp_mines.testing [NAME...]`."""

from __future__ import annotations

import argparse
import sys

from csp_mines.backend import available_backends
from csp_mines.errors import CspMinesError
from csp_mines.testing.commands import check_commands
from csp_mines.testing.engines import Engine, find_engine
from csp_mines.testing.suite import PROMISES, Outcome, Sample, run_suite


def main() -> int:
    """Check engines or, with `--commands`, every command of csp-mines. Return the exit status: 0 if
    no check fails, 1 if a check fails, 2 if an engine cannot be found or loaded, 130 if Ctrl-C ends
    the checks."""
    parser = argparse.ArgumentParser(
        prog="python -m csp_mines.testing",
        description="Check that engines keep the promises of the contract.",
    )
    named = "the name of an engine, or package.module:Class; by default every installed engine"
    parser.add_argument("engine", nargs="*", help=named)
    parser.add_argument(
        "--problems",
        type=_positive,
        default=Sample.problems,
        help="the largest number of random problems for one promise (default: %(default)s)",
    )
    parser.add_argument(
        "--seed",
        type=int,
        default=Sample.seed,
        help="the seed of the random problems (default: %(default)s)",
    )
    names = [promise.name for promise in PROMISES]
    only = "check only this promise; give the option several times for several promises"
    parser.add_argument("--promise", action="append", choices=names, help=only)
    parser.add_argument(
        "--commands", action="store_true", help="check no engine; try every command of csp-mines"
    )
    asked = parser.parse_args()
    try:
        return check_commands() if asked.commands else _check_engines(asked)
    except KeyboardInterrupt:
        print("stopped", file=sys.stderr)
        return 130


def _positive(text: str) -> int:
    if not text.isdecimal() or int(text) < 1:
        raise argparse.ArgumentTypeError(f"expected a whole number from 1 on, not {text!r}")
    return int(text)


def _check_engines(asked: argparse.Namespace) -> int:
    """Check the engines that the command line names, and return the exit status."""
    try:
        engines = [find_engine(name) for name in asked.engine or available_backends()]
    except CspMinesError as error:
        print(f"csp_mines.testing: {error}", file=sys.stderr)
        return 2
    sample = Sample(asked.problems, asked.seed)
    return max(_check(engine, sample, asked.promise or []) for engine in engines)


def _check(engine: Engine, sample: Sample, names: list[str]) -> int:
    """Check one engine and print the outcome of each promise. `names` are the names of the promises
    to check; an empty list means all. Return 1 if a promise is broken, else 0."""
    outcomes = []
    print(f"{engine.spec} {engine.chosen.version()}".rstrip(), flush=True)
    for outcome in run_suite(engine, sample, names):
        outcomes.append(outcome)
        _show(outcome)
    broken = [outcome for outcome in outcomes if outcome.breach is not None]
    seconds = sum(outcome.seconds for outcome in outcomes)
    asked = len(set(names)) or len(PROMISES)
    kept = f"{len(outcomes) - len(broken)} of {asked} promises kept"
    if len(outcomes) < asked:
        kept += f", {asked - len(outcomes)} not checked because the time limit was missed"
    print(f"{kept}, {seconds:.1f} seconds")
    if not broken and not names and not engine.chosen.keeps_time:
        print("The engine has kept its time limits, so the class may state keeps_time = True.")
    return 1 if broken else 0


def _show(outcome: Outcome) -> None:
    promise, breach = outcome.promise, outcome.breach
    verdict = "kept" if breach is None else "BROKEN"
    print(f"  {promise.name:<15} {verdict:<7} {promise.says}", flush=True)
    if breach is not None:
        print("\n".join(f"      {line}" for line in str(breach).splitlines()), flush=True)


if __name__ == "__main__":
    sys.exit(main())
