"""The writer of DIMACS: clauses for SAT solvers and model counters. The first variables stand for
cells; the others are helper variables of the encoding. The line `c p show` lists the variables of
cells, so that model counters ignore the helper variables."""

from __future__ import annotations

from collections.abc import Iterator

from csp_mines.exports.clauses import Clauses, clause_engine
from csp_mines.exports.model import Model
from csp_mines.words import plural

DEFAULT_ENCODING = "direct"


def write(model: Model, encoding: str = DEFAULT_ENCODING) -> str:
    """Return a model as text. Raises what `clause_engine` raises, UnknownName for an unknown
    encoding, and Unsupported for the encoding `native`, because DIMACS has only clauses."""
    return text_of(model, clause_engine().encode(model, encoding), encoding)


def text_of(model: Model, encoded: Clauses, encoding: str) -> str:
    """Return `encoded`, the clauses of a model, as text. Comments name the encoding, say which cell
    each variable of the model stands for, and say which sum each clause comes from."""
    lines = model.heading("c")
    helpers = plural(encoded.variables - len(model.cells), "helper variable")
    lines.append(f"c cardinality encoding {encoding}, {helpers}")
    lines += model.legend("c ")
    lines += _sources(model, encoded)
    if model.cells:
        lines.append(f"c p show {' '.join(map(str, range(1, len(model.cells) + 1)))} 0")
    lines.append(f"p cnf {encoded.variables} {len(encoded.clauses)}")
    lines += (" ".join(map(str, (*clause, 0))) for clause in encoded.clauses)
    return "\n".join(lines) + "\n"


def _sources(model: Model, encoded: Clauses) -> Iterator[str]:
    """Yield comments that say which sum each clause comes from. All comments are written before the
    clauses, because some solvers accept no comments between clauses."""
    first = 1
    for each, last in zip(model.sums, encoded.ends, strict=True):
        which = f"clause {first}" if first == last else f"clauses {first} to {last}"
        yield f"c {which}: {each.about}"
        first = last + 1
