# Each target makes what it needs, once. Only make and a Python from 3.11 to 3.14 are assumed.
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
INSTALLED := $(VENV)/.installed
# Folder of the data packs, for the tests and benchmarks that read them.
export TUQA_PACKS
# Compiled once: else each process of the tests compiles whatever it imports.
unexport PYTHONDONTWRITEBYTECODE
EXAMPLE := docs/example

.DEFAULT_GOAL := install
.PHONY: install demo test test-long sweep test-browser test-5.26 lint lint-style lint-mypy lint-pyright docs docs-serve bench kills lock release-check clean

install: $(INSTALLED)

# uv installs in seconds what pip installs in minutes; pip serves where uv cannot reach its index.
$(INSTALLED): pyproject.toml
	@$(PYTHON) -c 'import sys; sys.exit(not (3, 11) <= sys.version_info < (3, 15))' || \
	  { echo "Python 3.11 to 3.14 is needed: make PYTHON=python3.12" >&2; exit 1; }
	@test -x $(BIN)/python || $(PYTHON) -m venv $(VENV) || \
	  { echo "python3 has no venv module: on Debian and Ubuntu, apt install python3-venv" >&2; exit 1; }
	$(BIN)/python -m pip install --quiet --disable-pip-version-check "uv>=0.5,<1"
	$(BIN)/uv pip install --quiet --python $(BIN)/python --editable ".[all,dev]" || \
	  $(BIN)/python -m pip install --quiet --editable ".[all,dev]"
	@touch $@

demo: install
	@PATH="$(CURDIR)/$(BIN):$$PATH" sh $(EXAMPLE)/demo.sh

# Two workers: a test waits for its server most of the time. Who runs dry takes over from the other.
test: install
	$(BIN)/pytest -n 2 --dist worksteal

# What takes long: sweeps, servers that are killed again and again, whole data packs. A pack is loaded by
# one worker alone.
test-long: install
	$(BIN)/pytest -n 2 --dist loadgroup -m long

# Random queries by the engine and by the reference interpreter (tests/reference/README.md).
sweep: install
	PYTHONPATH=tests $(BIN)/python -m reference.sweep --queries 100000

# The page in a real browser: Debian's package chromium.
test-browser: install
	$(BIN)/pytest -n 1 -m browser tests/browser

# The same suite against the long-term release.
test-5.26: install
	TUQA_NEO4J_VERSION=5.26.30 $(BIN)/pytest -n 2 --dist worksteal

# make -j2 -O lint: both checks of types at once.
lint: lint-style lint-mypy lint-pyright

lint-style: install
	$(BIN)/ruff format --check .
	$(BIN)/ruff check .

lint-mypy: install
	$(BIN)/mypy trustuqa_neo4j loaders

lint-pyright: install
	$(BIN)/basedpyright --pythonpath $(BIN)/python

# A site of the pages in docs, with references from the code: build/documentation/site. Tables in pages that
# come from the code are written anew too.
docs: install
	grep -l cog.outl docs/*.md CONTRIBUTING.md | xargs -n 1 $(BIN)/python -m cogapp -r
	$(BIN)/python -m bench.documentation

docs-serve: install
	$(BIN)/python -m bench.documentation --serve

# The figures go to bench/history.jsonl; one that is worse than before by more than 15 % is an error.
bench: install
	@rm -f bench/.figures.jsonl
	$(BIN)/python bench/baseline.py
	$(BIN)/python bench/embedding.py
	$(BIN)/python bench/queries.py
	$(BIN)/python bench/checking.py
	$(BIN)/python bench/waiting.py
	$(BIN)/python bench/taught.py
	$(BIN)/python bench/serving.py
	$(BIN)/python bench/storage.py
	$(BIN)/python -m bench.large_table
	$(BIN)/python bench/history.py

# Kills of loader, server and both at moments left to chance, 20 of each way of loading: outside CI, hours.
# KILLS=3 WAYS=driver,migration VICTIMS=loader make kills
kills: install
	$(BIN)/python bench/kills.py

# For developers of this package: list the server's jars anew, with their checksums.
lock: install
	$(BIN)/python -m bench.lockfile 2026.08.1
	$(BIN)/python -m bench.lockfile 5.26.30

# Empty fields of the owner (.github/owner.toml) fail with RELEASE=1 only. DIST=dist keeps what was built.
release-check: install
	$(BIN)/python -m bench.release_check $(if $(DIST),--output $(DIST))

clean:
	rm -rf $(VENV) build dist *.egg-info .mypy_cache .pytest_cache .ruff_cache .hypothesis .coverage
	find . -name __pycache__ -type d -prune -exec rm -rf {} +
