"""A checker of DRAT proofs without extensions, written from the definition.

A clause may be added if assuming its opposite and propagating units leads to a conflict (reverse
unit propagation). A proof is complete when the empty clause has been added.
"""

from __future__ import annotations

from collections import Counter, defaultdict


def clauses_of(dimacs: str) -> list[list[int]]:
    """The clauses of a DIMACS file, whose size must be as its header says."""
    lines = [line for line in dimacs.splitlines() if not line.startswith("c")]
    kind, name, variables, count = lines[0].split()
    assert (kind, name) == ("p", "cnf")
    clauses = [_literals(line) for line in lines[1:]]
    assert len(clauses) == int(count)
    assert all(abs(literal) <= int(variables) for clause in clauses for literal in clause)
    return clauses


def refutes(dimacs: str, proof: str) -> bool:
    """Whether every step of the proof follows, and the last one is the empty clause."""
    base = _Base(clauses_of(dimacs))
    steps = proof.splitlines()
    for line in steps:
        if line.startswith("d"):
            base.remove(_literals(line[1:]))
            continue
        step = _literals(line)
        if not base.conflicts_with({-literal for literal in step}):
            return False
        base.add(step)
    return steps[-1:] == ["0"]


class _Base:
    """The clauses that hold at some step of a proof."""

    def __init__(self, clauses: list[list[int]]) -> None:
        self.clauses: Counter[tuple[int, ...]] = Counter()
        self.having: defaultdict[int, set[tuple[int, ...]]] = defaultdict(set)
        for clause in clauses:
            self.add(clause)

    def add(self, clause: list[int]) -> None:
        key = tuple(sorted(set(clause)))
        self.clauses[key] += 1
        for literal in key:
            self.having[literal].add(key)

    def remove(self, clause: list[int]) -> None:
        key = tuple(sorted(set(clause)))
        assert self.clauses[key], f"{clause} is deleted, but was never added"
        self.clauses[key] -= 1
        if not self.clauses[key]:
            del self.clauses[key]
            for literal in key:
                self.having[literal].discard(key)

    def conflicts_with(self, assumed: set[int]) -> bool:
        """Whether unit propagation from these literals makes a clause false."""
        true: set[int] = set()
        if () in self.clauses:
            return True
        todo = [*assumed, *(clause[0] for clause in self.clauses if len(clause) == 1)]
        while todo:
            literal = todo.pop()
            if -literal in true:
                return True
            if literal in true:
                continue
            true.add(literal)
            for clause in self.having[-literal]:
                if true.isdisjoint(clause):
                    free = [other for other in clause if -other not in true]
                    if not free:
                        return True
                    if len(free) == 1:
                        todo.append(free[0])
        return False


def _literals(line: str) -> list[int]:
    *literals, end = map(int, line.split())
    assert end == 0
    return literals
