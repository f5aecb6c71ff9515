"""Screenshots of Minesweeper programs, read as boards. The reader knows no particular program: it
finds the tiles because their edges repeat at equal distances, and finds out what each tile means by
its drawing and by comparing it with the other tiles."""

from csp_mines.screenshots.reading import SURE, Reading, read_picture

__all__ = ["SURE", "Reading", "read_picture"]
