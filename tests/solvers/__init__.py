"""The engines, one by one, where they differ."""
