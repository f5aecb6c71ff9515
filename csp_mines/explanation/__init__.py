"""Explanations: why a cell is safe or a mine. Also the checker of explanations, and their
English."""
