"""Layouts and boards on request: graded and certified no-guess games, puzzles, positions."""
