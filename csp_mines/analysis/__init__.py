"""Analyses of boards: certain cells, risks and the move. Also grades, conflicts, and comparisons of
engines."""
