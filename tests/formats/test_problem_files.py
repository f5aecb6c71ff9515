"""Files of problems: OPB and JSON, read and written, and what is wrong with others."""

from __future__ import annotations

from fractions import Fraction
from itertools import product
from pathlib import Path
from random import Random

import pytest

from csp_mines import (
    InputError,
    ProblemSyntaxError,
    UnknownName,
    Unsupported,
    analyze_problem,
    find_problem_conflict,
    parse_problem,
    read_problem,
    write_problem,
)

COMMITTEE = """\
* #variable= 7 #constraint= 3
* a comment; it says nothing
* x1 = ann
+1 x1 +1 x2 +1 x3 = 1 ;
-1 x5 -1 x6
  >= -1 ; +1 x1 +1 x2 +1 x3 +1 x4 +1 x5 +1 x6 <= 2;
"""


def test_a_committee() -> None:
    problem = parse_problem(COMMITTEE)
    assert repr(problem) == "<NamedProblem of 7 cells and 3 constraints>"
    assert problem.labels == ("line 4", "line 5", "line 6")
    found = analyze_problem(problem)
    assert found.solutions == 2 * 3 * (1 + 3)
    assert list(found.probabilities) == ["ann", "x2", "x3", "x4", "x5", "x6", "x7"]
    assert found.probability("ann") == Fraction(1, 3)
    assert found.probability("x7") == Fraction(1, 2)
    with pytest.raises(UnknownName, match="cell"):
        found.probability("x8")


Row = tuple[list[tuple[int, bool, int]], str, int]


def solutions_of(rows: list[Row], variables: int) -> list[tuple[int, ...]]:
    """All solutions by the meaning of OPB, by brute force."""
    relations = {
        ">=": lambda total, right: total >= right,
        "<=": lambda total, right: total <= right,
        "=": lambda total, right: total == right,
    }
    fitting = []
    for values in product((0, 1), repeat=variables):
        sums = [
            sum(factor * (values[at] ^ negated) for factor, negated, at in terms)
            for terms, _, _ in rows
        ]
        if all(
            relations[relation](total, right)
            for total, (_, relation, right) in zip(sums, rows, strict=True)
        ):
            fitting.append(values)
    return fitting


def test_signs_and_negations_mean_what_the_standard_says() -> None:
    random = Random("opb")
    answered = 0
    for _ in range(150):
        rows = []
        for _ in range(random.randint(1, 4)):
            chosen = random.sample(range(5), random.randint(1, 4))
            terms = [(random.choice((1, -1)), random.random() < 0.4, at) for at in chosen]
            rows.append((terms, random.choice((">=", "=", "<=")), random.randint(-2, 2)))
        text = f"* #variable= 5 #constraint= {len(rows)}\n" + "".join(
            " ".join(f"{factor:+} {'~' * negated}x{at + 1}" for factor, negated, at in terms)
            + f" {relation} {right} ;\n"
            for terms, relation, right in rows
        )
        fitting = solutions_of(rows, 5)
        problem = parse_problem(text)
        if not fitting:
            assert find_problem_conflict(problem) is not None
            continue
        answered += 1
        for given in (
            problem,
            *(parse_problem(write_problem(problem, f)) for f in ("opb", "json")),
        ):
            found = analyze_problem(given)
            assert found.solutions == len(fitting), text
            for at in range(5):
                ones = sum(values[at] for values in fitting)
                assert found.probability(f"x{at + 1}") == Fraction(ones, len(fitting)), text
    assert answered > 50


def test_json_has_everything() -> None:
    text = """{"constraints": [
        {"name": "jury", "cells": ["ann", "bob", "~eve"], "low": 1, "weights": [1, 2, 3, 0]},
        {"cells": ["bob", "dan"], "high": 1}],
        "sea": ["fay"], "mines": 2}"""
    problem = parse_problem(text)
    assert problem.labels == ("jury", "constraints[1]", "the total")
    found = analyze_problem(problem)
    again = analyze_problem(parse_problem(write_problem(problem, "json")))
    assert found.probabilities == again.probabilities
    people, weight = ("ann", "bob", "eve", "dan", "fay"), {1: 2, 2: 3}
    layouts = {}
    for chosen in product((0, 1), repeat=5):
        ann, bob, eve, dan, _ = chosen
        told = ann + bob + 1 - eve
        if told in weight and bob + dan <= 1 and sum(chosen) == 2:
            layouts[chosen] = weight[told]
    assert found.solutions == sum(layouts.values())
    for place, name in enumerate(people):
        some = sum(number for chosen, number in layouts.items() if chosen[place])
        assert found.probability(name) == Fraction(some, found.solutions)
    odds = parse_problem('{"constraints": [{"cells": ["a"], "low": 0}], "odds": "1/3"}')
    assert analyze_problem(odds).probability("a") == Fraction(1, 4)
    assert '"odds": "1/3"' in write_problem(odds, "json")


