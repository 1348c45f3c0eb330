# Builds, tests and measures Slidewise from a bare checkout. Needs a JDK 17 or later, Python 3.11 or later (PySpark 4.3 requires it) and
# Maven. Each product has a stamp file. make builds the product again only if one of its prerequisites is newer than the stamp.

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
# The number of pytest processes. Each has its own Spark session; an idle process takes waiting tests from a busy one.
WORKERS        ?= 2
PYTEST         := -m pytest -q -p no:cacheprovider --durations=10 -n $(WORKERS) --dist worksteal
HOURS          ?= 1
MINORS         ?= 3.5 4.0 4.1 4.2 4.3
JVM_TESTS      := all core/test sketches/test spark43/test
# The random queries have the same seeds in each run: `make fuzz` asks for new ones, for as long as it is told to.
LONG           := SLIDEWISE_RANDOM_SECONDS=8 SLIDEWISE_QUERIES=120 SLIDEWISE_HOPPING_QUERIES=500 \
                  SLIDEWISE_MULTISET_QUERIES=120 SLIDEWISE_STREAM_QUERIES=80 SLIDEWISE_FRAMES=60 SLIDEWISE_KILLS=30

.DEFAULT_GOAL := help
.PHONY: help sdist demo test test-long test-minors test-matrix test-pythons test-spark-suites test-other-projects test-faults fuzz bench bench-full bench-minors bench-functions bench-window-functions bench-h2o bench-hopping bench-scale bench-joins bench-refresh bench-aggregators bench-pandas bench-native bench-tpc \
  bench-streams bench-core bench-core-full docs site lint format jar jars wheel clean

##@ Help

help: ## list the targets
	@awk -F':.*## ' '/^##@/ {printf "\n%s\n", substr($$0, 5)} \
	  /^[a-z0-9-]+:.*## / {printf "  make %-22s %s\n", $$1, $$2}' $(MAKEFILE_LIST)

##@ Run and test

demo: $(VENV)/installed ## run sliding windows over real flights with Slidewise on and off, and plot the results (demo-out/)
	$(PY) -m slidewise demo

test: $(VENV)/installed .build/class-archive ## run the JVM tests and pytest on the Spark in .venv: 15 minutes
	$(PY) build/jvm_tests.py $(SBT) "$(JVM_TESTS)"
	$(PY) $(PYTEST) tests

test-long: $(JARS) $(VENV)/installed $(VENV)/libraries .build/class-archive ## run every test, with many more random queries and killed queries: about six hours
	SLIDEWISE_LONG=1 SLIDEWISE_MUTATIONS=1000000 $(PY) build/jvm_tests.py $(SBT) "$(JVM_TESTS)"
	SLIDEWISE_ALL_SUITES=1 $(PY) build/jvm_tests.py $(SBT) testOtherMinors
	$(LONG) $(PY) $(PYTEST) -m '' tests

test-minors: $(VENV)/tools ## run each JVM suite on one of the other Spark minors; SLIDEWISE_LONG=1 runs all on each
	$(PY) build/jvm_tests.py $(SBT) testOtherMinors

test-matrix: wheel ## run a selection of the tests on the first and last patch of each minor, or on VERSIONS="3.5.9 4.1.4"
	WORKERS=$(WORKERS) $(PY) build/test_matrix.py $(VERSIONS)

test-pythons: wheel ## run one program on the last patch of each Spark minor, with each Python that it supports and the machine has
	$(PY) build/test_pythons.py

test-spark-suites: $(JARS) ## run Spark's own test suites with Slidewise on, on each minor that publishes them, or on VERSIONS="4.2.0": hours
	$(PY) tests/spark_suites/run.py $(VERSIONS)

test-other-projects: $(JARS) ## run the tests of SUITE=duckdb|datafusion|pyspark|ibis|narwhals in the folder SOURCE with Slidewise and without; RELEASE names them
	$(PY) tests/other_projects/run.py $(SUITE) $(SOURCE) --release "$(RELEASE)" $(if $(SPARK),--spark $(SPARK))

test-faults: $(VENV)/installed ## kill executors, fail tasks, lose files and cancel queries while they run, and print what came of each
	$(PY) tests/faults/run.py
	$(PY) tests/faults/cancelled.py

fuzz: $(VENV)/installed ## ask random queries for HOURS=n, and write what fails as tests to tests/found
	$(PY) tests/fuzz/run.py --hours $(HOURS)

##@ Measure

bench: $(VENV)/installed $(VENV)/engines ## time whole queries with Slidewise on and off, beside other engines
	$(PY) bench/queries/run.py

bench-full: $(VENV)/installed $(VENV)/engines ## run make bench on more rows, for every aggregate: hours
	$(PY) bench/queries/run.py --full

bench-minors: wheel ## time the headline queries and streams on each Spark minor, each against its own Spark; MINORS="3.5 4.1" limits it
	for minor in $(MINORS); do $(PY) bench/queries/run.py --minor $$minor --only headline || exit; done
	$(PY) bench/queries/run.py --render
	$(SBT) benchStreams/package
	for minor in $(filter-out 3.%,$(MINORS)); do $(PY) bench/streams/run.py --minor $$minor || exit; done
	$(PY) bench/streams/run.py --render

bench-streams: $(VENV)/installed ## time windows over streams, beside minimal queries and user code without Slidewise
	$(SBT) benchStreams/package
	$(PY) bench/streams/run.py

bench-functions: $(VENV)/installed ## time the SQL functions, beside equivalent queries without them
	$(PY) bench/functions/run.py

bench-window-functions: $(VENV)/installed ## time ranks, running sums and first rows over tables of many shapes, with Slidewise on and off
	$(PY) bench/window_functions/run.py

