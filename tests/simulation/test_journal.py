"""Journals survive a kill at any byte, and refuse to mix runs."""

from __future__ import annotations

from pathlib import Path

import pytest

from csp_mines.simulation.journal import Journal, JournalError

HEADER = {"kind": "test", "games": 3, "seed": 1}
ENTRIES = [{"game": 2, "score": 0.1}, {"game": 0, "score": 1.0}, {"game": 1, "score": 1 / 3}]


def finished(path: Path) -> bytes:
    with Journal(path, HEADER) as journal:
        for entry in ENTRIES:
            journal.add([entry])
        journal.finish(sorted(ENTRIES, key=lambda entry: entry["game"]))
    return path.read_bytes()


def test_lines_are_appended_at_once_and_ordered_at_the_end(tmp_path: Path) -> None:
    path = tmp_path / "games.jsonl"
    with Journal(path, HEADER) as journal:
        journal.add(ENTRIES[:2])
        assert len(path.read_bytes().splitlines()) == 3
    lines = finished(tmp_path / "other.jsonl").splitlines()
    assert lines[0] == b'{"kind":"test","games":3,"seed":1}'
    assert lines[1:] == [
        b'{"game":0,"score":1.0}',
        b'{"game":1,"score":0.3333333333333333}',
        b'{"game":2,"score":0.1}',
    ]
    assert [one.name for one in tmp_path.iterdir() if one.suffix == ".part"] == []


def test_cut_at_every_byte_it_goes_on_to_the_same_end(tmp_path: Path) -> None:
    path = tmp_path / "games.jsonl"
    whole = finished(path)
    for length in range(len(whole) + 1):
        path.write_bytes(whole[:length])
        with Journal(path, HEADER, resume=True) as journal:
            known = [entry["game"] for entry in journal.entries]
            assert known == list(range(len(known)))
            missing = [entry for entry in ENTRIES if entry["game"] not in known]
            journal.add(missing)
            entries = [*journal.entries, *missing]
            journal.finish(sorted(entries, key=lambda entry: entry["game"]))
        assert path.read_bytes() == whole


def test_an_existing_file_is_left_alone(tmp_path: Path) -> None:
    path = tmp_path / "games.jsonl"
    path.write_text("precious\n")
    with pytest.raises(JournalError, match="exists; go on with it by --resume"):
        Journal(path, HEADER)
    with pytest.raises(JournalError, match="holds something else"):
        Journal(path, HEADER, resume=True)
    path.write_text("precious, without an end")
    with pytest.raises(JournalError, match="holds something else"):
        Journal(path, HEADER, resume=True)
    assert path.read_text() == "precious, without an end"


def test_another_run_is_refused_by_name(tmp_path: Path) -> None:
    path = tmp_path / "games.jsonl"
    finished(path)
    with pytest.raises(JournalError, match="another run: seed is 1 there, 2 here"):
        Journal(path, {**HEADER, "seed": 2}, resume=True)


def test_a_spoilt_line_in_the_middle_is_named(tmp_path: Path) -> None:
    path = tmp_path / "games.jsonl"
    lines = finished(path).splitlines(keepends=True)
    path.write_bytes(b"".join([*lines[:2], b'{"game":\n', *lines[3:]]))
    with pytest.raises(JournalError, match=r"games.jsonl:3: not a line of a journal"):
        Journal(path, HEADER, resume=True)


def test_a_place_that_cannot_be_written_is_an_error(tmp_path: Path) -> None:
    with pytest.raises(JournalError, match="cannot open"):
        Journal(tmp_path / "missing" / "games.jsonl", HEADER)
    with pytest.raises(JournalError, match="cannot open"):
        Journal(tmp_path, HEADER, resume=True)
    if Path("/dev/full").exists():
        journal = Journal(tmp_path / "games.jsonl", HEADER)
        journal._file.close()
        journal._file = open("/dev/full", "wb")  # noqa: SIM115
        with pytest.raises(JournalError, match="cannot write"):
            journal.add(ENTRIES)
