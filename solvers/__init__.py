"""The engines behind csp_mines. Each module is one backend; none is imported before it is used."""
