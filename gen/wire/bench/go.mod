module github.com/hallmark-kit/hallmark/gen/wire/bench

go 1.26.0

require (
	github.com/go-faster/jx v1.2.0
	github.com/hallmark-kit/hallmark v0.0.0
)

require (
	github.com/dlclark/regexp2/v2 v2.13.0 // indirect
	github.com/go-faster/errors v0.7.1 // indirect
	github.com/segmentio/asm v1.2.1 // indirect
	golang.org/x/sys v0.48.0 // indirect
)

replace github.com/hallmark-kit/hallmark => ../../..
