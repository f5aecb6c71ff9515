"""Analyses of boards: certain cells, risks, the move, grades, conflicts, comparisons of engines."""
