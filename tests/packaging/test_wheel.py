"""The wheel holds all that it needs: the conformance suite passes where only the wheel is."""

from __future__ import annotations

import os
import subprocess
import sys
import sysconfig
import zipfile
from pathlib import Path

import pytest

from csp_mines.backend import Capability, offered

ROOT = Path(__file__).parents[2]


@pytest.fixture(scope="module")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A wheel of the checkout. Its compiler reuses what the install of the checkout compiled."""
    folder = tmp_path_factory.mktemp("dist")
    building = ["--no-deps", "--no-build-isolation", "-q", "-w", str(folder), str(ROOT)]
    if offered(Capability.BOARDS) is None:
        building += ["-C", "wheel.cmake=false"]
    subprocess.run([sys.executable, "-m", "pip", "wheel", *building], check=True)
    (built,) = folder.glob("*.whl")
    return built


def test_it_has_the_packages_and_no_sources_of_the_kernel(wheel: Path) -> None:
    names = zipfile.ZipFile(wheel).namelist()
    assert {name.partition("/")[0] for name in names if ".dist-info" not in name} == {"csp_mines"}
    assert [name for name in names if name.endswith((".cpp", ".hpp", "CMakeLists.txt"))] == []
    kernel = [name for name in names if name.startswith("csp_mines/solvers/native/_kernel.")]
    assert len(kernel) == (1 if offered(Capability.BOARDS) is None else 2)  # the stub, and itself
    for needed in ("py.typed", "__init__.pyi", "web/static/index.html", "solvers/sat.py"):
        assert f"csp_mines/{needed}" in names


def test_engines_keep_their_promises_where_only_the_wheel_is(wheel: Path, tmp_path: Path) -> None:
    site = str(tmp_path / "site")
    installing = ["install", "-q", "--no-deps", "--no-compile", "--target", site, str(wheel)]
    subprocess.run([sys.executable, "-m", "pip", *installing], check=True)
    libraries = sysconfig.get_path("purelib")  # without its .pth files, hence without the checkout
    code = (
        "import sys, runpy, csp_mines\n"
        "assert csp_mines.__file__.startswith(sys.path[0]), csp_mines.__file__\n"
        "sys.argv[1:] = ['single', 'subtraction', 'gauss', 'pysat', 'native', '--problems', '20']\n"
        "runpy.run_module('csp_mines.testing', run_name='__main__')\n"
    )
    done = subprocess.run(
        [sys.executable, "-S", "-P", "-c", code],
        cwd=tmp_path, capture_output=True, text=True, check=False,
        env={**os.environ, "PYTHONPATH": os.pathsep.join([str(tmp_path / "site"), libraries])},
    )  # fmt: skip
    assert done.returncode == 0, done.stdout + done.stderr
    assert done.stdout.count("16 of 16 promises kept") == 5, done.stdout
