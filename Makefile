# Each target is one plain Go command, or a few; nothing here is needed to build or test.

.PHONY: build gen test lint bench fuzz

FUZZTIME ?= 30s
BENCHFLAGS ?= # -node: ajv under Node too

build:
	go build ./...

gen:
	go run ./cmd/hallmark gen

test:
	go test ./...

lint:
	gofmt -l $$(git ls-files '*.go')
	go vet ./...
	go tool staticcheck ./...
	go run ./cmd/hallmark gen --check

bench:
	cd gen/bench && go run -mod=mod . $(BENCHFLAGS) -readme ../../README.md

fuzz:
	for p in $$(go list ./...); do \
		for t in $$(go test -list '^Fuzz' $$p | grep '^Fuzz'); do \
			go test -run '^$$' -fuzz "^$$t\$$" -fuzztime $(FUZZTIME) -fuzzminimizetime 10x $$p || exit 1; \
		done; \
	done
