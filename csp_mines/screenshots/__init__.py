"""Screenshots of Minesweeper programs, read as boards. The reader knows no particular program. It
finds the tiles because their edges repeat at equal distances. It finds the meaning of each tile
from the drawing on the tile and by comparing all tiles with each other."""

from csp_mines.screenshots.reading import SURE, Reading, read_picture

__all__ = ["SURE", "Reading", "read_picture"]
