"""Row reduction in whole numbers: equations over columns, and the values that a row's bounds force.

A row maps columns to coefficients; column `RIGHT` is the right side. Columns below it take no part
in the elimination. A caller can number the equations there, to learn which equations a reduced row
combines, and how often. The resulting rows depend on the order of rows and columns, which the
kernel shares (`deducing/gauss.cpp`).
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from math import gcd

from csp_mines.errors import Contradiction

__all__ = ["RIGHT", "Row", "equation", "forced", "reduced"]

Row = dict[int, int]
RIGHT = -1


def equation(columns: Iterable[int], right: int) -> Row:
    """Return the row that says that the columns add up to `right`."""
    row = dict.fromkeys(columns, 1)
    return row | {RIGHT: right} if right else row


def reduced(rows: Iterable[Row], size: Callable[[Row], int] = len) -> list[Row]:
    """Return the reduced row-echelon form, by sparse elimination. The pivot is taken in the
    shortest row, and its column is removed from all other rows. `size` counts the columns of a row
    that take part in the elimination. Raises Contradiction."""
    rows = [row for row in rows if size(row)]
    done: list[Row] = []
    while rows:
        rows.sort(key=size, reverse=True)
        pivot = rows.pop()
        columns = [column for column in pivot if column > RIGHT]
        if not columns:
            raise Contradiction("the equations cannot hold together")
        column = min(columns)
        done = [_eliminate(row, pivot, column) for row in done]
        rows = [_eliminate(row, pivot, column) for row in rows]
        rows = [row for row in rows if size(row)]
        done.append(pivot)
    return done


def _eliminate(row: Row, pivot: Row, column: int) -> Row:
    factor = row.get(column)
    if not factor:
        return row
    lead = pivot[column]
    result = {key: value * lead for key, value in row.items()}
    for key, value in pivot.items():
        left = result.get(key, 0) - value * factor
        if left:
            result[key] = left
        else:
            result.pop(key, None)
    shared = gcd(*result.values()) if result else 1
    return {key: value // shared for key, value in result.items()} if shared > 1 else result


def forced(row: Row, sizes: Sequence[int]) -> Iterator[tuple[int, bool]]:
    """Yield the columns that the row's bounds force to be full (True) or empty (False). Each column
    is between 0 and its size. Either all columns are forced, or none. Raises Contradiction."""
    right = row.get(RIGHT, 0)
    terms = [(column, value) for column, value in row.items() if column > RIGHT]
    high = sum(value * sizes[column] for column, value in terms if value > 0)
    low = sum(value * sizes[column] for column, value in terms if value < 0)
    if not low <= right <= high:
        raise Contradiction("the equations cannot hold together")
    if right == high:
        yield from ((column, value > 0) for column, value in terms)
    if right == low:
        yield from ((column, value < 0) for column, value in terms)
