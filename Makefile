# Everything one does with agentsite. `make help` lists it. The work itself is done by the scripts in deploy/bin.
.DEFAULT_GOAL := help
SHELL := /bin/bash
PYTEST := .venv/bin/pytest
# The tests start hundreds of Python processes; without kept bytecode each compiles the whole site again.
export PYTHONDONTWRITEBYTECODE :=
PYTHON_SOURCES := agentsite deploy sandbox sessions_app tests tools_app manage.py

# pytest-timeout: seconds after which a test counts as hung.
test-all soak bench languages: export PYTEST_TIMEOUT := 3600

.PHONY: help install run demo test test-all test-changed test-fast test-sqlite test-postgres test-browser lint lint-python lint-frontend test-frontend e2e languages soak drill bench bench-compare fmt openapi clean

help: ## show this list
	@awk -F ':.*## ' '/^[a-z0-9-]+:.*## / {printf "  make %-13s %s\n", $$1, $$2}' $(MAKEFILE_LIST)

install: ## install everything the site needs on this machine
	@deploy/bin/install run

run: ## install what is missing, then run the site until Ctrl-C
	@deploy/bin/run

demo: ## run the demo without a browser; succeeds if the agent fixed the tests
	@deploy/bin/demo

test: ## everything that must pass before a change is merged: lint, unit tests, both databases, containers, a browser
	@deploy/bin/install test
	@$(MAKE) --no-print-directory -j 3 --output-sync=target lint-python lint-frontend test-frontend
	@$(MAKE) --no-print-directory -j 2 --output-sync=target test-sqlite test-browser test-postgres

# Two at a time, because each of them waits for containers or pages for half of its time: PostgreSQL, which waits for
# nothing, begins when the browser has ended. `+` shows dots as they come.
test-sqlite:
	+$(PYTEST) tests/unit tests/contract tests/integration -n 3 --dist worksteal \
	  -m "not bench and not languages and not full and not on_postgres and not feature"

test-postgres:
	AGENTSITE_TEST_DB=postgres $(PYTEST) tests/integration -n 2 --dist worksteal -m "not docker and not bench and not full"

test-browser:
	$(PYTEST) tests/e2e -n 2 --dist loadfile -m "not full"

test-all: ## every test in every lane: all kills, all transports, all tests on PostgreSQL, language servers
	@deploy/bin/install test
	@AGENTSITE_TEST_ALL=1 $(MAKE) --no-print-directory -j 2 --output-sync=target lint test-frontend
	AGENTSITE_TEST_ALL=1 $(PYTEST) tests/unit tests/contract tests/integration -n 2 --dist worksteal -m "not bench"
	AGENTSITE_TEST_ALL=1 AGENTSITE_TEST_DB=postgres $(PYTEST) tests/integration -n 2 --dist worksteal -m "not docker and not bench"
	AGENTSITE_TEST_ALL=1 $(PYTEST) tests/e2e -n 2 --dist loadfile

test-changed: ## lint, and the tests of the code that differs from SINCE (default: HEAD and the working tree)
	@deploy/bin/install fast
	@$(MAKE) --no-print-directory lint-python
	.venv/bin/python -m tests.support.changed $(SINCE)

test-fast: ## lint, unit tests and API documents, without containers and browser; under two minutes
	@deploy/bin/install fast
	@$(MAKE) --no-print-directory lint-python
	$(PYTEST) tests/unit tests/contract/api -n 2 -m "not docker and not litellm"

lint: lint-python lint-frontend ## ruff, mypy, import-linter, Biome, tsc

lint-python:
	.venv/bin/ruff check $(PYTHON_SOURCES)
	.venv/bin/ruff format --check --quiet $(PYTHON_SOURCES)
	.venv/bin/lint-imports --no-logo
	.venv/bin/python -m deploy.words
	.venv/bin/mypy

lint-frontend:
	@deploy/bin/frontend packages
	deploy/bin/with-node npm run --silent --prefix frontend lint

test-frontend:
	@deploy/bin/frontend packages
	deploy/bin/with-node npm run --silent --prefix frontend test

e2e: ## end-to-end tests in a real browser, in both colour schemes
	@deploy/bin/install test
	$(PYTEST) tests/e2e -n 2 --dist loadfile

languages: ## tests with real language servers and formatters in a container; builds their image if it is missing
	@deploy/bin/install test
	$(PYTEST) tests/integration/tools_app/languages

soak: ## long fault tests: hundreds of kills, frozen processes, full and locked disks, and fuzzed edits; about 20 minutes
	@deploy/bin/install test
	SOAK=1 $(PYTEST) tests/integration/sandbox/test_reap.py tests/integration/sandbox/test_exactly_once.py \
	  tests/integration/sandbox/test_repository_killed.py tests/e2e/test_chaos.py tests/e2e/test_door_killed.py tests/e2e/test_setup_killed.py \
	  tests/e2e/test_repository_killed.py tests/e2e/test_revert_killed.py \
	  tests/e2e/test_soak.py tests/unit/tools_app/editing/test_fuzz.py

drill: ## test a complete backup: back up a site, destroy it, restore it and compare
	@deploy/bin/drill

bench: ## measure steps, sessions, viewers, starts and sandboxes; ROWS="steps reads" selects some of the rows
	@deploy/bin/install run
	.venv/bin/python -m tests.bench $(ROWS)

bench-compare: ## measure the steps of this checkout beside those of another commit, in turns: REF=commit
	@deploy/bin/install run
	@.venv/bin/python -m tests.bench.compare "$(REF)" $(ROWS)

fmt: ## format everything
	.venv/bin/ruff check --fix --quiet $(PYTHON_SOURCES) || true
	.venv/bin/ruff format --quiet $(PYTHON_SOURCES)
	deploy/bin/with-node npm run --silent --prefix frontend fmt

openapi: ## regenerate the committed API documents and the types of both clients
	AGENTSITE_ROLE=manage .venv/bin/python manage.py export_openapi
	.venv/bin/python -m deploy.client_types
	.venv/bin/python -m deploy.error_codes
	deploy/bin/with-node npm run --silent --prefix frontend generate

clean: ## remove everything that was built and installed here, except sessions and workspaces in var/site
	@deploy/bin/let-go
	rm -rf .venv frontend/node_modules frontend/dist var/node var/test var/cache .mypy_cache .ruff_cache .import_linter_cache
