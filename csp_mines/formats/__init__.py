"""Notations: the ways in which this program and others write boards and layouts.

A module that defines one notation calls it `NOTATION`. `plain` has the notations that are only rows
of cells. `registry` finds all notations. `reading` reads and writes boards and layouts in any
notation. `parts` finds where each board ends in a text with several boards."""

from csp_mines.formats.canonical import SYMBOLS as SYMBOLS
from csp_mines.formats.notation import Contents as Contents
from csp_mines.formats.notation import Notation as Notation
from csp_mines.formats.parts import between as between
from csp_mines.formats.reading import Part as Part
from csp_mines.formats.reading import board_of as board_of
from csp_mines.formats.reading import encode_layout as encode_layout
from csp_mines.formats.reading import interpret as interpret
from csp_mines.formats.reading import is_picture as is_picture
from csp_mines.formats.reading import layout_of as layout_of
from csp_mines.formats.reading import load as load
from csp_mines.formats.reading import parse as parse
from csp_mines.formats.reading import parse_layout as parse_layout
from csp_mines.formats.reading import split as split
from csp_mines.formats.reading import write as write
from csp_mines.formats.reading import write_layout as write_layout
from csp_mines.formats.registry import all_notations as all_notations
from csp_mines.formats.registry import notation as notation
