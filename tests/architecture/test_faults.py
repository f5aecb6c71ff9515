"""The seeded faults fit the present code. Whether tests notice them takes hours to see."""

from __future__ import annotations

from benchmarks.faults import FAULTS, counted


def test_every_fault_fits_the_code() -> None:
    assert counted().startswith(f"There are {len(FAULTS)} faults: ")
