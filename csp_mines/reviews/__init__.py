"""Reviews: every move of a game judged by the chance to win, one game or many."""
