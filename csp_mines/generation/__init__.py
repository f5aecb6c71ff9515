"""Boards on purpose: games without guesses, graded and certified, puzzles, positions."""
