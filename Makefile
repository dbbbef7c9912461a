# Safelight. `make help` lists the targets.
SHELL := /bin/bash
.SHELLFLAGS := -eu -o pipefail -c
.DEFAULT_GOAL := help

GO      ?= go
VERSION ?= $(shell git describe --tags --always --dirty 2>/dev/null || echo dev)
LDFLAGS := -s -w -X main.version=$(VERSION)
# sqlite3's C code and libvips' headers warn; the warnings are not ours
export CGO_CFLAGS ?= -O2 -Wno-discarded-qualifiers
# -trimpath: tests, the program and other checkouts share the build cache.
# -ldflags=-w: without DWARF, which nobody needs in the programs of tests, they link in half the time
export GOFLAGS ?= -buildvcs=false -trimpath -ldflags=-w

.PHONY: help
help: ## list the targets
	@grep -hE '^[a-z-]+:.*## ' $(MAKEFILE_LIST) | sort | awk -F ':.*## ' '{printf "  make %-13s %s\n", $$1, $$2}'

.PHONY: run
run: build ## build and run the server on http://127.0.0.1:8000, with data in ./data
	./bin/safelight

.PHONY: build
build: deps ## build bin/safelight; TAGS='gs azblob' adds storage drivers, docs/guides/storage.md
	$(GO) build $(if $(TAGS),-tags '$(TAGS)') -ldflags '$(LDFLAGS)' -o bin/safelight ./cmd/safelight

.PHONY: test
test: ## run every test, with a temporary PostgreSQL and S3 server; the slowest ones in their short form
	@scripts/deps test
	scripts/with-services $(GO) test -short -vet=off -count=1 -timeout 60m -p 3 -parallel 6 ./...

.PHONY: test-full
test-full: ## run every test in its full form
	@scripts/deps test
	scripts/with-services $(GO) test -vet=off -count=1 -timeout 120m -parallel 4 ./...

.PHONY: test-clouds
test-clouds: deps ## compile the drivers of Google Cloud Storage and Azure, and test them against emulators
	$(GO) vet -tags gs ./storage
	$(GO) vet -tags azblob ./storage
	"$$($(GO) -C scripts/tools tool -n staticcheck)" -tags gs,azblob ./storage
	scripts/with-clouds $(GO) test -tags gs,azblob -count=1 -timeout 15m ./storage -run 'Cloud|Credentials'
	scripts/with-clouds $(GO) test -tags gs,azblob -count=1 -timeout 15m ./gallery ./uploads -run '/^(gs|azblob)$$'
	scripts/with-clouds $(GO) test -tags gs,azblob -count=1 -timeout 15m ./cmd/safelight -run '^TestClouds$$'

.PHONY: test-races
test-races: deps ## change the same files through two servers at once, on PostgreSQL with S3 and with a folder, ROUNDS (200) times
	SAFELIGHT_TEST_ROUNDS=$(or $(ROUNDS),200) scripts/with-services $(GO) test ./cmd/safelight -count=1 -timeout 60m -run '^TestRaces$$' -v

.PHONY: test-fleet
test-fleet: deps ## 32 clients on three servers for FLEET (2m), killed, frozen, on a bad network, without PostgreSQL or S3; then 50,000 operations in order
	SAFELIGHT_TEST_FLEET=$(or $(FLEET),2m) scripts/with-services $(GO) test ./cmd/safelight -count=1 -timeout 60m -run '^TestFleet' -v
	SAFELIGHT_TEST_HISTORY=12500 scripts/with-services $(GO) test ./gallery -count=1 -timeout 60m -run '^TestHistory$$' -v

.PHONY: rolling
rolling: deps ## run the version before, or BASE=commit, and this one on one PostgreSQL database at once
	scripts/rolling

# Packages without goroutines have nothing to race. Neither have ALONE, tests of gallery in which one goroutine compares
# thousands of rows; `make test` runs them. Of those with C, whose memory the detector does not see, the tests that
# share pictures, stop jobs or start processes.
CONCURRENT = ./auth ./cache/... ./storage/... ./database/... ./accounts/... ./fonts ./signing ./uploads ./templates \
	./timeseries ./gallery/... ./webhooks/... $(filter-out %/docsite,$(shell $(GO) list ./server/...))
