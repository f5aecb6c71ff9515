"""Agents: sound, repeatable, blind to the layout, and guessing as their policies say."""

from __future__ import annotations

import subprocess
import sys
from dataclasses import replace
from fractions import Fraction
from itertools import combinations
from pathlib import Path

import numpy as np
import pytest

from csp_mines.analysis.analyze import Analysis, analyze
from csp_mines.analysis.move import ALIKE, Choice, choose
from csp_mines.backend import Backend, Capability, Deduction, offered
from csp_mines.board import CLEAR, EXPLODED, HIDDEN, Board, Cell
from csp_mines.clues import CLUE_MODELS
from csp_mines.constraints import Problem
from csp_mines.errors import TooWide, UnknownName, Unsupported
from csp_mines.games import policies
from csp_mines.games.agents import PRESETS, Agent, agent
from csp_mines.games.game import LEVELS, Game, Layout, Rules, Spec
from csp_mines.games.knowledge import Knowledge
from csp_mines.games.playing import Step, UnsoundDeduction, play
from csp_mines.games.policies import POLICIES
from csp_mines.geometry import SQUARE

LAYOUTS = Path(__file__).parents[2] / "examples" / "layouts"
NOISY = ["silent", "optimistic", "cautious"]


def total(name: str, spec: Spec, rules: Rules, games: int) -> tuple[int, float]:
    """Wins and mean score of checked games."""
    records = [
        play(Game(spec, rules, seed), agent(name), seed, check=True) for seed in range(games)
    ]
    return sum(record.won for record in records), sum(record.score for record in records) / games


def guess(text: str, policy: str, *, seed: int = 0, told: bool = True) -> tuple[int, int]:
    """The cell that a policy picks on a board, whether anything is certain there or not."""
    chosen = POLICIES[policy](Knowledge(Agent("test", (), policy, told), Board.parse(text), seed))
    return chosen.cell


# --- presets

WINNERS = [name for name in PRESETS if name.startswith("win")]
PLAYABLE = [name for name in PRESETS if offered(Capability.WINNING) or name not in WINNERS]


@pytest.mark.parametrize("name", PLAYABLE)
def test_presets_prove_nothing_wrong(name: str) -> None:
    wins, score = total(name, LEVELS["beginner"], Rules(), 15)
    assert wins >= 7
    assert score > 0.5


@pytest.mark.parametrize("clues", NOISY)
@pytest.mark.parametrize(
    "name", ["rutgers-kb", "disarm-global", "triple-total", "pairwise", "exact"]
)
def test_presets_prove_nothing_wrong_from_noisy_clues(name: str, clues: str) -> None:
    total(name, Spec(6, 6, 8), Rules("sweep", "any", clues=clues), 4)


def test_every_preset_is_one_of_the_table() -> None:
    assert {
        name: (preset.policy, preset.told_total, preset.report) for name, preset in PRESETS.items()
    } == {
        "rutgers-baseline": ("random", False, 0),
        "rutgers-kb": ("unexplored-first", False, 0),
        "rutgers-kb-total": ("mean-ratio", True, 0),
        "disarm-basic": ("random", False, 1),
        "disarm": ("random", False, 1),
        "disarm-global": ("random", True, 1),
        "disarm-select": ("most-constrained", False, 1),
        "triple": ("random", False, 2),
        "triple-total": ("random", True, 2),
        "resolution": ("max-ratio", True, 3),
        "pairwise": ("local-ratio", False, 4),
        "exact": ("lowest-risk", True, None),
        "win": ("win", True, None),
        "win:fast": ("win:fast", True, None),
        "win:strong": ("win:strong", True, None),
    }


def test_agents_by_backend_and_policy() -> None:
    assert agent("subtraction:1+random") == Agent(
        "subtraction:1+random", ("single", "subtraction:1"), "random", told_total=True
    )
    assert agent("single+random").stages == ("single",)
    for wrong in ("nobody", "nobody+random", "single+luck"):
        with pytest.raises(UnknownName):
            agent(wrong)
    with pytest.raises(Unsupported):
        agent("single:3+random")


def test_a_complete_backend_plays_like_exact() -> None:
    for seed in range(4):
        ours = play(Game(LEVELS["beginner"], seed=seed), agent("exact"), seed)
        sat = play(Game(LEVELS["beginner"], seed=seed), agent("pysat+lowest-risk"), seed)
        assert ours == sat


