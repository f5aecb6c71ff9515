"""Pictures: a canvas, boards on it, results drawn on boards, curves."""
