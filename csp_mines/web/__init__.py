"""The page: a small server on this machine, and the files in `static/` that it sends to
browsers."""
