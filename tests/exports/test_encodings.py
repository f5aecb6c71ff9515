"""The encodings compared."""

from __future__ import annotations

import json

import pytest
from csp_mines.solvers.clauses import ClauseTools

from csp_mines import Board, Contradiction, Disagreement, compare_encodings
from csp_mines.backend import Deadline
from csp_mines.exports.clauses import Clauses
from csp_mines.exports.encodings import EncodingEntry
from tests.cli.runner import run

CORNER = Board.parse("mines: 3\n????\n113?\n001?\n001?")


def test_sizes_of_a_small_board() -> None:
    compared = compare_encodings(CORNER)
    sizes = {entry.encoding: entry for entry in compared.entries}
    assert list(sizes) == list(ClauseTools().encodings())
    assert (sizes["direct"].variables, sizes["direct"].clauses) == (7, 83)
    assert (sizes["native"].variables, sizes["native"].clauses) == (7, 0)
    assert sizes["native"].atmosts == 12  # an upper and a lower bound for five clues and the total
    assert all(
        entry.clauses > 83 for name, entry in sizes.items() if name not in ("direct", "native")
    )
    assert compared.safe == {(0, 0), (0, 2), (1, 3), (3, 3)}
    assert compared.mines == {(0, 1), (0, 3), (2, 3)}
    assert repr(compared) == "<EncodingComparison of 8 encodings: 7 certain cells>"


def test_every_entry_is_told_when_it_is_done() -> None:
    told: list[EncodingEntry] = []
    compared = compare_encodings(CORNER, ["native", "direct"], progress=told.append)
    assert tuple(told) == compared.entries


def test_the_command() -> None:
    answer = run("compare", "--encodings", "--json", str(CORNER), "--no-total")
    document = json.loads(answer.out)
    assert (document["certain"], document["mines"]) == (7, None)
    assert {"encoding", "variables", "clauses", "encode_seconds", "deduce_seconds"} <= set(
        document["encodings"][0]
    )
    table = run("compare", "--encodings", str(CORNER)).out
    assert "kmtotalizer" in table
    assert "7 certain cells" in table
    refused = run("compare", "--encodings", "--cells", str(CORNER))
    assert refused.status == 2
    assert "leave out --backend" in refused.err


def test_contradictions() -> None:
    with pytest.raises(Contradiction):
        compare_encodings(Board.parse("1?2"))
    answer = run("compare", "--encodings", "1?2\n000")
    assert answer.status == 1
    assert "contradiction" in answer.err


def test_out_of_time_is_a_row() -> None:
    compared = compare_encodings(CORNER, ["direct"], seconds=1e-9)
    assert compared.entries[0].deduce_seconds is None
    assert compared.certain is None


def test_a_wrong_encoding_is_noticed(monkeypatch: pytest.MonkeyPatch) -> None:
    right = ClauseTools.certain

    def wrong(
        tools: ClauseTools, encoded: Clauses, cells: int, deadline: Deadline
    ) -> frozenset[int]:
        found = right(tools, encoded, cells, deadline)
        return found if encoded.variables == cells else frozenset(sorted(found)[1:])

    monkeypatch.setattr(ClauseTools, "certain", wrong)
    with pytest.raises(Disagreement, match="the encodings direct and totalizer prove different"):
        compare_encodings(CORNER, ["direct", "totalizer"])
