# Development tasks, from a fresh clone. Each target first sets up what it needs in .venv of this checkout, and skips what is up to
# date. Requirements: Python 3.11 or newer, a C++20 compiler, a package index.

PYTHON ?= python3
WORKERS ?= 2
SCALE ?= quick
NAMES ?= all

VENV := .venv
BIN := $(VENV)/bin
RUN := $(BIN)/python
PIP := $(RUN) -m pip --quiet --disable-pip-version-check --no-input
NATIVE := CMakeLists.txt $(shell find core -type f)

# An environment copied from another checkout would import that one's code: rebuild it.
ifneq ($(wildcard $(VENV)/checkout),)
ifneq ($(shell cat $(VENV)/checkout),$(CURDIR))
ANEW := anew
endif
endif

.DEFAULT_GOAL := help
.DELETE_ON_ERROR:
.PHONY: help setup demo test test-all test-fast sanitize valgrind lint format stubs docs results reproduce bench soak wheel wheels release-check clean anew

help:  ## show this help
	@echo "bamdp: Bayes-adaptive planning in MDPs with unknown dynamics"
	@echo
	@echo "New here?  make demo    set everything up and run a demonstration, in about two minutes"
	@echo "           make test    run all tests"
	@echo
	@awk -F ':.*## ' '/^[a-z-]+:.*## / { printf "  make %-13s %s\n", $$1, $$2 }' $(MAKEFILE_LIST)
	@echo
	@echo "Settings:  PYTHON=python3.12   interpreter for the environment, now $(PYTHON)"
	@echo "           WORKERS=4           number of parallel tests, now $(WORKERS)"
	@echo "By hand:   $(BIN)/bamdp, $(BIN)/python"

setup: $(VENV)/package $(VENV)/tools  ## environment, native module and tools; other targets run the parts they need

demo: $(VENV)/package $(VENV)/plots  ## planning to explore, on machines with unknown wear: a table and a picture in a minute
	$(RUN) examples/demo.py

test: lint  ## lint, then all tests and doctests
	$(BIN)/pytest -n $(WORKERS)

test-all: setup $(VENV)/heavy $(VENV)/docs  ## the tests marked heavy, the core's warnings with clang, and sanitize
	$(BIN)/pytest -m heavy
	PYTHON=$(CURDIR)/$(RUN) .ci/clang
	PYTHON=$(CURDIR)/$(RUN) .ci/sanitize

sanitize: setup  ## the core under AddressSanitizer, UndefinedBehaviorSanitizer and ThreadSanitizer; part of test-all
	PYTHON=$(CURDIR)/$(RUN) .ci/sanitize

valgrind: setup  ## a short episode of each search under valgrind, which must be installed
	PYTHON=$(CURDIR)/$(RUN) .ci/sanitize valgrind

test-fast: setup  ## tests except those marked slow; last failure first, stop at the first failure
	$(BIN)/pytest -n $(WORKERS) -m "not slow and not heavy" --exitfirst --failed-first

lint: setup  ## ruff and mypy
	$(BIN)/ruff check
	$(BIN)/ruff format --check
	$(BIN)/mypy

format: setup  ## format the Python code and apply ruff's fixes
	$(BIN)/ruff check --fix
	$(BIN)/ruff format

stubs: $(VENV)/package  ## regenerate src/bamdp/_core.pyi after a change of core/bindings
	$(RUN) -m nanobind.stubgen -q -m bamdp._core -o src/bamdp/_core.pyi

docs: $(VENV)/package $(VENV)/docs  ## build the documentation in build/docs
	$(RUN) -m sphinx --fail-on-warning --keep-going -q docs build/docs
	@echo "Open build/docs/index.html"

results: $(VENV)/package $(VENV)/tools  ## rewrite the tables and charts of docs/results from the rows in reproduction/results
	rm -rf build/results
	$(RUN) -m reproduction report --output build/report.html --markdown build/results/tables.md \
	  --scoreboard build/results/scoreboard.md --elsewhere build/results/elsewhere.md \
	  --table src/bamdp/suite/results.csv --figures build/results
	rm -f docs/results/*
	cp build/results/*.md build/results/*.svg build/results/*.webp docs/results

reproduce: $(VENV)/package $(VENV)/tools  ## run what is missing of the paper's experiments; SCALE=quick or paper, NAMES="table1 figure2"
	$(RUN) -m reproduction $(NAMES) --scale $(SCALE)

bench: $(VENV)/package $(VENV)/tools  ## speed relative to a minimal single-purpose program
	$(RUN) benchmarks/bench.py

soak: $(VENV)/package $(VENV)/tools  ## runs of a million steps: memory and time per step must not grow; about ten minutes
	$(RUN) benchmarks/soak.py

wheel: $(VENV)/package  ## build a wheel in dist/
	$(PIP) wheel --no-deps --no-build-isolation --wheel-dir dist .
	@ls -t dist/*.whl | head -1

wheels: $(VENV)/checkout  ## build all wheels for this platform in dist/ with cibuildwheel; needs Docker on Linux
	$(PIP) install "cibuildwheel>=3"
	$(RUN) -m cibuildwheel --output-dir dist

release-check: setup  ## build an sdist and a wheel in dist/, and test the wheel in an empty environment
	PYTHON=$(CURDIR)/$(RUN) .ci/release-check dist

clean:  ## remove everything that is not in a fresh clone
	rm -rf $(VENV) build dist demo-output .pytest_cache .mypy_cache .ruff_cache .hypothesis
	find . -name __pycache__ -type d -prune -exec rm -rf {} +

# One stamp file per layer, in the environment: the environment, the package with its native module, plotting, the tools,
# the documentation tools.
# Changed or new Python files need no reinstallation: the installed package points to src.

$(VENV)/checkout: $(ANEW)
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' 2>/dev/null || { \
	  echo "bamdp needs Python 3.11 or newer; '$(PYTHON)' is $$($(PYTHON) --version 2>&1 | tail -1)."; \
	  echo "Choose another one: make PYTHON=python3.12 $(MAKECMDGOALS)"; exit 1; }
	@command -v "$${CXX:-c++}" >/dev/null || command -v g++ >/dev/null || command -v clang++ >/dev/null || { \
	  echo "bamdp needs a C++20 compiler: install g++ or clang++, or set the variable CXX."; exit 1; }
	@[ ! -e $(VENV) ] || [ -e $@ ] || [ ! -s $(VENV)/pyvenv.cfg ] || { \
	  echo "There is a $(VENV) that make did not set up, or not to the end: remove it or move it away, and run make again."; exit 1; }
	@echo "Setting up $(VENV), once; this takes a minute or two"
	@rm -rf $(VENV)
	$(PYTHON) -m venv $(VENV)
	$(PIP) install --upgrade "pip>=25.1"
	@echo "$(CURDIR)" > $@

# Build requirements are installed in the environment: rebuilds are incremental, and stubs come from the same nanobind.
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

# Ray, 250 MB; not needed by make test.
$(VENV)/heavy: $(VENV)/tools
	$(PIP) install --group heavy
	@touch $@

$(VENV)/docs: $(VENV)/checkout pyproject.toml
	$(PIP) install --group docs
	@touch $@
