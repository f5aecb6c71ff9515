"""Imports the modules that every worker needs. The fork server imports this module once. The
workers are forked from the fork server, so a new worker is ready within milliseconds."""

from csp_mines.web.tasks import answer

# This request loads the engines that analyses and explanations use.
answer("explain", b'{"board": "?1?1?", "mines": 1, "cell": [0, 2]}')
