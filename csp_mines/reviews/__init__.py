"""Reviews of recorded games: a verdict on every move, and the win chance that each guess lost."""
