"""The engines behind csp_mines. A module has one engine, or code that several engines share. No
engine is imported before it is used."""
