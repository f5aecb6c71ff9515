"""`csp-mines review`: recorded games, judged move by move."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from json import dumps
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

from csp_mines import defaults
from csp_mines.cli import INTERRUPTED, files, options
from csp_mines.cli.console import err, fits, numbers_table, out, progress, show_json, show_table
from csp_mines.cli.groups import argument, option
from csp_mines.errors import InputError
from csp_mines.words import joined, plural

if TYPE_CHECKING:
    from rich.table import Table

    from csp_mines import Cell, Review, ReviewedMove
    from csp_mines.reviews.many import Group, Reviews, Settings


def review(
    games: Annotated[
        list[str],
        argument(
            "GAME...",
            "Recorded games, or folders of them: .jsonl logs of 'play --log', RAWVF texts, "
            "AVF, EVF, RMV and MVF videos.",
        ),
    ],
    *,
    player: Annotated[
        str, option("The reference player: win, win:fast or win:strong.")
    ] = defaults.PLAYER,
    precision: Annotated[
        float,
        option(
            "The largest standard error of an estimated win chance. Half this value takes "
            "four times as long.",
            metavar="P",
        ),
    ] = defaults.REVIEW_PRECISION,
    seconds: Annotated[
        float | None,
        option(
            "Use this time for each game, instead of the time that --precision needs.",
            metavar="S",
            parser=options.seconds,
        ),
    ] = None,
    move: Annotated[
        int | None,
        option("Show the board before opening number N, and how this opening is judged.", min=1),
    ] = None,
    unfinished: Annotated[
        bool, option("Also review games that were not played to their end.")
    ] = False,
    workers: Annotated[
        int | None,
        option("Worker processes. By default one per core; at most four per core.", "-w", min=1),
    ] = None,
    kept: Annotated[
        str | None,
        option(
            "Keep every review in this SQLite file, and show the table for many games. A game in "
            "this file is reviewed again only if the recording, the options or csp-mines have "
            "changed.",
            "--out",
            "-o",
            metavar="FILE",
        ),
    ] = None,
    csv: Annotated[
        Path | None, option("Also write one row for each game to this CSV file.")
    ] = None,
    table: Annotated[
        Path | None,
        option(
            "Also write the table for many games: as JSON if the name ends in .json, else as CSV."
        ),
    ] = None,
    by: Annotated[
        str,
        option("One or more columns by which to group the table for many games.", metavar="NAMES"),
    ] = "player,level,month",
    drawn: options.Drawn,
    seed: options.Seed = 0,
    json: options.Json = False,
) -> int:
    """Judge every opening of recorded games: was it proved, was the guess good, was it luck?

    csp-mines review game.avf --picture curve.svg

    A guess lost V − Q points. V is the chance of the reference player to win from the board before
    the guess. Q is its average chance after the guess; a mine counts as 0. Luck is V before the
    next guess minus Q; for the last guess, it is the result (1 or 0) minus Q. A needless guess
    opens an unproved cell while another cell is proved safe. The picture shows V through one game,
    or the trends of many games.
    """
    from csp_mines.reviews.many import GROUPS, Settings, review_many

    names = [name.strip() for name in by.split(",") if name.strip()]
    unknown = [name for name in names if name not in GROUPS]
    if unknown:
        raise InputError(f"--by takes {', '.join(GROUPS)}, not {unknown[0]!r}")
    if kept == "":
        raise InputError("--out needs a file name, such as --out reviews.db")
    settings = Settings(player, precision, seconds, seed, unfinished)
    written = _Files(csv, table, names, drawn)
    written.keep(games)
    alone = len(games) == 1 and not Path(games[0]).is_dir()
    if alone and kept is None:
        return _one(games[0], settings, move, written, json=json)
    if move is not None:
        raise InputError("--move works with one game only, and without --out")
    show = _Lines(json=json)
    try:
        with show.bar:
            reviews = review_many(
                games,
                **vars(settings),
                workers=workers,
                store=kept,
                watch=show.watch,
                take=show.take,
            )
    except KeyboardInterrupt:
        where = "not kept"
        if kept is not None:
            where = f"kept in {kept}; run the same command again to review the others"
        err().print(f"interrupted: {show.done:,} of {plural(show.total, 'game')} reviewed, {where}")
        return INTERRUPTED
    written.write(reviews)
    if not json and reviews.rows:
        show_table(_means(reviews.groups(names), names))
    if not reviews.rows and not reviews.failures:
        raise InputError(f"no recorded games in {', '.join(games)}")
    return 2 if reviews.failures else 0


class _Lines:
    """The output while games are reviewed: a bar, errors, and with --json one line per game."""

    def __init__(self, *, json: bool) -> None:
        self.json = json
        self.done = self.total = 0
        self.bar = progress()
        self.task = self.bar.add_task("games", total=None)

    def watch(self, done: int, total: int) -> None:
        self.done, self.total = done, total
        self.bar.update(self.task, completed=done, total=total)

    def take(self, name: str, result: dict[str, Any] | str) -> None:
        if isinstance(result, str):
            self.bar.console.print(f"csp-mines: {result}")
            if self.json:
                show_json({"file": name, "status": "error", "error": result})
        elif self.json:
            show_json(result)


@dataclass(frozen=True)
class _Files:
    """The files that the command writes besides its output: `csv` with a row for each game, `table`
    with the games grouped by `names`, and a picture."""

    csv: Path | None
    table: Path | None
    names: list[str]
    drawn: options.Drawn

    def keep(self, games: list[str]) -> None:
        """Raise InputError if a file to write is one of `games`, or a file in one of these
        folders."""
        from csp_mines.reviews.many import game_files

        if not any((self.csv, self.table, self.drawn.picture)):
            return
        for name in game_files(games):
            files.keep_input("--csv", self.csv, name)
            files.keep_input("--table", self.table, name)
            files.keep_input("--picture", self.drawn.picture, name)

    def write(self, reviews: Reviews, single: Review | None = None) -> None:
        """Write the files that the options name. The picture shows the curve of the game `single`,
        or without `single` the trends of all games."""
        if self.csv is not None:
            _write_csv(self.csv, reviews.rows)
        if self.table is not None:
            groups = [group.to_json() for group in reviews.groups(self.names)]
            if self.table.suffix == ".json":
                text = dumps(groups, indent=2, ensure_ascii=False)
                files.write_whole(self.table, text + "\n")
            else:
                _write_csv(self.table, groups)
        if self.drawn.picture is not None:
            from csp_mines.pictures.reviews import draw_review, draw_trends

            theme = self.drawn.theme
            if single is None:
                picture = draw_trends(reviews, theme=theme)
            else:
                picture = draw_review(single, theme=theme)
            picture.save(self.drawn.picture)


def _write_csv(path: Path, rows: Sequence[Mapping[str, Any]]) -> None:
    files.write_csv(path, list(rows[0]) if rows else ["file"], rows)


def _one(name: str, settings: Settings, move: int | None, written: _Files, *, json: bool) -> int:
    from csp_mines.reviews.many import Reviews

    reviewed = settings.review(name)
    if move is not None and move > len(reviewed.moves):
        raise InputError(
            f"--move {move} is too large: the game has {plural(len(reviewed.moves), 'opening')}"
        )
    written.write(Reviews([{"file": name} | reviewed.summary()]), reviewed)
    if json:
        document = {"file": name} | reviewed.to_json()
        show_json(document if move is None else reviewed.moves[move - 1].to_json())
    elif move is not None:
        _show_move(reviewed.moves[move - 1])
    else:
        out().print("\n".join(_summary(reviewed)))
        if reviewed.guesses:
            show_table(_moves(reviewed))
    return 0


def _summary(review: Review) -> list[str]:
    recording = review.recording
    who = f" by {recording.player}" if recording.player else ""
    when = f", {recording.date}" if recording.date else ""
    lines = [f"{review.name}: {recording.level}{who}{when}", review.text]
    if review.note:
        lines.append(review.note)
    elif review.weighed and review.start is not None and review.accuracy is not None:
        names = {"inaccuracy": "inaccuracies", "mistake": "mistakes", "blunder": "blunders"}
        faults = ", ".join(plural(review.count(name), name, more) for name, more in names.items())
        lines.append(
            f"win chance at the first guess {review.start:.1%}, accuracy {review.accuracy:.0%}; "
            f"{faults}"
        )
    lines.append(f"surprise {review.bits:.2f} bits (pLuck {review.pluck:.2f})")
    return [*lines, _deductions(review), _speed(review)]


def _deductions(review: Review) -> str:
    grade = review.board_grade
    if grade is not None:
        board = f"can be won without a guess, grade {grade}"
    elif review.won and len(review.moves) == 1:
        board = "is won by its first opening"
    else:
        board = "needs a guess"
    parts = [f"the board {board}"]
    if review.hardest_found is not None:
        parts.append(f"hardest deduction found: {review.hardest_found}")
    if review.hardest_missed is not None:
        parts.append(f"missed: {review.hardest_missed}")
    if review.wrong_marks:
        parts.append(plural(review.wrong_marks, "wrong mark"))
    return "; ".join(parts)


def _speed(review: Review) -> str:
    parts = [f"3BV {review.three_bv_solved} of {review.three_bv}"]
    if review.seconds is not None and review.three_bv_per_second is not None:
        parts.append(f"{review.seconds:.2f} s, 3BV/s {review.three_bv_per_second:.2f}")
    if review.efficiency is not None:
        parts.append(f"efficiency {review.efficiency:.0%}")
    if review.zini is not None:
        parts.append(f"ZiNi {review.zini}")
    proved, guessing = review.thought("proved"), review.thought("forced", "needless")
    if proved is not None:
        parts.append(f"thought {proved:.2f} s in all before proved moves")
    if guessing is not None:
        parts.append(f"thought {guessing:.2f} s in all before guesses")
    return ", ".join(parts)


def _moves(review: Review) -> Table:
    """Return the table of a game's guesses, with one row per guess."""
    timed = any(move.thought is not None for move in review.guesses)
    numbers = [*(["seconds"] if timed else []), "risk", "lowest", "V", "lost", "luck"]
    table = numbers_table("opening", "cell", "guess", numbers=numbers)
    table.add_column("reference player, or proof", min_width=20)
    for move in review.guesses:
        sign = "" if move.fault is None else f", {move.fault}"
        weighed = move.weighed
        table.add_row(
            str(move.turn),
            move.board.geometry.label(move.cell) + (" chord" if move.kind == "chord" else ""),
            f"{move.verdict}{sign}{', a mine' if move.mine else ''}",
            *([_thought(move)] if timed else []),
            f"{move.risk:.1%}",
            f"{move.lowest_risk:.1%}",
            "" if weighed is None else f"{weighed.value.value:.1%}",
            "" if weighed is None else _points(weighed.lost.value, weighed.lost.error),
            "" if move.luck is None else f"{100 * move.luck:+.1f}",
            _beside(move),
        )
    return table


