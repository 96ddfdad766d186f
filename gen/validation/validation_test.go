package validation_test

import (
	"context"
	"encoding/json"
	"errors"
	"io"
	"runtime"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/google/go-cmp/cmp"

	"github.com/hallmark-kit/hallmark/gen/capture"
	"github.com/hallmark-kit/hallmark/gen/protocol"
	"github.com/hallmark-kit/hallmark/gen/protocol/hallmark"
	"github.com/hallmark-kit/hallmark/gen/validation"
	"github.com/hallmark-kit/hallmark/gen/wire"
	"github.com/hallmark-kit/hallmark/schemas"
)

// typeThat accepts an object whose "kind" is the one given and whose "n" is a number.
func typeThat(kind string) wire.Type {
	object := wire.At("d.json", "/"+kind)
	number := &wire.NumberRule{Place: wire.At("d.json", "/"+kind+"/properties/n")}
	return wire.Type{Name: kind, Document: "d.json", Pointer: "/" + kind, Validate: func(data []byte, opts ...wire.Option) error {
		r := wire.Acquire(data, opts)
		if string(r.Tag("kind")) != kind {
			r.Refused(&object, "oneOf", "an object whose kind is "+kind)
			return r.Close()
		}
		if r.Object() {
			frame := r.Frame()
			for r.Member() {
				if string(r.Name()) == "n" {
					if !r.CheckNumber(number) {
						break
					}
				} else if !r.Ignore(frame) {
					break
				}
			}
			r.EndObject(frame)
		}
		return r.Close()
	}}
}

func run(t *testing.T, subject *validation.Subject, format, name, text string, opts ...wire.Option) (string, *validation.Summary) {
	t.Helper()
	var out strings.Builder
	writer, err := validation.NewWriter(format, &out)
	if err != nil {
		t.Fatal(err)
	}
	r := &validation.Run{Subject: subject, Writer: writer, Options: opts}
	if err := r.File(context.Background(), name, strings.NewReader(text)); err != nil {
		t.Fatal(err)
	}
	if err := writer.Close(&r.Summary); err != nil {
		t.Fatal(err)
	}
	return out.String(), &r.Summary
}

