# Everything a developer does, from a fresh clone. Each target sets up what it needs first, in .venv of this checkout;
# what is up to date is not done again. Needed beforehand: Python 3.11 or newer, a C++20 compiler, a package index.

PYTHON ?= python3
WORKERS ?= 2
SECONDS ?= 60
EXAMPLES ?= 300

VENV := .venv
BIN := $(VENV)/bin
RUN := $(BIN)/python
PIP := $(RUN) -m pip --quiet --disable-pip-version-check --no-input
NATIVE := CMakeLists.txt $(shell find core -type f)

# An environment that was copied here from another checkout would import that one's code: make it anew.
ifneq ($(wildcard $(VENV)/checkout),)
ifneq ($(shell cat $(VENV)/checkout),$(CURDIR))
ANEW := anew
endif
endif

.DEFAULT_GOAL := help
.DELETE_ON_ERROR:
.PHONY: help setup demo test test-all test-fast sanitize valgrind fuzz campaign lint format stubs docs results bench soak wheel wheels release-check clean anew

help:  ## this text
	@echo "bamdp: planning in a world you do not know yet"
	@echo
	@echo "New here?  make demo    sets everything up and shows what the library does, in about two minutes"
	@echo "           make test    shows that it works here"
	@echo
	@awk -F ':.*## ' '/^[a-z-]+:.*## / { printf "  make %-13s %s\n", $$1, $$2 }' $(MAKEFILE_LIST)
	@echo
	@echo "Settings:  PYTHON=python3.12   the interpreter to set up with, now $(PYTHON)"
	@echo "           WORKERS=4           tests at a time, now $(WORKERS)"
	@echo "By hand:   $(BIN)/bamdp, $(BIN)/python"

setup: $(VENV)/package $(VENV)/tools  ## environment, native module, tools; every target does what it needs of this

demo: $(VENV)/package $(VENV)/plots  ## BAMCP against a rival on two worlds of the paper: progress, a table, a picture
	$(RUN) examples/demo.py

test: lint  ## all tests and doctests, after lint
	$(BIN)/pytest -n $(WORKERS)

test-all: setup $(VENV)/heavy $(VENV)/docs  ## what is too heavy for every day: the tests marked heavy
	$(BIN)/pytest -m heavy
	PYTHON=$(CURDIR)/$(RUN) .ci/sanitize

sanitize: setup  ## the core under AddressSanitizer, UndefinedBehaviorSanitizer and ThreadSanitizer; a part of test-all
	PYTHON=$(CURDIR)/$(RUN) .ci/sanitize

valgrind: setup  ## a short episode of each search under valgrind, which must be installed
	PYTHON=$(CURDIR)/$(RUN) .ci/sanitize valgrind

test-fast: setup  ## tests but for those marked slow; stops at the first failure, starts with the last one
	$(BIN)/pytest -n $(WORKERS) -m "not slow and not heavy" --exitfirst --failed-first

fuzz: setup $(VENV)/fuzz  ## coverage-guided fuzzing of the hooks and of the results loader, SECONDS=60 each; Linux only
	$(RUN) tests/fuzz/guided.py $(SECONDS)

campaign: setup  ## Hypothesis on every constructor and method, looking for new examples, EXAMPLES=300 of each; an hour or so
	@mkdir -p build/campaign
	EXAMPLES=$(EXAMPLES) $(BIN)/pytest -n 0 -v tests/fuzz --hypothesis-profile=campaign > build/campaign/last.txt 2>&1; \
	  code=$$?; tail -n 25 build/campaign/last.txt; echo "All of it: build/campaign/last.txt"; exit $$code

lint: setup  ## ruff and mypy
	$(BIN)/ruff check
	$(BIN)/ruff format --check
	$(BIN)/mypy

format: setup  ## put the Python code into its standard form, mend what ruff can mend
	$(BIN)/ruff check --fix
	$(BIN)/ruff format

stubs: $(VENV)/package  ## write src/bamdp/_core.pyi anew, after a change of core/bindings
	$(RUN) -m nanobind.stubgen -q -m bamdp._core -o src/bamdp/_core.pyi

