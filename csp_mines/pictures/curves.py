"""Plots with curves of scores or win rates by density. The ending of the file name says whether a
plot is a PNG or an SVG. Plots need matplotlib, which the extra `plots` installs."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from importlib.util import find_spec
from os import W_OK as WRITABLE
from os import access
from pathlib import Path
from typing import Any

from csp_mines.errors import FileError, InputError
from csp_mines.files import written_whole
from csp_mines.libraries import missing
from csp_mines.simulation.densities import CurvePoint

SUFFIXES = (".png", ".svg")
_DASHES = ("-", "--", "-.", ":")
_FEW = 5


def check_plot(path: str | Path) -> Path:
    """Return `path` as a Path if a plot can be written there. Call this before a long computation.

    Raises InputError unless the name ends in .png or .svg, FileError if the file cannot be written,
    MissingLibrary without matplotlib."""
    path = Path(path)
    if path.suffix.lower() not in SUFFIXES:
        raise InputError(f"a plot must be a {' or '.join(SUFFIXES)} file, not {path}")
    # A plot is a new file that replaces the old one (`written_whole`), so its folder counts, too.
    needed = (path, path.resolve().parent) if path.exists() else (path.parent,)
    if path.is_dir() or not all(access(each, WRITABLE) for each in needed):
        raise FileError(f"{path}: cannot be written")
    if find_spec("matplotlib") is None:
        raise missing("plots need matplotlib", "csp-mines[plots]")
    return path


def plot_curves(
    path: str | Path,
    curves: Mapping[str, Sequence[CurvePoint]],
    *,
    title: str,
    y_label: str = "average score",
) -> None:
    """Draw one curve for each name in `curves`, with the 95 % interval of each point, and save the
    plot at `path`. Raises what `check_plot` raises."""
    path = check_plot(path)
    import matplotlib
    from matplotlib.figure import Figure

    settings: dict[Any, Any] = {"svg.hashsalt": "csp-mines", "svg.fonttype": "none", "font.size": 9}
    with matplotlib.rc_context(settings):
        figure = Figure(figsize=(6.4, 4.2), layout="constrained")
        axes = figure.subplots()
        for place, (name, points) in enumerate(curves.items()):
            xs = [point.x for point in points]
            dash = _DASHES[place // 10 % len(_DASHES)]
            (line,) = axes.plot(
                xs,
                [point.y for point in points],
                dash,
                marker="o",
                markersize=2.5,
                linewidth=1.2,
                label=name,
            )
            lows, highs = [point.low for point in points], [point.high for point in points]
            axes.fill_between(xs, lows, highs, color=line.get_color(), alpha=0.15, linewidth=0)
        axes.set(title=title, xlabel="mine density", ylabel=y_label, ylim=(0, 1.02))
        axes.grid(alpha=0.3)
        if len(curves) <= _FEW:
            axes.legend(fontsize=8)
        else:  # inside the axes, a legend with so many names would cover the curves
            figure.legend(fontsize=8, loc="outside lower center", ncols=2)
        # Without the date, the same curves give the same file.
        kind = path.suffix.lower()[1:]
        metadata = {"Date": None} if kind == "svg" else None
        with written_whole(path, "wb") as file:
            figure.savefig(file, format=kind, dpi=110, metadata=metadata)
