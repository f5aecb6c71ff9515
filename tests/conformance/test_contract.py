"""The backend contract, as tests. Every declared backend that is installed runs through all of it,
also those of other packages: docs/adding-a-backend.md is the same list in words."""

from __future__ import annotations

import pytest
from hypothesis import assume, given, settings

from csp_mines.analysis.analyze import analyze
from csp_mines.analysis.problems import analyze_problem
from csp_mines.backend import Backend, Deduction, RegionCount, backend_class, backend_names, load
from csp_mines.board import Board
from csp_mines.constraints import Constraint, Frontier, Problem, Region
from csp_mines.counting import count_by, posterior
from csp_mines.errors import Contradiction, TooWide, UnknownName, Unsupported
from tests import oracle, strategies

SLOW = {"ganak": 6}  # a call takes milliseconds however small the question: fewer examples

NAMES = [name for name in backend_names() if backend_class(name).missing() is None]
COMPLETE = [name for name in NAMES if backend_class(name).complete]
COUNTING = [name for name in NAMES if backend_class(name).counts]


def examples(name: str) -> int:
    """How many examples a backend's property tests get."""
    return max(2 * settings().max_examples // SLOW.get(name, 1), 1)


def deduced(engine: Backend, problem: Problem) -> Deduction | None:
    """None for a contradiction."""
    try:
        return engine.deduce(problem)
    except Contradiction:
        return None


def check_deduction(engine: Backend, problem: Problem) -> None:
    """Sound; complete where claimed; a contradiction is real, and found by complete engines. What
    is deduced follows from the bounds: a weight of 0 is for counting."""
    fitting = oracle.layouts(problem.unweighted())
    found = deduced(engine, problem)
    if not fitting:
        assert found is None or not engine.complete
        return
    assert found is not None, "says that nothing fits, and something does"
    safe, mines = oracle.certain(problem, fitting)
    assert found.safe <= safe
    assert found.mines <= mines
    if engine.complete:
        assert (found.safe, found.mines) == (safe, mines)


@pytest.mark.parametrize("name", NAMES)
def test_states_its_facts(name: str) -> None:
    chosen = backend_class(name)
    assert issubclass(chosen, Backend)
    assert chosen.name == name
    assert chosen.summary
    assert all(isinstance(fact, bool) for fact in (chosen.complete, chosen.ranges, chosen.counts))
    assert isinstance(chosen.options, str)
    assert isinstance(chosen.version(), str)


@pytest.mark.parametrize("name", NAMES)
def test_refuses_an_option_it_does_not_know(name: str) -> None:
    with pytest.raises((Unsupported, UnknownName)):
        load(f"{name}:no such thing")


@pytest.mark.parametrize("name", NAMES)
def test_deduces_from_problems_like_brute_force(name: str) -> None:
    @settings(max_examples=examples(name))
    @given(strategies.problems())
    def check(problem: Problem) -> None:
        check_deduction(load(name), problem)
        check_deduction(load(name), problem.without_total())

    check()


@pytest.mark.parametrize("name", NAMES)
def test_deduces_from_boards_like_brute_force(name: str) -> None:
    @settings(max_examples=examples(name))
    @given(strategies.boards)
    def check(board: Board) -> None:
        frontier = Frontier.of(board)
        for use_total in (True, False):
            problem = frontier.problem if use_total else frontier.problem.without_total()
            found = deduced(load(name), problem)
            truth = oracle.truth(board, use_total=use_total)
            if not truth.layouts:
                assert found is None or not backend_class(name).complete
                continue
            assert found is not None
            safe, mines = frontier.cells(found.safe), frontier.cells(found.mines)
            assert safe <= truth.safe
            assert mines <= truth.mines
            if backend_class(name).complete:
                assert (safe, mines) == (truth.safe, truth.mines)

    check()


@pytest.mark.parametrize("name", NAMES)
def test_knows_the_empty_problem(name: str) -> None:
    assert load(name).deduce(Problem(())) == Deduction(calls=load(name).deduce(Problem(())).calls)


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize(
    ("mines", "safe", "certain"), [(0, {7, 8}, set()), (1, set(), set()), (2, set(), {7, 8})]
)
def test_knows_the_sea_alone(name: str, mines: int, safe: set[int], certain: set[int]) -> None:
    found = load(name).deduce(Problem((), (7, 8), mines))
    assert found.safe == safe
    assert found.mines == certain


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize(
    "problem",
    [
        Problem((), (7, 8), 3),
        Problem((), (7, 8), -1),
        Problem((Constraint((0, 1), 3, 3),)),
        Problem((Constraint((0, 1), 2, 1),)),
        Problem((Constraint((), 1, 1),)),
        Problem((Constraint((0, 1), 2, 2), Constraint((1, 2), 0, 0))),
    ],
    ids=[
        "total too high",
        "total negative",
        "clue too high",
        "empty range",
        "no cells",
        "two clues",
    ],
)
def test_sees_a_plain_contradiction(name: str, problem: Problem) -> None:
    with pytest.raises(Contradiction):
        load(name).deduce(problem)


@pytest.mark.parametrize("name", COMPLETE)
def test_uses_the_total_across_regions(name: str) -> None:
    pairs = Constraint((0, 1), 1, 2), Constraint((2, 3), 1, 2)
    assert load(name).deduce(Problem(pairs, (4, 5), 2)).safe == {4, 5}
    assert load(name).deduce(Problem(pairs, (4, 5), 6)).mines == {0, 1, 2, 3, 4, 5}
    assert not load(name).deduce(Problem(pairs, (4, 5), 3)).safe
    with pytest.raises(Contradiction):
        load(name).deduce(Problem(pairs, (4, 5), 1))


@pytest.mark.parametrize("name", NAMES)
def test_keeps_nothing_and_changes_nothing(name: str) -> None:
    first = Problem((Constraint((0, 1, 2), 1, 1), Constraint((1, 2, 3), 3, 3)), (9,), 3)
    second = Problem((Constraint((0, 1), 1, 2, (1, 5, 2)), Constraint((1, 2), 0, 1)), (9,), 1)
    copies = Problem(first.constraints, (9,), 3), Problem(second.constraints, (9,), 1)
    engine = load(name)
    answers = [deduced(engine, problem) for problem in (first, second, first, second)]
    assert answers[:2] == answers[2:] == [deduced(load(name), problem) for problem in copies]
    assert (first, second) == copies


@pytest.mark.parametrize("name", sorted(set(NAMES) - set(COUNTING)))
def test_says_that_it_cannot_count(name: str) -> None:
    (region,) = Problem((Constraint((0, 1), 1, 1),)).regions
    with pytest.raises(Unsupported, match=name):
        load(name).count(region)


@pytest.mark.parametrize("name", COUNTING)
def test_counts_regions_like_brute_force(name: str) -> None:
    @settings(max_examples=examples(name))
    @given(strategies.problems())
    def check(problem: Problem) -> None:
        try:
            regions = problem.regions
        except Contradiction:
            assume(False)
        for region in regions:
            assert load(name).count(region) == oracle.region_count(region)

    check()


@pytest.mark.parametrize("name", COUNTING)
def test_weighs_problems_like_brute_force(name: str) -> None:
    @settings(max_examples=examples(name))
    @given(strategies.problems())
    def check(problem: Problem) -> None:
        fitting = oracle.layouts(problem)
        engine = load(name)
        if not fitting:
            with pytest.raises(Contradiction):
                posterior(problem, engine.count)
            return
        expected = oracle.probabilities(problem, fitting)
        known, counted = count_by(engine, problem)
        assert counted.solutions == oracle.solutions(problem)
        for cell, probability in expected.items():
            if cell in known.safe or cell in known.mines:
                assert probability == (cell in known.mines)
            else:
                assert counted.probability(cell) == probability

    check()


@pytest.mark.parametrize("name", COUNTING)
def test_analyses_boards_like_brute_force(name: str) -> None:
    @settings(max_examples=examples(name))
    @given(strategies.boards)
    def check(board: Board) -> None:
        truth = oracle.truth(board)
        if not truth.layouts:
            with pytest.raises(Contradiction):
                analyze(board, backend=name)
            return
        found = analyze(board, backend=name)
        assert (found.safe, found.mines) == (truth.safe, truth.mines)
        assert found.solutions == len(truth.layouts)
        for cell in truth.hidden:
            assert found.probability(cell) == truth.probability(cell)

    check()


@pytest.mark.parametrize("name", COUNTING)
@pytest.mark.parametrize(
    ("problem", "solutions"),
    [
        (Problem((Constraint((0, 1), 2, 2, (1, 1, 7)),)), 7),
        (Problem((Constraint((0,), 0, 1, (300, 1)), Constraint((0, 1), 0, 0))), 300),
        (Problem((Constraint((0, 1), 0, 2, (2, 3, 5)),), (2,), 3), 5),
        (Problem((Constraint((), 0, 0, (3,)), Constraint((), -1, 2, (5,))), (2,)), 30),
        (Problem((Constraint((0, 1), 1, 2, (2, 3, 5)),) * 2, (2,)), 2 * (2 * 9 + 25)),
        (Problem((Constraint((0, 1), 0, 2, (1, 0, 2)), Constraint((1, 2), 1, 1, (0, 5, 0)))), 15),
    ],
    ids=["one", "others decide", "the total decides", "no cells", "twice", "gap"],
)  # fmt: skip
def test_keeps_the_weight_of_constraints_that_are_decided(
    name: str, problem: Problem, solutions: int
) -> None:
    assert count_by(load(name), problem)[1].solutions == solutions
    assert posterior(problem, load(name).count).solutions == solutions
    assert analyze_problem(problem, name).solutions == solutions


@pytest.mark.parametrize("name", COUNTING)
@pytest.mark.parametrize(
    "constraints",
    [
        (Constraint((), 0, 0, (0,)), Constraint((0, 1), 1, 1)),
        (Constraint((0, 1), 0, 2, (0, 0, 0)),),
        (Constraint((0, 1), 1, 1, (1, 0, 1)),),
        (Constraint((0, 1), 0, 2, (1, 0, 1)), Constraint((0, 1), 0, 2, (0, 1, 0))),
        (Constraint((0, 1), 0, 2, (1, 0, 1)), Constraint((1, 2), 1, 1), Constraint((0, 2), 2, 2)),
    ],
    ids=["no cells", "all", "the only one", "twice", "a gap and others"],
)
def test_what_weighs_nothing_is_no_solution(name: str, constraints: tuple[Constraint, ...]) -> None:
    with pytest.raises(Contradiction):
        analyze_problem(Problem(constraints), name)


@pytest.mark.parametrize("name", COUNTING)
def test_a_gap_in_the_weights_makes_cells_certain(name: str) -> None:
    all_or_none = Constraint((0, 1), 0, 2, (1, 0, 1))
    two = Constraint((1, 2, 3), 1, 2, (0, 0, 4, 0))
    found = analyze_problem(Problem((all_or_none, two, Constraint((2, 3), 1, 1))), name)
    assert (found.safe, found.mines, found.solutions) == (set(), {0, 1}, 8)


@pytest.mark.parametrize("name", COUNTING)
def test_counts_a_region_without_solution_as_empty(name: str) -> None:
    problem = Problem(
        (Constraint((0, 1), 1, 1), Constraint((1, 2), 1, 1), Constraint((0, 2), 1, 1))
    )
    (region,) = problem.regions
    count = load(name).count(region)
    assert (count.ways, count.mines) == ((), ((), (), ()))


@pytest.mark.parametrize("name", COUNTING)
def test_respects_its_limit_or_needs_none(name: str) -> None:
    chain = tuple(Constraint((i, i + 1, i + 2), 1, 2) for i in range(5))
    (region,) = Problem(chain).regions
    expected = oracle.region_count(region)
    assert load(name).count(region) == expected
    assert limited_count(load(name, max_states=2), region) in (expected, "too wide: 2")


def limited_count(engine: Backend, region: Region) -> RegionCount | str:
    """The count, or that it was given up and at which limit."""
    try:
        return engine.count(region)
    except TooWide as error:
        return f"too wide: {error.max_states}"


@pytest.mark.parametrize("name", [name for name in NAMES if name != "native"])
def test_nothing_is_counted_for_deductions_alone(
    name: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Nor promised: an engine that can only count says so."""

    def count(engine: Backend, region: Region) -> RegionCount:
        raise AssertionError("this counts")

    board = Board.parse("mines: 3\n1???\n12??\n??1?")
    with_counting = analyze(board, backend=name)
    for counter in COUNTING:
        monkeypatch.setattr(backend_class(counter), "count", count)
    if backend_class(name).only_counts:
        with pytest.raises(Unsupported, match=f"'{name}' can only count"):
            analyze(board, backend=name, counting=False)
        return
    found = analyze(board, backend=name, counting=False)
    assert (found.safe, found.mines) == (with_counting.safe, with_counting.mines)
    assert found.to_json(counting=False)["probabilities"] is None