ALONE = ^Test(CountsOfSearches|NamesInDatabases|PartialLists|Places|RandomRights|SearchPlaces)$$
.PHONY: race
race: deps ## run the packages with goroutines under the race detector
	$(GO) test -race -short -vet=off -count=1 -timeout 60m -skip '$(ALONE)' $(CONCURRENT)
	$(GO) test -race -short -vet=off -count=1 -timeout 60m ./imaging/vips ./imaging/pixels ./imaging/worker -run \
		'SharedDecodes|SharedPixels|SharedGainMap|NotShared|Ended|Stop|Deadline|Budget|Orphan|TestCancel$$|BeforeTheRequest'

.PHONY: mutants
mutants: deps ## change the core code in small ways and expect tests to fail; PACKAGES='fault cache' for some, docs/contributing/testing.md
	scripts/mutants $(PACKAGES)

.PHONY: leak
leak: deps ## run 10,000 mixed jobs, 8 concurrently; check that memory stays flat and libvips holds nothing
	SAFELIGHT_LEAK_JOBS=10000 $(GO) test ./imaging/vips -count=1 -v -timeout 30m -run TestNothingLeaks

.PHONY: fuzz
fuzz: deps ## run each fuzz target for FUZZ (20s)
	scripts/fuzz $(or $(FUZZ),20s)

# What finds rare faults and takes hours: once a week, and before each release.
.PHONY: test-long
test-long: ## the long checks: other drivers, versions and languages, every attack, kill and race in its long form, soak
	$(MAKE) test-full
	$(MAKE) test-clouds rolling signers client-examples web-lighthouse
	$(MAKE) hostile siege flood overload chaos test-races test-fleet leak
	$(MAKE) fuzz FUZZ=2m
	$(MAKE) sanitize SANITIZE=30m
	$(MAKE) fuzz-server soak web-scroll web-editing

.PHONY: sanitize
sanitize: deps ## run the C of imaging/pixels over hostile pictures for SANITIZE (5m), with sanitizers of memory and undefined behavior
	scripts/sanitize $(or $(SANITIZE),5m)

.PHONY: fuzz-server
fuzz-server: deps ## fuzz whole requests, path and file, for FUZZ_SERVER (10m) in a build with AddressSanitizer
	scripts/fuzz $(or $(FUZZ_SERVER),10m) server

.PHONY: hostile
hostile: deps ## every hostile file and path against the server in a process, with each isolation
	SAFELIGHT_TEST_HOSTILE=all $(GO) test ./cmd/safelight -count=1 -timeout 180m -run '^TestHostile$$' -v

.PHONY: flood
flood: deps ## send what once killed the server, 10 a second for FLOOD (60s), beside ordinary requests
	SAFELIGHT_TEST_FLOOD=$(or $(FLOOD),60s) $(GO) test ./cmd/safelight -count=1 -timeout 30m -run '^TestKillerFlood$$' -v

.PHONY: siege
siege: deps ## attack the server in 1 GiB with what once stopped it, each for SIEGE (60s), beside ordinary requests
	SAFELIGHT_TEST_SIEGE=$(or $(SIEGE),60s) $(GO) test ./cmd/safelight -count=1 -timeout 30m -run '^TestSiege$$' -v

.PHONY: security
security: deps ## list the licenses of what the program is built of, and look for known vulnerabilities
	scripts/licenses
	scripts/vulnerabilities

.PHONY: chaos
chaos: build ## kill bin/safelight 200 times under load and compare storage and API; then 32 clients on one folder for 60 s
	SAFELIGHT_TEST_CHAOS=200 SAFELIGHT_TEST_CHAOS_BINARY=$(CURDIR)/bin/safelight $(GO) test -count=1 -timeout 60m -v -run '^TestChaos$$' ./cmd/safelight
	SAFELIGHT_TEST_STRESS=60s scripts/with-services $(GO) test -count=1 -timeout 60m -v -run '^TestCrowd$$' ./gallery

.PHONY: audit
audit: build ## run npm graphql-http's audits against the built server
	@scripts/deps audit
	scripts/with-server scripts/audit

.PHONY: schema-lint
schema-lint: ## lint the GraphQL schema with graphql-eslint, its recommended and Relay rules
	@scripts/deps audit
	@scripts/schema-lint

.PHONY: breaking
breaking: ## compare the GraphQL schema with the last release, or BASE=commit
	@scripts/deps audit
	@scripts/breaking

.PHONY: clients
clients: build ## test the packages in clients/ and run examples/typescript, against the built server
	@scripts/deps audit
	scripts/with-server scripts/clients

.PHONY: client-examples
client-examples: build web-packages ## build clients/examples and open them in Chromium; EXAMPLES='next astro' for some
	node clients/examples/run.mjs $(EXAMPLES)

