"""Make layouts and boards on request: no-guess games, puzzles and positions, with their grades and
certificates."""
