"""Pictures: a canvas, boards on it, what is shown on boards, curves."""
