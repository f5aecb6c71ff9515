"""The documentation site: `make docs` builds it below build/docs. It needs the extra `docs`."""

from __future__ import annotations

import html
import re
import shutil
import sys
from itertools import groupby
from pathlib import Path
from typing import Any

from docutils import nodes
from sphinx import addnodes

HERE = Path(__file__).parent
sys.path.insert(0, str(HERE / "site"))

import generated  # noqa: E402
import names  # noqa: E402

import csp_mines  # noqa: E402
from csp_mines.cli import COMMANDS  # noqa: E402

project = "csp-mines"
author = "the csp-mines authors"
version = release = csp_mines.__version__
copyright = "the csp-mines authors, MIT licence"

extensions = ["myst_parser", "sphinx.ext.autodoc", "sphinx.ext.napoleon", "sphinx_copybutton"]
napoleon_google_docstring = True
napoleon_numpy_docstring = False
exclude_patterns = ["site"]
myst_enable_extensions = ["attrs_inline"]
myst_heading_anchors = 4
nitpicky = True
smartquotes = False  # options begin with two hyphens
# Type variables and names of other libraries have no page here.
nitpick_ignore_regex = [
    (r"py:.*", r"(?!csp_mines\.).*"),
    (r"py:.*", r"csp_mines\.(?=.*\.).*"),
]
autodoc_member_order = "bysource"
autodoc_type_aliases = {"npt.ArrayLike": "ArrayLike"}  # else a signature shows all it stands for
autodoc_typehints_format = "short"
python_use_unqualified_type_names = True
python_maximum_signature_line_length = 88
add_module_names = True
toc_object_entries_show_parents = "hide"
copybutton_prompt_text = r">>> |\.\.\. |\$ "
copybutton_prompt_is_regexp = True
copybutton_only_copy_prompt_lines = False

html_theme = "furo"
html_title = "csp-mines"
html_static_path = ["site/static"]
html_css_files = ["site.css"]
html_js_files = ["site.js"]
html_show_sphinx = False
html_copy_source = False
html_theme_options = {
    "light_css_variables": {"color-brand-primary": "#3b5bdb", "color-brand-content": "#3b5bdb"},
    "dark_css_variables": {"color-brand-primary": "#8ea6ff", "color-brand-content": "#8ea6ff"},
}
SENTENCE = 40  # characters that fit on a telephone
PICTURES = ("pictures", "reports")  # `<picture>` elements name files of these folders


def setup(app: Any) -> None:
    generated.write()
    app.connect("source-read", take_in)
    app.connect("source-read", lead_outside)
    app.connect("autodoc-process-docstring", as_restructured_text)
    app.connect("autodoc-process-signature", name_aliases)
    app.connect("doctree-read", link_names)
    app.connect("doctree-read", draw_dashes)
    app.connect("missing-reference", link_homes)
    app.connect("html-page-context", wrap_sentences)
    app.connect("build-finished", copy_pictures)


def take_in(_: Any, document: str, content: list[str]) -> None:
    """Add pages that no toctree lists to the front page, so that the site has every page."""
    if document == "index":
        content[0] = generated.with_every_page(content[0])


def lead_outside(_: Any, document: str, content: list[str]) -> None:
    """Replace links to notebooks by links to their pages, and links to folders of the repository,
    which the site does not contain, by their names."""
    up = "../" * (document.count("/") + 1)
    text = content[0]
    text = re.sub(
        rf"\]\({re.escape(up)}examples/notebooks/(\w[\w-]*)\.ipynb\)",
        rf"]({up[3:]}reference/notebooks/\1.md)",
        text,
    )

    def named(link: re.Match[str]) -> str:
        path = ((HERE / document).parent / link[2]).resolve()
        outside = path.is_dir() or (path.suffix == ".md" and HERE not in path.parents)
        return f"{link[1]} (`{path.relative_to(HERE.parent)}`)" if outside else link[0]

    content[0] = re.sub(r"\[([^\]]*)\]\((\.\./[^)#\s]*)\)", named, text)


