# Everything a developer runs. Each target works from nothing, does no finished step twice and fails loudly.
#   PYTHON=python3.12   the Python that environments are made from
#   SECONDS_=60         bounds bench, oracle and the long runs (programs read it from the environment)
#   ARGS="-k ocean"     more arguments for pytest (test, debug, sanitize, lowest), bench and oracle
SHELL := bash
.SHELLFLAGS := -euo pipefail -c
.DEFAULT_GOAL := help
.DELETE_ON_ERROR:
.SECONDARY:
MAKEFLAGS += --no-print-directory

# Of several Debian's own: it is built with profile guidance, and runs Python code in 0.88 of the time of one that is not.
PYTHON ?= $(shell for one in /usr/bin/python3 python3; do $$one requirements/check.py >/dev/null 2>&1 && break; done; echo $$one)
ARGS ?=
VENV := .venv
PY := $(VENV)/bin/python
PIP := $(PY) -m pip --disable-pip-version-check
PYTEST := -m pytest tests -q
# On every core, a file's tests on one, since they share what took long to make.
SPREAD := -n auto --dist loadfile
# ARGS="-k storm" may leave a part of the tests without any, of which pytest complains with 5.
MAY_BE_NONE = $(if $(ARGS),|| test $$? = 5)
# What C code prints before it dies must reach the screen: capture Python's own output only.
PYTEST_KERNEL := $(PYTEST) -m kernel --capture=sys
# One environment and one build folder for each way to compile: .venv with build/dev, .venv-debug with build/debug, ...
SETUP_dev :=
SETUP_debug := -Csetup-args=-Ddebug_cython=true -Csetup-args=-Dbuildtype=debug
SETUP_faults := -Csetup-args=-Dfaults=true
SETUP_sanitize := -Csetup-args=-Dbuildtype=debugoptimized -Csetup-args=-Db_sanitize=address,undefined \
                  -Csetup-args=-Db_lundef=false

# uv takes seconds where pip takes a minute. pip is the second try because it knows the user's own settings (mirrors, proxies).
# $(call install,ENVIRONMENT,REQUIREMENTS)
install = $(VENV)/bin/uv pip install -q -p $(1)/bin/python --require-hashes -r $(2) || \
  { echo "uv could not install $(2); trying pip"; $(PIP) --python $(1)/bin/python install -q --require-hashes -r $(2); }
# $(call editable,ENVIRONMENT,NAME): full names, so that the rebuild at an import finds its tools from any shell.
editable = install requirements/ninja-alone $(1)/bin/ && PATH="$(CURDIR)/$(1)/bin:$$PATH" \
  CYTHON="$(CURDIR)/$(1)/bin/cython" NINJA="$(CURDIR)/$(1)/bin/ninja-alone" \
  $(PIP) --python $(1)/bin/python install -q --no-build-isolation --no-deps -Cbuild-dir=build/$(2) $(SETUP_$(2)) --editable .

# Debian's daemons are in sbin, where not everybody looks.
export PATH := $(PATH):/usr/sbin
# $(call needs,COMMAND,PACKAGE): fails where the command is missing, and says what to install.
needs = command -v $(1) >/dev/null || { echo "Cannot find '$(1)': please install it (Debian: apt-get install $(2))"; exit 1; }
# $(call debian,COMMAND,PACKAGE) ARGUMENTS: runs it; where it is missing fails in CI, and elsewhere says so and goes on.
debian = run() { if command -v $(1) >/dev/null; then $(1) "$$@"; else \
  echo "Not checked: $(1) $$*: please install it (Debian: apt-get install $(2))"; [ -z "$${CI:-}" ]; fi; }; run

.PHONY: help
help: ## this list
	@grep -hE '^[a-z-]+:.*##' $(MAKEFILE_LIST) | sed -E 's/:.*## /\t/' | expand -t 12

# ---- environments ----------------------------------------------------------------------------------------------------

$(VENV)/.tools: requirements/tools.txt
	@$(PYTHON) --version >/dev/null 2>&1 || { echo "Cannot find '$(PYTHON)': please install Python 3.11 or newer (Debian: apt-get install python3 python3-venv python3-dev)"; exit 1; }
	@$(PYTHON) requirements/check.py
	@echo "Making $(VENV)"
	@$(PYTHON) -m venv $(VENV)
	@$(PIP) install -q --require-hashes -r $<
	@touch $@

# What it takes to run (and to build): no linter, no test tool.
$(VENV)/.run: requirements/run.txt $(VENV)/.tools
	@echo "Installing what runs: $<"
	@$(call install,$(VENV),$<)
	@touch $@

$(VENV)/.dev: requirements/dev.txt $(VENV)/.run
	@echo "Installing what develops: $<"
	@$(call install,$(VENV),$<)
	@touch $@

.venv-%/.dev: requirements/dev.txt $(VENV)/.tools
	@echo "Making .venv-$*"
	@$(VENV)/bin/uv venv -q --clear -p $(PY) .venv-$*
	@$(call install,.venv-$*,$<)
	@touch $@

