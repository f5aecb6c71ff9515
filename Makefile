# Two commands do everything: `make demo` and `make test`. Both make .venv and install into it.
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
SOURCES := pyproject.toml $(wildcard CMakeLists.txt solvers/native/kernel/*)

.PHONY: demo test lint types pytest bench pictures clean

demo: $(VENV)/.installed
	$(BIN)/csp-mines solve examples/boards/disarm-corner.txt

test: lint types pytest

lint: $(VENV)/.installed-test
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/lint-imports --no-cache
	$(BIN)/clang-format --dry-run --Werror solvers/native/kernel/*.cpp solvers/native/kernel/*.hpp

types: $(VENV)/.installed-test
	$(BIN)/mypy

# The whole suite runs against the pure engine, then against the compiled kernel where there is one.
pytest: $(VENV)/.installed-test
	CSP_MINES_KERNEL=pure $(BIN)/pytest -n 2 --ignore=tests/native
	@if $(BIN)/python -c 'import solvers.native._kernel' 2> /dev/null; then \
		CSP_MINES_KERNEL=compiled $(BIN)/pytest -n 2; \
	else \
		echo 'The kernel was not compiled here: the suite ran against the pure engine only.'; \
	fi

bench: $(VENV)/.installed-test
	$(BIN)/pip install -q -e '.[bench]'
	$(BIN)/python benchmarks/probabilities.py
	$(BIN)/python benchmarks/growth.py
	$(BIN)/python benchmarks/deduction.py
	$(BIN)/python benchmarks/counting.py
	$(BIN)/python benchmarks/explanations.py
	$(BIN)/python benchmarks/games.py

pictures: $(VENV)/.installed-test
	$(BIN)/python examples/pictures.py
	$(BIN)/python examples/influence_study.py --plot docs/pictures/influence-study.svg

clean:
	rm -rf $(VENV) build

$(BIN)/python:
	$(PYTHON) -m venv $(VENV)

$(VENV)/.installed: $(BIN)/python $(SOURCES)
	$(BIN)/pip install -q -e .
	touch $@

$(VENV)/.installed-test: $(BIN)/python $(SOURCES)
	$(BIN)/pip install -q -e '.[test]'
	touch $@ $(VENV)/.installed