.PHONY: signers
signers: ## install the languages of clients/signers and run each signer, and imagor's, over testdata/vectors
	@scripts/deps signers
	npm --prefix clients/client ci --silent --no-audit --no-fund
	$(GO) test -count=1 ./clients/signers -v -run TestLanguages
	$(GO) -C scripts/imagor test -count=1 ./...

# npm ci writes node_modules/.package-lock.json at its end. It runs again only after a change of the lock file.
.PHONY: web-packages
web-packages:
	@scripts/deps web
	@[ web/node_modules/.package-lock.json -nt web/package-lock.json ] || npm --prefix web ci --no-audit --no-fund

.PHONY: web
web: web-packages ## build web/dist, the application that the binary embeds
	npm --prefix web run build

.PHONY: web-check
web-check: web-packages ## format, lint, type-check and unit-test the application, and compare web/dist with a new build
	npm --prefix web run verify

.PHONY: web-test
web-test: build seed provider web-packages ## walk through the application in Chromium and Firefox; JOURNEYS='editor live' for some
	@scripts/deps journeys
	scripts/with-services npm --prefix web run journeys -- $(JOURNEYS)

.PHONY: seed
seed: deps
	$(GO) build -o bin/seed ./scripts/seed

.PHONY: provider
provider: # an OpenID Connect provider, for the journeys of sign-in
	$(GO) build -C scripts/provider -o ../../bin/provider .

.PHONY: web-lighthouse
web-lighthouse: build web-packages ## ask Lighthouse about gallery and editor; LIGHTHOUSE=--performance adds the median of five
	npm --prefix web run lighthouse -- $(LIGHTHOUSE)

.PHONY: web-scroll
web-scroll: build seed web-packages ## scroll through FILES (1000000) in Chromium for MINUTES (10): elements, script a frame, memory
	npm --prefix web run scroll

.PHONY: web-editing
web-editing: build web-packages ## move sliders of the editor in Chromium CHANGES (60) times: how long the picture takes to follow; PHOTO=file
	npm --prefix web run editing

.PHONY: docs-site
docs-site: build ## write the documentation as static pages for hosting to the new folder SITE, or anew to .cache/docs
	$(if $(SITE),,rm -rf .cache/docs)
	./bin/safelight docs export $(or $(SITE),.cache/docs)

.PHONY: screenshots
screenshots: build web-packages ## draw every page of the application in dark, light and on a phone, to be looked at; PICTURES=folder
	npm --prefix web run screenshots
	@echo web/screenshots

.PHONY: docs-images
docs-images: build ## take the pictures of the application that the documentation shows and the animation of the README, docs/images/*.webp
	@scripts/deps web
	npm --prefix web ci --no-audit --no-fund
	npm --prefix web run screenshots -- --documents

.PHONY: bench
bench: build ## benchmark bin/safelight with fixed jobs; BENCH='--jobs a,c --clients 8', see docs/contributing/performance/README.md
	$(GO) build -C scripts/bench -o ../../bin/bench .
	./bin/bench $(BENCH)

.PHONY: bench-gate
bench-gate: build ## hold the CPU of jobs a, c, d, w and of a cached result to accepted ratios to bare libvips and a bare handler; ACCEPT=1 writes them
	$(GO) build -C scripts/bench -o ../../bin/bench .
	./bin/bench --gate scripts/bench/gate.json $(if $(ACCEPT),--accept)

.PHONY: contact-sheet
contact-sheet: deps ## draw all golden images with their paths on .cache/contact-sheet.png, for review
	$(GO) test ./imaging/vips -count=1 -run TestContactSheet -contact-sheet $(CURDIR)/.cache/contact-sheet.png
	@echo .cache/contact-sheet.png

.PHONY: soak
soak: deps ## run mixed traffic with bad input for SOAK (30m); check responses and memory
	SAFELIGHT_TEST_SOAK=$(or $(SOAK),30m) $(GO) test ./cmd/safelight -count=1 -timeout 60m -run 'TestSoak$$' -v

.PHONY: bench-gallery
bench-gallery: build ## benchmark pages, searches, their counts and scans of FILES (1000000), on SQLite and PostgreSQL; ONLY=counts for counts and similar pictures, ONLY=rights for what an account with 200 granted folders sees, ONLY=requests for its requests to bin/safelight, ROUNDS (200) of each
	SAFELIGHT_BENCH_ONLY=$(ONLY) SAFELIGHT_BENCH_ROUNDS=$(ROUNDS) SAFELIGHT_BENCH_GALLERY=$${FILES:-1000000} SAFELIGHT_BENCH_SCAN=$${FILES:-1000000} scripts/with-services --disk $(GO) test ./gallery -count=1 -timeout 120m -run '$(if $(ONLY),TestMillion$$,TestMillion|TestScanMany)' -v

