# Everything from a bare checkout with a JDK 17 or later, Python 3.11 or later (PySpark 4.3 asks for it), and Maven. A stamp stands for each
# thing that is made; what it depends on has to change before it is made again.

PYTHON ?= python3
SBT    := ./build/sbt
VENV   := .venv
PY     := $(VENV)/bin/python

JVM_SOURCES    := $(shell find jvm project build/sbt build.sbt -type f \
                    -not -path '*/target/*' -not -path '*/test/*' 2>/dev/null)
PYTHON_SOURCES := $(shell find python -type f -not -path '*/__pycache__/*' -not -path '*_cache/*' \
                    -not -path 'python/src/slidewise/jars/*' -not -path 'python/build/*' -not -path 'python/dist/*' 2>/dev/null)
VERSION        := $(shell cat python/src/slidewise/VERSION)
JAR            := .build/jar-$(VERSION)
JARS           := .build/jars-$(VERSION)
MINOR          := import pyspark; print(".".join(pyspark.__version__.split(".")[:2]))
INSTALL        := pip install -q --disable-pip-version-check --no-deps --no-build-isolation --force-reinstall ./python
LINTED         := python build $(wildcard tests bench docs)
# Two processes, each with a session of its own; a test that is slow moves to whichever is free.
WORKERS        ?= 2
PYTEST         := -m pytest -q -p no:cacheprovider --durations=10 -n $(WORKERS) --dist worksteal
JVM_TESTS      := all core/test sketches/test spark43/test
LONG           := SPARK_SUBMIT_OPTS= SLIDEWISE_QUERIES=400 SLIDEWISE_STREAM_QUERIES=400 SLIDEWISE_FRAMES=120 SLIDEWISE_KILLS=120

.DEFAULT_GOAL := help
.PHONY: help demo test test-long test-minors test-matrix bench bench-full bench-functions bench-streams bench-core bench-core-full docs \
  lint format jar jars wheel clean

help: ## list the targets
	@grep -hE '^[a-z-]+:.*##' $(MAKEFILE_LIST) | sed -E 's/^([a-z-]+):.*## /\1\t/' | awk -F'\t' '{printf "make %-15s %s\n", $$1, $$2}'

demo: $(VENV)/installed ## sliding windows over real flights, with Slidewise on and off, and a picture (demo-out/)
	$(PY) -m slidewise demo

test: $(VENV)/installed ## the tests, in minutes: the algorithms, the Python examples, Spark from outside
	$(SBT) "$(JVM_TESTS)"
	@$(PY) build/slowest_tests.py
	$(PY) $(PYTEST) tests

test-long: $(JARS) $(VENV)/installed ## every test there is, with many more random queries and kills: hours
	$(SBT) "$(JVM_TESTS)" testOtherMinors
	@$(PY) build/slowest_tests.py
	$(LONG) $(PY) $(PYTEST) -m '' tests

test-minors: $(VENV)/tools ## the JVM tests of the other Spark minors
	$(SBT) testOtherMinors

test-matrix: wheel ## a selection of the tests on the first and last patch of each Spark minor; VERSIONS="3.5.9 4.1.4" limits it
	WORKERS=$(WORKERS) $(PY) build/test_matrix.py $(VERSIONS)

bench: $(VENV)/installed $(VENV)/engines ## whole queries with Slidewise on and off, side by side
	$(PY) bench/queries/run.py

bench-full: $(VENV)/installed $(VENV)/engines ## the same on more rows, for every aggregate: hours
	$(PY) bench/queries/run.py --full

bench-streams: $(VENV)/installed ## windows over streams, beside floors and what is written today
	$(SBT) benchStreams/package
	$(PY) bench/streams/run.py

bench-functions: $(VENV)/installed ## the SQL functions beside what is written without them
	$(PY) bench/functions/run.py

bench-core: $(VENV)/tools ## the papers' experiments on the algorithms alone, in minutes
	$(PY) bench/core/run.py

bench-core-full: $(VENV)/tools ## the same, all of them: a night
	$(PY) bench/core/run.py --full

docs: $(VENV)/installed ## docs/functions.md, docs/settings.md and the helpers of Scala and Python, from what is registered
	$(PY) docs/functions_page.py
	$(PY) docs/settings_page.py

lint: $(VENV)/tools ## formatters, linters and the type checker, changing nothing
	$(SBT) scalafmtCheckAll scalafmtSbtCheck
	$(PY) -m ruff check --config python/pyproject.toml $(LINTED)
	$(PY) -m ruff format --check --config python/pyproject.toml $(LINTED)
	cd python && ../$(PY) -m mypy

format: $(VENV)/tools ## let the formatters write
	$(SBT) scalafmtAll scalafmtSbt
	$(PY) -m ruff check --fix --config python/pyproject.toml $(LINTED)
	$(PY) -m ruff format --config python/pyproject.toml $(LINTED)

jar: $(JAR) ## the jar for the Spark in .venv, into python/src/slidewise/jars

jars: $(JARS) ## the jar of each Spark minor and Scala version, into python/src/slidewise/jars

wheel: $(JARS) ## the wheel, with every jar in it, into python/dist
	rm -rf python/dist
	$(PY) -m pip wheel -q --disable-pip-version-check --no-deps --no-build-isolation -w python/dist ./python
	@ls python/dist/*.whl

clean: ## remove all that was made, the virtual environments too
	rm -rf $(VENV) .venv-* .build demo-out python/dist python/build python/src/slidewise/jars/*.jar
	rm -rf spark-warehouse metastore_db derby.log artifacts target project/target project/project
	find jvm bench -type d -name target -prune -exec rm -rf {} +
	find . -type d \( -name __pycache__ -o -name .pytest_cache -o -name .mypy_cache -o -name .ruff_cache \) \
	  -prune -exec rm -rf {} +

$(VENV)/tools: python/requirements-dev.txt
	$(PYTHON) -m venv $(VENV)
	$(PY) -m pip install -q --disable-pip-version-check -r $<
	touch $@

$(VENV)/engines: bench/requirements.txt | $(VENV)/tools
	$(PY) -m pip install -q --disable-pip-version-check -r $<
	touch $@

$(JAR): $(VENV)/tools $(JVM_SOURCES) python/src/slidewise/VERSION
	@mkdir -p .build
	$(SBT) slidewise/jar
	rm -f $(JARS)
	touch $@

$(JARS): $(VENV)/tools $(JVM_SOURCES) python/src/slidewise/VERSION
	@mkdir -p .build
	$(SBT) slidewise/jars
	touch $@ $(JAR)

$(VENV)/installed: $(VENV)/tools $(JAR) $(PYTHON_SOURCES)
	SLIDEWISE_MINORS=$$($(PY) -c '$(MINOR)') $(PY) -m $(INSTALL)
	touch $@
