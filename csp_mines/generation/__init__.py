"""Layouts and boards on request: no-guess games, puzzles, positions, grades and certificates."""
