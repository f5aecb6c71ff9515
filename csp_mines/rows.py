"""Row reduction in whole numbers, and values that follow from one equation.

The engines `gauss` and `ganak` and the explanations use these functions. A row is a linear
equation, stored as a dictionary from columns to coefficients. Each column from 0 on stands for a
variable. The column `RIGHT` (-1) has the right side. Columns below -1 are never eliminated. If a
caller gives each equation a column below -1 of its own, a reduced row shows in these columns which
equations it combines, and with which factors. The reduced rows depend on the order of the rows and
of the columns; the kernel uses the same order (`deducing/gauss.cpp`).
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from math import gcd

from csp_mines.errors import Contradiction

Row = dict[int, int]
RIGHT = -1


def equation(columns: Iterable[int], right: int) -> Row:
    """Return the row which says that the variables of `columns` add up to `right`."""
    row = dict.fromkeys(columns, 1)
    return row | {RIGHT: right} if right else row


def reduced(rows: Iterable[Row], size: Callable[[Row], int] = len) -> list[Row]:
    """Return the rows after Gauss-Jordan elimination: every returned row has a variable that no
    other returned row has. Each step takes the shortest row that is left, and eliminates the
    variable in the lowest column of this row from all other rows.

    `size(row)` is the length of a row, by default the number of its entries. Rows of length 0 are
    dropped. Raises Contradiction if any other row has no variable, such as 0 = 1."""
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
    """Yield what the bounds of one row prove, as pairs of a column and a bool: True if the variable
    of the column must be `sizes[column]`, False if the variable must be 0.

    A variable is at least 0 and at most `sizes[column]`, so the left side of the row has a least
    and a greatest value. If the right side equals one of these two values, the columns of all
    variables in the row are yielded. If the right side is between the two values, nothing is
    yielded. Raises Contradiction if the right side is less than both or greater than both."""
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
