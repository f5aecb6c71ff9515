"""The encodings of a board compared: the number of clauses, and the time of a SAT solver.

The time is the time in which the solver finds all certain cells."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from contextlib import suppress
from dataclasses import dataclass
from time import perf_counter
from typing import Any

import numpy.typing as npt

from csp_mines.analysis.contract import size_header
from csp_mines.arguments import callback, several
from csp_mines.backend import Deadline
from csp_mines.board import Board, Cell
from csp_mines.clues import ClueModel
from csp_mines.errors import Disagreement, OutOfTime
from csp_mines.exports.clauses import ClauseEngine, clause_engine
from csp_mines.exports.model import Model, Sum, model_of
from csp_mines.question import limits
from csp_mines.words import plural

# The sums of a model whose only cell is a mine. `compare_encodings` solves this model first, which
# loads the libraries.
_SMALL = (Sum("small", "one of one is a mine", (1,), 1, None),)


@dataclass(frozen=True)
class EncodingEntry:
    """One encoding of a board: the size, and the times to encode and to solve the board.

    * `variables` is the number of hidden cells and helper variables together.
    * `clauses` is the number of clauses.
    * `atmosts` is the number of at-most constraints. Only the encoding `native` makes any.
    * `encode_seconds` is the time to encode the board.
    * `deduce_seconds` is the time in which a SAT solver found all certain cells, or None if the
      time limit was reached.

    >>> compared = csp_mines.compare_encodings([[-1, 1, -1]], ["direct", "totalizer"])
    >>> [(entry.encoding, entry.variables, entry.clauses) for entry in compared.entries]
    [('direct', 2, 2), ('totalizer', 2, 2)]
    """

    encoding: str
    variables: int
    clauses: int
    atmosts: int
    encode_seconds: float
    deduce_seconds: float | None

    def to_json(self) -> dict[str, Any]:
        """Return the entry of this encoding in the output of `csp-mines compare --encodings
        --json`."""
        return dict(vars(self))


@dataclass(frozen=True, repr=False)
class EncodingComparison:
    """Several encodings of one board. `entries` has one entry for each encoding. `safe` has the
    cells proved safe, and `mines` the cells proved to be mines. Both are None if no encoding was
    solved in time.

    >>> compared = csp_mines.compare_encodings([[-1, 1, 0]], ["direct", "totalizer"])
    >>> sorted(compared.mines)
    [(0, 0)]
    """

    board: Board
    entries: tuple[EncodingEntry, ...]
    safe: frozenset[Cell] | None
    mines: frozenset[Cell] | None

    @property
    def certain(self) -> int | None:
        """The number of certain cells, or None if no encoding was solved in time."""
        return None if self.safe is None or self.mines is None else len(self.safe | self.mines)

    def __repr__(self) -> str:
        """Return a text such as `<EncodingComparison of 8 encodings: 41 certain cells>`."""
        certain = "" if self.certain is None else f": {plural(self.certain, 'certain cell')}"
        return f"<EncodingComparison of {plural(len(self.entries), 'encoding')}{certain}>"

    def to_json(self, *, name: str | None = None) -> dict[str, Any]:
        """Return the document that `csp-mines compare --encodings --json` prints. If `name` is
        given, the first field is `board`, and its value is `name`."""
        return {
            **size_header(self.board, name),
            "certain": self.certain,
            "encodings": [entry.to_json() for entry in self.entries],
        }


def compare_encodings(
    board: Board | npt.ArrayLike,
    encodings: Iterable[str] | None = None,
    *,
    mines: int | None = None,
    clues: str | ClueModel | None = None,
    use_total: bool = True,
    seconds: float | None = None,
    progress: Callable[[EncodingEntry], None] | None = None,
) -> EncodingComparison:
    """Compare encodings of a board: the size of each, the time to encode the board, and the time in
    which a SAT solver finds all certain cells.

    The same SAT solver solves all encodings. Except for `native`, which `export` refuses, the
    clauses are those that `export` writes in the notation `dimacs`.

    Parameters:
        board: a board, or an array of integers.
        encodings: the names of the encodings. By default all encodings, including `native`.
        mines, clues, use_total: as in `export`.
        seconds: the time limit for the SAT solver on each encoding; by default none. The time to
            encode the board has no limit.
        progress: a function that gets each entry as soon as the encoding is measured.

    Raises BoardError for an invalid board, UnknownName for an unknown encoding or clue model,
    InputError for any other invalid argument, Contradiction if no layout fits the board,
    Disagreement if two encodings prove different cells, and MissingLibrary or BackendUnavailable if
    the engine for clauses cannot be loaded.

    >>> compared = csp_mines.compare_encodings([[-1, 1, -1]], ["direct", "totalizer"])
    >>> [entry.clauses for entry in compared.entries]
    [2, 2]
    """
    engine = clause_engine()
    model = model_of(board, mines=mines, clues=clues, use_total=use_total)
    seconds = limits(1, 1, seconds)[2]
    callback(progress, "progress")
    names = engine.encodings() if encodings is None else several(encodings, "encodings", "names")
    for name in names:  # these runs load the libraries, and are not measured
        _run(engine, Model(model.board, model.cells[:1], _SMALL), name, None)
    entries, answers = [], []
    for name in names:
        entry, certain = _run(engine, model, name, seconds)
        entries.append(entry)
        if certain is not None:
            answers.append((name, certain))
        if progress is not None:
            progress(entry)
    if not answers:
        return EncodingComparison(model.board, tuple(entries), None, None)
    first, certain = answers[0]
    for name, other in answers:
        if other != certain:
            raise Disagreement(f"the encodings {first} and {name} prove different cells")
    safe = frozenset(model.cells[-literal - 1] for literal in certain if literal < 0)
    mined = frozenset(model.cells[literal - 1] for literal in certain if literal > 0)
    return EncodingComparison(model.board, tuple(entries), safe, mined)


def _run(
    engine: ClauseEngine, model: Model, name: str, seconds: float | None
) -> tuple[EncodingEntry, frozenset[int] | None]:
    """Encode and solve a model. Return the entry of the encoding `name`, and the literals of cells
    that are true in every solution. If solving takes more than `seconds`, return None in place of
    the literals."""
    begin = perf_counter()
    encoded = engine.encode(model, name, native=True)
    middle = perf_counter()
    certain = deduced = None
    with suppress(OutOfTime):
        certain = engine.certain(encoded, len(model.cells), Deadline(seconds))
        deduced = perf_counter() - middle
    sizes = encoded.variables, len(encoded.clauses), len(encoded.atmosts)
    return EncodingEntry(name, *sizes, middle - begin, deduced), certain
