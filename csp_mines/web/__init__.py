"""The page: a small server on this machine, and in `static/` what it serves."""
