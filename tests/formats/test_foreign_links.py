"""Links and IDs by encoders of their own, written from the descriptions of the notations alone:
what other programs' links mean there they mean here, whatever the size."""

from __future__ import annotations

import hashlib
from random import Random

import pytest

from csp_mines.board import HIDDEN, MARKED
from csp_mines.formats import interpret

SIZES = [(1, 1), (1, 7), (7, 1), (2, 2), (3, 5), (9, 9), (16, 30), (30, 16), (13, 100), (101, 9)]
BASE62 = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789"
BASE32 = "0123456789abcdefghijklmnopqrstuv"


def mined(rows: int, cols: int, numbers: Random) -> list[list[bool]]:
    density = numbers.choice((0.0, 0.1, 0.2, 0.5, 1.0))
    return [[numbers.random() < density for _ in range(cols)] for _ in range(rows)]


def around(row: int, col: int, rows: int, cols: int) -> list[tuple[int, int]]:
    return [
        (r, c)
        for r in (row - 1, row, row + 1)
        for c in (col - 1, col, col + 1)
        if (r, c) != (row, col) and 0 <= r < rows and 0 <= c < cols
    ]


def digits(number: int, alphabet: str, least: int = 1) -> str:
    text = ""
    while number or len(text) < least:
        text = alphabet[number % len(alphabet)] + text
        number //= len(alphabet)
    return text


def position_link(values: list[str], rows: int, cols: int, mines: int) -> str:
    """`values` are 0 to 8 less the flags and proved mines around, I, H, F, O."""
    hands, place = {}, 0
    for value, size in zip("012345678IHFO", (10, 7, 5, 5, 4, 3, 3, 1, 1, 4, 10, 8, 1), strict=True):
        hands[value] = BASE62[place : place + size]
        place += size
    packed, start = "", 0
    while start < len(values):
        end = start
        while end < len(values) and values[end] == values[start]:
            end += 1
        hand = hands[values[start]]
        packed += hand * (end - start) if len(hand) == 1 else digits(end - start, hand)
        start = end
    head = digits(cols, BASE62, 2) + digits(rows, BASE62, 2) + digits(mines, BASE62, 4)
    return f"https://example.org/?board={cols}x{rows}x{mines}&analysis={head}{packed}"


@pytest.mark.parametrize("seed", range(3))
@pytest.mark.parametrize(("rows", "cols"), SIZES)
def test_positions(rows: int, cols: int, seed: int) -> None:
    numbers = Random(seed)
    mines = mined(rows, cols, numbers)
    cells = [(row, col) for row in range(rows) for col in range(cols)]
    kind = {cell: numbers.choice("IHFO" if mines[cell[0]][cell[1]] else "....HO") for cell in cells}
    shown, values = [], []
    for row, col in cells:
        near = around(row, col, rows, cols)
        count = sum(mines[r][c] for r, c in near)
        flagged = sum(kind[cell] in "FI" for cell in near)
        opened = kind[row, col] == "."
        values.append(str(count - flagged) if opened else kind[row, col])
        shown.append(count if opened else MARKED if kind[row, col] in "FO" else HIDDEN)
    total = sum(map(sum, mines))
    board = interpret(position_link(values, rows, cols, total)).board
    assert board is not None
    assert (board.codes.shape, board.mines) == ((rows, cols), total)
    assert board.codes.ravel().tolist() == shown


@pytest.mark.parametrize("seed", range(3))
@pytest.mark.parametrize(("rows", "cols"), SIZES)
def test_layout_links(rows: int, cols: int, seed: int) -> None:
    mines = mined(rows, cols, Random(seed))
    bits = "".join("01"[mine] for row in mines for mine in row)
    bits += "0" * (-len(bits) % 5)
    code = "".join(BASE32[int(bits[place : place + 5], 2)] for place in range(0, len(bits), 5))
    width = max(len(str(rows)), len(str(cols)))
    sizes = [f"{cols:0{width}}{rows:0{width}}", f"{cols:0{width + 1}}{rows:0{width + 1}}"]
    sizes += {(9, 9): ["1"], (16, 16): ["2"], (16, 30): ["3"]}.get((rows, cols), [])
    for size in sizes:
        layout = interpret(f"https://example.org/index.html?b={size}&m={code}").layout
        assert layout is not None
        assert layout.mines.tolist() == mines


def obfuscated(data: bytearray, bits: int) -> bytearray:
    """First the first half by the second, then the second by the new first."""
    half = len(data) // 2
    for key, target in ((slice(half, None), slice(0, half)), (slice(0, half), slice(half, None))):
        seed, size = bytes(data[key]), len(data[target])
        stream = b"".join(
            hashlib.sha1(seed + str(number).encode(), usedforsecurity=False).digest()
            for number in range(size // 20 + 1)
        )
        data[target] = bytes(a ^ b for a, b in zip(data[target], stream, strict=False))
        if bits % 8:
            data[bits // 8] &= 0xFF & (0xFF00 >> (bits % 8))
    return data


@pytest.mark.parametrize("seed", range(3))
@pytest.mark.parametrize(("rows", "cols"), SIZES)
def test_ids(rows: int, cols: int, seed: int) -> None:
    numbers = Random(seed)
    mines = mined(rows, cols, numbers)
    bits = [mine for row in mines for mine in row]
    data = bytearray((len(bits) + 7) // 8)
    for place, mine in enumerate(bits):
        data[place // 8] |= mine << (7 - place % 8)
    row, col = numbers.randrange(rows), numbers.randrange(cols)
    nibbles = -(-len(bits) // 4)
    plain = f"{cols}x{rows}:{col},{row},u{data.hex()[:nibbles]}"
    masked = f"{cols}x{rows}:{col},{row},m{obfuscated(data, len(bits)).hex()[:nibbles]}"
    for text in (plain, masked):
        found = interpret(text)
        assert found.layout is not None
        assert found.layout.mines.tolist() == mines
        assert found.first == (row, col)
