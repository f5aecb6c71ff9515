"""Generate no-guess games, puzzles and positions; grade layouts; make and check certificates."""
