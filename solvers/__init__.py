"""The engines of csp_mines, and the modules that several engines share. An engine is imported when
it is first used."""
