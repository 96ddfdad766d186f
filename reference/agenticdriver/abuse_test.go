package agenticdriver

import (
	"bufio"
	"bytes"
	"errors"
	"flag"
	"fmt"
	"io"
	"io/fs"
	"maps"
	"math/rand/v2"
	"net"
	"net/http"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/hallmark-kit/hallmark/gen/document"
	protocol "github.com/hallmark-kit/hallmark/gen/protocol/agenticdriver"
	"github.com/hallmark-kit/hallmark/gen/sample"
	"github.com/hallmark-kit/hallmark/gen/schema"
	"github.com/hallmark-kit/hallmark/schemas"
)

var (
	malformed     = flag.Int("malformed", 2000, "how many malformed requests the host gets")
	malformedSeed = flag.Uint64("malformed-seed", 1, "seed of the malformed requests")
)

// canary stands for a secret in a request: no answer and no log may repeat it.
const canary = "CANARY-5f3a91"

// attempt is one malformed request.
type attempt struct {
	kind string
	text []byte
	open bool // the host cannot know where it ends: the connection is half closed behind it
}

// abuser makes malformed requests.
type abuser struct {
	rng     *rand.Rand
	targets []target
}

// target is an operation that takes a body.
type target struct {
	method, path, token string
	sampler             *sample.Sampler
	misses              [][]byte
	next                int
}

func newAbuser(t *testing.T, seed uint64) *abuser {
	t.Helper()
	text, err := fs.ReadFile(schemas.FS, "agenticdriver/openapi.json")
	if err != nil {
		t.Fatal(err)
	}
	file, err := document.Parse("openapi.json", text)
	if err != nil {
		t.Fatal(err)
	}
	graph, err := schema.Build(document.NewSet(file))
	if err != nil {
		t.Fatal(err)
	}
	a := &abuser{rng: rand.New(rand.NewPCG(seed, 0))}
	for _, op := range protocol.Operations {
		one := target{method: op.Method, path: op.Path, token: alice}
		if strings.HasPrefix(op.Path, management) {
			one.token = admin
		}
		if op.Body != nil {
			media := op.Body.As("application/json")
			node, err := graph.At(media.Schema.Document + "#" + media.Schema.Pointer)
			if err != nil {
				t.Fatal(err)
			}
			if to := node.Target(); to != nil {
				node = to
			}
			one.sampler = sample.New(node, sample.Seed(seed))
			for miss := range one.sampler.NearMisses() {
				if len(miss.JSON) < maxBody {
					one.misses = append(one.misses, miss.JSON)
				}
			}
			a.rng.Shuffle(len(one.misses), func(i, j int) { one.misses[i], one.misses[j] = one.misses[j], one.misses[i] })
		}
		a.targets = append(a.targets, one)
	}
	return a
}

// make makes the next request.
func (a *abuser) make() attempt {
	kinds := []struct {
		name string
		make func() ([]byte, bool)
	}{
		{"raw bytes", a.rawBytes}, {"damaged HTTP", a.damagedHTTP}, {"damaged JSON", a.damagedJSON}, {"near miss", a.nearMiss},
		{"near miss", a.nearMiss}, {"hard JSON", a.hardJSON}, {"headers", a.headers}, {"paths", a.paths}, {"methods", a.methods},
		{"framing", a.framing}, {"credentials", a.credentials},
	}
	k := kinds[a.rng.IntN(len(kinds))]
	text, open := k.make()
	return attempt{k.name, text, open}
}

func (a *abuser) pick(list ...string) string { return list[a.rng.IntN(len(list))] }

// operation chooses an operation that takes a body.
func (a *abuser) operation() *target {
	for {
		if o := &a.targets[a.rng.IntN(len(a.targets))]; o.sampler != nil {
			return o
		}
	}
}

func (a *abuser) valid(o *target) []byte {
	if body, ok := o.sampler.Valid(a.rng); ok && len(body) < maxBody {
		return body
	}
	return []byte("{}")
}

