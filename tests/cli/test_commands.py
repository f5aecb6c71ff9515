"""The list of commands that `python -m csp_mines.testing --commands` tries."""

from __future__ import annotations

from csp_mines.cli import COMMANDS
from csp_mines.testing.commands import TRIALS


def test_every_command_is_tried() -> None:
    tried = {trial.words[0] for trial in TRIALS}
    assert set(COMMANDS) - tried == set()
