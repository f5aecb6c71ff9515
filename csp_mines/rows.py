"""Row reduction in whole numbers, and values that follow from one equation.

Several engines use both. A row is one linear equation: it maps columns, which stand for variables,
to coefficients. The column `RIGHT` (-1) is the right side. Columns with smaller numbers (-2, -3, …)
are never eliminated. A caller can give each equation one such column. A reduced row then shows in
these columns which equations it combines, and with which factors. The result depends on the order
of rows and columns; the kernel uses the same order (`deducing/gauss.cpp`).
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from math import gcd

from csp_mines.errors import Contradiction

Row = dict[int, int]
RIGHT = -1


def equation(columns: Iterable[int], right: int) -> Row:
    """Return the row of this equation: the variables of the columns add up to `right`."""
    row = dict.fromkeys(columns, 1)
    return row | {RIGHT: right} if right else row


def reduced(rows: Iterable[Row], size: Callable[[Row], int] = len) -> list[Row]:
    """Return the rows in reduced row-echelon form. Each step takes the shortest row that was not
    taken before, and eliminates its lowest column from all other rows. `size(row)` is the length of
    a row, by default the number of its entries; a row of length 0 is dropped. Raises Contradiction
    if a row without columns has a right side that is not 0."""
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
    """Yield the columns whose value follows from this row alone, each with True if its value must
    be `sizes[column]`, or with False if it must be 0. A column may have the values 0 to
    `sizes[column]`. Either all columns of the row are forced, or none is. Raises Contradiction if
    no values fit."""
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