// request writes a request; header are lines.
func request(method, target, token string, body []byte, header ...string) []byte {
	var b bytes.Buffer
	fmt.Fprintf(&b, "%s %s HTTP/1.1\r\nHost: h\r\nConnection: close\r\nContent-Type: application/json\r\n", method, target)
	if token != "" {
		fmt.Fprintf(&b, "Authorization: Bearer %s\r\n", token)
	}
	for _, line := range header {
		fmt.Fprintf(&b, "%s\r\n", line)
	}
	fmt.Fprintf(&b, "Content-Length: %d\r\n\r\n", len(body))
	b.Write(body)
	return b.Bytes()
}

func (a *abuser) rawBytes() ([]byte, bool) {
	text := make([]byte, 1+a.rng.IntN(600))
	for i := range text {
		text[i] = byte(a.rng.Uint32())
	}
	if a.rng.IntN(3) == 0 { // of which a parser takes more
		for i := range text {
			text[i] = "GET / HTTP/1.\r\n: a0"[int(text[i])%19]
		}
	}
	return text, true
}

func (a *abuser) damagedHTTP() ([]byte, bool) {
	o := a.operation()
	text := request(o.method, o.path, o.token, a.valid(o), "AgenticDriver-Version: 1.0")
	for range 1 + a.rng.IntN(4) {
		at := a.rng.IntN(len(text))
		switch a.rng.IntN(4) {
		case 0:
			text[at] = byte(a.rng.Uint32())
		case 1:
			text = slices.Delete(text, at, min(at+1+a.rng.IntN(8), len(text)))
		case 2:
			text = slices.Insert(text, at, []byte(a.pick("\r\n", "\n", "\x00", ":", " ", "\t", "\xff", "{", "\r\n\r\n"))...)
		case 3:
			text = text[:at+1]
		}
		if len(text) == 0 {
			return []byte("\n"), true
		}
	}
	return text, true
}

func (a *abuser) damagedJSON() ([]byte, bool) {
	o := a.operation()
	return request(o.method, o.path, o.token, sample.Mutate(a.rng, a.valid(o))), false
}

func (a *abuser) nearMiss() ([]byte, bool) {
	o := a.operation()
	if len(o.misses) == 0 {
		return a.damagedJSON()
	}
	body := o.misses[o.next%len(o.misses)]
	o.next++
	accept := a.pick("Accept: application/json", "Accept: text/event-stream", "Accept: */*")
	return request(o.method, o.path, o.token, body, accept), false
}

func (a *abuser) hardJSON() ([]byte, bool) {
	o := a.operation()
	deep := 1 << a.rng.IntN(18)
	text := a.pick(
		strings.Repeat("[", deep), strings.Repeat(`{"a":`, deep), strings.Repeat("[", deep)+strings.Repeat("]", deep),
		runBody(`"x"`, `"maxSteps":1e1000000`), runBody(`"x"`, `"maxSteps":`+strings.Repeat("9", 1+deep)), runBody(`"x"`, `"maxSteps":-0`),
		runBody(`"\ud800"`, `"metadata":{"\udfff":"\u0000"}`), runBody("\"\xed\xa0\x80\""), "\ufeff\ufeff"+runBody(`"x"`), runBody(`"x"`)+"\x00",
		runBody(`"x"`, `"provider":"nope","provider":"`+canary+`"`), runBody(`"x"`, `"outputSchema":`+strings.Repeat(`{"not":`, min(deep, 9000))+"{}"+strings.Repeat("}", min(deep, 9000))),
		runBody(`"x"`, `"outputSchema":{"pattern":"(a+)+$`+strings.Repeat("(", a.rng.IntN(3))+`"}`), runBody(`"x"`, `"outputSchema":{"$ref":"#"}`),
		runBody(`"x"`, `"outputSchema":{"$ref":"http://127.0.0.1:1/`+canary+`"}`), runBody(`"x"`, `"outputSchema":{"pattern":"a{1,`+strings.Repeat("9", 1+a.rng.IntN(12))+`}"}`),
		`{"turns":[[{"throw":"`+canary+`"}]]`, "null", "1", `""`, "", " ", "{}", "[]", `{"":{}}`, "\"", "{\"a\" 1}", "nul", "tru\xffe", "-", "1e", "0x10", "[1,]", "{,}",
		strings.Repeat(" ", maxBody+a.rng.IntN(2)), `"`+strings.Repeat("x", deep)+`"`, "["+strings.Repeat("{},", deep)+"{}]",
		`{"revision":"`+strings.Repeat("0", 64)+`","apiKey":"`+canary+`","provider":{"kind":"openai-compatible","id":"x"}}`,
	)
	if len(text) > maxBody+1 {
		text = text[:maxBody+1]
	}
	return request(o.method, o.path, o.token, []byte(text)), false
}

