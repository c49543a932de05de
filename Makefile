# Each target makes what it needs, once. Only make and a Python from 3.10 to 3.13 are assumed.
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
INSTALLED := $(VENV)/.installed
# Folder of the data packs, for the tests and benchmarks that read them.
export TUQA_PACKS
EXAMPLE := docs/example

.DEFAULT_GOAL := install
.PHONY: install demo test test-5.26 lint bench lock clean

install: $(INSTALLED)

# uv installs in seconds what pip installs in minutes; pip serves where uv cannot reach its index.
$(INSTALLED): pyproject.toml
	@$(PYTHON) -c 'import sys; sys.exit(not (3, 10) <= sys.version_info < (3, 14))' || \
	  { echo "Python 3.10 to 3.13 is needed: make PYTHON=python3.12" >&2; exit 1; }
	@test -x $(BIN)/python || $(PYTHON) -m venv $(VENV) || \
	  { echo "python3 has no venv module: on Debian and Ubuntu, apt install python3-venv" >&2; exit 1; }
	$(BIN)/python -m pip install --quiet --disable-pip-version-check "uv>=0.5,<1"
	$(BIN)/uv pip install --quiet --python $(BIN)/python --editable ".[all,dev]" || \
	  $(BIN)/python -m pip install --quiet --editable ".[all,dev]"
	@touch $@

demo: install
	@PATH="$(CURDIR)/$(BIN):$$PATH" sh $(EXAMPLE)/demo.sh

test: install
	$(BIN)/pytest -n 2 --dist loadfile

# The same suite against the long-term release.
test-5.26: install
	TUQA_NEO4J_VERSION=5.26.30 $(BIN)/pytest -n 2 --dist loadfile

lint: install
	$(BIN)/ruff format --check .
	$(BIN)/ruff check .
	$(BIN)/mypy trustuqa_neo4j loaders

bench: install
	$(BIN)/python bench/ground.py
	$(BIN)/python bench/embedding.py
	$(BIN)/python bench/queries.py
	$(BIN)/python bench/checking.py
	$(BIN)/python bench/waiting.py
	$(BIN)/python bench/storage.py

# For developers of this package: list the server's jars anew, with their checksums.
lock: install
	$(BIN)/python -m trustuqa_neo4j.graph.embedded.lockfile 2026.08.1
	$(BIN)/python -m trustuqa_neo4j.graph.embedded.lockfile 5.26.30

clean:
	rm -rf $(VENV) build dist *.egg-info .mypy_cache .pytest_cache .ruff_cache .hypothesis .coverage
	find . -name __pycache__ -type d -prune -exec rm -rf {} +
