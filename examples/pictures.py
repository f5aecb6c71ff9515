"""Make the pictures of the README and of the docs: `python examples/pictures.py [FOLDER]`.

The pictures are an expert board with every risk, an explanation, the engines side by side, the
influence graph of a game, and the review of a game. Each is made as SVG for light and dark
backgrounds, and as PNG.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator
from pathlib import Path

import csp_mines
from csp_mines.analysis.comparison import compare
from csp_mines.explanation.explain import explain
from csp_mines.games.agents import agent
from csp_mines.games.game import Game, Rules, level
from csp_mines.games.influence import trace
from csp_mines.pictures.analyses import draw_analysis
from csp_mines.pictures.canvas import Drawing
from csp_mines.pictures.comparisons import draw_comparison
from csp_mines.pictures.influence import draw_influence
from csp_mines.pictures.proofs import draw_explanation
from csp_mines.pictures.reviews import draw_review

ROOT = Path(__file__).parents[1]
ENGINES = ["single", "subtraction:1", "subtraction", "gauss", "pysat", "cpsat", "native"]
EXPLAINED = (4, 17)  # five clues, in three steps and a conclusion


def drawings(theme: str) -> Iterator[tuple[str, Drawing]]:
    """Every picture with its name."""
    board = csp_mines.Board.read(ROOT / "examples" / "boards" / "patterns" / "expert.txt")
    analysis = csp_mines.analyze(board)
    yield "analysis", draw_analysis(analysis, theme=theme)
    yield "explanation", draw_explanation(board, explain(analysis, EXPLAINED), theme=theme)
    yield "comparison", draw_comparison(compare(analysis.frontier, ENGINES), theme=theme)
    game = Game(level("expert"), Rules(start="zero"), seed=11)
    yield "influence", draw_influence(trace(game, agent("exact")), theme=theme)
    played = Game(level("expert"), seed=26)
    csp_mines.play(played, "resolution", 26)
    yield "review", draw_review(csp_mines.review(played, explain=False), theme=theme)


def main(folder: Path) -> None:
    folder.mkdir(parents=True, exist_ok=True)
    for theme in ("light", "dark"):
        for name, drawing in drawings(theme):
            drawing.save(folder / f"{name}-{theme}.svg")
            if theme == "light":
                drawing.save(folder / f"{name}.png", scale=1.5)


if __name__ == "__main__":
    main(Path(sys.argv[1]) if len(sys.argv) > 1 else ROOT / "docs" / "pictures")