def test_exact_play_on_expert_boards() -> None:
    assert total("exact", LEVELS["expert"], Rules(), 40)[0] == 18


def test_the_order_of_report_0_on_its_own_boards() -> None:
    rules = Rules("sweep", "any")
    names = ("rutgers-baseline", "rutgers-kb", "rutgers-kb-total", "exact")
    scores = [total(name, Spec(30, 30, 300), rules, 2)[1] for name in names]
    assert scores == sorted(scores)
    assert 0.70 < scores[0] < 0.80


def test_the_games_of_the_reports() -> None:
    for name, first, player in (
        ("report1-10x10", (9, 0), "disarm"),
        ("report4-5x5", (0, 1), "pairwise"),
        ("report2-10x10", (0, 0), "triple"),
    ):
        layout = Layout.parse((LAYOUTS / f"{name}.txt").read_text())
        record = play(Game(layout, first=first), agent(player), check=True)
        assert (record.won, record.guesses) == (True, 0), name


def test_report_1s_inference_on_its_corner() -> None:
    board = Board.parse("????\n113?\n001?\n001?")
    thought = Knowledge(PRESETS["disarm"], board, 0).think()
    assert {proof.cell for proof in thought.safe} == {(0, 0), (0, 2), (1, 3), (3, 3)}
    assert {proof.cell for proof in thought.mines} == {(0, 1), (0, 3), (2, 3)}
    basic = Knowledge(PRESETS["disarm-basic"], board, 0).think()
    assert basic.guess is not None


# --- the same games everywhere

PROGRAM = """
from csp_mines.backend import Capability, offered
from csp_mines.games import policies
from csp_mines.games.agents import PRESETS
from csp_mines.games.playing import play
from csp_mines.games.game import LEVELS, Game, Rules
for name, preset in PRESETS.items():
    if name.startswith("win") and offered(Capability.BOARDS) is None:
        continue
    moves = []
    game = Game(LEVELS["medium"], Rules("sweep"), 5)
    play(game, preset, 5, watch=lambda step: moves.append(step.cell))
    print(name, moves)
"""


def test_moves_depend_on_no_hash_seed() -> None:
    runs = {
        subprocess.run(
            [sys.executable, "-c", PROGRAM],
            env={"PYTHONHASHSEED": seed},
            capture_output=True,
            check=True,
        ).stdout
        for seed in ("1", "2")
    }
    assert len(runs) == 1


def test_watching_and_checking_change_nothing() -> None:
    steps: list[Step] = []
    for name in PLAYABLE:
        games = [Game(LEVELS["easy"], Rules("sweep", "any"), 2) for _ in range(2)]
        plain = play(games[0], agent(name), 9)
        watched = play(games[1], agent(name), 9, watch=steps.append, check=True)
        assert plain == watched
        assert games[0].board == games[1].board


def test_steps_tell_the_whole_game() -> None:
    steps: list[Step] = []
    game = Game(LEVELS["intermediate"], Rules("sweep"), 3)
    record = play(game, agent("disarm"), 3, watch=steps.append)
    assert [step.number for step in steps] == list(range(1, record.steps + 1))
    codes = np.full((16, 16), HIDDEN, np.int8)
    for step in steps:
        for cell in (*step.opened, step.cell):
            codes[cell] = step.board[cell]
        assert (step.board.codes == codes).all()
        assert step.shown == codes[step.cell]
        assert (step.proof is not None) == (step.kind in ("deduced", "mark"))
        assert all(codes[clue] >= 0 for clue in step.clues)
    assert steps[0].kind == "start"
    assert record.guesses == sum(step.kind == "guess" for step in steps)
    assert record.exploded == sum(step.shown == EXPLODED for step in steps)


# --- what an agent may know


class Secret(Game):
    """A game whose layout nobody may look at."""

    @property
    def layout(self) -> Layout:
        raise AssertionError("an agent looked at the layout")


@pytest.mark.parametrize("name", PLAYABLE)
def test_agents_see_boards_only(name: str) -> None:
    for rules in (Rules(), Rules("sweep", clues="optimistic")):
        play(Secret(Spec(6, 6, 6), rules, 1), agent(name), 1)


def test_only_those_who_are_told_know_the_total() -> None:
    board = Board.parse("mines: 3\n???\n???")
    told = {
        name for name, preset in PRESETS.items() if Knowledge(preset, board, 0).board.mines == 3
    }
    assert told == {
        "rutgers-kb-total", "disarm-global", "triple-total", "resolution", "exact", "win",
        "win:fast", "win:strong",
    }  # fmt: skip


