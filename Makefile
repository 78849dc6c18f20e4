# Steelyard's front doors. Everything else is `uv run steelyard --help` (uv is in .tools/bin after `make build`).
.DEFAULT_GOAL := help
.PHONY: man calibrate-study usual-way deferred-work calibration-tables help demo test build-rust-tests test-rust test-python test-java test-rmi test-go test-node provide test-e2e test-servers test-long test-packages build tools wheels check contracts bench bench-agent bench-table servers fuzz readme kept productivity interoperability kits decisions factors glossary clean

TOOLS := .tools
UV := $(TOOLS)/bin/uv
RUN := $(UV) run --no-sync
export UV_PYTHON_DOWNLOADS := never
# Where it is set, every command compiles the lab and its libraries anew: half a second of each, and the tests run hundreds.
unexport PYTHONDONTWRITEBYTECODE
# Rust's tests are compiled without what a debugger reads: panics name their lines all the same, and compiling takes less.
export CARGO_PROFILE_DEV_DEBUG := 0
RUST_PROJECTS := services/common/rust services/wstest/rust-axum services/wstest/null services/soakit/rust-axum
# One folder for all of them: what several are made of is compiled once.
RUST_FLAGS := --locked --quiet --target-dir services/target
KEPT_RUNS := $(patsubst %/raw.zip,%,$(wildcard docs/results/*/raw.zip papers/*/results/*/raw.zip))
DECISIONS := $(wildcard docs/decisions/*.py)
# Tests that judge no times, side by side, more than there are processors, since they wait for a third of their time. Where there are more
# processors, all of them use the same ones for servers and for the engine.
AT_ONCE := 3
# A file to a worker, in the order that they have: what a module made is made once.
BY_FILE := --dist loadfile --no-loadscope-reorder
CARGO_FLAGS := --manifest-path engine/Cargo.toml --locked

help: ## say what can be made
	@grep -E '^[a-z-]+:.*##' $(MAKEFILE_LIST) | sed -E 's/:.*## /\t/' | expand -t 16

demo: build ## weigh two real servers, in under five minutes once things are fetched
	@$(RUN) steelyard demo

test: ## every part's tests, and short runs on real servers: what CI runs; says what each part took and what was skipped
	@sh tools/toolchains.sh
	@python3 tools/parts.py

test-packages: ## install the Debian packages that tests use and are skipped without (as root, or by sudo without a password)
	@python3 tools/packages.py

build: tools ## Python environment, engine and keeper
	@python3 tools/patience.py "making the engine and the Python environment: minutes where nothing is built yet" $(UV) sync --quiet

tools: $(UV) ## uv, in a folder of its own, and a look at the toolchains
	@sh tools/toolchains.sh

$(UV):
	@sh tools/toolchains.sh python3
	@python3 -m venv $(TOOLS)
	@python3 tools/patience.py "fetching uv" $(TOOLS)/bin/python -m pip install --quiet --disable-pip-version-check --require-hashes -r tools/uv.txt
	@touch $(UV)

wheels: tools ## dist/: what `uvx --find-links dist steelyard demo` needs on a machine without Rust
	@rm -rf dist
	$(UV) build --quiet --wheel --out-dir dist engine
	$(UV) build --quiet --wheel --out-dir dist lab

check: build ## format, lint, types, generated files
	$(RUN) ruff format --check conftest.py ci lab services servers tests tools docs/decisions engine/bench monitor/bench
	$(RUN) ruff check conftest.py ci lab services servers tests tools docs/decisions engine/bench monitor/bench
	$(RUN) mypy lab/steelyard
	$(RUN) mypy engine/bench
	$(RUN) mypy monitor/bench/bench.py monitor/bench/cost.py monitor/bench/beside.py
	$(RUN) python engine/bench/table.py --check
	$(RUN) python -m steelyard.commands.schemas --check
	$(RUN) python tools/readme.py --check
	$(RUN) python tools/results.py --check
	$(RUN) python tools/sessions.py --check
	$(RUN) python tools/servers_page.py --check
	$(RUN) python -m steelyard.calibration.tables --check
	$(RUN) python tools/factors.py --check
	$(RUN) python tools/productivity.py --check
	$(RUN) python tools/interoperability.py --check
	for page in $(DECISIONS); do PYTHONPATH=tools $(RUN) python $$page --check || exit 1; done
	$(RUN) python tools/glossary.py --check
	$(RUN) python monitor/bench/beside.py --check
	cargo fmt --manifest-path engine/Cargo.toml --check
	cargo clippy $(CARGO_FLAGS) --all-targets --all-features --quiet -- -D warnings

build-rust-tests:
	cargo test $(CARGO_FLAGS) --all-features --quiet --no-run
	for crate in $(RUST_PROJECTS); do cargo test --manifest-path $$crate/Cargo.toml $(RUST_FLAGS) --no-run || exit 1; done

test-rust:
	cargo test $(CARGO_FLAGS) --all-features
	for crate in $(RUST_PROJECTS); do cargo test --manifest-path $$crate/Cargo.toml $(RUST_FLAGS) || exit 1; done

test-python: build
	$(RUN) pytest lab/tests services servers engine/bench monitor/bench --numprocesses $(AT_ONCE) $(BY_FILE)

test-java:
	mvn -B -q --strict-checksums -f tools/java.xml verify

test-rmi: build
	JAVA_HOME="$$($(RUN) python -c 'from steelyard.hosts.toolchain import jdk_home; print(jdk_home(25) or str())')" mvn -B -q --strict-checksums -f engine/rmi/pom.xml verify

test-go:
	for program in services/common/go services/wstest/go services/soakit/go; do (cd $$program && go vet ./... && go test ./...) || exit 1; done

test-node:
	for folder in services/common/node services/wstest/node services/soakit/node; do (cd $$folder && node --test) || exit 1; done

provide: build ## fetch and build the servers that the end-to-end tests start
	$(RUN) python tools/provide.py

test-e2e: build ## short runs on real servers, side by side
	$(RUN) pytest tests -m "not long and not alone" --numprocesses $(AT_ONCE) $(BY_FILE)

test-alone: build ## those that ask for a verdict or count on times, one after the other
	$(RUN) pytest tests -m "alone and not long"

test-servers: build ## everything asked of every server that can be had here (half an hour; fetches what is missing)
	$(RUN) steelyard servers check --all --save docs/reference/servers.json; found=$$?; $(RUN) python tools/servers_page.py && exit $$found

test-long: build ## what takes minutes: calibration, kept runs, freezes (on a quiet machine)
	$(RUN) pytest tests lab/tests -m long
	cargo test $(CARGO_FLAGS) --all-features --test turns -- --ignored --test-threads 1

bench: build ## the engine against its peers and the truth, the monitor beside Kieker; BENCH="capacity --pairs 3" measures less, MONITOR_BENCH="--forks 2" too
	cargo build $(CARGO_FLAGS) --release --features testservers
	$(RUN) python engine/bench/bench.py $(BENCH)
	$(RUN) python monitor/bench/bench.py $(MONITOR_BENCH)

bench-agent: build ## the monitor's agent beside OpenTelemetry's, on two services (half an hour); AGENT_BENCH="--forks 2 --rounds 20" measures less
	$(RUN) python monitor/bench/beside.py $(AGENT_BENCH)

bench-table: build ## docs/reference/engine-figures.md, from the bench's raw data
	$(RUN) python engine/bench/table.py

man: build ## manual pages in build/man, from what --help says
	$(RUN) python tools/man.py build/man

productivity: build ## docs/reference/productivity.md: what each implementation of the kit took, counted; runs their generators
	$(RUN) python tools/productivity.py --build

interoperability: build ## docs/reference/interoperability.md: which client generators can ask which servers; SERVERS=go,node-soap asks these anew
	$(RUN) python tools/interoperability.py $(if $(SERVERS),--ask $(SERVERS))

kits: build ## build/kits: of each server a zip that runs on a machine with only its JDK or toolchain; SERVERS="go node-soap" for these
	$(RUN) python tools/kits.py $(SERVERS)

servers: build ## docs/reference/servers.md, from the results that `make test-servers` keeps
	$(RUN) python tools/servers_page.py

fuzz: ## response parser, job and corpus index, FUZZ_SECONDS each (30); inputs that break them are kept in engine/fuzz
	STEELYARD_FUZZ_SECONDS=$(or $(FUZZ_SECONDS),30) cargo test $(CARGO_FLAGS) --release --test fuzz

calibrate-study: build ## forks for docs/reference/calibration.md, in pieces of 20 minutes; may be stopped; PAIR=tomcat-metro.throughput, BUDGET=30m, FORKS=100
	@$(RUN) python -m steelyard.calibration $(if $(PAIR),--pair $(PAIR)) $(if $(BUDGET),--budget $(BUDGET)) $(if $(FORKS),--forks $(FORKS))

usual-way: build ## runs of the usual way beside the calibration's forks, of the same server, the same day; about a minute each; RUNS=10 of each
	@$(RUN) python -m steelyard.calibration.usual $(if $(RUNS),--runs $(RUNS))

deferred-work: build ## servers that put work off, alone and as a run drives them, for the same page; three and a half minutes a round; ROUNDS=8
	cargo build $(CARGO_FLAGS) --release --features testservers
	@$(RUN) python -m steelyard.calibration.deferring $(if $(ROUNDS),--rounds $(ROUNDS))

calibration-tables: build ## docs/reference/calibration.md, from the forks in docs/results/calibration
	$(RUN) python -m steelyard.calibration.tables

contracts: build ## the JSON Schemas of contracts/, from the models
	$(RUN) python -m steelyard.commands.schemas

readme: build ## what commands print in README.md and CONTRIBUTING.md, by the commands and from what is kept in docs
	$(RUN) python tools/readme.py

glossary: build ## docs/glossary.md, from the terms of reports (lab/steelyard/report/terms.toml)
	$(RUN) python tools/glossary.py

kept: build ## figures, verdicts and notes of all kept runs, made anew by the rules of today
	for run in $(KEPT_RUNS); do $(RUN) steelyard report $$run > /dev/null || exit 1; done
	$(RUN) python tools/results.py
	$(RUN) python tools/sessions.py

decisions: build ## the tables of docs/decisions, from the data kept beside them
	for page in $(DECISIONS); do PYTHONPATH=tools $(RUN) python $$page || exit 1; done

factors: build ## docs/reference/factors.md, from the descriptors
	$(RUN) python tools/factors.py

clean: ## what builds make; caches of fetched servers stay
	rm -rf .venv dist $(TOOLS) engine/target monitor/target monitor/agent/target monitor/bench/target monitor/examples/*/target engine/rmi/target services/*/*/target servers/common/cxf/*/target