.PHONY: bench-metadata
bench-metadata: deps ## measure the CPU of analyzing PHOTOS (200) of 2, 12 and 24 megapixels, with and without a thumbnail in them
	SAFELIGHT_TEST_METADATA=$${PHOTOS:-200} $(GO) test ./cmd/safelight -count=1 -timeout 60m -run '^TestMetadataMany$$' -v

.PHONY: bench-move
bench-move: deps ## move an index of FILES (1000000) from SQLite to PostgreSQL and back, and compare 200 queries
	SAFELIGHT_BENCH_MOVE=$${FILES:-1000000} scripts/with-services --disk $(GO) test ./gallery -count=1 -timeout 60m -run '^TestMoveMany$$' -v

.PHONY: bench-cache
bench-cache: deps ## measure a start with a cache of ENTRIES (1000000) on disk
	SAFELIGHT_BENCH_CACHE=$(or $(ENTRIES),1000000) $(GO) test ./cache -count=1 -timeout 60m -run 'TestManyFilesOnDisk$$' -v

.PHONY: overload
overload: deps ## send ten times the load that can be served, for OVERLOAD (60s): goodput, latency, memory, recovery
	SAFELIGHT_TEST_OVERLOAD=$(or $(OVERLOAD),60s) $(GO) test ./cmd/safelight -count=1 -timeout 30m -run 'TestOverload$$' -v

.PHONY: chart
chart: ## lint and render the Helm chart with Helm's packages, read the manifests with the types of the Kubernetes API; let promtool check and test the alert rules
	@scripts/deps alerts
	$(GO) test -count=1 ./scripts/deploy -run '^TestAlert'
	GOFLAGS= $(GO) -C scripts/chart test -count=1 ./...

test-image: TESTS ?= ./imaging/...
.PHONY: test-image
test-image: ## as root: build the Dockerfile on Debian stable and testing, and test imaging there; TESTS= for none
	TESTS='$(TESTS)' scripts/image trixie 8.16
	TESTS='$(TESTS)' scripts/image forky 8.18

.PHONY: test-artifacts
test-artifacts: ## as root, with buildah and mmdebstrap: install, start and remove what RELEASE=dist/v1.2.3 has, arm64 under qemu
	scripts/image portable $(RELEASE)/safelight-*-linux-amd64.tar.gz
	scripts/image deb $(RELEASE)/safelight_*+deb12_amd64.deb bookworm
	scripts/image deb $(RELEASE)/safelight_*+deb13_amd64.deb trixie
	scripts/image oci $(RELEASE)/safelight-*-image-amd64.tar
	scripts/image arm64 $(RELEASE)/safelight-*-linux-arm64.tar.gz
	scripts/image arm64 $(RELEASE)/safelight_*+deb12_arm64.deb bookworm
	scripts/image arm64 $(RELEASE)/safelight_*+deb13_arm64.deb trixie

.PHONY: test-release
test-release: ## as root: make a signed release of the last commit twice, and compare all bytes
	SAFELIGHT_TEST_RELEASE=1 $(GO) test ./scripts/deploy -count=1 -timeout 180m -run '^TestReleaseTwice$$' -v

.PHONY: release
release: ## as root, with mmdebstrap and npm: make the artifacts of the tag v* in dist/, the same bytes each time, signed if KEY=file
	scripts/release

.PHONY: generate
generate: deps ## regenerate ent, gqlgen and the generated documentation
	$(GO) generate ./...
	$(GO) test ./cmd/safelight -run TestSettingsDoc -update
	$(GO) test ./server -run TestMatrixDoc -update
	$(GO) test ./imaging -run 'TestOperationsDoc|TestClientTypes|TestURLVectors' -update

.PHONY: check
check: deps ## check format, vet, staticcheck, fresh generated code, tidy go.mod
	scripts/check

.PHONY: deps
deps: ## install missing build dependencies: libvips-dev, libwebp-dev, libdeflate-dev, libjpeg-dev, pkg-config, gcc; testing adds postgresql
	@scripts/deps

.PHONY: clean
clean: ## remove build and test artifacts
	rm -rf bin .cache