def _thought(move: ReviewedMove) -> str:
    return "" if move.thought is None else f"{move.thought:.2f}"


def _points(value: float, error: float) -> str:
    from csp_mines.sampling import Z95

    margin = f" ± {100 * Z95 * error:.1f}" if error else ""
    return f"{100 * value:.1f}{margin}"


def _beside(move: ReviewedMove) -> str:
    """Return the text of the last column: the easiest cell that was proved safe or, if no cell was
    proved safe, the cell that the reference player opens. If the guess opened the same cell, the
    text says so. If the move of the reference player is not known, the text is empty."""
    label = move.board.geometry.label
    if move.easiest is not None:
        return f"{label(move.easiest.cell)} was proved safe ({move.easiest.grade})"
    if move.weighed is None:
        return ""
    better = _better(move)
    if better is None:
        return "the same cell"
    return f"{label(better)}, risk {move.weighed.reference.risk:.1%}"


def _show_move(move: ReviewedMove) -> None:
    from csp_mines.cli.board_text import BoardView

    console = out()
    kind = "chord" if move.kind == "chord" else "opening"
    console.print(
        f"{kind} {move.turn}, cell {move.board.geometry.label(move.cell)}: {move.verdict}"
    )
    view = BoardView(move.board, highlight={move.cell: ""})
    opened, other = ("[]", "()") if view.window.wide > 1 else ("#", "@")
    labels = dict.fromkeys(move.cells, (opened, "bold reverse"))
    better = _better(move)
    if better is not None:
        labels[better] = (other, "bold reverse")
    console.print(replace(view, labels=labels).text)
    named = "" if better is None else f", {other} the cell named below"
    console.print(f"{opened} opened{named}", style="dim")
    console.print("\n".join(_told(move)))


