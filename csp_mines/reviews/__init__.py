"""Reviews of one game or of many: every move is judged by the chance to win."""
