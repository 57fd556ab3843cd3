# `make` alone prints this list. Everything works on a new machine with Go, make, git and kubectl; `make test` needs Java and Maven, too.
SHELL := /bin/bash
.SHELLFLAGS := -euo pipefail -c
.DEFAULT_GOAL := help

comma := ,
GREMLINS := go run github.com/go-gremlins/gremlins/cmd/gremlins@v0.6.0
VALE := go run github.com/vale-cli/vale/v3/cmd/vale@v3.21.0
GOLANGCI := go run github.com/golangci/golangci-lint/v2/cmd/golangci-lint@v2.15.0
CLUSTER := test/cluster/cluster
# The test cluster's environment where that cluster runs, else the caller's own (any KUBECONFIG).
WITH_CLUSTER := if [ -z "$${KUBECONFIG:-}" ] && $(CLUSTER) status >/dev/null 2>&1; then eval "$$($(CLUSTER) env)"; fi;

.PHONY: help run generate check-generated build test race soak soak-model crash-points chaos matrix matrix-retention mutation nightly lint preflight deploy undeploy tenant e2e bench bench-session-jobs fleet load healthy-hour chart docs-test docs-lint docs-site release release-test browser-test cluster-up cluster-down cluster-status

help: ## print this list
	@awk -F':.*## ' '/^[a-z0-9-]+:.*## / { printf "  %-16s %s\n", $$1, $$2 }' $(MAKEFILE_LIST)

run: ## run a Flink job with all that it needs on this machine, no cluster needed (KEEP=1 goes on with the last run)
	@hack/run.sh

generate: ## write the generated files again: deep copies, CRDs
	hack/generate.sh

check-generated: ## fail if a generated file is not up to date
	hack/generate.sh --check

