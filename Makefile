# Two commands do everything: `make demo` and `make test`. Both make .venv and install into it.
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
# What is there once it is installed: the compiled kernel, or nothing.
KERNEL = $(shell $(BIN)/python -c 'import csp_mines.solvers.native._kernel as k; print(k.__file__)' 2> /dev/null)
TELL = $(BIN)/python -c 'import csp_mines.solvers.native._kernel' 2> /dev/null || \
	echo 'The kernel was not compiled here (pip install -v says why); the pure engine serves.'
INSTALL = $(BIN)/pip install -q --no-build-isolation
# The first install of a new user tells what it does: packages by name, then each file of the kernel.
TELLING = 2>&1 | awk '/^ *(Collecting|Using cached|Downloading|Building wheels|Installing collected)|error:|ERROR/ { if (open) print ""; open = 0; print; fflush() } \
	/\[[0-9]+\/[0-9]+\] / { match($$0, /\[[0-9]+\/[0-9]+\]/); printf "\r  compiling the kernel %s ", substr($$0, RSTART, RLENGTH); open = 1; fflush() } \
	END { if (open) print "" }'
# Hundreds of tests start Python; it starts in half the time where it may keep compiled modules.
unexport PYTHONDONTWRITEBYTECODE
SOURCES := pyproject.toml $(wildcard CMakeLists.txt solvers/native/kernel/*/*)

.PHONY: demo test lint lint-python lint-slowly lint-page types stubs map pytest bench figures pictures docs ask dist clean

demo: $(VENV)/.installed
	$(BIN)/csp-mines solve examples/boards/disarm-corner.txt

# All checks but the fastest run beside the tests, which often wait, and are shown at the end.
CHECKS := build/checks.log
test: $(VENV)/.installed-test lint-python
	@mkdir -p $(dir $(CHECKS)); \
	$(MAKE) --no-print-directory --keep-going lint-slowly types > $(CHECKS) 2>&1 & checks=$$!; \
	$(MAKE) --no-print-directory pytest; tests=$$?; \
	wait $$checks; checks=$$?; cat $(CHECKS); exit $$((tests + checks))

lint: lint-python lint-slowly

lint-python: $(VENV)/.installed-test
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .

lint-slowly: $(VENV)/.installed-test
	$(BIN)/lint-imports --no-cache
	@if command -v npm > /dev/null; then \
		$(MAKE) --no-print-directory lint-page; \
	else \
		echo 'There is no npm here: the types and the format of the page were not checked.'; \
	fi
	$(BIN)/clang-format --dry-run --Werror solvers/native/kernel/*/*.cpp solvers/native/kernel/*/*.hpp

# The page has no build step: TypeScript only reads its JSDoc, prettier only checks its format.
PAGE := csp_mines/web/static
lint-page: $(VENV)/node/.installed
	$(VENV)/node/node_modules/.bin/tsc -p jsconfig.json
	$(VENV)/node/node_modules/.bin/prettier --check '$(PAGE)/*.js' '$(PAGE)/*.css'

# The Makefile names the versions, so a change of it installs them again.
$(VENV)/node/.installed: $(BIN)/python Makefile
	npm install --silent --no-audit --no-fund --prefix $(VENV)/node typescript@7.0.2 prettier@3.10.1
	touch $@

types: $(VENV)/.installed-test
	$(BIN)/mypy

# The bindings declare the kernel's interface; the stub is what type checkers read of it.
STUB := solvers/native/_kernel.pyi
stubs: $(VENV)/.installed-test
	$(BIN)/python -m nanobind.stubgen -q -m csp_mines.solvers.native._kernel -o $(STUB)
	$(BIN)/ruff format -q $(STUB)
	$(BIN)/ruff check -q --fix $(STUB)

# The list of all files in docs/architecture.md, written from the first sentences of the modules.
map: $(VENV)/.installed-test
	$(BIN)/python docs/site/every_file.py

# Tests that do not depend on the engine: they run once, with the engine that people have. In other
# files, single tests have the mark `once`.
ONCE := tests/architecture tests/examples tests/exports tests/formats tests/packaging \
	tests/pictures tests/reviews tests/screenshots tests/solvers tests/web tests/test_apart.py \
	tests/test_processes.py \
	tests/test_machine.py tests/test_strategies.py tests/games/test_game.py \
	tests/cli/test_convert.py tests/cli/test_failures.py tests/cli/test_formats.py \
	tests/cli/test_commands.py tests/cli/test_groups.py tests/cli/test_help.py \
	tests/cli/test_json_fields.py tests/cli/test_review.py tests/cli/test_screens.py \
	tests/cli/test_signals.py \
	tests/cli/test_simulate.py tests/conformance/test_suite.py tests/conformance/test_toy.py \
	tests/cli/test_assist.py tests/cli/test_densities.py tests/cli/test_draw.py \
	tests/cli/test_export.py tests/cli/test_files.py tests/cli/test_influence.py \
	tests/cli/test_results.py tests/cli/test_several.py tests/test_gym.py \
	tests/games/test_own_agents.py tests/games/test_assist.py tests/simulation/test_own_agents.py \
	tests/simulation/test_results.py tests/simulation/test_densities.py tests/grids/test_book.py \
	tests/simulation/test_dask_workers.py tests/simulation/test_game_numbers.py \
	tests/simulation/test_plans.py tests/simulation/test_run_file.py \
	tests/simulation/test_statistics.py tests/simulation/test_workers.py

# One worker more than cores: many tests wait, for a limit or for another process.
SHARED := -n 3 --dist worksteal

# The suite runs against the compiled kernel where there is one, and against the pure engine.
pytest: $(VENV)/.installed-test
	@if [ -n "$(KERNEL)" ]; then \
		CSP_MINES_KERNEL=compiled $(BIN)/pytest $(SHARED); \
	else \
		echo 'The kernel was not compiled here: the suite runs against the pure engine only.'; \
	fi
	CSP_MINES_KERNEL=pure $(BIN)/pytest $(SHARED) --ignore=tests/native \
		$(if $(KERNEL),-m 'not once' $(addprefix --ignore=,$(ONCE)))

bench: $(VENV)/.installed-test
	$(INSTALL) -e '.[bench]'
	$(BIN)/python benchmarks/probabilities.py
	$(BIN)/python benchmarks/api.py
	$(BIN)/python benchmarks/batch.py
	$(BIN)/python benchmarks/growth.py
	$(BIN)/python benchmarks/deduction.py
	$(BIN)/python benchmarks/counting.py
	$(BIN)/python benchmarks/explanations.py
	$(BIN)/python benchmarks/games.py
	$(BIN)/python benchmarks/web.py
	$(BIN)/python benchmarks/generation.py
	$(BIN)/python benchmarks/exports.py

# What a machine measured in README and docs, written into the pages. All of it takes about an hour of
# one core; a part is `python benchmarks/figures.py "agents, speed"`, and --list shows the parts.
figures: $(VENV)/.installed-test
	$(INSTALL) -e '.[bench]' uv
	PATH="$(CURDIR)/$(BIN):$$PATH" $(BIN)/python benchmarks/figures.py

pictures: $(VENV)/.installed-test
	$(BIN)/python examples/pictures.py
	$(BIN)/python examples/influence_study.py --plot docs/pictures/influence-study.svg
	$(BIN)/python examples/screens.py

# What a release uploads: the sources, and a wheel that is built from them in an environment of its own.
dist: $(BIN)/python
	$(BIN)/pip install -q build twine
	rm -rf dist
	$(BIN)/python -m build
	$(BIN)/twine check --strict dist/*

# Every warning is an error: a broken link, a name of the API that does not exist, a lost page.
docs: $(VENV)/.installed-docs
	$(BIN)/sphinx-build -q -E -W --keep-going -n -b html docs build/docs
	@echo 'The documentation is in build/docs/index.html.'

# What newcomers ask, typed into the site's own search in an installed Chromium.
ask: docs
	$(BIN)/python docs/site/ask.py

clean:
	rm -rf $(VENV) build dist docs/reference

$(BIN)/python:
	$(PYTHON) -m venv $(VENV)

# The build requirements stay in .venv, so that a later build compiles only what changed. Since 23.3,
# pip chooses among the files of an index in half the time; an older one does as well.
$(VENV)/.build-tools: $(BIN)/python pyproject.toml
	@echo 'Installing csp-mines into $(VENV): this takes a minute or two.'
	@echo 'Step 1 of 2: the tools that build the kernel.'
	@$(BIN)/pip install -q 'pip>=23.3' || true
	$(BIN)/python -c "import tomllib; print(*tomllib.load(open('pyproject.toml', 'rb'))['build-system']['requires'], 'cmake', 'ninja', sep='\n')" > $@.txt
	@$(BIN)/pip install -r $@.txt $(TELLING)
	@$(BIN)/python -I -c 'import nanobind, numpy, scikit_build_core'
	touch $@

$(VENV)/.installed: $(VENV)/.build-tools $(SOURCES)
	@echo 'Step 2 of 2: the libraries, and the kernel.'
	@$(BIN)/pip install -v --no-build-isolation -e . $(TELLING)
	@$(BIN)/python -I -c 'import csp_mines, numpy, pysat, rich, typer' # fails if the install has failed
	@$(TELL)
	touch $@

# One core compiles the kernel while the other installs the libraries; then both come together.
$(VENV)/.installed-test: $(VENV)/.build-tools $(SOURCES)
	$(BIN)/pip wheel -q --no-deps --no-build-isolation -w build/wheels . & \
		$(INSTALL) --no-compile -C wheel.cmake=false -e '.[test]' && wait
	$(INSTALL) --no-deps -e .
	@$(TELL)
	touch $@ $(VENV)/.installed

$(VENV)/.installed-docs: $(VENV)/.installed-test
	$(INSTALL) -e '.[docs]'
	touch $@