func subject(t *testing.T, as, typeName string) *validation.Subject {
	t.Helper()
	s, err := validation.ForProtocol(schemas.FS, as, typeName)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

func TestViolationsAreShownAtTheirPlaceInTheRecording(t *testing.T) {
	s := validation.Of(typeThat("a"))
	for name, test := range map[string]struct{ file, text, want string }{
		"lines":  {"t.ndjson", "{\"kind\":\"a\"}\n\n{\"kind\":\"a\",\"n\":\"x\"}\n", "t.ndjson:3:17: /n: want a number (d.json#/a/properties/n/type type)\n"},
		"json":   {"t.json", "{\"kind\":\"a\",\n  \"n\": null}\n", "t.json:2:8: /n: want a number (d.json#/a/properties/n/type type)\n"},
		"events": {"t.sse", "id: 1\ndata: {\"kind\":\"a\",\ndata:   \"ä\":1,\"n\":[]}\n\n", "t.sse:3:19: /n: want a number (d.json#/a/properties/n/type type)\n"},
		"text":   {"-", "{\"kind\":\"a\"}\n{\"kind\":\"a\",\"n\":}\n", "-:2:17: /n: want a JSON value (json)\n"},
	} {
		if got, _ := run(t, s, "text", test.file, test.text); got != test.want {
			t.Errorf("%s:\ngot  %swant %s", name, got, test.want)
		}
	}
}

func TestValuesAreShownOnlyWhenAskedFor(t *testing.T) {
	const text = `{"kind":"a","n":"secret"}`
	for _, format := range validation.Formats {
		if got, _ := run(t, validation.Of(typeThat("a")), format, "x.json", text); strings.Contains(got, "secret") {
			t.Errorf("%s shows the value: %s", format, got)
		}
		if got, _ := run(t, validation.Of(typeThat("a")), format, "x.json", text, wire.QuoteValues()); !strings.Contains(got, "secret") {
			t.Errorf("%s does not show the value: %s", format, got)
		}
	}
}

func TestJSONOutputIsDescribedByItsSchema(t *testing.T) {
	for name, text := range map[string]string{"nothing": "", "no violations": "{\"kind\":\"a\"}\n", "some": "{\"kind\":\"a\",\"n\":1,\"n\":2}\n{\"kind\":\"a\",\"n\":\"\"}\n{}\n"} {
		got, summary := run(t, validation.Of(typeThat("a")), "json", "x.ndjson", text, wire.QuoteValues())
		v, err := hallmark.DecodeValidation([]byte(got))
		if err != nil {
			t.Errorf("%s: %v\n%s", name, err, got)
			continue
		}
		if int64(len(v.Violations)) != summary.Violations || v.Summary.Messages != summary.Messages {
			t.Errorf("%s: %d violations of %d, %+v", name, len(v.Violations), summary.Violations, v.Summary)
		}
	}
}

func TestGitHubAnnotationsAreEscaped(t *testing.T) {
	odd := wire.At("50%,\n:.json", "")
	s := validation.Of(wire.Type{Name: "x", Validate: func(data []byte, opts ...wire.Option) error {
		r := wire.Acquire(data, opts)
		r.Refused(&odd, "const", "a\r\nb")
		return r.Close()
	}})
	got, _ := run(t, s, "github", "dir,a:b%/x.json", "1")
	want := "::error file=dir%2Ca%3Ab%25/x.json,line=1,col=1,title=hallmark validate%3A const::1:1: the message: want a\\u000d\\u000ab (50%25,\\u000a:.json#/const const)\n"
	if got != want {
		t.Errorf("got  %swant %s", got, want)
	}
	if got, _ := run(t, s, "github", "-", "1"); !strings.HasPrefix(got, "::error line=1,") {
		t.Errorf("standard input has no file: %s", got)
	}
}

// Every protocol either says what a message is, or says that it has to be asked for a type, and which there are.
func TestAProtocolKnowsItsMessagesOrSaysThatItDoesNot(t *testing.T) {
	for _, name := range protocol.Names() {
		r := &validation.Run{Subject: subject(t, name, ""), Writer: validation.Discard}
		err := r.File(context.Background(), "x.json", strings.NewReader(`{"no": "message"}`))
		var ambiguous *validation.AmbiguousError
		switch {
		case errors.As(err, &ambiguous):
			if len(ambiguous.Types) == 0 || !strings.Contains(err.Error(), ambiguous.Types[0]) {
				t.Errorf("%s: the error lists no types: %v", name, err)
			}
		case err != nil:
			t.Errorf("%s: %v", name, err)
		case r.Summary.Invalid != 1:
			t.Errorf("%s: %s", name, r.Summary.String())
		}
	}
}

func TestTheTypeOfAMessageIsFoundOut(t *testing.T) {
	s := subject(t, "comitiva", "")
	for text, want := range map[string]struct{ typeName, instance, keyword string }{
		`{"id":"","type":"ping"}`:                          {"RunnerRequest", "/id", "minLength"},
		`{"type":"ping"}`:                                  {"RunnerRequest", "", "required"},
		`{"type":"log","level":"loud","message":""}`:       {"RunnerEvent", "/level", "enum"},
		`{"type":"run.done","runId":"r","stopReason":"x"}`: {"RunnerEvent", "/stopReason", "enum"},
		`{"type":"nobody"}`:                                {"", "", validation.KeywordMessages},
		`[]`:                                               {"", "", validation.KeywordMessages},
		`{"type":"nobody","x":tru}`:                        {"", "/x", "json"},
		`{"id":"1","type":"ping","x":01}`:                  {"RunnerRequest", "/x", "json"},
		``:                                                 {"", "", "json"},
	} {
		got, _ := run(t, s, "json", "x.json", text)
		v, err := hallmark.DecodeValidation([]byte(got))
		if err != nil || len(v.Violations) == 0 {
			t.Errorf("%s: %v %s", text, err, got)
			continue
		}
		first := v.Violations[0]
		if first.Type.Or("") != want.typeName || first.Instance != want.instance || first.Keyword != want.keyword {
			t.Errorf("%s is held against %q: %s at %q, want %+v", text, first.Type.Or(""), first.Keyword, first.Instance, want)
		}
	}
}

func TestStreamsHoldTheEventsThatTheProtocolNames(t *testing.T) {
	files := fstest.MapFS{"comitiva/protocol.yaml": {Data: []byte("protocol: comitiva\ndocuments: [{file: x.json}]\noperations: {\"POST /x\": {events: \"RunnerEvent.json#\"}}\n")}}
	s, err := validation.ForProtocol(files, "comitiva", "")
	if err != nil {
		t.Fatal(err)
	}
	got, summary := run(t, s, "text", "x.sse", "data: {\"type\":\"log\",\"level\":\"info\",\"message\":\"x\"}\n\ndata: {\"type\":\"ping\",\"id\":\"1\"}\n\n")
	if summary.Valid != 1 || summary.Invalid != 1 {
		t.Errorf("%s\n%s", summary.String(), got)
	}
	r := &validation.Run{Subject: s, Writer: validation.Discard}
	var ambiguous *validation.AmbiguousError
	if err := r.File(context.Background(), "x.json", strings.NewReader("{}")); !errors.As(err, &ambiguous) {
		t.Errorf("a message that is no event: %v", err)
	}
}

func TestAnEventIsJudgedAsAWholeNotAsOneOfItsVariants(t *testing.T) {
	s, err := validation.ForProtocol(schemas.FS, "agenticdriver", "")
	if err != nil {
		t.Fatal(err)
	}
	got, _ := run(t, s, "text", "x.sse", `data: {"type":"run.started","runId":"r","sequence":1,"timestamp":"2024-01-01T00:00:00Z"}`+"\n\n")
	for _, want := range []string{`want the member "model" (openapi.json#/components/schemas/RunEvent/oneOf/3/required required)`, `want the member "provider"`} {
		if !strings.Contains(got, want) {
			t.Errorf("%s\nwant %s", got, want)
		}
	}
	if strings.Contains(got, "approval") {
		t.Errorf("another variant: %s", got)
	}
}

func TestUnknownNamesAreRefused(t *testing.T) {
	for _, test := range [][2]string{{"nobody", ""}, {"comitiva", "Nothing"}} {
		_, err := validation.ForProtocol(schemas.FS, test[0], test[1])
		var unknown *validation.ErrUnknown
		if !errors.As(err, &unknown) || len(unknown.Known) == 0 {
			t.Errorf("%v: %v", test, err)
		}
	}
	if _, err := validation.NewWriter("xml", io.Discard); err == nil {
		t.Error("a format that does not exist")
	}
}

func TestAMessageBeyondTheBoundIsAnErrorOfThatMessage(t *testing.T) {
	var out strings.Builder
	writer, err := validation.NewWriter("text", &out)
	if err != nil {
		t.Fatal(err)
	}
	r := &validation.Run{Subject: validation.Of(typeThat("a")), Writer: writer, Limit: 20}
	text := "{\"kind\":\"a\"}\n{\"kind\":\"a\",\"long\":\"xxxxxxxxxx\"}\n{\"kind\":\"a\"}\n"
	if err := r.File(context.Background(), "x.ndjson", strings.NewReader(text)); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff("x.ndjson:2:1: the message: want fewer bytes in one message: the bound is 20 bytes; --max-message raises it (length)\n", out.String()); diff != "" {
		t.Error(diff)
	}
	if r.Summary.Valid != 2 || r.Summary.Invalid != 1 {
		t.Error(r.Summary.String())
	}
}

func TestSummaryCountsOverFiles(t *testing.T) {
	r := &validation.Run{Subject: validation.Of(typeThat("a")), Writer: validation.Discard}
	for name, text := range map[string]string{"a.json": `{"kind":"a"}`, "b.sse": "data: {}\n\ndata: {\"kind\"", "c.ndjson": ""} {
		if err := r.File(context.Background(), name, strings.NewReader(text)); err != nil {
			t.Fatal(err)
		}
	}
	want := "2 messages in 3 files: 1 valid, 1 not, 1 violation; 1 event cut off at the end of a file and passed over, as the rules of server-sent events demand"
	if got := r.Summary.String(); got != want {
		t.Errorf("got  %s\nwant %s", got, want)
	}
}

func TestACancelledRunEnds(t *testing.T) {
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	r := &validation.Run{Subject: validation.Of(typeThat("a")), Writer: validation.Discard}
	if err := r.File(ctx, "x.ndjson", strings.NewReader("{}\n")); !errors.Is(err, context.Canceled) {
		t.Errorf("error: %v", err)
	}
}

// A recording is never held in memory: however long it is, the heap stays small.
func TestMemoryDoesNotGrowWithTheRecording(t *testing.T) {
	size := 200 << 20
	if testing.Short() {
		size = 20 << 20
	}
	line, err := json.Marshal(map[string]any{"kind": "a", "n": 1, "text": strings.Repeat("ä text ", 100), "more": []int{1, 2, 3}})
	if err != nil {
		t.Fatal(err)
	}
	heap := func() uint64 {
		var m runtime.MemStats
		runtime.ReadMemStats(&m)
		return m.HeapAlloc
	}
	block := []byte(strings.Repeat(string(line)+"\n", 200))
	runtime.GC()
	before, peak := heap(), uint64(0)
	in, out := io.Pipe()
	written := make(chan error, 1)
	go func() {
		for n := 0; n < size; n += len(block) {
			if _, err := out.Write(block); err != nil {
				written <- err
				return
			}
			peak = max(peak, heap())
		}
		written <- out.Close()
	}()
	r := &validation.Run{Subject: validation.Of(typeThat("a")), Writer: validation.Discard, Input: capture.NDJSON}
	if err := errors.Join(r.File(context.Background(), "x", in), <-written); err != nil {
		t.Fatal(err)
	}
	if r.Summary.Bytes < int64(size) || r.Summary.Invalid != 0 {
		t.Fatal(r.Summary.String())
	}
	if peak > before+16<<20 {
		t.Errorf("the heap grew by %d KiB", (peak-before)>>10)
	}
	t.Logf("%d MiB read, the heap grew by %d KiB", r.Summary.Bytes>>20, (int64(peak)-int64(before))>>10)
}
