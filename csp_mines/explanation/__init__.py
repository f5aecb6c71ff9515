"""Explanations: why a cell is safe, a mine or undecided, and how two guesses compare."""
