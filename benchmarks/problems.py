"""Compare the complete engines with brute force on random problems that come from no board.

    python benchmarks/problems.py [--problems N] [--seed N] [--engine NAME …] [--seconds S]

Problems come from csp_mines.testing. They are hypergraphs of up to 11 cells, connected or not,
and up to 64 subsets of up to 7 cells. They have weights (some are 0, some exceed every machine
word), constraints without cells, constraints that occur twice, totals that decide everything and
impossible totals. Problem number `i` depends only on SEED + i. Every engine must give the same
weight of all solutions, the same certain cells and the same probabilities as brute force over all
layouts, to the last digit; an engine that does not count, the same certain cells by the bounds. It
must report a contradiction exactly if no layout fits. If an engine differs, the script shrinks the
problem and prints it with all answers. The exit status is 1 if an engine differs or gives up.
"""

from __future__ import annotations

import argparse
import sys
from collections import Counter
from fractions import Fraction
from functools import partial
from pathlib import Path
from random import Random
from time import process_time

sys.path.insert(0, str(Path(__file__).parents[1]))

from csp_mines import Contradiction, CspMinesError, OutOfTime, Problem, TooWide, analyze_problem
from csp_mines.backend import backend_class, backend_name, load
from csp_mines.constraints import merged
from csp_mines.testing import brute_force as oracle
from csp_mines.testing.problems import adversarial_problem
from csp_mines.testing.shrinking import shrunk

ENGINES = ("native", "native:pure", "pysat", "cpsat")

GAVE_UP = (TooWide.__name__, OutOfTime.__name__)

Answer = tuple[int, frozenset[int], frozenset[int], dict[int, Fraction]]


def by_brute_force(problem: Problem, counting: bool = True) -> Answer | str:
    fitting = oracle.layouts(problem if counting else problem.unweighted())
    if not fitting:
        return Contradiction.__name__
    certain = oracle.certain(problem, fitting)
    if not counting:
        return 0, *certain, {}
    return oracle.solutions(problem), *certain, oracle.probabilities(problem, fitting)


def by_engine(problem: Problem, engine: str, seconds: float) -> Answer | str:
    """The answer, or the name of the error."""
    try:
        if not counts(engine):
            deduced = load(engine, seconds=seconds, floating_point=True).deduce(problem)
            return 0, deduced.safe, deduced.mines, {}
        found = analyze_problem(problem, engine, seconds=seconds)
        return found.solutions, found.safe, found.mines, found.probabilities
    except CspMinesError as error:
        return type(error).__name__


def counts(engine: str) -> bool:
    return backend_class(backend_name(engine)).counts


def differs(problem: Problem, engine: str, seconds: float) -> bool:
    return by_engine(problem, engine, seconds) != by_brute_force(problem, counts(engine))


class Run:
    """The comparisons so far, and the time of each engine."""

    def __init__(self, engines: list[str], seconds: float) -> None:
        self.engines = engines
        self.seconds = seconds
        self.problems: Counter[str] = Counter()
        self.took: Counter[str] = Counter()
        self.wrong: Counter[str] = Counter()
        self.gave_up: Counter[str] = Counter()

    def problem(self, seed: int) -> None:
        problem = adversarial_problem(Random(f"problem {seed}"))
        begin = process_time()
        true = by_brute_force(problem)
        self.took["brute force"] += process_time() - begin
        self._note(problem, true)
        for engine in self.engines:
            begin = process_time()
            found = by_engine(problem, engine, self.seconds)
            self.took[engine] += process_time() - begin
            if found in GAVE_UP:
                self.gave_up[engine] += 1
                print(f"problem {seed}, {engine} gave up: {found}", flush=True)
            elif found != (true if counts(engine) else by_brute_force(problem, False)):
                self.wrong[engine] += 1
                fails = partial(differs, engine=engine, seconds=self.seconds)
                self._report(shrunk(problem, fails), engine, seed)

    def _note(self, problem: Problem, true: Answer | str) -> None:
        """Counts the kinds that describe the problem."""
        told = problem.constraints
        fits = not isinstance(true, str)
        kinds = {
            "in all": True,
            "that some layout fits": fits,
            "whose cells are all certain": fits and len(true[1]) + len(true[2]) == len(true[3]),
            "with weights": any(constraint.weights is not None for constraint in told),
            "with weights of 0": problem.has_zero_weights,
            "with constraints without cells": any(not constraint.cells for constraint in told),
            "with constraints over the same cells": len(merged(told)) < len(told),
            "with a total": problem.mines is not None,
            "of several regions": fits and len(problem.regions) > 1,
        }
        self.problems.update(kind for kind, holds in kinds.items() if holds)

    def _report(self, problem: Problem, engine: str, seed: int) -> None:
        print(f"problem {seed}, {engine} differs; shrunk:\n{problem!r}")
        print(f"  brute force: {by_brute_force(problem)}")
        for name in self.engines:
            print(f"  {name}: {by_engine(problem, name, self.seconds)}", flush=True)

    def summary(self) -> str:
        every = self.problems.pop("in all")
        lines = [f"| of {every:,} problems | number |", "|---|---|"]
        lines += (f"| {kind} | {number:,} |" for kind, number in self.problems.items())
        lines += ["", "| engine | wrong | gave up | ms per problem |", "|---|---|---|---|"]
        lines += (
            f"| {engine} | {self.wrong[engine]:,} | {self.gave_up[engine]:,} | "
            f"{1000 * self.took[engine] / every:.2f} |"
            for engine in ("brute force", *self.engines)
        )
        return "\n".join(lines)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--problems", type=int, default=50_000)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--engine", action="append", help="by default the first four")
    parser.add_argument("--seconds", type=float, default=20.0, help="for one engine, one problem")
    chosen = parser.parse_args()
    run = Run(chosen.engine or list(ENGINES), chosen.seconds)
    for seed in range(chosen.seed, chosen.seed + chosen.problems):
        run.problem(seed)
    print(run.summary())
    sys.exit(1 if run.wrong or run.gave_up else 0)


if __name__ == "__main__":
    main()