# ---- builds ----------------------------------------------------------------------------------------------------------

build/dev/.installed: pyproject.toml meson.options $(VENV)/.run
	@echo "Building into build/dev"
	@$(call editable,$(VENV),dev)
	@touch $@

build/%/.installed: pyproject.toml meson.options .venv-%/.dev
	@echo "Building into build/$*"
	@$(call editable,.venv-$*,$*)
	@touch $@

# ninja knows what has changed; its words are shown only when something went wrong.
.PHONY: build build-%
build: build/dev/.installed ## compile what has changed, into .venv
	@$(VENV)/bin/ninja-alone -C build/dev --quiet

build-%: build/%/.installed
	@.venv-$*/bin/ninja-alone -C build/$* --quiet

# ---- what people run -------------------------------------------------------------------------------------------------

.PHONY: demo
demo: build ## from nothing to ranked moves from a real server
	@$(PY) -m advisor.demo

.PHONY: test
test: $(VENV)/.dev build ## every test but those that need another build (planted) or long (the targets below)
	$(PY) $(PYTEST) $(SPREAD) -m "not planted and not apart" $(ARGS) $(MAY_BE_NONE)
	$(PY) $(PYTEST) -m apart $(ARGS) $(MAY_BE_NONE)

# `make -k lint` goes on after the first that complains.
.PHONY: lint lint-ruff lint-mypy lint-cython lint-proto lint-deploy
lint: lint-ruff lint-mypy lint-cython lint-proto lint-deploy ## ruff, mypy --strict, cython-lint, buf lint, deploy/

lint-ruff: $(VENV)/.dev
	$(VENV)/bin/ruff check .
	$(VENV)/bin/ruff format --check .

lint-mypy: $(VENV)/.dev
	$(VENV)/bin/mypy

lint-cython: $(VENV)/.dev
	PATH="$(CURDIR)/$(VENV)/bin:$$PATH" cython-lint ext

lint-proto: $(VENV)/.dev
	$(VENV)/bin/buf lint

