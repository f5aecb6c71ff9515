"""Boards on purpose: games without guesses, positions in the middle of a game."""
