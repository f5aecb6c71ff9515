"""The engines of csp_mines, one module each, and what several engines share. An engine is imported
when it is first used."""