def _better(move: ReviewedMove) -> Cell | None:
    """Return the cell to compare with the opened cell: the easiest cell that was proved safe or, if
    no cell was proved safe, the cell that the reference player opens. Return None if the reference
    player opens the same cell, or if its move is not known."""
    if move.easiest is not None:
        return move.easiest.cell
    if move.weighed is None or (move.weighed.reference.cell,) == move.cells:
        return None
    return move.weighed.reference.cell


def _told(move: ReviewedMove) -> list[str]:
    """Return sentences that say how a move is judged, and why."""
    happened = "it was a mine" if move.mine else f"it opened {plural(move.opened, 'cell')}"
    if move.thought is not None:
        happened += f", {_thought(move)} s after the previous opening"
    if not move.guess:
        grade = f" ({move.grade})" if move.grade else ""
        if move.kind == "start":
            return [f"The game itself made this opening; {happened}."]
        if move.turn == 1 and not grade:
            return [f"The first opening counts as proved safe; {happened}."]
        return [f"The opening was proved safe{grade}; {happened}."]
    lines = [f"The risk was {move.risk:.2%}, the lowest risk {move.lowest_risk:.2%}; {happened}."]
    weighed = move.weighed
    if weighed is not None:
        layouts = plural(weighed.layouts, "layout")
        how = f"on all {layouts}" if weighed.exact else f"on {layouts} drawn at random"
        reference = weighed.reference
        lines.append(
            f"The reference player wins {weighed.value.value:.1%} from here, and "
            f"{weighed.chance.value:.1%} after this opening ({how}): lost "
            f"{_points(weighed.lost.value, weighed.lost.error)} points"
            + (f", {move.fault}." if move.fault else ".")
        )
        if move.easiest is None:
            cell = move.board.geometry.label(reference.cell)
            lines.append(f"The reference player opens {cell}: {reference.reason}.")
    if move.luck is not None:
        lines.append(f"Luck: {100 * move.luck:+.1f} points.")
    if move.easiest is not None:
        lines.append(
            f"{move.board.geometry.label(move.easiest.cell)} was proved safe: {move.easiest.text}"
        )
    return lines


