"""Names stand once; what is declared elsewhere under a name is declared for all of them."""

from csp_mines.analysis.move import check_rule
from csp_mines.backend import load
from csp_mines.clues import CLUE_MODELS
from csp_mines.names import CLUE_MODEL_NAMES, MOVE_RULES, Grade, listed


def test_every_name_stands_for_something() -> None:
    assert tuple(CLUE_MODELS) == CLUE_MODEL_NAMES
    assert all(load(grade.engine).name == grade.engine.partition(":")[0] for grade in Grade)
    assert [check_rule(rule) for rule in MOVE_RULES] == list(MOVE_RULES)
    assert all(grade.words for grade in Grade)


def test_names_are_listed_as_people_read_them() -> None:
    assert listed(["a"]) == "a"
    assert listed("abc") == "a, b or c"
    assert listed(CLUE_MODEL_NAMES) == "exact, silent, optimistic or cautious"
