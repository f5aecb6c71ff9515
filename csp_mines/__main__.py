"""`python -m csp_mines` is `csp-mines`."""

from csp_mines.cli import main

if __name__ == "__main__":
    main()