NARROW = ("3BV/s", "forced", "mistakes")  # left out one after another in a narrow terminal


def _means(groups: Sequence[Group], names: Sequence[str]) -> Table:
    """Return the table of many games, with one row per group. In a narrow terminal, leave out as
    few columns of `NARROW` as possible, so that no name is wrapped. If names have to be wrapped in
    any case, leave out as few as possible, so that no word is cut."""
    tables = [_groups(groups, names, NARROW[:left]) for left in range(len(NARROW) + 1)]
    whole = (table for table in tables if fits(table))
    words = (table for table in tables if fits(table, str.split))
    return next(whole, None) or next(words, tables[-1])


def _groups(groups: Sequence[Group], names: Sequence[str], left: Sequence[str]) -> Table:
    """Return the table of many games without the columns `left`."""
    rows = [_numbers(group) for group in groups]
    heads = [head for head in rows[0] if head not in left]
    notes = ["Means per game; lost and luck in points"]
    if "mistakes" in heads:
        notes.append("mistakes include blunders")
    if left:
        notes.append(f"a wider terminal also shows {joined(left)}")
    table = numbers_table(*names, numbers=heads, title="; ".join(notes))
    for group, row in zip(groups, rows, strict=True):
        known = (getattr(group, name) or "?" for name in names)
        table.add_row(*known, *(row[head] for head in heads))
    return table


def _numbers(group: Group) -> dict[str, str]:
    """Return the numbers of a group as texts, by the headings of their columns."""
    speed = group.three_bv_per_second
    return {
        "games": f"{group.games:,}",
        "won": f"{group.won / group.games:.1%}",
        "lost": "" if group.lost is None else f"{100 * group.lost:.1f}",
        "luck": "" if group.luck is None else f"{100 * group.luck:+.1f}",
        "accuracy": "" if group.accuracy is None else f"{group.accuracy:.0%}",
        "forced": f"{group.forced:.2f}",
        "needless": f"{group.needless:.2f}",
        "mistakes": f"{group.mistakes + group.blunders:.2f}",
        "3BV/s": "" if speed is None else f"{speed:.2f}",
    }