func (a *abuser) headers() ([]byte, bool) {
	o := a.operation()
	long := strings.Repeat(a.pick("a", "\xff", "\t", " x"), 1<<(4+a.rng.IntN(14)))
	header := []string{a.pick(
		"X-Long: "+long, "X: "+canary, "Cookie: token="+canary, "Cookie: token="+alice, "Origin: https://"+canary+".example", "Origin: null", "Origin:",
		"AgenticDriver-Version: "+a.pick("2.0", "1", "", "1.0, 1.0", "1.0\r\nAgenticDriver-Version: 1.0", long), "AgenticDriver-Accept-Optional-Events: "+long,
		"Content-Encoding: "+a.pick("gzip", "identity, identity", "deflate", "br", long), "Content-Type: "+a.pick("text/plain", "", "application/jsonx", long),
		"Accept: "+strings.Repeat("text/event-stream,", a.rng.IntN(500)), "Expect: "+a.pick("100-continue", "nothing"), "Upgrade: "+a.pick("h2c", "websocket"),
		"Authorization: Basic "+canary, "No colon at all", ": no name", "Sp ace: x", "Nul\x00: x", "X: a\r\n folded", "Host: other", "Range: bytes=0-1",
		"If-None-Match: *", "X-HTTP-Method-Override: DELETE", "Forwarded: for="+canary, strings.Repeat("A: b\r\n", a.rng.IntN(3000))+"C: d",
	)}
	return request(o.method, o.path, o.token, a.valid(o), header...), true
}

func (a *abuser) paths() ([]byte, bool) {
	o := a.targets[a.rng.IntN(len(a.targets))]
	path := o.path
	switch a.rng.IntN(9) {
	case 0:
		path += a.pick("/", "?", "?x=1", "#x", "?token="+alice[:10], "?access_token="+canary, "/.", "/..", "//", ";x", "%00", "\\")
	case 1:
		path = strings.ReplaceAll(path, "/", a.pick("//", "/./", "/x/../", "%2f", "\\"))
	case 2:
		path = "http://" + a.pick("h", "other", "", "h:99999", "[::") + path
	case 3:
		path = a.pick("*", "/", "", "v1/runs", "/v1", "/v1/", "/v1/management/", "/%", "/%zz", "/\xff", "/v1/runs\x00", "/etc/passwd", "/../../etc/passwd")
	case 4:
		path += "/" + strings.Repeat(a.pick("a", "%41", "../", "\xc3\xa9"), 1<<a.rng.IntN(14))
	case 5:
		path = strings.ToUpper(path)
	case 6:
		path = "/v1/providers?" + a.pick("refresh=1", "refresh=true&refresh=true", "refresh", "Refresh=true", "refresh=tru%65")
	case 7:
		path = strings.TrimSuffix(path, path[len(path)-1:])
	case 8:
		path += string(rune(a.rng.IntN(0x3000)))
	}
	return request(o.method, path, o.token, nil), true
}