build: ## build the functions into bin/, as the images have them, and the plugin kn-flink
	@mkdir -p bin
	CGO_ENABLED=0 go build -trimpath -ldflags '-s -w' -o bin/kn-flink ./cmd/kn-flink
	for f in functions/*/; do CGO_ENABLED=0 go build -trimpath -ldflags '-s -w' -o "bin/$$(basename $$f)" "./$$f"; done

test: ## run all tests that need no cluster; those of local/ and test/live start Kubernetes and real Flink jobs here
	go test -timeout 45m ./...
	cd local && go test -timeout 20m ./...
	cd test/live && go test -timeout 20m ./...
	cd hack/chart && go test ./...
	cd test/alerts && go test ./...
	cd test/gitops && go test ./...
	cd test/schemas && go test ./...

soak: ## run the tests of local/ and test/live again and again, and count the runs that failed: make soak RUNS=20 [IN=local PKG=./node]
	@failed=0; for i in $$(seq $(or $(RUNS),20)); do for m in $(or $(IN),local test/live); do \
		(cd $$m && go test -p 1 -count=1 -timeout 20m $(or $(PKG),./...)) || failed=$$((failed + 1)); \
	done; echo "$$failed runs failed, after $$i times"; done; [ $$failed = 0 ]

race: ## the same with the race detector
	go test -race ./...

soak-model: ## carry out random commands and faults over the models: make soak-model STEPS=2000000 (SEED=<number> for other ones)
	KNFLINK_SCENARIO_STEPS=$(or $(STEPS),2000000) KNFLINK_SCENARIO_SEED=$(or $(SEED),2) go test -count=1 -timeout 0 -v -run '^TestRandom(Session|Pair)?Runs$$' ./test/scenario

crash-points: ## stop after every effect of every scenario, and try every position of a second pass and every disorder (about an hour)
	KNFLINK_SCENARIO_POINTS=1000 go test -count=1 -timeout 0 -v -run '^TestScenarios$$' ./test/scenario

chaos: ## random commands and faults over real Flink on this machine: make chaos [SEED=1] [MINUTES=10] [STARTS=n] [STANDALONE=1] [HOSTED=1] [PAIRED=1] [SCRIPT=<file>]
	cd test/live && go run ./cmd/chaos -seed $(or $(SEED),1) -first $(or $(FIRST),1) -for $(or $(MINUTES),10)m -starts $(or $(STARTS),0) $(if $(STANDALONE),-standalone) $(if $(HOSTED),-hosted) $(if $(PAIRED),-paired) $(if $(SCRIPT),-script '$(abspath $(SCRIPT))')

matrix-retention: ## what comes back after an edit, by retention, upgrade mode and more, with real Flink on this machine: docs/internals/retention.md
	cd test/live && go run ./cmd/chaos -for 1h -findings 1000 -table ../../docs/internals/retention.md

matrix: ## start, upgrades, a killed JobManager and the version before, by Flink version and kind of cluster, with real Flink: docs/reference/versions.md (VERSIONS=1.20,2.2)
	cd test/live && go run ./cmd/chaos -for 3h -findings 1000 -versions $(or $(VERSIONS),all) -table $(abspath $(or $(TABLE),docs/reference/versions.md))

mutation: ## change conditions of small pure packages one by one, and print as LIVED what no test notices: make mutation [PKG=./pkg/plan/upgrade]
	for p in $(or $(PKG),./pkg/plan/upgrade ./pkg/plan/restore ./pkg/redact); do $(GREMLINS) unleash --workers 1 "$$p"; done

nightly: ## all that is too long for a change: combinations, crash points, a million random steps, chaos, mutants, a cluster's tests (six hours)
	KNFLINK_SCENARIO_COMBINATIONS=1 go test -count=1 -timeout 0 -run '^TestNoJobIsCalledSteadyWithLessThanItHad$$' ./test/scenario
	$(MAKE) soak-model STEPS=1000000 SEED=$(or $(SEED),$(shell date +%j))
	$(MAKE) crash-points
	KNFLINK_PLAN_EDITS=100000 go test -count=1 -timeout 0 -run '^TestC3ThePreviewIsWhatThePassDoes$$' ./test/scenario
	$(MAKE) chaos MINUTES=60 SEED=$(or $(SEED),$(shell date +%j))
	$(MAKE) chaos PAIRED=1 MINUTES=30 SEED=$(or $(SEED),$(shell date +%j))
	$(MAKE) matrix-retention
	$(MAKE) mutation
	cd local && go test -tags nightly -count=1 -timeout 60m ./workloads
	$(MAKE) docs-test
	KNFLINK_BLUEGREEN_WALKS=500 go test -count=1 -timeout 0 -run '^TestRandomWalk$$' ./pkg/bluegreen
	@if $(CLUSTER) status >/dev/null 2>&1; then $(CLUSTER) metrics; fi
	@$(WITH_CLUSTER) if [ -n "$${KUBECONFIG:-}" ]; then E2E_ALL=yes $(MAKE) e2e; else echo 'no cluster: the end-to-end tests were left out (make cluster-up)'; fi

lint: ## gofmt, golangci-lint (vet, staticcheck and more: .golangci.yaml), and shellcheck where it is installed
	@out=$$(git ls-files '*.go' | xargs -r gofmt -l); [ -z "$$out" ] || { echo "gofmt would change:"; echo "$$out"; exit 1; }
	$(GOLANGCI) run ./...
	for m in local test/live hack/chart test/alerts test/gitops test/otelcol test/schemas test/console; do (cd $$m && $(GOLANGCI) run --enable-only=govet,staticcheck ./...); done
	@if command -v shellcheck >/dev/null; then shellcheck -S warning -x -P SCRIPTDIR hack/*.sh .ci/run $(CLUSTER) test/cluster/lib/*.sh; else echo "shellcheck is not installed: the scripts were only parsed"; for f in hack/*.sh .ci/run $(CLUSTER) test/cluster/lib/*.sh; do bash -n $$f; done; fi

browser-test: ## walk the pages of the console in Chromium, with axe-core (Debian's chromium, python3): make browser-test [RUN=<regular expression>] [UPDATE=1]
	@[ -e .local/axe/axe_playwright_python/axe.min.js ] || { python3 -m venv .local/axe/python && .local/axe/python/bin/pip install -q --no-deps --only-binary=:all: --require-hashes --target .local/axe -r test/console/requirements.txt; }
	cd test/console && go test -count=1 -timeout 10m $(if $(RUN),-run '$(RUN)') ./... $(if $(UPDATE),-update)

docs-lint: ## hold docs/ to what is there, links, paths, options, and to the words of its style
	go test -count=1 ./test/docs
	$(VALE) --config=.vale.ini README.md CONTRIBUTING.md docs

docs-test: docs-lint ## the same, and run the commands of docs/ and apply its manifests with real Flink here
	cd test/live && go test -tags docs -count=1 -timeout 60m -parallel 2 -v -run '$(or $(RUN),.)' ./docs

docs-site: ## build the site of docs/ into .local/site; links that lead nowhere fail (python3)
	@[ -x .local/mkdocs/bin/mkdocs ] || { python3 -m venv .local/mkdocs && .local/mkdocs/bin/pip install -q --require-hashes -r hack/site/requirements.txt; }
	.local/mkdocs/bin/mkdocs build --strict --quiet

preflight: ## what stands in the way of make deploy in the cluster of KUBECONFIG; changes nothing
	@$(WITH_CLUSTER) hack/preflight.sh

deploy: ## install the operator in the cluster of KUBECONFIG, or update it (OVERLAY=<folder of config/overlays>, WEBHOOK=no)
	@$(WITH_CLUSTER) hack/deploy.sh

undeploy: ## remove the operator; CRDs, resources and Flink clusters stay (CRDS=1 removes the CRDs, too)
	@$(WITH_CLUSTER) hack/undeploy.sh

tenant: ## let Flink jobs run in a namespace: make tenant NS=team-a
	@$(WITH_CLUSTER) hack/tenant.sh "$(NS)"

e2e: ## deploy, then run the end-to-end tests and print the figures (RUN=<regular expression> for some of them, E2E_ALL=yes for the long ones)
	@$(WITH_CLUSTER) go test -tags e2e$(if $(E2E_ALL),$(comma)nightly) -count=1 -timeout $(if $(E2E_ALL),180m,75m) -v $(if $(RUN),-run '$(RUN)') ./test/e2e/

bench: ## sizes, memory and start-up time of the functions; benchmarks of the pure core
	go run ./test/bench
	go test -run '^$$' -bench . -benchmem ./pkg/...

bench-session-jobs: ## session jobs at once on one cluster of real Flink on this machine, and a minute in which they run (N=100)
	cd local && KNFLINK_SESSION_JOBS=$(or $(N),100) go test -count=1 -timeout 30m -v -run '^TestManySessionJobs$$' ./platform

load: ## a job whose load changes, with the autoscaler on, on this machine: make load [RATES=100,600,60] [EACH=3m]
	@mkdir -p .local/bin
	@cd test/live && go build -buildvcs=false -o ../../.local/bin/load ./cmd/load
	@cd test/live && ../../.local/bin/load -rates '$(or $(RATES),100$(comma)600$(comma)60)' -each '$(or $(EACH),3m)'

fleet: ## N resources at rest on this machine, the real functions, and what they cost: make fleet N=100,1000 [FAULTS=all] [FOR=130s]
	@mkdir -p .local/bin
	@cd test/live && go build -buildvcs=false -o ../../.local/bin/fleet ./cmd/fleet
	@cd test/live && ../../.local/bin/fleet -n $(or $(N),0$(comma)100$(comma)1000) -for $(or $(FOR),130s) -faults '$(FAULTS)'

healthy-hour: ## record anew what the functions push in an hour in which all is well, for test/alerts
	go test -count=1 -run '^TestHealthyHour$$' ./test/scenario -rewrite-healthy-hour

chart: ## make the Helm chart of this tree, release/kn-flink-<version>.tgz: make chart [VERSION=v0.1.0]
	@mkdir -p release
	cd hack/chart && go run -buildvcs=false . $(if $(VERSION),-version $(VERSION)) $(if $(KO_DOCKER_REPO),-repository '$(KO_DOCKER_REPO)')

release: ## build and push images and chart of a version, write release/*: make release VERSION=v0.1.0
	hack/release.sh "$(VERSION)"

release-test: ## install release/ in the cluster of KUBECONFIG from its files alone, and from OLDER='<folders>' and back, beside a job
	@$(WITH_CLUSTER) test/release/release.sh release $(OLDER)

cluster-up: ## boot the test cluster on this machine (root, Debian 12), or keep the one that runs
	$(CLUSTER) up --keep
	@echo 'for your shell: eval "$$($(CLUSTER) env)"'

cluster-down: ## stop the test cluster
	$(CLUSTER) down

cluster-status: ## what of the test cluster runs
	$(CLUSTER) status
