"""Loads the modules and engines that every worker needs. The fork server imports this module once,
and workers are forked from the fork server, so a new worker is ready within milliseconds. On
systems without a fork server, each worker imports this module at its start."""

from csp_mines.web.tasks import answer

# This request loads the engines that analyses and explanations use.
answer("explain", b'{"board": "?1?1?", "mines": 1, "cell": [0, 2]}')
