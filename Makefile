# Safelight. `make help` lists the targets.
SHELL := /bin/bash
.SHELLFLAGS := -eu -o pipefail -c
.DEFAULT_GOAL := help

GO      ?= go
VERSION ?= $(shell git describe --tags --always --dirty 2>/dev/null || echo dev)
LDFLAGS := -s -w -X main.version=$(VERSION)
# sqlite3's C code and libvips' headers warn; the warnings are not ours
export CGO_CFLAGS ?= -O2 -Wno-discarded-qualifiers
export GOFLAGS ?= -buildvcs=false

.PHONY: help
help: ## list the targets
	@grep -hE '^[a-z-]+:.*## ' $(MAKEFILE_LIST) | sort | awk -F ':.*## ' '{printf "  make %-13s %s\n", $$1, $$2}'

.PHONY: run
run: build ## build and serve on http://127.0.0.1:8000, data in ./data
	./bin/safelight

.PHONY: build
build: deps ## build bin/safelight
	$(GO) build -trimpath -ldflags '$(LDFLAGS)' -o bin/safelight ./cmd/safelight

.PHONY: test
test: ## run every test, with a temporary PostgreSQL and S3 server
	@scripts/deps test
	scripts/with-services $(GO) test -count=1 -timeout 10m ./...

.PHONY: race
race: deps ## run the pure Go packages and the server under the race detector
	$(GO) test -race -count=1 -timeout 10m ./fault ./auth ./imaging ./storage/... ./server

.PHONY: leak
leak: deps ## run 10,000 mixed jobs at 8 at a time; memory has to stay flat and libvips to hold nothing
	SAFELIGHT_LEAK_JOBS=10000 $(GO) test ./imaging/vips -count=1 -v -timeout 30m -run TestNothingLeaks

.PHONY: fuzz
fuzz: deps ## run each fuzz target for 20 s
	scripts/fuzz 20s

.PHONY: chaos
chaos: build ## kill bin/safelight 200 times under load and compare; then 32 clients on one folder for 60 s, everywhere
	SAFELIGHT_TEST_CHAOS=200 SAFELIGHT_TEST_CHAOS_BINARY=$(CURDIR)/bin/safelight $(GO) test -count=1 -timeout 60m -v -run '^TestChaos$$' ./cmd/safelight
	SAFELIGHT_TEST_STRESS=60s scripts/with-services $(GO) test -count=1 -timeout 60m -v -run '^TestCrowd$$' ./gallery

.PHONY: audit
audit: build ## run npm graphql-http's audits against the built server
	@scripts/deps audit
	scripts/with-server scripts/audit

.PHONY: breaking
breaking: ## compare the GraphQL schema with that of the last release, or of BASE=commit
	@scripts/deps audit
	@scripts/breaking

.PHONY: clients
clients: build ## type-check and run examples/typescript against the built server
	@scripts/deps audit
	scripts/with-server scripts/clients

.PHONY: bench
bench: build ## measure bin/safelight over fixed jobs; BENCH='--jobs a,c --clients 8', docs/benchmarks.md
	$(GO) build -C scripts/bench -o ../../bin/bench .
	./bin/bench $(BENCH)

.PHONY: contact-sheet
contact-sheet: deps ## draw all golden pictures with their paths on .cache/contact-sheet.png, to be looked at
	$(GO) test ./imaging/vips -count=1 -run TestContactSheet -contact-sheet $(CURDIR)/.cache/contact-sheet.png
	@echo .cache/contact-sheet.png

.PHONY: soak
soak: deps ## mixed traffic with bad input for SOAK (30m): right answers, steady memory
	SAFELIGHT_TEST_SOAK=$(or $(SOAK),30m) $(GO) test ./cmd/safelight -count=1 -timeout 60m -run 'TestSoak$$' -v

.PHONY: bench-gallery
bench-gallery: deps ## measure pages and searches over an index of a million files, on SQLite and PostgreSQL
	SAFELIGHT_BENCH_GALLERY=$${FILES:-1000000} SAFELIGHT_BENCH_SCAN=100000 scripts/with-services $(GO) test ./gallery -count=1 -timeout 60m -run 'TestMillion|TestScanMany' -v

.PHONY: overload
overload: deps ## ten times as many requests as can be served, for OVERLOAD (60s): goodput, latencies, memory, recovery
	SAFELIGHT_TEST_OVERLOAD=$(or $(OVERLOAD),60s) $(GO) test ./cmd/safelight -count=1 -timeout 30m -run 'TestOverload$$' -v

.PHONY: generate
generate: deps ## regenerate ent, gqlgen and the documentation made from code
	$(GO) generate ./...
	$(GO) test ./cmd/safelight -run TestSettingsDoc -update
	$(GO) test ./imaging -run TestOperationsDoc -update

.PHONY: check
check: deps ## format, vet, staticcheck, generated code fresh, go.mod tidy
	scripts/check

.PHONY: deps
deps: ## install what building lacks: libvips-dev, pkg-config, gcc; testing adds postgresql
	@scripts/deps

.PHONY: clean
clean: ## remove what building and testing left here
	rm -rf bin .cache
