# Needs Python 3.10 or later with venv and pip, and PyPI. All else is set up in $(VENV), once.

PYTHON ?= python3
VENV ?= .venv
GROUP ?= dev
PYTEST_OPTIONS ?= --cov --cov-report=term:skip-covered

BIN = $(VENV)/bin
PIP_INSTALL = $(BIN)/python -m pip install --quiet --disable-pip-version-check

.PHONY: help demo demo-trustgraph demo-jaeger test test-core test-pulsar test-sparql test-integration lint bench clean

help:
	@echo "make demo     run a traced agent, and see what it thought, did and saw"
	@echo "make test     run the tests, those with real servers too (Java 17 or later, Maven and Go; else they are skipped)"
	@echo "make test-core    run the tests that need no server"
	@echo "make demo-trustgraph    the same agent, delivered to a real TrustGraph over a real Apache Pulsar"
	@echo "make demo-jaeger    the same session in a real Jaeger and in TrustGraph, side by side (Go, too)"
	@echo "make lint     check format, style, types, and which room imports which"
	@echo "make bench    measure speed and memory beside peers"
	@echo "make clean    remove all that these made"
	@echo "Another Python than $(PYTHON): make clean, then make test PYTHON=python3.12"

# The project itself, which is all that a demo needs.
$(VENV)/.project: pyproject.toml
	@$(PYTHON) -c 'import sys; sys.version_info < (3, 10) and sys.exit("otel-prov needs Python 3.10 or later; \
	this is %s. Name another: make PYTHON=python3.12" % sys.version.split()[0])'
	@echo "Setting up $(VENV); this may take a minute."
	$(PYTHON) -m venv $(VENV)
	$(PIP_INSTALL) --upgrade pip
	$(PIP_INSTALL) --editable .
	@touch $@

# What its tests and checks need besides. pip knows dependency groups since 25.1.
$(VENV)/.$(GROUP): $(VENV)/.project
	$(PIP_INSTALL) --editable '.[examples]' --group $(GROUP)
	@touch $@

# The destinations, and what their tests compare with.
$(VENV)/.exporters: $(VENV)/.$(GROUP) exporters/pulsar/pyproject.toml exporters/sparql/pyproject.toml
	$(PIP_INSTALL) --editable exporters/pulsar --group exporters/pulsar/pyproject.toml:test
	$(PIP_INSTALL) --editable exporters/sparql --group exporters/sparql/pyproject.toml:test
	@touch $@

# Shows a command as one would type it, and runs it.
run = @printf '\n$$ %s\n\n' '$(1)' && $(1)

demo: export PATH := $(CURDIR)/$(BIN):$(PATH)
demo: export OTEL_EXPORTER_PROV_STORE := demo/store
demo: export OTEL_EXPORTER_PROV_TRACE_URL := none
demo: $(VENV)/.project
	@rm -rf demo && mkdir demo
	$(call run,python examples/environment_agent.py)
	$(call run,otel-prov list)
	$(call run,otel-prov show latest)
	$(call run,python examples/retrieval_agent.py)
	$(call run,otel-prov show latest)
	$(call run,otel-prov export -o demo/sessions.trig)
	@printf '\n%s\n%s\n' "The sessions are kept in demo/store; as PROV-O triples they stand in demo/sessions.trig." \
	"Look at another: $(BIN)/otel-prov --store demo/store show ID, with an ID of the list."

demo-trustgraph: $(VENV)/.exporters
	$(BIN)/python examples/trustgraph_demo.py

demo-jaeger: $(VENV)/.exporters
	$(BIN)/python examples/jaeger_demo.py

test: test-core test-pulsar test-sparql test-integration

test-core: $(VENV)/.$(GROUP)
	$(BIN)/python -m pytest --ignore=tests/integration $(PYTEST_OPTIONS)

# With real servers, which the tests start and stop; what they download is kept in .cache.
test-pulsar test-sparql: test-%: $(VENV)/.exporters
	cd exporters/$* && $(CURDIR)/$(BIN)/python -m pytest

test-integration: $(VENV)/.exporters
	$(BIN)/python -m pytest tests/integration

lint: $(VENV)/.exporters
	$(BIN)/ruff format --check .
	$(BIN)/ruff check .
	$(BIN)/mypy
	$(BIN)/mypy examples tests/examples tests/typing
	$(BIN)/pyright --pythonpath $(BIN)/python
	$(BIN)/lint-imports
	cd exporters/pulsar && $(CURDIR)/$(BIN)/mypy
	cd exporters/sparql && $(CURDIR)/$(BIN)/mypy

bench: $(VENV)/.$(GROUP)
	$(BIN)/python -m benchmarks

clean:
	rm -rf .venv .cache demo build dist .coverage .mypy_cache .pytest_cache .ruff_cache .hypothesis .import_linter_cache