func (a *abuser) methods() ([]byte, bool) {
	o := a.targets[a.rng.IntN(len(a.targets))]
	method := a.pick("GET", "PUT", "PATCH", "DELETE", "OPTIONS", "TRACE", "CONNECT", "post", "Get", "PRI", "M-SEARCH", "", "POST\t", "\x00", strings.Repeat("A", 1<<a.rng.IntN(15)))
	version := a.pick("HTTP/1.1", "HTTP/1.0", "HTTP/0.9", "HTTP/2.0", "HTTP/9.9", "HTTP/1.", "HTTP", "", "http/1.1", "HTTP/1.1 ")
	return fmt.Appendf(nil, "%s %s %s\r\nHost: h\r\nAuthorization: Bearer %s\r\nConnection: close\r\n\r\n", method, o.path, version, o.token), true
}

func (a *abuser) framing() ([]byte, bool) {
	o := a.operation()
	body := a.valid(o)
	head := fmt.Sprintf("%s %s HTTP/1.1\r\nHost: h\r\nConnection: close\r\nContent-Type: application/json\r\nAuthorization: Bearer %s\r\n", o.method, o.path, o.token)
	length := func(n any) string { return fmt.Sprintf("%sContent-Length: %v\r\n\r\n%s", head, n, body) }
	chunked := head + "Transfer-Encoding: chunked\r\n\r\n"
	return []byte(a.pick(
		length(-1), length("0x10"), length("1e3"), length("99999999999999999999"), length(len(body)+1), length(max(len(body)-1, 0)), length("+5"), length("5, 5"), length(""),
		length(maxBody+1), head+"Content-Length: 3\r\nContent-Length: 4\r\n\r\n{}  ",
		head+"Transfer-Encoding: chunked\r\nContent-Length: 4\r\n\r\n2\r\n{}\r\n0\r\n\r\n", head+"Transfer-Encoding: gzip, chunked\r\n\r\n0\r\n\r\n",
		head+"Transfer-Encoding: identity\r\n\r\n{}", head+"Transfer-Encoding: chunked\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n",
		chunked+"zz\r\n{}\r\n0\r\n\r\n", chunked+"-1\r\n{}\r\n0\r\n\r\n", chunked+"ffffffffffffffffff\r\n{}", chunked+"2\r\n{}X\r\n0\r\n\r\n", chunked+"2\r\n{}", chunked,
		chunked+"2\n{}\n0\n\n", chunked+"2;"+strings.Repeat("x", 1<<a.rng.IntN(14))+"\r\n{}\r\n0\r\n\r\n", chunked+"0\r\nAuthorization: Bearer "+canary+"\r\n\r\n",
		chunked+strings.Repeat("1\r\n \r\n", 1<<a.rng.IntN(12))+"0\r\n\r\n", chunked+"f4241\r\n"+strings.Repeat(" ", maxBody+1)+"\r\n0\r\n\r\n",
		head, head+"\r\n", strings.ReplaceAll(head, "\r\n", "\n")+"\n", head[:a.rng.IntN(len(head))],
	)), true
}

func (a *abuser) credentials() ([]byte, bool) {
	o := a.targets[a.rng.IntN(len(a.targets))]
	token := a.pick(canary, canary+strings.Repeat("x", 1<<a.rng.IntN(14)), alice+" ", alice[1:], strings.ToUpper(alice), " "+alice, alice+","+bob, "", "\x00", "\u00a0", "null", alice+"\r\nAuthorization: Bearer "+bob)
	return request(o.method, o.path, token, []byte("{}")), true
}

// send makes the request on a connection of its own and gives all that comes
// back.
func (a attempt) send(address string) ([]byte, error) {
	c, err := net.Dial("tcp", address)
	if err != nil {
		return nil, err
	}
	defer c.Close()
	tcp := c.(*net.TCPConn)
	_ = tcp.SetLinger(0) // thousands of connections leave no ports behind
	_ = c.SetDeadline(time.Now().Add(bounded))
	go func() {
		_, _ = c.Write(a.text) // the host may have heard enough before the end
		if a.open {
			_ = tcp.CloseWrite()
		}
	}()
	answer, err := io.ReadAll(c)
	var timeout net.Error
	if errors.As(err, &timeout) && timeout.Timeout() {
		return answer, err
	}
	return answer, nil // a connection that is reset has been refused as well
}