def test_conflicts_are_minimal_and_named() -> None:
    text = "+1 x1 +1 x2 >= 2 ;\n+1 x3 >= 0 ;\n+1 x2 +1 ~x4 <= 0 ;\n+1 x4 >= 1 ;\n"
    assert find_problem_conflict(parse_problem(text)) == ("line 1", "line 3")
    assert find_problem_conflict(parse_problem("+1 x1 >= 2 ;\n+1 x1 = 0 ;")) == ("line 1",)
    assert find_problem_conflict(parse_problem("+1 x1 = 0 ;")) is None
    total = '{"constraints": [{"cells": ["a", "b"], "high": 1}], "sea": ["c"], "mines": 3}'
    assert find_problem_conflict(parse_problem(total)) == ("constraints[0]", "the total")


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("min: +1 x1 ;\n+1 x1 >= 1 ;", ":1: 'min:' is not supported"),
        ("+1 x1 >= 1 ;\nmax: +1 x1 ;", ":2: 'max:' is not supported"),
        ("soft: 5 ;", "'soft:' is not supported"),
        ("+1 x1 >= 1 ;\n\n+2 x1 +1 x2 >= 1 ;", r":3: coefficients must be \+1 or -1, not \+2"),
        ("+1 x1 x2 >= 1 ;", "expected a coefficient, .* got 'x2'"),
        ("[3] +1 x1 >= 1 ;", r"expected a coefficient, .* got '\[3\]'"),
        ("+1 x1 +1 ~x1 >= 1 ;", ":1: x1 occurs twice"),
        ("+1 x1 >= 1", ":1: this constraint has no ; at its end"),
        ("c a; b\np cnf 2 1\n1 -2 0\n", ":2: DIMACS is not read; give the problem in OPB or JSON"),
        (">= 1 ;", "needs at least one term"),
        ("+1 >= 1 ;", r"expected a variable such as x1 or ~x1 after \+1, got ''"),
        ("+1 x1 >= ;", "expected a whole number after >=, got ''"),
        ("+1 x1 ;", "expected terms, then >=, = or <=, then a whole number"),
        ("+1 x1 >= 1\n+1 x2 >= 0 ;", ":1: two relations without a ; between them"),
        (f"+1 x1 >= {'9' * 5000} ;", "the number after >= has 5,000 digits; at most 1,000"),
        (f"+{'9' * 5000} x1 >= 1 ;", r"coefficients must be \+1 or -1, not \+999"),
        ("\n", "the text is empty"),
        ("* #variable= 1 #constraint= 2\n+1 x1 >= 1 ;", ":1: this line announces 2 constraints"),
        ("* #variable= 1 #constraint= 1\n+1 x2 >= 1 ;", "1 variable, but .* a higher number, x2"),
        (
            "* #variable= 99999999 #constraint= 1\n+1 x2 >= 1 ;",
            "announces 99,999,999 variables; at most 1,000,000",
        ),
    ],
)
def test_what_opb_is_refused(text: str, message: str) -> None:
    with pytest.raises(ProblemSyntaxError, match=message):
        parse_problem(text, "opb", source="file")


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("{\n,", "file:2: not JSON"),
        ("[]", "the problem must be an object, not \\[\\]"),
        ('{"cells": []}', "unknown field 'cells'; known: constraints, sea, mines, odds"),
        ("{}", "constraints must be a list, not None"),
        ('{"constraints": [5]}', r"constraints\[0\] must be an object"),
        ('{"constraints": [{"cells": ["a"]}]}', r"constraints\[0\] has no bounds"),
        (
            '{"constraints": [{"cells": [3], "low": 1}]}',
            r"a cell of constraints\[0\] must be a str",
        ),
        (
            '{"constraints": [{"cells": ["~~a"], "low": 1}]}',
            "the text after ~ .* begin with ~, not '~a'",
        ),
        (
            '{"constraints": [{"cells": ["a", "~a"], "low": 1}]}',
            r"constraints\[0\]: a occurs twice",
        ),
        (
            '{"constraints": [{"cells": ["a"], "low": 0.5}]}',
            r"low of constraints\[0\] must be a whole",
        ),
        ('{"constraints": [{"cells": ["a"], "weights": [1]}]}', "must have 2 numbers, not 1"),
        (
            '{"constraints": [{"cells": ["a"], "low": 2, "high": 1}]}',
            r"constraints\[0\] has low 2 above high 1",
        ),
        ('{"constraints": [{"cells": ["a"], "high": -1}]}', "high of .* at least 0, not -1"),
        ('{"constraints": [{"cells": ["a"], "low": 1}], "sea": ["a"]}', "a is in the sea, but"),
        ('{"constraints": [], "sea": ["a", "b", "a"]}', "a is in the sea, but occurs a second"),
        ('{"constraints": [], "mines": "x"}', "mines must be a whole number"),
        ('{"constraints": [], "mines": -1}', "mines must be .* at least 0, not -1"),
        (" ", "the text is empty"),
        ('{"constraints": [], "odds": 0}', "odds must be greater than 0: a whole number"),
        (
            '{"constraints": [{"cells": ["a", "~b"], "low": 1}], "odds": 2}',
            "odds and opposites",
        ),
        ("[" * 100_000, "nested too deeply"),
    ],
)
def test_what_json_is_refused(text: str, message: str) -> None:
    with pytest.raises(ProblemSyntaxError, match=message):
        parse_problem(text, "json", source="file")