def test_the_total_proves_only_for_those_who_deduce_with_it() -> None:
    board = Board.parse("mines: 1\nX??")
    proved = {
        name
        for name, preset in PRESETS.items()
        if len(Knowledge(preset, board, 0).think().safe) == 2
    }
    assert proved - set(WINNERS) == {"rutgers-kb-total", "disarm-global", "exact"}
    assert proved >= set(WINNERS)
    assert Knowledge(PRESETS["triple-total"], board, 0).done


def test_exact_deduction_leaves_the_total_out_for_those_who_do_not_deduce_with_it() -> None:
    board = Board.parse("mines: 1\n?1???")  # the total clears what the clue does not touch
    told = Agent("test", ("single", "native"), "lowest-risk", told_total=True)
    assert [proof.cell for proof in Knowledge(told, board, 0).think().safe] == [(0, 3), (0, 4)]
    thought = Knowledge(replace(told, deduce_total=False), board, 0).think()
    assert (thought.safe, thought.mines) == ((), ())
    assert thought.guess is not None
    assert (thought.guess.cell, thought.guess.risk) == ((0, 4), 0.0)  # the guess may use it


def test_stopping_early_leaves_the_rest_closed() -> None:
    game = Game(Layout.parse("*.......\n........\n........"), Rules("sweep", "any", flood=False))
    record = play(game, agent("triple-total"), 4)
    other = Game(game.layout, Rules("sweep", "any", flood=False))
    full = play(other, agent("triple"), 4)
    assert record.score == full.score
    assert record.opened < full.opened == 23


class Liar(Backend):
    def deduce(self, problem: object) -> Deduction:
        return Deduction(mines=frozenset(problem.frontier))


