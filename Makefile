# Two commands do everything on a machine with Python (3.11 or newer), make and git:
#   make demo    a tour on embedded data
#   make test    all tests
# And the workbench in a browser:
#   make app
# Others, for those who change it: make check, make fuzz, make bench, make docs, make clean
PYTHON ?= python3
VENV   := .venv
BIN    := $(VENV)/bin
PIP    := $(BIN)/python -m pip --disable-pip-version-check install --quiet

.PHONY: demo app test fuzz check bench docs clean
.DELETE_ON_ERROR:

demo: $(VENV)/.base
	@$(BIN)/ontomask demo build/demo

app: $(VENV)/.app
	@$(BIN)/ontomask app $(ARGS)

test: $(VENV)/.test wordnet chromium java postgresql
	$(BIN)/python -m pytest -n 2 --dist worksteal $(ARGS)

# Random tables, policies and files, for longer than the tests do: make fuzz CASES=5000
CASES ?= 100000
fuzz: $(VENV)/.test wordnet
	POLARS_MAX_THREADS=1 ONTOMASK_FUZZ_CASES=$(CASES) $(BIN)/python -m pytest tests/fuzz -n 2 $(ARGS)

check: $(VENV)/.dev
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy

bench: $(VENV)/.bench wordnet
	@$(PIP) hpo3 || echo "hpo3 is not available here; its row is left out"
	$(BIN)/python -m benchmarks.run $(ARGS)

# The table of measures against human judgement, in docs/human-judgement.md.
docs: $(VENV)/.test wordnet
	$(BIN)/python -m benchmarks.human_judgement docs/human-judgement.md

$(BIN)/python:
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' \
	  || { echo "ontomask needs Python 3.11 or newer; name one with: make PYTHON=python3.12 $(MAKECMDGOALS)"; exit 1; }
	@echo "Creating the environment in $(VENV) ..."
	@$(PYTHON) -m venv $(VENV) 2>/dev/null || { rm -rf $(VENV); \
	  if [ "$$(id -u)" = 0 ] && command -v apt-get >/dev/null; then \
	    apt-get update -qq && apt-get install -y -qq python3-venv >/dev/null && $(PYTHON) -m venv $(VENV); \
	  else echo "Python's venv module is missing. On Debian: sudo apt-get install python3-venv"; exit 1; fi; }

# One stamp per set of extras: it is made again when pyproject.toml changes.
$(VENV)/.base: pyproject.toml | $(BIN)/python
	@echo "Installing ontomask ..."
	@$(PIP) -e .
	@touch $@

$(VENV)/.test $(VENV)/.dev $(VENV)/.bench $(VENV)/.app: $(VENV)/.%: pyproject.toml | $(BIN)/python
	@echo "Installing ontomask and what '$*' needs ..."
	@$(PIP) -e ".[$*]"
	@touch $@ $(VENV)/.base

# WordNet is data some tests need. Root on Debian gets it; elsewhere those tests are skipped and say why.
.PHONY: wordnet
wordnet:
	@if [ ! -e /usr/share/wordnet/data.noun ] && [ "$$(id -u)" = 0 ] && command -v apt-get >/dev/null; then \
	  echo "Installing Debian's wordnet-base ..."; \
	  { apt-get update -qq && apt-get install -y -qq wordnet-base >/dev/null; } \
	    || echo "wordnet-base could not be installed; tests that need WordNet are skipped"; fi

# Tests open the report in a browser.
.PHONY: chromium
chromium:
	@if ! command -v chromium >/dev/null && [ "$$(id -u)" = 0 ] && command -v apt-get >/dev/null; then \
	  echo "Installing Debian's chromium ..."; \
	  { apt-get update -qq && apt-get install -y -qq chromium >/dev/null; } \
	    || echo "chromium could not be installed; tests that need a browser are skipped"; fi

# Spark runs on Java.
.PHONY: java
java:
	@if ! command -v java >/dev/null && [ "$$(id -u)" = 0 ] && command -v apt-get >/dev/null; then \
	  echo "Installing Debian's openjdk-17-jre-headless ..."; \
	  { apt-get update -qq && apt-get install -y -qq openjdk-17-jre-headless >/dev/null; } \
	    || echo "openjdk-17-jre-headless could not be installed; tests that need Java are skipped"; fi

# And a PostgreSQL server of their own, on a free port. Debian's package starts one of its own only where there is an init system.
.PHONY: postgresql
postgresql:
	@if ! ls /usr/lib/postgresql/*/bin/initdb >/dev/null 2>&1 && ! command -v initdb >/dev/null && [ "$$(id -u)" = 0 ] \
	  && command -v apt-get >/dev/null; then \
	  echo "Installing Debian's postgresql ..."; \
	  { apt-get update -qq && DEBIAN_FRONTEND=noninteractive apt-get install -y -qq postgresql >/dev/null; } \
	    || echo "postgresql could not be installed; tests that need a server are skipped"; fi

clean:
	rm -rf $(VENV) build dist .pytest_cache .mypy_cache .ruff_cache .hypothesis