def test_other_refusals(tmp_path: object) -> None:
    with pytest.raises(UnknownName, match="problem format"):
        parse_problem("", "lp")
    with pytest.raises(InputError, match="text must be a string"):
        parse_problem(5)
    weighted = parse_problem('{"constraints": [{"cells": ["a"], "weights": [1, 2]}]}')
    with pytest.raises(Unsupported, match="OPB has no weights"):
        write_problem(weighted, "opb")
    path = tmp_path / "latin.opb"
    path.write_bytes(b"\xff")
    with pytest.raises(ProblemSyntaxError, match="expected text in UTF-8"):
        read_problem(path)


def test_numbers_of_any_size_are_exact() -> None:
    huge = 10**30
    problem = parse_problem(f"+1 x1 +1 x2 >= -{huge} ;\n+1 x1 <= {huge} ;\n+1 x2 = 1 ;")
    assert analyze_problem(problem).solutions == 2
    impossible = parse_problem(f"+1 x1 +1 x2 <= -{huge} ;\n+1 x1 = 1 ;")
    assert find_problem_conflict(impossible) == ("line 1",)
    for format in ("json", "opb"):
        again = parse_problem(write_problem(impossible, format))
        assert len(find_problem_conflict(again) or ()) == 1


def test_numbers_of_a_thousand_digits_are_refused_at_once() -> None:
    with pytest.raises(ProblemSyntaxError, match="a number in this comment has more than 1,000"):
        parse_problem(f"* #variable= {'9' * 5000} #constraint= 1\n+1 x1 >= 1 ;\n")
    with pytest.raises(ProblemSyntaxError, match="odds must be greater than 0"):
        parse_problem('{"constraints": [], "odds": "1e999999999"}')


def test_a_file_must_be_opened_in_binary_mode(tmp_path: Path) -> None:
    path = tmp_path / "problem.json"
    path.write_text('{"constraints": [{"cells": ["a", "b"], "low": 1, "high": 1}]}')
    with path.open("rb") as file:
        assert read_problem(file) == parse_problem(path.read_text())
    message = r"an open file must be binary \(mode 'rb'\), not <_io.TextIOWrapper"
    with path.open() as text, pytest.raises(InputError, match=message):
        read_problem(text)  # type: ignore[arg-type]
