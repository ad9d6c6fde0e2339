# One command per job; CONTRIBUTING.md says when to use which.
#
#   make test       everything that must hold for a change: checks, vet, tests of every module (this is what CI runs)
#   make test-all   the same, and what takes minutes: golangci-lint with the plugin linked in
#   make lint       our own code under golangci-lint, with leasevet itself among the linters
#   make generate   write docs/kinds again
#   make bench      measure, and write docs/bench.md again
#   make clean-corpus  run over popular modules without locks: every finding is a false one
#   make faults     lockrt under RUNS (500) schedules of faults; writes docs/lockrt-faults.md again
#   make lockrt-bench  lockrt beside other locks; writes docs/lockrt-bench.md again
#   make fuzz       make programs for FUZZTIME (10m) and check what is found in them
#   make build      bin/leasevet

GO ?= go
# A source tree that somebody else owns has no version control status that Go could read, and no test needs one.
export GOFLAGS := $(strip $(GOFLAGS) -buildvcs=false)
# The modules are independent of each other on purpose; see CONTRIBUTING.md.
export GOWORK := off

GOLANGCI := cmd/golangci-leasevet
# Modules that live beside the root one and are cheap enough for every run.
MODULES := . $(patsubst %/go.mod,%,$(wildcard lockrt/go.mod lockrt/faults/go.mod lockrt/lockrt*/go.mod examples/*/go.mod))
TEST_FLAGS ?= -timeout 20m

.PHONY: all build test test-all need-servers check check-format check-paths check-generated vet unit golangci lint generate bench clean-corpus fuzz faults lockrt-bench lockrt-newest vet-lockrt-bench clean

all: build

build:
	$(GO) build -o bin/ ./cmd/leasevet

# Tests come last, so that the last lines are those of go test.
test: need-servers check vet unit

test-all: test golangci lockrt-newest vet-lockrt-bench

# lockrt is tested on real servers.
need-servers:
	@.ci/need-servers

check: check-format check-paths check-generated

# Test data may be broken on purpose, so it is not asked.
check-format:
	@files=$$(git ls-files -co --exclude-standard '*.go' ':!:**/testdata/**' ':!:testdata/**') || exit 1; \
	bad=$$("$$($(GO) env GOROOT)/bin/gofmt" -l $$files) || exit 1; \
	if [ -n "$$bad" ]; then echo "not formatted, run gofmt -w:"; echo "$$bad"; exit 1; fi

check-paths:
	@.ci/check-paths

check-generated:
	$(GO) run ./internal/gendocs -check docs/kinds

vet:
	@for m in $(MODULES); do echo "vet $$m"; (cd $$m && $(GO) vet ./...) || exit 1; done

# Every module is tested even if an earlier one fails.
unit:
	@rc=0; for m in $(MODULES); do (cd $$m && $(GO) test $(TEST_FLAGS) ./...) || rc=1; done; exit $$rc

golangci:
	cd $(GOLANGCI) && $(GO) vet ./... && $(GO) test $(TEST_FLAGS) ./...

bin/golangci-leasevet: FORCE
	cd $(GOLANGCI) && $(GO) build -o ../../bin/golangci-leasevet .

lint: bin/golangci-leasevet
	bin/golangci-leasevet run ./...

generate:
	$(GO) run ./internal/gendocs docs/kinds

bench:
	$(GO) run ./bench -o docs/bench.md

# Downloads the modules the first time. Nothing of this runs in make test.
clean-corpus:
	$(GO) run ./internal/cleancorpus

FUZZTIME ?= 10m

fuzz:
	$(GO) test ./analyzers -run '^$$' -fuzz FuzzEngine -fuzztime $(FUZZTIME) -fuzzminimizetime 10x

RUNS ?= 500

# Random faults on processes and servers; every violation is printed with the seed that brings it back.
faults: need-servers
	cd lockrt/faults && $(GO) run . -runs $(RUNS) -o ../../docs/lockrt-faults.md

# lockrt beside other locks, in one run.
lockrt-bench: need-servers
	cd lockrt/bench && $(GO) run . -o ../../docs/lockrt-bench.md

# lockrt is tested with the oldest go-redis that serves; here with the newest.
NEWEST_GO_REDIS ?= v9.23.0

lockrt-newest: need-servers
	@dir=$$(mktemp -d); cp lockrt/go.mod $$dir/newest.mod; cp lockrt/go.sum $$dir/newest.sum; cd lockrt; \
	$(GO) mod edit -require=github.com/redis/go-redis/v9@$(NEWEST_GO_REDIS) $$dir/newest.mod && \
	$(GO) test -mod=mod -modfile=$$dir/newest.mod $(TEST_FLAGS) ./...; rc=$$?; rm -rf $$dir; exit $$rc

vet-lockrt-bench:
	cd lockrt/bench && $(GO) vet ./...

clean:
	rm -rf bin

FORCE:
