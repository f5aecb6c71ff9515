"""DRAT proofs of cells, checked by a checker that knows nothing of boards or solvers."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest

import csp_mines
from csp_mines import (
    Board,
    BoardError,
    Contradiction,
    Disagreement,
    FileError,
    InputError,
    drat_proof,
    export,
)
from tests.exports.rup import clauses_of, refutes

DATA = Path(__file__).parents[1] / "data"
CORNER = Board.parse("????\n113?\n001?\n001?")
ONLY_TOTAL = Board.parse("mines: 1\n?1?1?")


def position(file: str, name: str) -> Board:
    for line in (DATA / file).read_text().splitlines():
        row = json.loads(line)
        if row["id"] == name:
            return Board.parse("\n".join(row["rows"])).told(mines=row["mines"])
    raise AssertionError(name)


def test_every_certain_cell_of_a_board_is_proved() -> None:
    analysis = csp_mines.analyze(CORNER)
    assert (len(analysis.safe), len(analysis.mines)) == (4, 3)
    for cell in analysis.safe | analysis.mines:
        proof = drat_proof(CORNER, cell)
        assert proof.verdict == ("safe" if cell in analysis.safe else "mine")
        assert not proof.uses_total
        assert refutes(proof.cnf, proof.drat)


@pytest.mark.parametrize(
    ("file", "name", "cell", "uses_total"),
    [
        ("expert-guess.jsonl", "vA-062", (6, 0), False),
        ("dense-30x30-300.jsonl", "vC-004", (3, 11), False),
        ("intermediate-guess.jsonl", "vB-047", (0, 3), True),
    ],
)
def test_cells_that_unit_propagation_alone_does_not_prove(
    file: str, name: str, cell: tuple[int, int], uses_total: bool
) -> None:
    proof = drat_proof(position(file, name), cell)
    assert proof.uses_total is uses_total
    assert proof.drat.endswith("\n0\n")
    assert refutes(proof.cnf, proof.drat)
    assert not refutes(proof.cnf, "0\n")  # so the steps between are needed


def test_the_checker_refuses_what_does_not_follow() -> None:
    proof = drat_proof(CORNER, (0, 2))
    claim = clauses_of(proof.cnf)[-1]
    assert claim == [3]
    satisfiable = proof.cnf.replace("\n3 0\n", "\n-3 0\n")
    assert satisfiable != proof.cnf
    assert not refutes(satisfiable, proof.drat)
    assert not refutes(proof.cnf, "3 0\n")  # it never gets to the empty clause


@pytest.mark.parametrize("encoding", ["direct", "seqcounter", "totalizer", "kmtotalizer"])
def test_cells_that_only_the_total_proves(encoding: str) -> None:
    for cell, verdict in (((0, 0), "safe"), ((0, 2), "mine"), ((0, 4), "safe")):
        proof = drat_proof(ONLY_TOTAL, cell, encoding=encoding)
        assert (proof.verdict, proof.uses_total) == (verdict, True)
        assert refutes(proof.cnf, proof.drat)


def test_the_clauses_are_those_of_the_export() -> None:
    assert drat_proof(ONLY_TOTAL, (0, 2)).cnf == export(
        ONLY_TOTAL, "dimacs", assume={(0, 2): "safe"}
    )


def test_noisy_clues() -> None:
    board = Board.parse("clues: optimistic\n2?\n0?")
    proof = drat_proof(board, (0, 1))
    assert proof.verdict == "mine"
    assert refutes(proof.cnf, proof.drat)


def test_refusals() -> None:
    with pytest.raises(InputError, match="cell 0,0 is undecided: it is a mine in some layouts"):
        drat_proof(ONLY_TOTAL, (0, 0), use_total=False)
    with pytest.raises(BoardError, match="cell 1,0 is not hidden"):
        drat_proof(CORNER, (1, 0))
    with pytest.raises(
        Contradiction, match=re.escape("(0,2)=2, but only 1 hidden cell is beside it")
    ):
        drat_proof(Board.parse("1?2"), (0, 1))


def test_a_verdict_that_the_clauses_do_not_prove_is_noticed(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    wrong = csp_mines.analyze(CORNER)
    monkeypatch.setattr("csp_mines.exports.drat.analyze", lambda *_, **__: wrong)
    with pytest.raises(Disagreement, match="proves that cell 0,2 is safe, but the clauses"):
        drat_proof(Board([[-1] * 4] * 4), (0, 2))


def test_saves_both_files(tmp_path: Path) -> None:
    proof = drat_proof(CORNER, (0, 2))
    assert proof.save(tmp_path / "cell.drat") == tmp_path / "cell.cnf"
    assert refutes((tmp_path / "cell.cnf").read_text(), (tmp_path / "cell.drat").read_text())
    assert repr(proof) == "<DratProof (0,2) safe: 1 line>"
    with pytest.raises(InputError, match="give the proof a file name that does not end"):
        proof.save(tmp_path / "cell.cnf")


def test_a_file_that_cannot_be_written_whole_keeps_its_old_text(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    proof = drat_proof(CORNER, (0, 2))
    (tmp_path / "cell.cnf").write_text("old")

    def full(self: Path, target: Path) -> Path:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(Path, "replace", full)
    with pytest.raises(FileError, match=r"cell\.cnf: no space left on device"):
        proof.save(tmp_path / "cell.drat")
    assert (tmp_path / "cell.cnf").read_text() == "old"
    assert [path.name for path in tmp_path.iterdir()] == ["cell.cnf"]
