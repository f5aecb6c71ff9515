"""Everything but the engine cpsat works where ortools is not installed."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

ROOT = Path(__file__).parents[2]

# Answers that use ortools where it is installed: proofs on boards with noisy clues that are too
# wide to count; and the commands that list or compare all engines.
CODE = """
import io, json, sys
from contextlib import redirect_stdout
if {blocked}:
    sys.modules["ortools"] = None
from csp_mines import Board, Budget, analyze
from csp_mines.cli import run

def command(*words):
    with redirect_stdout(io.StringIO()) as text:
        status = run([*words, "--json"])
    return status, [json.loads(line) for line in text.getvalue().splitlines()]

answers = dict()
for clues in ("exact", "silent", "optimistic", "cautious"):
    board = Board.parse("clues: %s\\n" % clues + {grid!r})
    found = analyze(board, 6, max_states=2, approximate=Budget(0.1, seed=1))
    answers[clues] = [sorted(found.safe), sorted(found.mines), found.complete]
status, (facts,) = command("backends")
answers["engines"] = {{each["name"]: each["available"] for each in facts}}
answers["install"] = [each["install"] for each in facts if each["name"] == "cpsat"]
board = "examples/boards/disarm-corner.txt"
status, (compared,) = command("compare", board)
answers["compared"] = [each["backend"] for each in compared["engines"]]
for words in (["solve", board], ["explain", board], ["solve", board, "--clues", "cautious"]):
    answers[" ".join(words)] = command(*words)[0]
answers["named"] = command("solve", board, "--backend", "cpsat")[0]
print(json.dumps(answers))
"""
GRID = "\n".join(
    ["????????", "?2????2?", "????????", "??1??3??", "????????", "?1????1?", "????????"]
)


def answers(*, blocked: bool) -> dict[str, Any]:
    code = CODE.format(blocked=blocked, grid=GRID)
    done = subprocess.run(
        [sys.executable, "-c", code], cwd=ROOT, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr
    result: dict[str, Any] = json.loads(done.stdout.splitlines()[-1]) | {"said": done.stderr}
    return result


def test_the_rest_works_and_the_list_of_engines_says_how_to_get_it() -> None:
    with_it, without = answers(blocked=False), answers(blocked=True)
    for clues in ("exact", "silent", "optimistic", "cautious"):
        assert without[clues] == with_it[clues], clues
    assert without["engines"] == with_it["engines"] | {"cpsat": False}
    assert without["install"][0].endswith("pip install ortools")
    assert [name for name in with_it["compared"] if name not in without["compared"]] == ["cpsat"]
    assert {name: value for name, value in without.items() if "solve" in name} == {
        "solve examples/boards/disarm-corner.txt": 0,
        "solve examples/boards/disarm-corner.txt --clues cautious": 0,
    }
    assert without["explain examples/boards/disarm-corner.txt"] == 0
    assert without["named"] == 2
    assert "backend 'cpsat' is not available: " in without["said"]