// judge says what is wrong with what a host has answered.
func (a attempt) judge(answer []byte) error {
	for _, secret := range []string{"hallmark-dev-token", canary} {
		if bytes.Contains(answer, []byte(secret)) {
			return fmt.Errorf("the answer repeats a secret: %.300q", answer)
		}
	}
	method, _, _ := strings.Cut(string(a.text[:min(10, len(a.text))]), " ")
	for lines := bufio.NewReader(bytes.NewReader(answer)); ; {
		if _, err := lines.Peek(1); err != nil {
			return nil
		}
		res, err := http.ReadResponse(lines, &http.Request{Method: method})
		if err != nil {
			return fmt.Errorf("the answer is no HTTP: %w: %.300q", err, answer)
		}
		body, err := io.ReadAll(res.Body)
		if err != nil && !errors.Is(err, io.ErrUnexpectedEOF) { // of a stream whose reader has gone
			return fmt.Errorf("the answer's body: %w: %.300q", err, answer)
		}
		if res.StatusCode < 500 {
			continue
		}
		failed, err := protocol.DecodeError(body)
		// What is refused before it is a request of the protocol is answered in the words of HTTP.
		http := err != nil && (res.StatusCode == http.StatusNotImplemented || res.StatusCode == http.StatusHTTPVersionNotSupported)
		if !http && !slices.Contains(specified[res.StatusCode], failed.Error.Code) {
			return fmt.Errorf("got %d %.300q", res.StatusCode, body)
		}
	}
}

// specified are the server errors that the protocol has for requests which
// cannot be carried out as they are.
var specified = map[int][]string{
	http.StatusBadGateway: {"INVALID_JOB", "INVALID_JOB_CURSOR", "JOB_REQUEST_UNSUPPORTED", "INVALID_CONTEXT", "CONTEXT_TOO_LARGE",
		"CONTEXT_UNAVAILABLE", "CONTEXT_NOT_FOUND", "UNSUPPORTED_MODALITY", "INVALID_ARTIFACT", "INVALID_OUTPUT", "CANCELLED", "UNSUPPORTED_INGESTION"},
	http.StatusServiceUnavailable: {"SETUP_UNAVAILABLE"},
}

// Whatever is sent to a host, it answers with what the protocol has for it,
// tells no secret, and answers the next request as if nothing had been.
func TestMalformedRequestsAreRefusedAndLeaveNoTrace(t *testing.T) {
	h := start(t, Options{Config: configured(t, "{ slots: 64, slotsPerSubject: 64, jobs: 200, sessions: 200 }")})
	a := newAbuser(t, *malformedSeed)
	address := strings.TrimPrefix(h.url, "http://")
	type numbered struct {
		attempt
		n int
	}
	todo := make(chan numbered)
	var mu sync.Mutex
	sent, answered := map[string]int{}, 0
	var workers sync.WaitGroup
	for range 4 {
		workers.Go(func() {
			for one := range todo {
				answer, err := one.send(address)
				if err == nil {
					err = one.judge(answer)
				}
				if err != nil {
					t.Errorf("number %d (%s) %.300q: %v", one.n, one.kind, one.text, err)
				}
				if r := h.do("POST", "/v1/runs", bob, runBody(`"still here"`)); r.status != http.StatusOK {
					t.Errorf("the next request after number %d (%s) %.300q: got %d %s", one.n, one.kind, one.text, r.status, r.body)
				}
				mu.Lock()
				sent[one.kind]++
				if len(answer) > 0 {
					answered++
				}
				mu.Unlock()
			}
		})
	}
	for n := 1; n <= *malformed && !t.Failed(); n++ {
		todo <- numbered{a.make(), n}
	}
	close(todo)
	workers.Wait()
	for _, kind := range slices.Sorted(maps.Keys(sent)) {
		t.Logf("%6d %s", sent[kind], kind)
	}
	t.Logf("%6d answers", answered)
}
