"""Journals survive a kill at any byte, have one writer, and refuse whatever is not theirs."""

from __future__ import annotations

import errno
import json
import os
import zlib
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

import pytest

from csp_mines.simulation import journal as module
from csp_mines.simulation.journal import Journal, JournalError, JournalExists

Entry = Mapping[str, Any]

HEADER = {"kind": "test", "games": 3, "seed": 1}
ENTRIES: list[Entry] = [
    {"game": 2, "score": 0.1},
    {"game": 0, "score": 1.0},
    {"game": 1, "score": 1 / 3},
]


class Kept(Journal):
    """A journal that remembers what it holds: the entries that it held when it was opened, and the
    place of each game."""

    def __init__(self, path: Path, header: Entry, *, resume: bool) -> None:
        self.entries: list[Entry] = []
        self.places: dict[int, int] = {}
        super().__init__(path, header, self._found, resume=resume)

    def _found(self, entry: Entry, place: int) -> None:
        if entry["game"] == 99:
            raise ValueError("game 99 cannot be")
        self.entries.append(entry)
        self.places[entry["game"]] = place

    def add(self, entries: Iterable[Entry]) -> list[int]:
        entries = list(entries)
        places = super().add(entries)
        self.places |= {entry["game"]: at for entry, at in zip(entries, places, strict=True)}
        return places

    @property
    def in_order(self) -> list[int]:
        return [place for _, place in sorted(self.places.items())]


def opened(path: Path, header: Entry = HEADER, *, resume: bool = False) -> Kept:
    return Kept(path, header, resume=resume)


def in_order(entries: list[Entry]) -> list[Entry]:
    return sorted(entries, key=lambda entry: entry["game"])


def finished(path: Path) -> bytes:
    with opened(path) as journal:
        for entry in ENTRIES:
            journal.add([entry])
        journal.finish(journal.in_order)
    return path.read_bytes()


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "games.jsonl"


def test_lines_are_appended_at_once_and_ordered_at_the_end(path: Path) -> None:
    with opened(path) as journal:
        journal.add(ENTRIES[:2])
        assert len(path.read_bytes().splitlines()) == 3
    lines = [json.loads(line) for line in finished(path.with_name("other")).splitlines()]
    for line in lines:
        line.pop("crc")
    assert lines == [HEADER, *in_order(ENTRIES)]
    assert sorted(file.name for file in path.parent.iterdir()) == ["games.jsonl", "other"]


def test_a_checksum_is_the_crc_of_all_bytes_before_it(path: Path) -> None:
    whole = finished(path)
    assert whole.count(b',"crc":"') == 4
    place = 0
    for _ in range(4):
        place = whole.index(b',"crc":"', place)
        said = int(whole[place + 8 : place + 16], 16)
        assert said == zlib.crc32(whole[:place])
        place += 1


