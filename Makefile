# The main commands of development. For the program itself see `uv run steelyard --help` (uv is in .tools/bin after `make build`).
.DEFAULT_GOAL := help
.PHONY: man site page-checkers sbom audit campaign calibrate-study usual-way deferred-work calibration-tables help demo test build-rust-tests test-rust test-python test-java test-java-25 test-python-services test-go test-node provide test-e2e test-servers test-long test-packages build tools wheels check contracts bench bench-agent bench-table servers fuzz readme kept productivity interoperability kits decisions factors glossary claims faults attacks clean

TOOLS := .tools
UV := $(TOOLS)/bin/uv
RUN := $(UV) run --no-sync
export UV_PYTHON_DOWNLOADS := never
# If set, every command compiles the lab and its libraries again: half a second each, and the tests run hundreds.
unexport PYTHONDONTWRITEBYTECODE
# Rust's tests are compiled without debug information: that is faster, and panics still show their lines.
export CARGO_PROFILE_DEV_DEBUG := 0
RUST_PROJECTS := services/common/rust services/wstest/rust-axum services/wstest/null services/soakit/rust-axum services/shop-api/rust-axum
# One target folder for all of them: shared dependencies are compiled once.
RUST_FLAGS := --locked --quiet --target-dir services/target
# What a JDK before 25 does not compile; tools/java.xml has the other projects.
JAVA_25 := engine/rmi services/shop-api/helidon
# A server on Python, and a service that it runs.
PYTHON_SERVICES := python-fastapi:shop-api python-spyne:soakit python-spyne:wstest
PYTEST := pytest==9.2.0
KEPT_RUNS := $(patsubst %/raw.zip,%,$(wildcard docs/results/*/raw.zip papers/*/results/*/raw.zip))
DECISIONS := $(wildcard docs/decisions/*.py)
# Parallel tests that judge no times: more than two processors' worth, since they wait for a third of their time. With more processors,
# all of them use the same ones for servers and for the engine.
AT_ONCE := 3
# One file per worker, in the usual order, so that fixtures of a module are made once.
BY_FILE := --dist loadfile --no-loadscope-reorder
# The tests that failed in the last run, one after the other.
FAILED_ONES := --last-failed --last-failed-no-failures none
LAB_TESTS := lab/tests services servers engine/bench monitor/bench
CARGO_FLAGS := --manifest-path engine/Cargo.toml --locked

help: ## list the targets
	@grep -E '^[a-z-]+:.*##' $(MAKEFILE_LIST) | sed -E 's/:.*## /\t/' | expand -t 16

demo: build ## compare two real servers, in about five minutes once they are fetched
	@$(RUN) steelyard demo

test: ## the tests of every part, and short runs on real servers, as in CI; prints the time of each part and the skipped tests
	@sh tools/toolchains.sh
	@python3 tools/parts.py

test-packages: ## install the Debian packages without which tests are skipped (as root, or by sudo without a password)
	@python3 tools/packages.py

page-checkers: ## install the checkers of pages, an HTML validator and axe, without which two tests are skipped (npm)
	@cd lab/tests/page_checkers && npm ci --ignore-scripts --no-audit --no-fund --silent || echo "the checkers of pages are not installed: their tests are skipped" >&2

build: tools ## build the Python environment, engine and keeper
	@python3 tools/patience.py "building the engine and the Python environment: takes minutes the first time" $(UV) sync --quiet

tools: $(UV) ## install uv into .tools, and check the toolchains
	@sh tools/toolchains.sh

$(UV):
	@sh tools/toolchains.sh python3
	@python3 -m venv $(TOOLS)
	@python3 tools/patience.py "fetching uv" $(TOOLS)/bin/python -m pip install --quiet --disable-pip-version-check --require-hashes -r tools/uv.txt
	@touch $(UV)

wheels: tools ## build dist/ for `uvx --find-links dist steelyard demo` on a machine without Rust
	@rm -rf dist
	$(UV) build --quiet --wheel --out-dir dist engine
	$(UV) build --quiet --wheel --out-dir dist lab

sbom: wheels ## write the bills of materials (CycloneDX) of both packages to dist/sbom
	$(RUN) python tools/sbom.py dist dist/sbom

audit: build ## check licences, sources and known vulnerabilities of Rust's and Python's packages (needs cargo-deny and both registries' advisories)
	for crate in engine $(RUST_PROJECTS); do cargo deny --manifest-path $$crate/Cargo.toml --locked --config deny.toml check || exit 1; done
	$(UV) tool run pip-audit==2.10.1 --path "$$($(RUN) python -c 'import sysconfig; print(sysconfig.get_path("purelib"))')"

check: build ## check format, lint, types and generated files
	$(RUN) ruff format --check conftest.py ci lab services servers tests tools docs/decisions engine/bench monitor/bench
	$(RUN) ruff check conftest.py ci lab services servers tests tools docs/decisions engine/bench monitor/bench
	$(RUN) mypy lab/steelyard
	$(RUN) mypy tests/attacks
	$(RUN) mypy engine/bench
	$(RUN) mypy monitor/bench/overhead.py monitor/bench/cost.py monitor/bench/beside.py
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
	$(RUN) python tools/claims.py --check
	$(RUN) python tools/attacks_page.py --check
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
	$(RUN) pytest $(LAB_TESTS) --numprocesses $(AT_ONCE) $(BY_FILE)

test-python-again: build
	$(RUN) pytest $(LAB_TESTS) $(FAILED_ONES)

# The second compiler of Maven's own JVM pays off only after minutes. Not JDK_JAVA_OPTIONS: a JVM prints that it took them.
test-java test-java-25 provide: export MAVEN_OPTS ?= -XX:TieredStopAtLevel=1

test-java:
	mvn -B -q --strict-checksums -Dquarkus.build.skip -f tools/java.xml verify

test-java-25: build
	for folder in $(JAVA_25); do JAVA_HOME="$$($(RUN) python -c 'from steelyard.hosts.toolchain import jdk_home; print(jdk_home(25) or str())')" mvn -B -q --strict-checksums -f $$folder/pom.xml verify || exit 1; done

# Each service with the packages that its server runs it with, and in a process of its own: their modules have the same names.
test-python-services: tools
	for pair in $(PYTHON_SERVICES); do server=$${pair%%:*} folder=services/$${pair##*:}/$${pair%%:*}; $(UV) run --quiet --isolated --no-project --with $(PYTEST) --with-requirements servers/$$server/requirements.txt python -m pytest -q -p no:cacheprovider --noconftest --rootdir $$folder $$folder || exit 1; done

test-go:
	for program in services/common/go services/wstest/go services/soakit/go services/shop-api/go; do (cd $$program && go vet ./... && go test ./...) || exit 1; done

test-node:
	for folder in services/common/node services/wstest/node services/soakit/node services/shop-api/node-fastify; do (cd $$folder && node --test) || exit 1; done

provide: build ## fetch and build the servers that the end-to-end tests start
	$(RUN) python tools/provide.py

test-e2e: build ## short runs on real servers, in parallel
	$(RUN) pytest tests -m "not long and not alone" --numprocesses $(AT_ONCE) $(BY_FILE)

test-e2e-again: build
	$(RUN) pytest tests -m "not long and not alone" $(FAILED_ONES)

test-alone: build ## short runs that need a verdict or depend on times, one after the other
	$(RUN) pytest tests -m "alone and not long"

test-alone-again: build
	$(RUN) pytest tests -m "alone and not long" $(FAILED_ONES)

test-servers: build ## check every server available here (half an hour; fetches missing ones)
	$(RUN) steelyard servers check --all --save docs/reference/servers.json; found=$$?; $(RUN) python tools/servers_page.py && exit $$found

test-long: build ## tests that take minutes: calibration, kept runs, freezes (on a quiet machine)
	$(RUN) pytest tests lab/tests -m long
	cargo test $(CARGO_FLAGS) --all-features --test turns -- --ignored --test-threads 1

bench: build ## measure the engine against its peers and known truths, and the monitor against Kieker; BENCH="capacity --pairs 3" and MONITOR_BENCH="--forks 2" measure less
	cargo build $(CARGO_FLAGS) --release --features testservers
	$(RUN) python engine/bench/bench.py $(BENCH)
	$(RUN) python monitor/bench/overhead.py $(MONITOR_BENCH)

bench-agent: build ## measure the monitor's agent against OpenTelemetry's, on two services (half an hour); AGENT_BENCH="--forks 2 --rounds 20" measures less
	$(RUN) python monitor/bench/beside.py $(AGENT_BENCH)

bench-table: build ## generate docs/reference/engine-figures.md from the benchmark's raw data
	$(RUN) python engine/bench/table.py

site: tools ## write the documentation as a site to build/site; REPOSITORY=https://HOST/OWNER/NAME for links to other files
	@python3 tools/docs_site.py $(REPOSITORY)

man: build ## generate manual pages in build/man from --help
	$(RUN) python tools/man.py build/man

productivity: build ## generate docs/reference/productivity.md, the size and effort of each implementation; runs their generators
	$(RUN) python tools/productivity.py --build

interoperability: build ## generate docs/reference/interoperability.md, which client generators work with which servers; SERVERS=go,node-soap tests these again
	$(RUN) python tools/interoperability.py $(if $(SERVERS),--ask $(SERVERS))

kits: build ## make build/kits, a zip for each server that runs with only its JDK or toolchain; SERVERS="go node-soap" selects servers
	$(RUN) python tools/kits.py $(SERVERS)

servers: build ## generate docs/reference/servers.md from the results of `make test-servers`
	$(RUN) python tools/servers_page.py

fuzz: ## fuzz every reader of the engine and of the lab, FUZZ_SECONDS each (30); failing inputs are stored in engine/fuzz and lab/tests/fuzz
	STEELYARD_FUZZ_SECONDS=$(or $(FUZZ_SECONDS),30) cargo test $(CARGO_FLAGS) --release --test fuzz
	STEELYARD_FUZZ_SECONDS=$(or $(FUZZ_SECONDS),30) $(RUN) pytest lab/tests/test_fuzzed_readers.py -q -n0

campaign: build ## list the long runs of tools/campaign.toml, or with HOURS=2.5 drive what fits on a quiet machine; ONLY=NAME,NAME chooses; may be stopped
	@$(RUN) python tools/campaign.py $(if $(HOURS),--hours $(HOURS)) $(if $(ONLY),--only $(ONLY))

faults: build ## attack Steelyard itself, N attacks (1180) in pieces of MINUTES, AT_ONCE (3) at a time, and judge each by an independent oracle; SEED=2, KINDS=clock,tls only these, AGAIN=yes repeats defects
	@PYTHONPATH=tests $(RUN) python -m attacks --at-once $(AT_ONCE) $(if $(N),--attacks $(N)) $(if $(MINUTES),--minutes $(MINUTES)) $(if $(SEED),--seed $(SEED)) $(if $(KINDS),--kinds $(KINDS)) $(if $(AGAIN),--again)

attacks: build ## generate docs/reference/attacks.md from the outcomes of `make faults`
	$(RUN) python tools/attacks_page.py

calibrate-study: build ## measure forks for docs/reference/calibration.md, in pieces of 20 minutes; may be stopped; PAIR=tomcat-metro.throughput, BUDGET=30m, FORKS=100
	@$(RUN) python -m steelyard.calibration $(if $(PAIR),--pair $(PAIR)) $(if $(BUDGET),--budget $(BUDGET)) $(if $(FORKS),--forks $(FORKS))

usual-way: build ## measure the same server by the usual method for the same page, on the same day; about a minute per run; RUNS=10 per pair
	@$(RUN) python -m steelyard.calibration.usual $(if $(RUNS),--runs $(RUNS))

deferred-work: build ## measure servers with deferred work, alone and as in a run, for the same page; 3.5 minutes per round; ROUNDS=8
	cargo build $(CARGO_FLAGS) --release --features testservers
	@$(RUN) python -m steelyard.calibration.deferring $(if $(ROUNDS),--rounds $(ROUNDS))

calibration-tables: build ## generate docs/reference/calibration.md from the forks in docs/results/calibration
	$(RUN) python -m steelyard.calibration.tables

contracts: build ## generate the JSON Schemas of contracts/ from the models
	$(RUN) python -m steelyard.commands.schemas

readme: build ## update the command output in README.md and CONTRIBUTING.md
	$(RUN) python tools/readme.py

glossary: build ## generate docs/glossary.md from the terms of reports (lab/steelyard/report/terms.toml)
	$(RUN) python tools/glossary.py

claims: build ## generate docs/results/claims.md and claims.html, the papers' claims judged by the kept runs
	$(RUN) python tools/claims.py

kept: build ## rebuild figures, verdicts and notes of all kept runs by the current rules
	for run in $(KEPT_RUNS); do $(RUN) steelyard report $$run > /dev/null || exit 1; done
	$(RUN) python tools/results.py
	$(RUN) python tools/sessions.py
	$(RUN) python tools/claims.py

decisions: build ## generate the tables of docs/decisions from the data beside them
	for page in $(DECISIONS); do PYTHONPATH=tools $(RUN) python $$page || exit 1; done

factors: build ## generate docs/reference/factors.md from the descriptors
	$(RUN) python tools/factors.py

clean: ## remove build outputs; caches of fetched servers stay
	rm -rf .venv dist $(TOOLS) engine/target monitor/target monitor/agent/target monitor/bench/target monitor/examples/*/target engine/rmi/target services/*/*/target servers/common/cxf/*/target
