# One set-up, .venv, serves every target, once the tests have added what only they need; `make` alone lists them.
PYTHON ?= python3
PORT ?= 8000
LABFLAGS ?= # for example --no-browser

VENV := .venv
READY := $(VENV)/.ready
READY_FOR_TESTS := $(VENV)/.ready-for-tests
RUN := $(VENV)/bin/python
# Two workers suit two cores; more than four only wait for the same browser.
# Groups keep their order, in which tests/conftest.py puts the long ones first.
# A worker that dies is not replaced: a new one would find nothing assigned to it, and xdist would wait for it for ever.
PARALLEL := -n logical --maxprocesses 4 --max-worker-restart 0 --dist loadgroup --no-loadscope-reorder

PINS := uv pip compile --quiet --universal --python-version 3.11 --fork-strategy fewest --custom-compile-command "make pins"

.DEFAULT_GOAL := help
.PHONY: help install install-tests book figures-full test test-all audit serve lab bench links lint pins clean

help: ## list the targets
	@awk -F ':.*## ' '/^[a-z-]+:.*## / { printf "make %-12s %s\n", $$1, $$2 }' $(MAKEFILE_LIST)

install: $(READY) ## set up .venv with the exact versions of requirements.txt

install-tests: $(READY_FOR_TESTS) ## add those of tests/requirements.txt, without which the book can be built

book: $(READY) ## execute the chapters that changed and build _build/html (FRESH=1: all of them)
	@$(RUN) book/_tools/build.py

figures-full: $(READY) ## compute the long simulations at full size (minutes) and store them for the book
	@$(RUN) -m hdp.figures.hybrid_trust.k_means_data

test: $(READY_FOR_TESTS) book ## build the book and run the tests (BROWSER=none leaves the browser tests out)
	@echo "Running the tests ..."
	@$(RUN) -m pytest $(PARALLEL) -m "not slow" --ignore=tests/benchmarks

test-all: $(READY_FOR_TESTS) book ## the same, with all that `make test` asks of one figure or page of each kind only
	@echo "Running all tests ..."
	@$(RUN) -m pytest $(PARALLEL) --ignore=tests/benchmarks

audit: $(READY_FOR_TESTS) book ## show that the test of every claim can fail (one claim: make audit CLAIM=cc-theorem-2)
	@$(RUN) -m tests.audit $(CLAIM)

serve: book ## serve the book on localhost (PORT=8000), build again on every save, and show the new pages
	@echo "The book is at http://localhost:$(PORT)/ (stop with Ctrl-C)."
	@$(RUN) book/_tools/serve.py $(PORT)

# The viewer is set in a folder of .venv, so that the reader's own Jupyter settings stay as they are.
lab: export JUPYTER_CONFIG_DIR := $(abspath $(VENV))/etc/lab
lab: $(READY) ## open the chapters as notebooks in JupyterLab, sliders live
	@$(RUN) -m jupytext_config set-default-viewer markdown myst
	@echo "Opening JupyterLab on book/ (stop with Ctrl-C) ..."
	@$(RUN) -m jupyterlab $(LABFLAGS) book

bench: $(READY_FOR_TESTS) book ## time the library, and the figures and pages in a browser, on this machine
	@$(RUN) -m pytest tests/benchmarks --benchmark-enable --benchmark-only

links: book ## ask other hosts whether the book's outward links still work
	@KERNEL=none $(RUN) -c "from jupyter_book.cli.main import main; main()" build . --builder linkcheck \
		|| { echo "make links: some links do not answer (or there is no network): see above." >&2; exit 1; }

lint: $(READY_FOR_TESTS) ## check style and format with ruff, and the public types with mypy
	@$(RUN) -m ruff check .
	@$(RUN) -m ruff format --check .
	@$(RUN) -m mypy

pins: ## choose the versions of both requirements files again (needs uv; newer ones with UPGRADE=--upgrade)
	@echo "-e .[book,lab]" | $(PINS) $(UPGRADE) -o requirements.txt -
	@echo "-e .[book,lab,test]" | $(PINS) $(UPGRADE) -c requirements.txt -o tests/requirements.txt -

clean: ## remove everything that make has made, .venv included
	rm -rf _build mutants $(VENV) .pytest_cache .mypy_cache .ruff_cache .hypothesis .benchmarks *.egg-info build dist
	find book hdp tests -name __pycache__ -type d -prune -exec rm -rf {} +

$(READY): requirements.txt
	@command -v '$(PYTHON)' > /dev/null || { \
		echo "make: there is no '$(PYTHON)'; name a Python, as in make book PYTHON=python3.13" >&2; \
		exit 1; }
	@$(PYTHON) book/_tools/interpreter.py
	@$(PYTHON) -c 'import ensurepip, venv' 2>/dev/null || { \
		echo "make: '$(PYTHON)' lacks the venv module; on Debian or Ubuntu: sudo apt-get install python3-venv" >&2; \
		exit 1; }
	@echo "Setting up $(VENV) with $$($(PYTHON) --version) (a minute or two; longer on a slow connection) ..."
	@$(PYTHON) -m venv --clear $(VENV)
	@$(RUN) -m pip install --quiet --disable-pip-version-check -r requirements.txt || { \
		echo "make: the packages could not be installed, see above." \
		"If one was to be compiled, this system is none of those that README promises." >&2; \
		exit 1; }
	@touch $@

$(READY_FOR_TESTS): $(READY) tests/requirements.txt
	@echo "Adding what the tests need to $(VENV) ..."
	@$(RUN) -m pip install --quiet --disable-pip-version-check -r tests/requirements.txt || { \
		echo "make: what the tests need could not be installed, see above; make book does without." >&2; \
		exit 1; }
	@touch $@