docs: $(VENV)/package $(VENV)/docs  ## the documentation as web pages, in build/docs
	$(RUN) -m sphinx --fail-on-warning --keep-going -q docs build/docs
	@echo "Open build/docs/index.html"

results: $(VENV)/package $(VENV)/tools  ## the tables and charts of docs/results, from the rows in results
	rm -rf build/results
	$(BIN)/bamdp report --output build/report.html --markdown build/results/tables.md --figures build/results
	rm -f docs/results/*
	cp build/results/*.md build/results/*.svg build/results/*.webp docs/results

bench: $(VENV)/package  ## speed, in units of a program that does nothing else
	$(RUN) benchmarks/bench.py

soak: $(VENV)/package $(VENV)/tools  ## runs of a million steps: memory and time must not grow; about ten minutes
	$(RUN) benchmarks/soak.py

wheel: $(VENV)/package  ## a wheel in dist/
	$(PIP) wheel --no-deps --no-build-isolation --wheel-dir dist .

wheels: $(VENV)/checkout  ## all wheels of this machine's platform in dist/, by cibuildwheel; on Linux that takes Docker
	$(PIP) install "cibuildwheel>=3"
	$(RUN) -m cibuildwheel --output-dir dist

release-check: setup  ## an sdist and a wheel in dist/, once the wheel works in an empty environment
	PYTHON=$(CURDIR)/$(RUN) .ci/release-check dist

clean:  ## back to a fresh clone
	rm -rf $(VENV) build dist demo-output .pytest_cache .mypy_cache .ruff_cache .hypothesis
	find . -name __pycache__ -type d -prune -exec rm -rf {} +

# One stamp per layer, in the environment: itself, the package with its native module, what plots, the tools,
# what makes the documentation.
# Python files need no re-installation, new ones neither: the installed package points to src.

$(VENV)/checkout: $(ANEW)
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' 2>/dev/null || { \
	  echo "bamdp needs Python 3.11 or newer; '$(PYTHON)' is $$($(PYTHON) --version 2>&1 | tail -1)."; \
	  echo "Name another one: make PYTHON=python3.12 $(MAKECMDGOALS)"; exit 1; }
	@command -v "$${CXX:-c++}" >/dev/null || command -v g++ >/dev/null || command -v clang++ >/dev/null || { \
	  echo "bamdp needs a C++20 compiler: install g++ or clang++, or name one in the variable CXX."; exit 1; }
	@echo "Setting up $(VENV), once; this takes a minute or two"
	@rm -rf $(VENV)
	$(PYTHON) -m venv $(VENV)
	$(PIP) install --upgrade "pip>=25.1"
	@echo "$(CURDIR)" > $@

# Build requirements live in the environment too: rebuilds are incremental, stubs come from the same nanobind.
$(VENV)/package: $(VENV)/checkout pyproject.toml $(NATIVE)
	$(PIP) install $$($(RUN) -c "import tomllib; print(*tomllib.load(open('pyproject.toml', 'rb'))['build-system']['requires'])")
	@needs="$$($(RUN) -c "from scikit_build_core import build; print(*build.get_requires_for_build_editable())")"; \
	  if [ -n "$$needs" ]; then echo "Not found here: $$needs"; $(PIP) install $$needs; fi
	$(PIP) install --no-build-isolation --editable .
	@touch $@

$(VENV)/plots: $(VENV)/checkout
	$(PIP) install "matplotlib>=3.8"
	@touch $@

$(VENV)/tools: $(VENV)/checkout pyproject.toml
	$(PIP) install --group dev
	@touch $@

# A cluster: 250 MB, which make test does without.
$(VENV)/heavy: $(VENV)/tools
	$(PIP) install --group heavy
	@touch $@

$(VENV)/fuzz: $(VENV)/checkout pyproject.toml
	$(PIP) install --group fuzz
	@touch $@

$(VENV)/docs: $(VENV)/checkout pyproject.toml
	$(PIP) install --group docs
	@touch $@
