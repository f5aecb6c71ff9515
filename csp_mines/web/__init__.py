"""The page: a small server on this machine, and in `static/` the files that the server sends to the
browser."""
