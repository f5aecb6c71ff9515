"""Screenshots of Minesweeper programs, read as boards. No rule is made for one particular program.
`read_picture` finds the tiles of a board by edges that repeat at nearly equal distances. It finds
the meaning of each tile by the drawing on the tile, by comparing all tiles with each other, and by
checking that the numbers can be true."""

from csp_mines.screenshots.reading import SURE, Reading, read_picture

__all__ = ["SURE", "Reading", "read_picture"]
