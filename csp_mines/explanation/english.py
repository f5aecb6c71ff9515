"""One English sentence for each step of an argument.

`reasoning.py` finds the steps; this module puts them into words.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence

from csp_mines.board import EXPLODED, MARKED, Cell
from csp_mines.constraints import Frontier
from csp_mines.explanation.argument import Inference, Rule, Sentence
from csp_mines.words import clue_text, few, joined

_NUMBERS = ("no", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten")
_MANY_CELLS = 9  # with more cells, a text gives only their number
# If a step subtracts more than this many sentences from the total, its text does not say how many
# mines each sentence allows, only how many all of them allow together.
_MANY_SOURCES = 5


class Wording:
    """Puts the steps of an argument about one board into words."""

    def __init__(self, frontier: Frontier) -> None:
        self.frontier = frontier

    def sentence(self, step: Inference) -> str:
        """Return a step as one English sentence. The step must not be a clue, the total or a
        supposition."""
        text = self.step(step)
        return f"{text[:1].upper()}{text[1:]}."

    def step(self, step: Inference) -> str:
        """Return what `sentence` returns, without a capital letter at the beginning and without a
        full stop."""
        if step.rule is Rule.CASE:
            return self._case(step)
        if step.sentence.impossible:
            return self._clash(step)
        words = {
            Rule.SINGLE: self._single,
            Rule.PAIR: self._pair,
            Rule.ROWS: self._rows,
            Rule.SUM: self._sum,
        }
        return words[step.rule](step)

    def conclusion(self, sentence: Sentence) -> str:
        """Return a `Sentence` in words, such as `(0,1) is a mine` or `(0,1) and (0,2) hold at most
        one mine`."""
        single = len(sentence.cells) == 1
        if sentence.all_safe:
            return f"{self._cells(sentence.cells)} {'is' if single else 'are'} safe"
        if sentence.all_mines:
            return f"{self._cells(sentence.cells)} {'is a mine' if single else 'are mines'}"
        return f"{self._cells(sentence.cells)} {'holds' if single else 'hold'} {_amount(sentence)}"

    def clue(self, statement: int) -> str:
        """Return a clue as text, such as `(3,4)=1`. `statement` is the index of the clue in
        `frontier.statements`."""
        told = self.frontier.statements[statement]
        label = self.frontier.board.geometry.label(told.cell)
        return clue_text(label, self.frontier.model.relation, told.shown)

    def _single(self, step: Inference) -> str:
        main, *facts = step.premises
        concluded = self.conclusion(step.sentence)
        if main.statement is None:
            known = "".join(f", and {self.conclusion(fact.sentence)}" for fact in facts)
            return f"{self.conclusion(main.sentence)}{known}: so {concluded}"
        name, around = self.clue(main.statement), self._around(main, step.known)
        if step.sentence.all_safe:
            return f"{name} {_satisfied(around)}: so {concluded}"
        needed = _number(len(step.sentence.cells))
        still = "still needs" if around else "needs"
        mines = "mine" if needed == "one" else "mines"
        places = self._cells(step.sentence.cells)
        return f"{name} {still} {needed} {mines} and has only {places} left: so {concluded}"

    def _around(self, main: Inference, known: Mapping[int, bool]) -> list[str]:
        """Return the names of the known mines around the clue of the step `main`, sorted by cell:
        marked cells, opened mines, and hidden cells that are mines in `known`."""
        assert main.statement is not None
        board = self.frontier.board
        at = self.frontier.statements[main.statement].cell
        seen = [cell for cell in board.neighbours(at) if board[cell] in (MARKED, EXPLODED)]
        proved = self.frontier.cells(cell for cell in main.sentence.cells if known.get(cell))
        return list(map(self._name, sorted([*seen, *proved])))

    def _pair(self, step: Inference) -> str:
        first, second = step.premises[:2]
        if step.sentence.cells <= first.sentence.cells - second.sentence.cells:
            first, second = second, first
        told = self._says(first, step.known) + self._between(step, first, second)
        return f"{told}; {self._says(second, step.known)}; so {self.conclusion(step.sentence)}"

    def _between(self, step: Inference, first: Inference, second: Inference) -> str:
        """Return a clause such as `, so at most one mine in (0,1) and (0,2)`. The clause gives a
        bound on the mines in the cells that `first` and `second` share. The bound follows from
        `first`. Cells that are known to `step` are left out.

        Return an empty text if all cells of `first` are also in `second`, or if the conclusion of
        `step` is not about exactly the cells that only `second` has."""
        part, whole = first.sentence.given(step.known), second.sentence.given(step.known)
        shared = part.cells & whole.cells
        if step.sentence.cells != whole.cells - part.cells or shared == part.cells:
            return ""
        low = max(0, part.low - len(part.cells - shared))
        high = min(part.high, len(shared))
        most = step.sentence.low > max(0, whole.low - len(shared))
        bound = Sentence(shared, 0, high) if most else Sentence(shared, low, len(shared))
        return f", so {_amount(bound)} in {self._cells(shared)}"

    def _says(self, step: Inference, known: Mapping[int, bool]) -> str:
        """Return the sentence of a step in words, without the `known` cells. A clue becomes, for
        example, `(0,1)=2, with (0,0) a mine, leaves one mine in (1,0) and (1,1)`. Any other step is
        put into words by `conclusion`."""
        left = step.sentence.given(known)
        if step.statement is None:
            return self.conclusion(left)
        name, besides = self.clue(step.statement), self._around(step, known)
        if besides:
            mines = f"{besides[0]} a mine" if len(besides) == 1 else f"mines at {joined(besides)}"
            name += f", with {mines},"
        return f"{name} leaves {_amount(left)} in {self._cells(left.cells)}"

    def _rows(self, step: Inference) -> str:
        """Return a step by the rule `rows` in words: which clues are added, which clues are
        subtracted, the resulting sum, and the conclusion."""
        told, known = list(zip(step.premises, step.factors, strict=False)), step.known
        weights: Counter[int] = Counter()
        right = 0
        for main, factor in told:
            left = main.sentence.given(known)
            weights.update(dict.fromkeys(left.cells, factor))
            right += factor * left.low
        nothing = max(weights.values()) <= 0  # then `right` is 0 and the cells counted are safe
        added, taken = (
            joined(
                f"{_times(sign * factor)}{self._with_mines(main, known)}"
                for main, factor in told
                if sign * factor > 0
            )
            for sign in ((-1, 1) if nothing else (1, -1))
        )
        if nothing:
            told_sum = f"{self._mines_in(weights, -1)} make 0"
        else:
            less = f" minus {self._mines_in(weights, -1)}" if min(weights.values()) < 0 else ""
            told_sum = f"{self._mines_in(weights, 1)}{less} make {right}, and cannot make more"
        concluded = self.conclusion(step.sentence)
        return f"{added} together, minus {taken}, say: {told_sum}; so {concluded}"

    def _mines_in(self, weights: Mapping[int, int], sign: int) -> str:
        """Return words for the cells whose weight has the sign `sign` (1 or -1), such as `the mines
        in (0,1) and twice the mines in (0,2)`. `weights` says how often a sum adds the mines of
        each cell; a negative weight says how often the sum subtracts them."""
        groups: dict[int, set[int]] = {}
        for cell, weight in weights.items():
            if sign * weight > 0:
                groups.setdefault(sign * weight, set()).add(cell)
        return joined(
            f"{_times(weight)}the mines in {self._cells(frozenset(groups[weight]))}"
            for weight in sorted(groups)
        )

    def _with_mines(self, step: Inference, known: Mapping[int, bool]) -> str:
        """Return a clue with the known mines around the clue: `(3,4)=2 with a mine at (3,3)`. If no
        mine is known there, return only the clue."""
        assert step.statement is not None
        besides = self._around(step, known)
        if not besides:
            return self.clue(step.statement)
        what = "a mine" if len(besides) == 1 else "mines"
        return f"{self.clue(step.statement)} with {what} at {joined(besides)}"

    def _sum(self, step: Inference) -> str:
        """Return a step by the rule `sum` in words: how many mines are left in the hidden cells,
        how many of these mines are in the cells of the subtracted sentences, and the
        conclusion."""
        total, *sources = step.premises[: step.mains]
        left = total.sentence.given(step.known)
        concluded = self.conclusion(step.sentence)
        if left.low == 0:
            return f"all mines are found: so {concluded}"
        mines = "mine is" if left.low == 1 else "mines are"
        places = self._cells(left.cells, "hidden cells")
        start = f"{_number(left.low)} {mines} left in {places}"
        if not sources:
            return f"{start}: so {concluded}"
        held = [source.sentence.given(step.known) for source in sources]
        most = min(sum(sentence.high for sentence in held), left.low)
        amount = _range(sum(sentence.low for sentence in held), most)
        if len(sources) <= _MANY_SOURCES:
            named = joined(
                f"{self._source(source)} ({_amount(rest)} in {self._cells(rest.cells)})"
                for source, rest in zip(sources, held, strict=True)
            )
        else:
            named = joined(few(dict.fromkeys(self._source(source) for source in sources)))
        takes = "account" if len(sources) > 1 else "accounts"
        return f"{start}; {named} {takes} for {amount} of them; so {concluded}"

    def _source(self, step: Inference) -> str:
        if step.statement is not None:
            return self.clue(step.statement)
        return f"what is known of {self._cells(step.sentence.cells)}"

    def _case(self, step: Inference) -> str:
        supposed = self.conclusion(step.premises[0].sentence)
        inner = "; ".join(self.step(inner_step) for inner_step in step.inside)
        concluded = self.conclusion(step.sentence)
        return f"suppose {supposed}: then {inner}: a contradiction, so {concluded}"

    def _clash(self, step: Inference) -> str:
        """Return words for a step whose conclusion is impossible, such as `(0,1)=1 would have too
        many mines`."""
        if step.rule is Rule.SUM:
            wrong = "would be exceeded" if step.sentence.high < 0 else "cannot be reached"
            return f"the total number of mines {wrong}"
        if step.rule is Rule.PAIR:
            told = "; ".join(self._says(main, step.known) for main in step.premises[:2])
            return f"{told}; the last two cannot both be true"
        main = step.premises[0]
        name = "but" if main.statement is None else self.clue(main.statement)
        said = f"{self.conclusion(main.sentence)}, " if main.statement is None else ""
        if step.sentence.high < 0:
            return f"{said}{name} would have too many mines"
        room = self._cells(step.sentence.cells) if step.sentence.cells else "no cell"
        return f"{said}{name} would still need {_amount(step.sentence)} with {room} left"

    def _name(self, cell: Cell) -> str:
        return f"({self.frontier.board.geometry.label(cell)})"

    def _cells(self, cells: frozenset[int], kind: str = "other hidden cells") -> str:
        """Return the names of the cells. If there are more than `_MANY_CELLS`, return only their
        number and `kind`, such as `the 12 other hidden cells`."""
        if len(cells) > _MANY_CELLS:
            return f"the {len(cells)} {kind}"
        return joined(map(self._name, sorted(self.frontier.cells(cells))))


def _satisfied(places: Sequence[str]) -> str:
    """Return words for a clue that needs no more mines, such as `already has its mine at (0,1)`.
    `places` has the names of the known mines around the clue. If there are none, return `has no
    mine around it`."""
    if not places:
        return "has no mine around it"
    which = {1: "its mine", 2: "both its mines"}
    its = which.get(len(places), f"its {_number(len(places))} mines")
    return f"already has {its} at {joined(places)}"


def _times(factor: int) -> str:
    return {1: "", 2: "twice "}.get(factor, f"{factor} times ")


def _number(number: int) -> str:
    return _NUMBERS[number] if number < len(_NUMBERS) else str(number)


def _range(low: int, high: int) -> str:
    if low == high:
        return _number(low)
    if low == 0:
        return f"at most {_number(high)}"
    return f"{_number(low)} {'or' if high == low + 1 else 'to'} {_number(high)}"


def _amount(sentence: Sentence) -> str:
    """Return how many mines a sentence allows, in words such as `one mine`, `at most two mines`,
    `at least one mine` or `one or two mines`."""
    low, high = max(sentence.low, 0), sentence.high
    if low >= len(sentence.cells):
        text, last = _number(low), low
    elif low > 0 and high >= len(sentence.cells):
        text, last = f"at least {_number(low)}", low
    else:
        text, last = _range(low, high), high
    return f"{text} mine{'' if last <= 1 else 's'}"
