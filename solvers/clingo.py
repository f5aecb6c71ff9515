"""The engine `clingo`: deduction by answer sets.

The solutions are the answer sets of a program. Its facts say only that a box has at least 1, at
least 2, … mines, so the program never distinguishes the cells of a box. The brave consequences are
the facts that hold in at least one answer set. If "at least 1 mine" is not such a fact for a box,
its cells are safe. The cautious consequences are the facts that hold in every answer set. If "at
least n mines" is such a fact for a box of n cells, its cells are mines.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from csp_mines.backend import Backend, Deadline, Deduction
from csp_mines.constraints import BoxConstraint, Problem
from csp_mines.errors import Contradiction, EngineFault

from .backbone import ATTENTION, boxes_and_sums

# box(B,S): box B has S cells. mine(B,K): box B has at least K mines. clue(C,L,H): the boxes B with
# in(C,B) together have L to H mines. The total is written as a clue, too.
ENCODING = """
{mine(B,1..S)} :- box(B,S).
:- mine(B,K), K > 1, not mine(B,K-1).
:- clue(C,L,H), not L #count {B,K : in(C,B), mine(B,K)} H.
#show mine/2.
"""


class Clingo(Backend):
    """A complete engine. It cannot count."""

    name = "clingo"
    summary = "consequences of all answer sets (cautious) and of some (brave), by clingo"
    complete = True
    ranges = True
    module = library = "clingo"
    install = "csp-mines[engines]"
    keeps_time = True

    def deduce(self, problem: Problem) -> Deduction:
        deadline = self.deduction_deadline()
        boxes, sums = boxes_and_sums(problem)
        program = "\n".join(_facts([len(box) for box in boxes], sums))
        somewhere = _consequences("brave", program, deadline)
        everywhere = _consequences("cautious", program, deadline)
        known: dict[int, bool] = {}
        for box, cells in enumerate(boxes):
            if (box, 1) not in somewhere or (box, len(cells)) in everywhere:
                known.update(dict.fromkeys(cells, (box, 1) in somewhere))
        return Deduction.of(known, calls=2)


def _facts(sizes: list[int], sums: list[BoxConstraint]) -> Iterator[str]:
    for box, size in enumerate(sizes):
        yield f"box({box},{size})."
    for number, each in enumerate(sums):
        yield f"clue({number},{each.low},{each.high})."
        yield from (f"in({number},{box})." for box in each.boxes)


def _consequences(mode: str, program: str, deadline: Deadline) -> set[tuple[int, int]]:
    """Return the consequences of a program as pairs `(box, mines)`: the box has at least `mines`
    mines in some answer set (mode `brave`) or in every answer set (mode `cautious`). Raises
    Contradiction if there is no answer set, OutOfTime after the deadline, EngineFault if clingo
    gives no answer."""
    import clingo

    deadline.check()
    control: Any = clingo.Control([f"--enum-mode={mode}", "--models=0", "-Wnone"])
    control.add("base", [], ENCODING + program)
    control.ground([("base", [])])
    consequences: list[set[tuple[int, int]]] = []

    def keep(model: Any) -> None:
        """Keep only the newest model. Its atoms are the consequences of all models so far."""
        atoms = (symbol.arguments for symbol in model.symbols(shown=True))
        consequences[:] = [{(box.number, mines.number) for box, mines in atoms}]

    with control.solve(on_model=keep, async_=True) as search:
        while not search.wait(min(ATTENTION, max(0.0, deadline.left))):
            if deadline.left <= 0:
                search.cancel()
                raise deadline.missed()
        result = search.get()
    if result.unsatisfiable:
        raise Contradiction
    if not result.exhausted or not consequences:
        raise EngineFault(f"clingo ended without an answer: {result}")
    return consequences[0]
