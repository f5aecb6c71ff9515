"""Screenshots of Minesweeper programs, read as boards. No program is known: the grid is found by
its period, and tiles are named by comparing them with each other."""

from csp_mines.screenshots.reading import SURE, Reading, read_picture

__all__ = ["SURE", "Reading", "read_picture"]
