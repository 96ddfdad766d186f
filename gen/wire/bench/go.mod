module github.com/hallmark-kit/hallmark/gen/wire/bench

go 1.26.0

require (
	github.com/dlclark/regexp2/v2 v2.13.0
	github.com/go-faster/jx v1.2.0
	github.com/goccy/go-json v0.12.0
	github.com/hallmark-kit/hallmark v0.0.0
	github.com/valyala/fastjson v1.6.10
)

require (
	github.com/go-faster/errors v0.7.1 // indirect
	github.com/segmentio/asm v1.2.1 // indirect
	golang.org/x/sys v0.48.0 // indirect
)

replace github.com/hallmark-kit/hallmark => ../../..
