"""Problems in OPB: constraints over named cells, read and written. Coefficients must be +1 or -1.
(`exports/opb.py` writes the constraints of a board in OPB.)

    * #variable= 3 #constraint= 2
    * x1 = ann
    +1 x1 +1 x2 +1 x3 >= 2 ;
    +1 x1 -1 ~x2 = 0 ;

`~x2` is the opposite of `x2`. A line that begins with `*` is a comment. The comment `* x1 = ann`
gives the variable `x1` the name `ann`. The comment `* #variable= 3 #constraint= 2` announces 3
variables and 2 constraints. If every variable in the constraints has a name such as `x7`, the
announced variables are `x1` to `x3`, and each announced variable that no constraint mentions is a
cell of the sea. The reader also accepts files without comments, and the relation `<=`, which OPB
does not have.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator

from csp_mines.arguments import shown
from csp_mines.constraints import Constraint
from csp_mines.errors import InputError, ProblemSyntaxError, Unsupported
from csp_mines.formats.named_problem import NOT, Literal, NamedProblem, ProblemBuilder
from csp_mines.words import cut, plural

MOST_DIGITS = 1000  # of a number

_SIZE = re.compile(r"\*\s*#variable=\s*(\d+)\s+#constraint=\s*(\d+)\b")
_NAME = re.compile(r"\*\s*(x\d{1,9})\s*=\s*(\S.*?)(?: is a mine)?\s*$")
_DIMACS = re.compile(r"\s*p\s+cnf\b")  # the first line of a file in DIMACS, after the comments
_VARIABLE = re.compile(r"(~?)([A-Za-z_][\w\[\]{}.^]*)")
_INTEGER = re.compile(r"[+-]?\d+")
_RELATION = re.compile(r"(>=|<=|=)")
_NUMBERED = re.compile(r"x[1-9]\d{0,8}")
_MOST_VARIABLES = 1_000_000  # the names and numbers of this many variables take about 200 MB


def read_opb(text: str, source: str) -> NamedProblem:
    """Read a problem from OPB text. `source` is the name of the text in messages. Raises
    ProblemSyntaxError for a wrong line; the error has the number of the line."""
    reader = _Reader(source)
    lines = text.splitlines()
    for number, line in enumerate(lines, 1):
        if line.lstrip().startswith("*"):
            reader.comment(number, line.strip())
            lines[number - 1] = ""
        elif _DIMACS.match(line):
            raise reader.fault("DIMACS is not read; give the problem in OPB or JSON", number)
    return reader.problem("\n".join(lines))


class _Reader:
    """Reads one file. A constraint ends with `;` and may take several lines."""

    def __init__(self, source: str) -> None:
        self.source = source
        # The number of the line that announces the size, then the announced numbers of variables
        # and constraints.
        self.size: tuple[int, int, int] | None = None
        self.titles: dict[str, str] = {}

    def comment(self, number: int, line: str) -> None:
        """Read a comment. It may state the size of the problem or the name of a variable. Raises
        ProblemSyntaxError for a number that is too long."""
        size, name = _SIZE.match(line), _NAME.match(line)
        if size and self.size is None:
            if max(map(len, size.groups())) > MOST_DIGITS:
                problem = f"a number in this comment has more than {MOST_DIGITS:,} digits"
                raise self.fault(f"{problem}; leave the comment out", number)
            self.size = number, int(size[1]), int(size[2])
        elif name:
            self.titles[name[1]] = name[2]

    def problem(self, text: str) -> NamedProblem:
        """Return the problem. `text` is the file with an empty line in place of each comment.
        Raises ProblemSyntaxError for a wrong line."""
        statements: list[tuple[int, str]] = []
        line, place = 1, 0
        for match in re.finditer(r"([^;]*)(;|\Z)", text):
            start = match.end(1) - len(match[1].lstrip())
            line, place = line + text.count("\n", place, start), start
            if match[2]:
                statements.append((line, " ".join(match[1].split())))
            elif match[1].strip():
                raise self.fault("this constraint has no ; at its end; add the ;", line)
        rows = [(number, *self.row(number, statement)) for number, statement in statements]
        free = self.declared({name for _, literals, *_ in rows for name, _ in literals}, len(rows))
        if len(set(self.titles.values())) < len(self.titles):
            self.titles = {}  # two variables share a name, so the names from comments are ignored
        builder = ProblemBuilder()
        for name in free:
            builder.cell(self.titles.get(name, name))
        for number, literals, low, high in rows:
            named = [(self.titles.get(name, name), opposite) for name, opposite in literals]
            try:
                builder.constrain(named, low, high, f"line {number}")
            except InputError as error:
                raise self.fault(str(error), number) from None
        return builder.build()

    def row(self, line: int, statement: str) -> tuple[list[Literal], int, int]:
        """Return the literals of a constraint, and the least and the greatest number of literals
        that may be true. Raises ProblemSyntaxError if `statement` is not a constraint."""
        if re.match(r"(min|max|soft)\s*:", statement):
            what = statement.partition(":")[0].strip()
            raise self.fault(f"'{what}:' is not supported; give only constraints", line)
        parts = _RELATION.split(statement)
        if len(parts) > 3:
            what = f"two relations without a ; between them, in {shown(statement)}"
            raise self.fault(f"{what}; end every constraint with a ;", line)
        if len(parts) != 3:
            raise self.expected("terms, then >=, = or <=, then a whole number", statement, line)
        left, relation, right = (part.strip() for part in parts)
        if not _INTEGER.fullmatch(right):
            raise self.expected(f"a whole number after {relation}", right, line)
        digits = len(right.lstrip("+-"))
        if digits > MOST_DIGITS:
            problem = f"the number after {relation} has {digits:,} digits"
            raise self.fault(f"{problem}; at most {MOST_DIGITS:,} are supported", line)
        literals = list(self.terms(line, left.split()))
        # -l equals ~l - 1. So -l becomes ~l, and the bound rises by 1.
        bound = int(right) + sum(negative for *_, negative in literals)
        low = 0 if relation == "<=" else bound
        high = len(literals) if relation == ">=" else bound
        return [(name, opposite ^ negative) for name, opposite, negative in literals], low, high

    def terms(self, line: int, words: list[str]) -> Iterator[tuple[str, bool, bool]]:
        """Yield for each term the name of its variable, whether the variable has a ~, and whether
        the coefficient is -1. Raises ProblemSyntaxError if there is no term or a wrong term."""
        if not words:
            raise self.fault("a constraint needs at least one term, such as +1 x1", line)
        for coefficient, literal in zip(words[::2], [*words[1::2], ""], strict=False):
            if not _INTEGER.fullmatch(coefficient):
                what = "a coefficient, +1 or -1, before every variable"
                raise self.expected(what, coefficient, line)
            if len(coefficient) > MOST_DIGITS or int(coefficient) not in (1, -1):
                raise self.fault(f"coefficients must be +1 or -1, not {cut(coefficient)}", line)
            variable = _VARIABLE.fullmatch(literal)
            if variable is None:
                what = f"a variable such as x1 or ~x1 after {coefficient}"
                raise self.expected(what, literal, line)
            yield variable[2], variable[1] == NOT, int(coefficient) == -1

    def declared(self, used: set[str], constraints: int) -> list[str]:
        """Return the names of all variables in order. `used` has the names that the constraints
        mention, and `constraints` is the number of constraints. If a comment announces n variables,
        and every name in `used` is x and a number, return x1 to xn. Otherwise return the names in
        `used`; names that are x and a number come last. Raises ProblemSyntaxError if the comment
        contradicts the constraints or announces too many variables."""
        numbered = {int(name[1:]): name for name in used if _NUMBERED.fullmatch(name)}
        order = sorted(used - set(numbered.values()))
        order += [numbered[number] for number in sorted(numbered)]
        if self.size is None:
            return order
        line, variables, told = self.size
        if told != constraints:
            announced = f"this line announces {plural(told, 'constraint')}"
            raise self.fault(f"{announced}, but the file has {constraints:,}", line)
        announced = f"this line announces {plural(variables, 'variable')}"
        highest = max(numbered, default=0)
        if len(used) > variables:
            raise self.fault(f"{announced}, but the file has {len(used):,}", line)
        if highest > variables:
            problem = f"but the file has a variable with a higher number, x{highest}"
            raise self.fault(f"{announced}, {problem}", line)
        if variables > _MOST_VARIABLES:
            raise self.fault(f"{announced}; at most {_MOST_VARIABLES:,} are supported", line)
        if len(numbered) < len(used):
            return order
        return [f"x{number}" for number in range(1, variables + 1)]

    def expected(self, what: str, got: str, line: int) -> ProblemSyntaxError:
        return self.fault(f"expected {what}, got {shown(got)}", line)

    def fault(self, what: str, line: int) -> ProblemSyntaxError:
        return ProblemSyntaxError(what, source=self.source, line=line)


def write_opb(named: NamedProblem) -> str:
    """Return the OPB text of a problem. Raises Unsupported if the problem has weights, odds other
    than 1 or a constraint without cells, because OPB has none of these."""
    problem = named.problem
    if problem.odds != 1 or any(each.weights is not None for each in problem.constraints):
        raise Unsupported("OPB has no weights and no odds; write the problem as JSON")
    numbers = {cell: place for place, cell in enumerate(named.names, 1)}
    variables = {cell: f"x{place}" for cell, place in numbers.items()}
    variables |= {cell: f"{NOT}x{numbers[other]}" for cell, other in named.opposites.items()}
    constraints = list(named.constraints)
    if problem.mines is not None:
        constraints.append(Constraint(tuple(named.names), problem.mines, problem.mines))
    rows = [row for each in constraints for row in _rows(each, variables)]
    lines = [f"* #variable= {len(numbers)} #constraint= {len(rows)}"]
    lines += (f"* x{place} = {named.names[cell]}" for cell, place in numbers.items())
    return "\n".join([*lines, *rows]) + "\n"


def _rows(constraint: Constraint, variables: dict[int, str]) -> Iterator[str]:
    literals = [variables[cell] for cell in constraint.cells]
    if not literals:
        raise Unsupported("OPB has no constraint without cells; write the problem as JSON")
    low, high = constraint.low, constraint.high
    if low == high:
        yield opb_row(literals, "=", low)
        return
    if low > 0 or high >= len(literals):  # if every layout fits, the line is `>= 0`
        yield opb_row(literals, ">=", low)
    if high < len(literals):
        yield opb_row(literals, "<=", high)


def opb_row(literals: Iterable[str], relation: str, bound: int) -> str:
    """Return the line that compares the sum of the literals with the bound. `relation` is `=`, `>=`
    or `<=`. OPB has no `<=`, so the line for `<=` has `>=` and negative coefficients."""
    if relation == "<=":
        return f"{' '.join(f'-1 {literal}' for literal in literals)} >= {-bound} ;"
    return f"{' '.join(f'+1 {literal}' for literal in literals)} {relation} {bound} ;"
