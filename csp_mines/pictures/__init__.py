"""Pictures: shapes, boards, results drawn on boards, curves, and puzzles to print."""