bench-h2o: $(VENV)/installed $(VENV)/engines ## time the h2o window queries with Slidewise on and off, beside DuckDB and DataFusion
	$(PY) bench/h2o/run.py

bench-hopping: $(VENV)/installed $(VENV)/engines .venv-flink/installed ## time hopping windows in GROUP BY with Slidewise on and off, beside DuckDB and Flink
	$(PY) bench/hopping/run.py
	$(PY) bench/hopping/streams.py

bench-aggregators: $(VENV)/installed ## time an aggregate written in Python beside a pandas UDF and a fold of each frame
	$(PY) bench/aggregators/run.py

bench-pandas: $(VENV)/installed ## time windows of the pandas API on Spark with Slidewise on and off
	$(PY) bench/pandas_api/run.py

bench-scale: $(VENV)/installed ## time windows whose rows several tasks share, and count the CPU time of each task
	$(PY) bench/scale/run.py

bench-joins: $(VENV)/installed ## time windows over another table and as-of joins with Slidewise on and off, beside DuckDB; SCALE=0.1 is a tenth
	$(PY) bench/joins/run.py --scale $(or $(SCALE),1)

bench-refresh: $(VENV)/installed ## time refreshes of stored results beside computing them anew; ROWS=1000000 is a tenth
	$(PY) bench/refresh/run.py --rows $(or $(ROWS),10000000) --keys $(or $(KEYS),50000)

bench-native: wheel ## time windows beside the native engine Comet, on Spark 4.1
	$(PY) bench/native/run.py --minor 4.1
	$(PY) bench/native/run.py --render

bench-tpc: $(VENV)/installed .venv-tpc/installed ## time the queries of TPC-DS and TPC-H with Slidewise on and off
	$(PY) bench/tpc/run.py
	$(PY) bench/tpc/run.py --all
	$(PY) bench/tpc/run.py --all --benchmark tpch

bench-core: $(VENV)/tools ## run the papers' experiments on the algorithms alone: minutes
	$(PY) bench/core/run.py

bench-core-full: $(VENV)/tools ## run all of the papers' experiments: a night
	$(PY) bench/core/run.py --full

##@ Write and check

docs: $(VENV)/installed ## generate the function and settings pages, and the Scala and Python helpers
	$(PY) docs/functions_page.py
	$(PY) docs/settings_page.py

site: $(VENV)/site .build/scaladoc/stamp ## build the documentation site into .build/site, and check its links
	NO_MKDOCS_2_WARNING=1 $(PY) -m mkdocs build --strict
	$(PY) docs/site/check_links.py .build/site

lint: $(VENV)/tools ## check format, style and types; change nothing
	$(SBT) scalafmtCheckAll scalafmtSbtCheck
	$(PY) -m ruff check --config python/pyproject.toml $(LINTED)
	$(PY) -m ruff format --check --config python/pyproject.toml $(LINTED)
	cd python && ../$(PY) -m mypy

format: $(VENV)/tools ## format the sources
	$(SBT) scalafmtAll scalafmtSbt
	$(PY) -m ruff check --fix --config python/pyproject.toml $(LINTED)
	$(PY) -m ruff format --config python/pyproject.toml $(LINTED)

##@ Build

jar: $(JAR) ## build the jar for the Spark in .venv into python/src/slidewise/jars

jars: $(JARS) ## build the jar of each Spark minor and Scala version into python/src/slidewise/jars

wheel: $(JARS) ## build the wheel with every jar into python/dist
	rm -rf python/dist
	$(PY) -m pip wheel -q --disable-pip-version-check --no-deps --no-build-isolation -w python/dist ./python
	@ls python/dist/*.whl

sdist: $(JARS) ## build the source distribution with every jar into python/dist
	cd python && ../$(PY) -m hatchling build -t sdist -d dist
	@ls python/dist/*.tar.gz

clean: ## remove all build output and the virtual environments
	rm -rf $(VENV) .venv-* .build demo-out python/dist python/build python/src/slidewise/jars/*.jar
	rm -rf spark-warehouse metastore_db derby.log artifacts target project/target project/project
	find jvm bench -type d -name target -prune -exec rm -rf {} +
	find . -type d \( -name __pycache__ -o -name .pytest_cache -o -name .mypy_cache -o -name .ruff_cache \) \
	  -prune -exec rm -rf {} +

include build/release/release.mk

$(VENV)/tools: python/requirements-dev.txt
	$(PYTHON) -m venv $(VENV)
	$(PY) -m pip install -q --disable-pip-version-check -r $<
	touch $@

.build/class-archive: $(VENV)/tools tests/class_archive.py
	@mkdir -p .build
	$(PY) tests/class_archive.py
	touch $@

$(VENV)/engines: bench/requirements.txt | $(VENV)/tools
	$(PY) -m pip install -q --disable-pip-version-check -r $<
	touch $@

$(VENV)/libraries: tests/requirements.txt | $(VENV)/tools
	$(PY) -m pip install -q --disable-pip-version-check -r $<
	touch $@

$(VENV)/site: docs/requirements.txt | $(VENV)/tools
	$(PY) -m pip install -q --disable-pip-version-check -r $<
	touch $@

.build/scaladoc/stamp: $(VENV)/tools $(JVM_SOURCES)
	$(SBT) slidewise/scaladoc
	touch $@

.venv-flink/installed: bench/hopping/requirements-flink.txt
	$(PYTHON) -m venv .venv-flink
	.venv-flink/bin/python -m pip install -q --disable-pip-version-check -r $<
	touch $@

.venv-tpc/installed: bench/tpc/requirements.txt
	$(PYTHON) -m venv .venv-tpc
	.venv-tpc/bin/python -m pip install -q --disable-pip-version-check -r $<
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
