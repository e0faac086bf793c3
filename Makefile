# `make lab` opens the book, `make test` checks everything. Both make .venv first, from the exact versions in
# requirements-lock.txt, and do so again only when pyproject.toml or the lock has changed.

SHELL := /bin/bash
.SHELLFLAGS := -eu -o pipefail -c
.DEFAULT_GOAL := help

VENV := .venv
BIN := $(VENV)/bin
LOCK := requirements-lock.txt
PIP := $(BIN)/python -m pip --disable-pip-version-check --quiet
NOTEBOOKS := $(sort $(wildcard notebooks/*.ipynb))
JS_TESTS = $(shell find widgets tests -name '*.test.js' -o -name '*.test.mjs' | sort)

# The first of these that is 3.11 or newer and can make an environment. `make PYTHON=… lab` picks another.
PYTHON := $(shell for p in python3.11 python3.12 python3.13 python3.14 python3 python; do \
	$$p -c 'import sys, ensurepip, venv; sys.exit(sys.version_info < (3, 11))' 2>/dev/null && echo $$p && break; done)

SITE := build/site

.PHONY: help lab doctor book serve-book translations test test-more lint types pytest browser node execute contract coverage format lock clean

help:
	@echo "make lab        open the book in JupyterLab (PORT=8899 picks the port, ARGS=--no-browser only prints the address)"
	@echo "make book       make the book's site in $(SITE), to open there or to put on a server; the Chinese edition is in $(SITE)/zh"
	@echo "make serve-book make the site and show it on this machine (PORT=8000)"
	@echo "make test       run every check"
	@echo "make test-more  fuzz, race and kill, read every page of the site, and run the checks once more with every implicit encoding an error"
	@echo "make coverage   run the checks of the library and say how much of it they reach"
	@echo "make translations  take changed texts over into the Chinese catalogues, and say what is not translated (PAGES=… begins a page)"
	@echo "make execute    run the notebooks, store their outputs, and count how long they take to read"
	@echo "make format     put the code into the usual form"
	@echo "make doctor     say what is installed, what is missing, and what to do"
	@echo "make lock       move to the newest allowed versions and write $(LOCK)"
	@echo "make clean      remove what these commands made"

$(BIN)/python:
	@test -n "$(PYTHON)" || { echo "No Python 3.11 or newer with venv was found. Debian, Ubuntu: apt-get install python3-venv" >&2; exit 1; }
	@echo "Making $(VENV) with $(PYTHON)"
	$(PYTHON) -m venv --clear $(VENV)

$(VENV)/.book: pyproject.toml $(LOCK) | $(BIN)/python
	@echo "Installing what the book needs (a minute or two, once)"
	$(PIP) install -c $(LOCK) -e '.[book]'
	@touch $@

$(VENV)/.dev: pyproject.toml $(LOCK) | $(BIN)/python
	@echo "Installing what the checks need (a few minutes, once)"
	$(PIP) install -c $(LOCK) -e '.[dev]'
	@touch $(VENV)/.book $@

lab: $(VENV)/.book
	$(BIN)/hello-agents lab $(if $(PORT),--port $(PORT)) $(ARGS)

doctor: $(VENV)/.book
	$(BIN)/hello-agents doctor

# The two scripts that keep widgets alive come from npm, in the versions of the lock and without any script of a package.
book/node_modules/.package-lock.json: book/package.json book/package-lock.json | $(VENV)/.dev
	PATH="$(CURDIR)/$(BIN):$$PATH" npm ci --prefix book --ignore-scripts --no-audit --no-fund --loglevel=error
	@touch $@

book: $(VENV)/.dev book/node_modules/.package-lock.json
	$(BIN)/python -m sphinx -q -W --keep-going -b html -d build/site-doctrees book $(SITE)
	$(BIN)/python -m sphinx -q -W --keep-going -b html -t zh -d build/site-doctrees-zh book $(SITE)/zh
	@echo "The site is in $(SITE): open $(SITE)/index.html"

serve-book: book
	$(BIN)/python -m http.server --bind 127.0.0.1 --directory $(SITE) $(or $(PORT),8000)

translations: $(VENV)/.dev
	$(BIN)/python book/zh/catalogues.py update $(PAGES)

test: lint types node pytest
	@echo "All checks passed."

lint: $(VENV)/.dev
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .

types: $(VENV)/.dev
	PYRIGHT_PYTHON_IGNORE_WARNINGS=1 PATH="$(CURDIR)/$(BIN):$$PATH" $(BIN)/pyright --pythonpath $(BIN)/python

# Playwright keeps an event loop in the main thread, which the asynchronous tests want for themselves; and the tests of the
# guard have to be in the process that the guard was put into first. So these two have sessions of their own.
pytest: $(VENV)/.dev
ifeq ($(strip $(ARGS)),)
	$(BIN)/python -m pytest -q -n auto --dist worksteal -m "not more" --ignore=tests/browser --ignore=tests/guard --ignore=tests/more --ignore=tests/site
	$(BIN)/python -m pytest -q tests/guard
	$(BIN)/python -m pytest -q -n auto --dist loadfile -m "not more" tests/browser
else
	$(BIN)/python -m pytest $(ARGS)
endif

browser: $(VENV)/.dev
	$(BIN)/python -m pytest tests/browser $(ARGS)

node: $(VENV)/.dev
	@if [ -n "$(JS_TESTS)" ]; then $(BIN)/node --test $(JS_TESTS); fi

# Fuzzing, races and kills; every chapter in JupyterLab, and with a provider; the pages once more in the dark; every page
# of the site; and half of the readers write Chinese, some on systems whose files are not UTF-8 unless a program says so.
test-more: $(VENV)/.dev book/node_modules/.package-lock.json
	$(BIN)/python -m pytest tests/more $(ARGS)
	$(BIN)/python -m pytest -q -n auto -m more tests/notebooks $(ARGS)
	$(BIN)/python -m pytest -q -n auto --dist loadfile -m more tests/browser $(ARGS)
	$(BIN)/python -m pytest tests/site $(ARGS)
	ALL_EXAMPLES=1 PYTHONWARNDEFAULTENCODING=1 $(BIN)/python -m pytest -q -n auto --dist worksteal -o filterwarnings='error::EncodingWarning:hello_agents' \
		$(addprefix --ignore=tests/,browser guard notebooks package more site translations) $(ARGS)

execute: $(VENV)/.dev
	$(BIN)/python tests/notebooks/execute.py $(or $(ONLY),$(NOTEBOOKS))
	$(BIN)/python book/reading_times.py

contract: $(VENV)/.dev
	PYTHONPATH=. $(BIN)/python tests/contract/compare.py

# Chapters and browsers run the library in processes of their own; what only they reach does not count.
coverage: $(VENV)/.dev
	rm -f .coverage .coverage.*
	ALL_EXAMPLES=1 $(BIN)/python -m coverage run -m pytest -q -n auto --dist worksteal $(addprefix --ignore=tests/,browser guard more notebooks site translations)
	$(BIN)/python -m coverage combine --quiet
	$(BIN)/python tests/support/coverage_floor.py

format: $(VENV)/.dev
	$(BIN)/ruff check --fix .
	$(BIN)/ruff format .

# A fresh environment takes the newest versions that pyproject.toml allows; what it then holds is the lock.
lock:
	@test -n "$(PYTHON)" || { echo "No Python 3.11 or newer with venv was found." >&2; exit 1; }
	$(PYTHON) -m venv --clear $(VENV)-lock
	$(VENV)-lock/bin/python -m pip --disable-pip-version-check --quiet install -e '.[dev]'
	@{ echo "# The exact versions that the stored outputs were made with. Written by \`make lock\`."; \
		$(VENV)-lock/bin/python -m pip --disable-pip-version-check freeze --exclude-editable | grep -E '^[A-Za-z0-9_.-]+=='; } > $(LOCK)
	@rm -rf $(VENV)-lock
	@echo "$(LOCK) is written. Now: make test, and make execute where outputs have changed."

clean:
	rm -rf $(VENV) $(VENV)-lock build dist book/chapters book/api book/node_modules .pytest_cache .ruff_cache .hypothesis test-results .coverage .coverage.*
	find book/zh -name '*.mo' -delete
	find . -name __pycache__ -type d -prune -exec rm -rf {} +