# The oldest Kubernetes with probes by gRPC that needs no switch, and the newest known. What Debian's promtool and haproxy
# say is a test, too: those that need them are skipped where they are missing, but not in CI.
MANIFESTS := $(filter-out %/kustomization.yaml,$(wildcard deploy/kubernetes/base/*.yaml))
lint-deploy: $(VENV)/.dev
	$(VENV)/bin/hadolint deploy/Dockerfile
	$(VENV)/bin/yamllint --strict -c deploy/.yamllint.yaml deploy
	$(VENV)/bin/kubernetes-validate --strict --quiet -k 1.27 $(MANIFESTS)
	$(VENV)/bin/kubernetes-validate --strict --quiet $(MANIFESTS)
	@$(call debian,promtool,prometheus) check config deploy/prometheus/prometheus.yml
	@$(call debian,promtool,prometheus) test rules deploy/prometheus/rules_test.yml
	@$(call debian,haproxy,haproxy) -c -f deploy/haproxy/haproxy.cfg

.PHONY: format
format: $(VENV)/.dev ## ruff's fixes and layout
	$(VENV)/bin/ruff check --fix .
	$(VENV)/bin/ruff format .

.PHONY: bench
bench: build ## playouts a second, a call's cost, and a server's throughput against a bare loop, as JSON
	$(VENV)/bin/advisor bench playouts --game ocean --players 4 --json $(ARGS)
	$(VENV)/bin/advisor bench playouts --game heart --players 4 --json $(ARGS)
	$(VENV)/bin/advisor bench playouts --game sanctuary --players 4 --json $(ARGS)
	$(VENV)/bin/advisor bench rpc --json
	$(VENV)/bin/advisor bench serving --json

# More arguments (ARGS="--seconds 20") come last, so they win. The picture is the report's first page.
REPORT := build/load-report
.PHONY: report
report: $(VENV)/.dev build ## a sweep of two games under load: build/load-report.html, docs/images/load-report.png
	@command -v chromium >/dev/null || { echo "Please install chromium (Debian: apt-get install chromium)"; exit 1; }
	$(VENV)/bin/advisor load --sweep --game ocean,heart --players 3 --simulations 100,400,1600,6400 --concurrency 1,4 \
	  --algorithm mcts --reference 20000 --reference-positions 32 --seconds $(or $(SECONDS_),10) \
	  --html $(REPORT).html --csv $(REPORT).csv $(ARGS)
	chromium --headless --no-sandbox --disable-gpu --hide-scrollbars --force-device-scale-factor=1 \
	  --window-size=1060,2000 --screenshot=docs/images/load-report.png $(REPORT).html 2>/dev/null

.PHONY: debug
debug: build-debug ## kernel tests on a build that checks bounds and C asserts
	.venv-debug/bin/python $(PYTEST_KERNEL) $(ARGS)

# Python itself is not instrumented, so the sanitizers' libraries must be loaded first; PYTHONMALLOC=malloc shows them Python's
# memory, too. Python leaks by design at exit.
.PHONY: sanitize
sanitize: build-sanitize ## kernel tests under the address and undefined-behaviour sanitizers
	LD_PRELOAD="$$($${CC:-cc} -print-file-name=libasan.so) $$($${CC:-cc} -print-file-name=libubsan.so)" \
	ASAN_OPTIONS=detect_leaks=0:abort_on_error=1:strict_string_checks=1 UBSAN_OPTIONS=halt_on_error=1:abort_on_error=1:print_stacktrace=1 \
	PYTHONMALLOC=malloc .venv-sanitize/bin/python $(PYTEST_KERNEL) $(ARGS)

.PHONY: scrape
scrape: $(VENV)/.dev build ## a real Prometheus with deploy's rules scrapes a loaded server, and its alerts fire when they should
	@$(call needs,prometheus,prometheus)
	$(PY) tests/run_scrape.py $(ARGS)

.PHONY: failover
failover: $(VENV)/.dev build ## servers behind a real HAProxy are killed and drained under load, and no call is lost
	@$(call needs,haproxy,haproxy)
	$(PY) tests/run_failover.py $(ARGS)

.PHONY: faults
faults: build-faults ## a build with the planted faults compiled in: .venv-faults

.PHONY: planted
planted: $(VENV)/.dev faults ## every planted fault and cheat is caught
	.venv-faults/bin/python $(PYTEST) $(SPREAD) -m planted $(ARGS)

.PHONY: fairness
fairness: $(VENV)/.dev build faults ## nobody is advised from what it cannot know, and every planted cheat is caught
	$(PY) -m pytest tests/test_fairness.py -q $(ARGS)
	.venv-faults/bin/python -m pytest tests/test_fairness.py -q -m planted $(ARGS)

.PHONY: levels
levels: $(VENV)/.dev build ## every level beats the one two below it, 400 games each
	$(PY) tests/run_levels.py $(ARGS)

.PHONY: exact
exact: $(VENV)/.dev build ## late positions against brute force: 200 of heart, 500 of ocean, 300 of solo sanctuary
	$(PY) tests/run_exact.py $(ARGS)

.PHONY: oracle
oracle: $(VENV)/.dev build faults ## the long differential run against the reference, and every planted fault caught
	.venv-faults/bin/python tests/run_oracle.py --faults
	$(PY) tests/run_oracle.py $(ARGS)

.PHONY: fuzz
fuzz: $(VENV)/.dev build ## bad input of every kind, 300 s; what breaks the service is kept in build/fuzz
	$(PY) tests/run_fuzz.py $(ARGS)

.PHONY: soak
soak: $(VENV)/.dev build ## a server under full load for 20 minutes: answers right, memory flat
	$(PY) tests/run_soak.py $(ARGS)

.PHONY: cluster
cluster: $(VENV)/.dev build ## an arena on a Ray cluster of two nodes, one of which is killed: each block counts once
	$(PY) tests/run_cluster.py

# ---- upkeep ----------------------------------------------------------------------------------------------------------

.PHONY: proto
proto: $(VENV)/.dev ## generate advisor/v1 from proto/
	@rm -f advisor/v1/*_pb2*
	$(PY) proto/generate.py .

# Dependencies of every supported Python in one file, with hashes, without the address they came from.
LOCK = $(VENV)/bin/uv pip compile -q --universal --python-version 3.11 --generate-hashes --no-emit-index-url \
  --no-emit-find-links --no-annotate --custom-compile-command "make lock" $(UPGRADE)
.PHONY: lock
lock: $(VENV)/.tools ## requirements/*.txt from pyproject.toml; newest versions: make lock UPGRADE=--upgrade
	$(LOCK) pyproject.toml --group dev -o requirements/dev.txt
	$(LOCK) pyproject.toml --group build -c requirements/dev.txt -o requirements/run.txt
	printf 'pip\nuv\n' | $(LOCK) - -o requirements/tools.txt

.PHONY: lowest
lowest: $(VENV)/.tools ## every test with the oldest dependencies that pyproject.toml allows
	@mkdir -p build/lowest
	$(VENV)/bin/uv pip compile -q --resolution lowest-direct --python-version 3.11 pyproject.toml --group build --group test \
	  -o build/lowest/requirements.txt
	$(VENV)/bin/uv venv -q --clear -p $(PY) .venv-lowest
	$(VENV)/bin/uv pip install -q -p .venv-lowest/bin/python -r build/lowest/requirements.txt
	$(call editable,.venv-lowest,lowest)
	.venv-lowest/bin/python $(PYTEST) $(ARGS)

.PHONY: clean
clean: ## remove everything that make has made
	rm -rf .venv .venv-* build dist .mypy_cache .ruff_cache .pytest_cache .hypothesis
	find advisor search ext tests -name __pycache__ -prune -exec rm -rf {} +
