"""What follows from a board: certain cells, probabilities, the move; grades, conflicts, engines
side by side."""
