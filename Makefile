# The usual tasks; `make` alone lists them.

PYTHON ?= python3
IREE ?= 3.13.0
MODEL ?= ds_real61_both_dyn
WORKERS ?= 3
TESTS ?= not slow
FLAGS ?= --iree-hal-target-device=hip --iree-rocm-target=gfx942

BIN := .venv/bin
PYTEST := $(BIN)/pytest -n $(WORKERS)
SETUP := .venv/.installed
REDUCED := build/deepseek.reduced.mlir

# The tests start hundreds of processes, half of whose start would be compiling Python.
unexport PYTHONDONTWRITEBYTECODE

.DELETE_ON_ERROR:
.PHONY: help setup toolchain reduce browser shells tools test test-all record lint format bench release clean

help: ## Show this list
	@sed -n 's/^\([a-z-]*\):.*## \(.*\)/\1\t\2/p' $(MAKEFILE_LIST) | expand -t 12

setup: $(SETUP) ## Create .venv with the project and its development tools

$(SETUP): pyproject.toml
	$(PYTHON) -c 'import sys; sys.version_info >= (3, 11) or sys.exit("Python 3.11 or newer is needed; set PYTHON to one")'
	$(PYTHON) -m venv .venv
	@# Most modules of the packages are never imported, so that compiling them all would be in vain.
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --no-compile --editable '.[dev]'
	@touch $@

toolchain: $(SETUP) ## Install a compiler (IREE=3.13.0) into the cache of mlir-reducer
	@$(BIN)/mlir-reducer toolchain install $(IREE)

reduce: $(SETUP) toolchain build/$(MODEL).mlir ## Reduce a 61-layer Deepseek-V3 that IREE cannot compile
	$(BIN)/mlir-reducer reduce build/$(MODEL).mlir -o $(REDUCED) --iree $(IREE) -- iree-compile $(FLAGS)
	@echo; echo "$(REDUCED):"; cat $(REDUCED)

build/%.mlir: corpus/%/input.mlir.xz | $(SETUP)
	@mkdir -p build
	@$(BIN)/python -c 'import lzma, shutil, sys; shutil.copyfileobj(lzma.open(sys.argv[1]), open(sys.argv[2], "wb"))' $< $@

browser: ## Install a browser for the tests of the HTML pages (Debian and Ubuntu, as root)
	@command -v chromium >/dev/null || { apt-get -qq update \
	  && apt-get -qq install -y --no-install-recommends chromium fonts-dejavu-core; } >/dev/null

shells: ## Install the shells for the completion tests (Debian and Ubuntu, as root)
	@command -v zsh >/dev/null && command -v fish >/dev/null || { apt-get -qq update \
	  && apt-get -qq install -y --no-install-recommends zsh fish; } >/dev/null

tools: ## Install MLIR's own mlir-opt, to record and compare what it does in the tests (Debian, as root)
	@command -v mlir-opt-22 >/dev/null && command -v mlir-opt-19 >/dev/null || { apt-get -qq update \
	  && apt-get -qq install -y --no-install-recommends mlir-22-tools mlir-19-tools; } >/dev/null

test: $(SETUP) toolchain ## Run all tests except the slow ones
	$(PYTEST) --dist loadfile --no-loadscope-reorder -m "$(TESTS)"

test-all: export MLIR_REDUCER_TEST_RECORDINGS = compare
test-all: $(SETUP) toolchain ## Run all tests, with the compilers themselves: nightly, and before a release
	$(PYTEST) --dist worksteal

record: export MLIR_REDUCER_TEST_RECORDINGS = renew
record: $(SETUP) toolchain ## Record anew what compilers do in the tests
	$(PYTEST) --dist loadfile --no-loadscope-reorder -m "not slow"

lint: $(SETUP) ## Check style, format and types
	$(BIN)/ruff check
	$(BIN)/ruff format --check
	$(BIN)/mypy

format: $(SETUP) ## Format the code
	$(BIN)/ruff check --fix
	$(BIN)/ruff format

bench: $(SETUP) toolchain ## Check and reduce the whole corpus, kill reductions, and print tables (hours)
	$(BIN)/python -m benchmarks.failures
	$(BIN)/python -m benchmarks.faults
	$(BIN)/python -m benchmarks.soak
	$(BIN)/python -m benchmarks.reduce_corpus

release: .venv/.release ## Build and check what an upload needs, into dist/ (VERSION=0.2.0 only writes that)
	$(BIN)/python .ci/release.py $(if $(VERSION),--version $(VERSION))

.venv/.release: $(SETUP)
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --editable '.[release]'
	@touch $@

clean: ## Delete everything that was built, except the installed compilers
	rm -rf .venv build dist .mypy_cache .pytest_cache .ruff_cache .hypothesis
	find . -name __pycache__ -type d -prune -exec rm -rf {} +
