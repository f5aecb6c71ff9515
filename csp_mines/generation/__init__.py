"""Layouts and boards on request: no-guess games, puzzles, positions, their grades and
certificates."""
