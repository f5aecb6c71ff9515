"""The page: a small server on this machine, and the files in `static/` that the server sends to
browsers."""
