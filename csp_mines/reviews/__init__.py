"""Reviews of one game or of many games: every guess is judged by its chance to win."""