def as_restructured_text(
    _app: Any, _what: str, name: str, _value: object, _options: Any, lines: list[str]
) -> None:
    """Docstrings have single backticks around code. Names of the API become links."""
    parts = []
    for is_example, some in groupby(lines, lambda line: line.lstrip().startswith((">>>", "..."))):
        text = "\n".join(some)  # code may go on in the next line
        if not is_example:
            text = re.sub(r"(?<![`:])`([^`]+)`(?!`)", _role, text)
            text = re.sub(r"(?<![`\w.~])([A-Z]\w+)(?![`\w])", _error, text)
        parts += text.split("\n")
    lines[:] = parts


def name_aliases(
    _app: Any, _what: str, _name: str, _value: object, _options: Any, *shown: str | None
) -> tuple[str | None, ...]:
    """Sphinx shows an alias inside a union as a call: replace it by the name, in the signature and
    in what it returns."""
    call = re.compile(r"TypeAliasForwardRef\('(\w+)'\)")
    return tuple(part and call.sub(r"\1", part) for part in shown)


def _role(quoted: re.Match[str]) -> str:
    target = names.target(quoted[1])
    return f":py:obj:`{quoted[1]} <{target}>`" if target else f"``{quoted[1]}``"


def _error(word: re.Match[str]) -> str:
    value = names.public().get(word[1])
    if isinstance(value, type) and issubclass(value, Exception):
        return f":py:exc:`{word[1]} <csp_mines.{word[1]}>`"
    return word[0]


def link_names(app: Any, doctree: nodes.document) -> None:
    """Turn code in the pages that names a part of the API, or a command, into a link."""
    document = app.env.docname
    for literal in list(doctree.findall(nodes.literal)):
        text = literal.astext()
        target = names.target(text)
        command = re.match(r"csp-mines ([\w-]+)", text)
        inside = isinstance(literal.parent, nodes.reference | addnodes.pending_xref)
        if inside or isinstance(literal.parent, nodes.title):
            continue
        if target:
            reference = addnodes.pending_xref(
                "", refdomain="py", reftype="obj", reftarget=target, refdoc=document
            )
        elif command and command[1] in COMMANDS:
            page = f"/reference/commands/{command[1]}"
            reference = addnodes.pending_xref(
                "",
                refdomain="std",
                reftype="doc",
                reftarget=page,
                refexplicit=True,
                refdoc=document,
            )
        else:
            continue
        literal.replace_self(reference)
        reference += literal


def link_homes(app: Any, env: Any, node: Any, content: nodes.Element) -> nodes.Element | None:
    """Resolve the name that an annotation has in its module to the public name."""
    target = node.get("reftarget", "")
    short = target.rpartition(".")[2]
    name = names.homes().get(target) or (short if short in names.public() else None)
    if node.get("refdomain") != "py" or name is None or target == f"csp_mines.{name}":
        return None
    domain = env.get_domain("py")
    found: nodes.Element | None = domain.resolve_xref(
        env, node["refdoc"], app.builder, "obj", f"csp_mines.{name}", node, content
    )
    return found


def draw_dashes(_: Any, doctree: nodes.document) -> None:
    """Sphinx writes two hyphens between a parameter and what it means: make them a dash."""
    for text in list(doctree.findall(nodes.Text)):
        if text == " -- ":
            text.parent.replace(text, nodes.Text(" – "))


def wrap_sentences(_app: Any, _page: str, _template: str, context: Any, _doctree: Any) -> None:
    """Let the sentences in the output of commands wrap. Boards and tables keep their columns."""
    context["body"] = re.sub(
        r'<span class="go">(.*?)</span>', _wrapped, context.get("body", ""), flags=re.MULTILINE
    )


def _wrapped(line: re.Match[str]) -> str:
    text = html.unescape(line[1])
    lead = re.match(r" *(\d+\. |[\w.]+ {2,})?", text)
    assert lead is not None
    rest = text[lead.end() :]
    if len(text) <= SENTENCE or "  " in rest or rest.count(" ") < 6:
        return line[0]
    return f'<span class="go sentence" style="--lead: {lead.end() or 2}ch">{line[1]}</span>'


def copy_pictures(app: Any, error: Exception | None) -> None:
    if error is None and app.builder.format == "html":
        for folder in PICTURES:
            shutil.copytree(HERE / folder, Path(app.outdir) / folder, dirs_exist_ok=True)
