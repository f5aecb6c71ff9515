"""The engines of csp_mines. Each module has one engine, or code that several engines share. An
engine is imported when it is first used."""
