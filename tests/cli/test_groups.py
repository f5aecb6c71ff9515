"""Groups of options: a command takes them as one parameter, typer sees each option."""

from __future__ import annotations

import inspect
from dataclasses import dataclass
from typing import Annotated

import pytest
import typer
from typer.testing import CliRunner

from csp_mines.cli.groups import with_options


@dataclass(frozen=True)
class Colours:
    ink: Annotated[str, typer.Option("--ink", help="The colour of the lines.")] = "black"
    paper: Annotated[str, typer.Option("--paper")] = "white"


@dataclass(frozen=True)
class Printed(Colours):
    copies: Annotated[int, typer.Option("--copies", "-n", min=1)] = 1


NIGHT = Colours(ink="white", paper="black")


def draw(
    name: Annotated[str, typer.Argument()],
    *,
    ink: Printed,  # named like one of its own options
    colours_of_frame: Annotated[str, typer.Option("--frame")] = "none",
) -> None:
    """Draw."""
    typer.echo(f"{name} {ink} {colours_of_frame}")


def paint(*, colours: Colours = NIGHT) -> None:
    typer.echo(str(colours))


def run(command: object, *arguments: str) -> tuple[int, str]:
    app = typer.Typer(rich_markup_mode=None, add_completion=False)
    app.command()(with_options(command))  # type: ignore[arg-type]
    result = CliRunner().invoke(app, arguments)
    return result.exit_code, result.output


def test_the_options_of_a_group_stand_in_its_place() -> None:
    assert list(inspect.signature(with_options(draw)).parameters) == [
        "name",
        "ink",
        "paper",
        "copies",
        "colours_of_frame",
    ]
    assert with_options(draw).__doc__ == "Draw."
    status, text = run(draw, "--help")
    assert status == 0
    assert "The colour of the lines.  [default: black]" in text


@pytest.mark.parametrize(
    ("arguments", "printed"),
    [
        (("a",), "a Printed(ink='black', paper='white', copies=1) none\n"),
        (
            ("a", "-n", "2", "--ink", "red", "--frame", "blue"),
            "a Printed(ink='red', paper='white', copies=2) blue\n",
        ),
    ],
)
def test_a_command_gets_the_group_as_one_value(arguments: tuple[str, ...], printed: str) -> None:
    assert run(draw, *arguments) == (0, printed)


def test_a_command_may_have_other_defaults() -> None:
    assert run(paint) == (0, "Colours(ink='white', paper='black')\n")
    assert run(paint, "--ink", "red") == (0, "Colours(ink='red', paper='black')\n")


def test_the_bounds_of_an_option_hold() -> None:
    status, text = run(draw, "a", "--copies", "0")
    assert status == 2
    assert "--copies" in text