def test_cut_at_every_byte_it_goes_on_to_the_same_end(
    path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(os, "fsync", lambda _: None)  # hundreds of them, and no power cut
    whole = finished(path)
    for length in range(len(whole) + 1):
        path.write_bytes(whole[:length])
        with opened(path, resume=True) as journal:
            known = [entry["game"] for entry in journal.entries]
            assert known == list(range(len(known)))
            missing = [entry for entry in ENTRIES if entry["game"] not in known]
            journal.add(missing)
            journal.finish(journal.in_order)
        assert path.read_bytes() == whole


def test_what_is_appended_after_a_cut_reads_back(path: Path) -> None:
    """Without finishing: the checksums go on where the whole lines end."""
    with opened(path) as journal:
        journal.add(ENTRIES[:2])
    path.write_bytes(path.read_bytes()[:-5])
    with opened(path, resume=True) as journal:
        assert journal.entries == ENTRIES[:1]
        journal.add(ENTRIES[1:2])
        journal.add(ENTRIES[2:])
    with opened(path, resume=True) as journal:
        assert journal.entries == ENTRIES


def test_an_existing_file_is_left_alone(path: Path) -> None:
    path.write_text("precious\n")
    with pytest.raises(JournalExists, match="exists; go on with it by resume=True"):
        opened(path)
    for content in ("precious\n", "precious, without an end", "{}\n", "[" * 100_000 + "\n"):
        path.write_text(content)
        with pytest.raises(JournalError, match="holds something else"):
            opened(path, resume=True)
        assert path.read_text() == content


def test_another_run_is_refused_by_name(path: Path) -> None:
    whole = finished(path)
    with pytest.raises(JournalError, match="another run: seed is 1 there, 2 here"):
        opened(path, {**HEADER, "seed": 2}, resume=True)
    with pytest.raises(JournalError, match="another run: more is null there, 0 here"):
        opened(path, {**HEADER, "more": 0}, resume=True)
    assert path.read_bytes() == whole


def test_a_journal_without_checksums_is_refused(path: Path) -> None:
    path.write_text(json.dumps(HEADER) + '\n{"game":0,"score":1.0}\n')
    with pytest.raises(JournalError, match="written by an earlier version, without checksums"):
        opened(path, resume=True)


def test_a_spoilt_header_is_named(path: Path) -> None:
    whole = finished(path)
    path.write_bytes(whole.replace(b'"seed":1', b'"seed":2', 1))
    with pytest.raises(JournalError, match=r"games.jsonl:1: the checksum is not that of the line"):
        opened(path, resume=True)
    path.write_bytes(whole.replace(b'"crc":"', b'"crc":"0', 1))
    with pytest.raises(JournalError, match=r"games.jsonl:1: the checksum is not that of the line"):
        opened(path, resume=True)


def test_a_spoilt_line_is_named_and_what_to_do(path: Path) -> None:
    lines = finished(path).splitlines(keepends=True)
    path.write_bytes(b"".join([*lines[:2], b'{"game":\n', *lines[3:]]))
    with pytest.raises(JournalError, match=r"games.jsonl:3: not a line of a journal") as caught:
        opened(path, resume=True)
    assert "to go on, keep the lines before it (head -n 2)" in str(caught.value)
    path.write_bytes(b"".join(lines[:2]))
    with opened(path, resume=True) as journal:
        assert len(journal.entries) == 1


def test_lines_that_move_or_come_twice_are_found(path: Path) -> None:
    header, *lines = finished(path).splitlines(keepends=True)
    first, second, third = lines
    for changed, number in [
        ([second, first, third], 2),
        ([first, third], 3),
        ([first, first, second, third], 3),
        ([first, second, third, third], 5),
        ([second, third], 2),
    ]:
        path.write_bytes(b"".join([header, *changed]))
        with pytest.raises(JournalError, match=rf":{number}: changed, or out of place"):
            opened(path, resume=True)


def test_an_entry_that_cannot_be_is_named(path: Path) -> None:
    with opened(path) as journal:
        journal.add([ENTRIES[0], {"game": 99}])
    with pytest.raises(JournalError, match=r"games.jsonl:3: game 99 cannot be"):
        opened(path, resume=True)


def test_an_endless_line_is_refused_without_reading_it(
    path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(module, "LONGEST_LINE", 1000)
    finished(path)
    with path.open("ab") as file:
        file.write(b"x" * 5000)
    with pytest.raises(JournalError, match=r"games.jsonl:5: not a line of a journal"):
        opened(path, resume=True)


def test_a_journal_has_one_writer(path: Path) -> None:
    with opened(path) as journal:
        journal.add(ENTRIES[:1])
        with pytest.raises(JournalError, match="is being written by another run"):
            opened(path, resume=True)
        journal.add(ENTRIES[1:])
    with opened(path, resume=True) as journal:
        assert journal.entries == ENTRIES


def test_a_part_that_is_not_ours_is_left_alone(path: Path) -> None:
    """Neither what a planted link leads to nor somebody's file is overwritten."""
    precious, part = path.with_name("precious"), path.with_name("games.jsonl.part")
    precious.write_text("precious")
    part.symlink_to(precious)
    with pytest.raises(JournalError, match=r"games.jsonl.part is in the way"):
        opened(path)
    assert not path.exists()
    part.unlink()
    with opened(path) as journal:
        part.symlink_to(precious)
        with pytest.raises(JournalError, match=r"games.jsonl.part is in the way"):
            journal.finish([])
    assert precious.read_text() == "precious"
    part.unlink()
    part.write_text("precious, too")
    with pytest.raises(JournalError, match=r"games.jsonl.part is in the way"):
        opened(path, resume=True)
    assert part.read_text() == "precious, too"


def test_a_part_that_a_kill_left_is_replaced(path: Path) -> None:
    whole = finished(path)
    for length in (0, 10, len(whole) - 3, len(whole)):
        path.with_name("games.jsonl.part").write_bytes(whole[:length])
        with opened(path, resume=True) as journal:
            journal.finish(journal.in_order)
        assert path.read_bytes() == whole
        assert [file.name for file in path.parent.iterdir()] == ["games.jsonl"]


def test_a_link_to_a_journal_stays_a_link(path: Path) -> None:
    whole = finished(path)
    link = path.with_name("link")
    link.symlink_to(path)
    with opened(link, resume=True) as journal:
        journal.finish(journal.in_order)
    assert link.is_symlink()
    assert path.read_bytes() == whole


def test_a_place_that_cannot_be_written_is_an_error(path: Path) -> None:
    with pytest.raises(JournalError, match="cannot open"):
        opened(path.parent / "missing" / "games.jsonl")
    with pytest.raises(JournalError, match="cannot open"):
        opened(path.parent / "with\0nul")
    for resume in (False, True):
        with pytest.raises(JournalError, match="is no regular file"):
            opened(path.parent, resume=resume)
        pipe = path.with_name(f"pipe{resume}")
        os.mkfifo(pipe)
        with pytest.raises(JournalError, match="is no regular file"):
            opened(pipe, resume=resume)
    if Path("/dev/full").exists():
        journal = opened(path)
        journal._file.close()
        journal._file = open("/dev/full", "wb")  # noqa: SIM115
        with pytest.raises(JournalError, match="cannot write"):
            journal.add(ENTRIES)


def test_a_full_disk_at_the_end_leaves_the_journal(
    path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def full(_: int) -> None:
        raise OSError(errno.ENOSPC, "No space left on device")

    with opened(path) as journal:
        journal.add(ENTRIES)
        before = path.read_bytes()
        with monkeypatch.context() as patched:
            patched.setattr(os, "fsync", full)
            with pytest.raises(JournalError, match=r"cannot write .*: No space left"):
                journal.finish(journal.in_order)
    assert path.read_bytes() == before
    assert [file.name for file in path.parent.iterdir()] == ["games.jsonl"]


def test_entries_reach_the_disk_now_and_then(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    synced: list[int] = []
    fsync = os.fsync
    clock = [100.0]
    monkeypatch.setattr(os, "fsync", lambda fd: (synced.append(fd), fsync(fd)))
    monkeypatch.setattr(module.time, "monotonic", lambda: clock[0])
    journal = opened(path)
    assert len(synced) == 2  # the header, and the folder that has the file
    journal.add(ENTRIES[:1])
    assert len(synced) == 2
    clock[0] += module.SYNC_SECONDS
    journal.add(ENTRIES[1:2])
    assert len(synced) == 3
    journal.add(ENTRIES[2:])
    journal.close()
    assert len(synced) == 4
    journal.close()
    with opened(path, resume=True):
        pass
    assert len(synced) == 4  # nothing new
