"""Notations: boards as text, in the alphabets of this and of other programs."""

from csp_mines.formats.text import FORMATS, SYMBOLS, decode, parse, read, write

__all__ = ["FORMATS", "SYMBOLS", "decode", "parse", "read", "write"]