def test_a_wrong_proof_is_found_out(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("csp_mines.games.knowledge._engine", lambda stage: Liar())
    game = Game(LEVELS["expert"], Rules(start="zero"), seed=1)
    with pytest.raises(UnsoundDeduction, match=r"gauss proves that .* is a mine, but it is not"):
        play(game, agent("disarm"), check=True)


def test_positions_too_wide_to_count_are_still_played(monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(*_: object, **__: object) -> None:
        raise TooWide(10, 5)

    monkeypatch.setattr("csp_mines.games.knowledge.analyze", refuse)
    reasons = set[str]()
    for seed in range(5):
        game = Game(LEVELS["beginner"], Rules("sweep"), seed)
        play(game, agent("exact"), check=True, watch=lambda step: reasons.add(step.reason))
    assert any(reason.startswith("too wide to count") for reason in reasons)


def test_positions_too_wide_to_count_are_looked_at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(*_: object, **__: object) -> None:
        raise TooWide(10, 5)

    problems = list[object]()
    monkeypatch.setattr("csp_mines.games.knowledge.analyze", refuse)
    engine = Counting(problems)
    monkeypatch.setattr("csp_mines.games.knowledge._engine", lambda stage: engine)
    knowledge = Knowledge(
        Agent("test", ("single", "native"), "lowest-risk"), Board.parse("1?\n??"), 0
    )
    assert knowledge.think().guess is not None
    assert knowledge.think().guess is not None
    assert len(problems) == 1  # nothing changed since


def test_an_agent_counts_with_its_own_engine(monkeypatch: pytest.MonkeyPatch) -> None:
    engines = list[str]()

    def noted(*given: object, **options: object) -> Analysis:
        engines.append(str(options["backend"]))
        return analyze(*given, **options)

    monkeypatch.setattr("csp_mines.games.knowledge.analyze", noted)
    records = [
        play(Game(LEVELS["beginner"], seed=1), name)
        for name in ("native:pure+lowest-risk", "exact", "pysat+lowest-risk")
    ]
    assert records[0] == records[1]
    assert engines[0] == "native:pure"
    assert set(engines) == {"native:pure", "native"}


class Counting(Backend):
    """Proves nothing, and keeps what it was asked."""

    def __init__(self, problems: list[object]) -> None:
        self.problems = problems

    def deduce(self, problem: Problem) -> Deduction:
        self.problems.append(problem)
        return Deduction()


def test_a_silent_cell_is_opened_once_unless_it_may_be_asked_again() -> None:
    for seed in range(20):
        cells = list[Cell]()
        game = Game(Spec(8, 8, 8), Rules(clues="silent"), seed)
        play(
            game, agent("rutgers-kb"), seed, watch=lambda step, cells=cells: cells.append(step.cell)
        )
        assert len(cells) == len(set(cells))


def test_without_mines_there_is_nothing_to_stop_for() -> None:
    record = play(Game(Spec(4, 4, 0), Rules(start="any")), agent("triple-total"))
    assert (record.won, record.opened, record.steps) == (True, 16, 1)


def test_silent_cells_are_asked_until_they_speak() -> None:
    """Before the agent guesses, it asks each cell that is known to be safe until the cell shows its
    number. Only the first opening of a cell counts as a deduction."""
    rules = Rules("sweep", clues="silent", retry=True)
    guesses = repeats = 0
    for seed in range(8):
        steps: list[Step] = []
        game = Game(LEVELS["medium"], rules, seed)
        record = play(game, agent("disarm"), seed, watch=steps.append, check=True)
        before = steps[0].board
        deduced = 0
        for step in steps[1:]:
            if step.kind == "guess":
                guesses += 1
                for cell in before.cells(CLEAR):
                    assert all(before[near] != HIDDEN for near in before.neighbours(cell))
            elif before[step.cell] == CLEAR:
                repeats += 1
            else:
                deduced += 1
            before = step.board
        assert record.deduced == deduced
    assert guesses
    assert repeats


# --- policies


def test_random_and_unexplored_first() -> None:
    text = "???\n?1?\n???\n???\n???"
    assert {guess(text, "unexplored-first", seed=seed) for seed in range(60)} == {
        (row, col) for row in (3, 4) for col in range(3)
    }
    assert {guess(text, "random", seed=seed) for seed in range(200)} == Board.parse(text).hidden
    crowded = "?1?\n???"
    assert {guess(crowded, "unexplored-first", seed=s) for s in range(60)} == Board.parse(
        crowded
    ).hidden


def test_ratios() -> None:
    # Around the 1: 1/8 each; elsewhere 3 mines on the 7 other cells or 3/15 as a base rate.
    text = "mines: 3\n????\n?1??\n????\n????"
    assert guess(text, "mean-ratio") == (0, 0)
    assert {guess(text, "max-ratio", seed=seed) for seed in range(200)} == Board.parse(text).hidden
    assert guess(text, "local-ratio") == (0, 0)
    # A 3 and a 1 share cells: their mean is lower than the 3 alone, their maximum is not.
    pair = "mines: 30\n?????????\n?3?1?????\n?????????\n?????????\n?????????"
    assert guess(pair, "mean-ratio") == (0, 3)
    assert guess(pair, "local-ratio", told=False) == (0, 3)
    # All cells of the 1 belong to the 3, too: (1/4 + 3/7) / 2 is less than the 3/7 of the others.
    assert guess("?1?\n?3?\n???", "mean-ratio", told=False) == (0, 0)
    assert guess("?1?\n?3?\n???", "local-ratio", told=False) == (0, 0)


def test_cells_without_a_clue_wait_when_nobody_knows_the_total() -> None:
    text = "???\n?7?\n???\n???\n???"
    assert guess(text, "mean-ratio", told=False)[0] < 3
    assert guess(text, "local-ratio")[0] < 3
    assert guess("???\n???", "local-ratio") == guess("???\n???", "mean-ratio") == (0, 0)


def test_max_ratio_uses_what_subtraction_derives() -> None:
    # The 1 lies inside the 3, so two of the three cells on the right are mines: worse than 3/7.
    text = "mines: 3\n???\n13?\n???"
    cells = {guess(text, "max-ratio", seed=seed) for seed in range(40)}
    assert cells == {(0, 0), (0, 1), (2, 0), (2, 1)}


def test_most_constrained_cells_are_in_most_clues() -> None:
    text = "?????\n?2?2?\n?????"
    assert {guess(text, "most-constrained", seed=s) for s in range(40)} == {(0, 2), (1, 2), (2, 2)}


def test_lowest_risk_prefers_corners_then_edges_then_reading_order() -> None:
    assert guess("mines: 3\n???\n???\n???", "lowest-risk") == (0, 0)
    assert guess("mines: 5\n????\n?4??\n????\n????", "lowest-risk") == (0, 3)


# --- the posterior under every clue model


def likelihood(clues: str, true: int, code: int) -> Fraction:
    if clues == "optimistic":
        return Fraction(code <= true, true + 1)
    if clues == "cautious":
        return Fraction(code >= true, 9 - true)
    return Fraction(code in (true, CLEAR))


@pytest.mark.parametrize("clues", list(CLUE_MODELS))
def test_the_posterior_is_bayes_over_all_layouts(clues: str) -> None:
    for seed in range(4):
        game = opened_at_random(Spec(3, 4, 4), clues, seed, 4)
        shown = {cell: game.shown(cell) for cell in game.board.cells()}
        mine_weight = dict.fromkeys(shown, Fraction(0))
        whole = Fraction(0)
        for mines in combinations(shown, 4):
            weight = bayes_weight(shown, set(mines), clues)
            whole += weight
            for cell in mines:
                mine_weight[cell] += weight
        found = analyze(game.board)
        for cell in game.board.hidden:
            assert found.probability(cell) == mine_weight[cell] / whole


def bayes_weight(shown: dict[Cell, int], mines: set[Cell], clues: str) -> Fraction:
    """How likely a layout on 3×4 shows what is shown, up to a factor that all layouts share."""
    weight = Fraction(1)
    for cell, code in shown.items():
        if code == HIDDEN:
            continue
        if (code == EXPLODED) != (cell in mines):
            return Fraction(0)
        if code != EXPLODED:
            true = len(mines.intersection(SQUARE.neighbours(cell, 3, 4)))
            weight *= likelihood(clues, true, code)
    return weight


def opened_at_random(spec: Spec, clues: str, seed: int, cells: int) -> Game:
    """A game in which some cells, mines or not, were opened: choosing them tells nothing."""
    game = Game(spec, Rules("sweep", "any", clues=clues), seed)
    order = np.random.default_rng(seed).permutation(spec.rows * spec.cols)[:cells]
    for place in order.tolist():
        game.open(divmod(place, spec.cols))
    return game


@pytest.mark.parametrize("clues", list(CLUE_MODELS))
def test_risks_are_calibrated(clues: str) -> None:
    """Of cells with a risk between 0.2 and 0.3, between 20 and 30 % are mines, and so on."""
    risks, mines = [], []
    for seed in range(1000):
        game = opened_at_random(Spec(4, 5, 5), clues, seed, 4)
        found = analyze(game.board).probabilities
        hidden = ~np.isnan(found)
        risks.append(found[hidden])
        mines.append(game.layout.mines[hidden])
    risk, mine = np.concatenate(risks), np.concatenate(mines)
    for low in np.arange(0, 1, 0.1):
        inside = (risk > low) & (risk < low + 0.1)
        count = int(inside.sum())
        if count < 300:
            continue
        # Cells of one board depend on each other, hence four deviations of independent ones.
        share, mean = mine[inside].mean(), risk[inside].mean()
        assert abs(share - mean) < 4 * (mean * (1 - mean) / count) ** 0.5, (clues, low)
        assert low - 0.01 < share < low + 0.11


def test_a_guess_is_worded_as_the_move_of_an_analysis() -> None:
    game = Game(Layout.parse("*...\n....\n...*"), Rules("sweep", "any"))
    steps = list[Step]()
    play(game, agent("exact"), watch=steps.append)
    move = analyze(Board(np.full((3, 4), -1), mines=2), move="safest").move
    assert move is not None
    assert (steps[0].cell, steps[0].reason) == (move.cell, move.reason)
    assert move.reason == "one of 12 cells with the lowest risk"


def test_risks_that_differ_by_the_tolerance_are_alike() -> None:
    """Ratios and exact risks alike: the tie goes to the corner, not to the lower risk."""
    known = Knowledge(agent("single+mean-ratio"), Board.parse("mines: 2\n????"), 0)
    inside, corner = known.index((0, 1)), known.index((0, 3))
    lowest, _ = policies._lowest(known, {inside: 0.25, corner: 0.25 + ALIKE})
    assert known.corners_first(lowest) == corner
    risks = np.array([[1.0, 0.25, 1.0, 0.25 + ALIKE]])
    assert choose(SQUARE, risks, [], []) == Choice((0, 3), 0.25, 2, False)


@pytest.mark.parametrize("guess", ["lowest-risk", "win"])
def test_an_agent_that_must_open_a_mine_opens_the_first(guess: str) -> None:
    """The total proves that all hidden cells are mines, but the agent does not deduce from it."""
    told = Agent("told", ("single",), guess, told_total=True, deduce_total=False)
    for seed in (281, *range(40)):
        record = play(Game(Spec(6, 6, 14), Rules("sweep"), seed), told, seed)
        assert record.opened + record.exploded <= 36
