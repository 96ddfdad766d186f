// Package bench compares the reader of gen/wire with the readers of other
// libraries, on messages of the sizes and the mixture of names, texts, escapes
// and numbers that agent protocols carry. It is a module of its own so that
// the libraries stay out of the module that users import.
package bench

import (
	"fmt"
	"math/rand/v2"
	"strconv"
	"strings"
)

// Message is one input of the benchmarks.
type Message struct {
	Name string
	Data []byte
}

// Messages makes the inputs; they are the same in every run.
func Messages() []Message {
	return []Message{
		{"event-0.5k", event()},
		{"start-2k", start(3)},
		{"request-5k", request()},
		{"result-10k", result()},
		{"start-50k", start(92)},
	}
}

type writer struct {
	strings.Builder
	random *rand.Rand
}

func newWriter(seed uint64) *writer { return &writer{random: rand.New(rand.NewPCG(seed, 7))} }

var words = strings.Fields(`river stone under bright ladder of and to window carry seven a the open letter garden
	north between morning kettle iron paper with small voice it in road turns copper yellow after`)

// prose writes a JSON string of n words: now and then a line break, a quoted
// word, or words in other scripts.
func (w *writer) prose(n int) string {
	var b strings.Builder
	for i := range n {
		if i > 0 {
			b.WriteByte(' ')
		}
		word := words[w.random.IntN(len(words))]
		switch w.random.IntN(40) {
		case 0:
			b.WriteString(`\n` + word)
		case 1:
			b.WriteString(`\"` + word + `\"`)
		case 2:
			b.WriteString("café — 東京 🚀")
		default:
			b.WriteString(word)
		}
	}
	return `"` + b.String() + `"`
}

func (w *writer) id(prefix string) string {
	return fmt.Sprintf("%q", prefix+"_"+strconv.FormatUint(w.random.Uint64()>>24, 16))
}

const instant = `"2026-05-01T08:30:00.125Z"`

func event() []byte {
	w := newWriter(1)
	fmt.Fprintf(w, `{"workspace":"ws_07","session":%s,"source":%s,"sequence":41,"eventType":"message_delta",`, w.id("side"), w.id("src"))
	fmt.Fprintf(w, `"data":{"messageId":"m_3","turnId":"t_8","role":"assistant","kind":"text","at":1777624200125,`)
	fmt.Fprintf(w, `"content":{"operation":"append","text":%s},"unset":["draft","cursor"],`, w.prose(22))
	fmt.Fprintf(w, `"semantics":{"final":false},"status":"streaming","more":{"x":1}}}`)
	return []byte(w.String())
}

func start(messages int) []byte {
	w := newWriter(2)
	fmt.Fprintf(w, `{"id":%s,"type":"run.start","runId":%s,"conversationId":%s,`, w.id("req"), w.id("run"), w.id("conv"))
	fmt.Fprintf(w, `"agent":{"id":%s,"name":"Reviewer","avatar":{"color":"green","emoji":"🌿"},"connectionId":%s,"model":"large-2",`, w.id("agent"), w.id("conn"))
	fmt.Fprintf(w, `"role":%s,"params":{"temperature":0.7,"maxTokens":4096,"topP":0.9,"maxToolIterations":25},"toolServerIds":["fs","vcs"],`, w.prose(18))
	fmt.Fprintf(w, `"roots":[{"path":"/srv/project","mode":"readwrite"},{"path":"/usr/share","mode":"read"}],"permissionPolicy":"ask",`)
	fmt.Fprintf(w, `"fallbackConnectionIds":[],"tags":["code","review"],"createdAt":%s,"updatedAt":%s},`, instant, instant)
	fmt.Fprintf(w, `"connection":{"id":%s,"name":"Local","secretRef":null,"enabled":true,"createdAt":%s,"updatedAt":%s,"kind":"cli","provider":"tool",`, w.id("conn"), instant, instant)
	fmt.Fprintf(w, `"config":{"binaryPath":"/opt/tool/bin/tool","extraArgs":["--quiet"],"workingDirectory":"/srv/project"}},"messages":[`)
	for i := range messages {
		if i > 0 {
			w.WriteByte(',')
		}
		w.message(i)
	}
	fmt.Fprintf(w, `],"workingDirectory":"/srv/project","alwaysAllowed":["fs.read"],"toolServers":[{"id":"fs","name":"Files",`)
	fmt.Fprintf(w, `"transport":"stdio","command":"serve-files","args":["--root","/srv/project"],"env":{"LANG":"C.UTF-8","HOME":"/srv"}}]}`)
	return []byte(w.String())
}

func (w *writer) message(i int) {
	role := "user"
	content := fmt.Sprintf(`{"type":"text","text":%s}`, w.prose(30+w.random.IntN(40)))
	switch i % 3 {
	case 1:
		role = "assistant"
		content += fmt.Sprintf(`,{"type":"tool_use","id":%s,"toolServerId":"fs","name":"read","input":{"path":"/srv/project/a.go","range":[10,80],"options":{"trim":true}}}`, w.id("tu"))
	case 2:
		role = "tool"
		content = fmt.Sprintf(`{"type":"tool_result","toolUseId":%s,"content":[%s],"isError":false,"durationMs":31.25}`, w.id("tu"), content)
	}
	fmt.Fprintf(w, `{"id":%s,"conversationId":%s,"role":%q,"content":[%s],"status":"complete","seq":%d,"createdAt":%s,"error":null}`,
		w.id("msg"), w.id("conv"), role, content, i, instant)
}

func request() []byte {
	w := newWriter(3)
	fmt.Fprintf(w, `{"provider":"main","model":"vendor/large:latest","input":%s,"attachments":[`, w.prose(160))
	for i := range 3 {
		if i > 0 {
			w.WriteByte(',')
		}
		fmt.Fprintf(w, `{"type":"text","source":{"id":"doc:%d","revision":"r2","title":"Notes","uri":"https://example.test/notes/%d",`, i, i)
		fmt.Fprintf(w, `"location":{"documentId":"d%d","page":2,"startLine":5,"endLine":60,"section":"Start"}},"mediaType":"text/markdown","text":%s}`, i, w.prose(110))
	}
	fmt.Fprintf(w, `],"options":{"temperature":0.25,"maxOutputTokens":2048,"stop":["END"],"seed":1234567890},"metadata":{`)
	for i := range 12 {
		if i > 0 {
			w.WriteByte(',')
		}
		fmt.Fprintf(w, `"key-%02d":%s`, i, w.id("v"))
	}
	fmt.Fprintf(w, `},"tools":[{"name":"lookup","schema":{"type":"object","properties":{"q":{"type":"string","maxLength":200}},"required":["q"]}}]}`)
	return []byte(w.String())
}

func result() []byte {
	w := newWriter(4)
	fmt.Fprintf(w, `{"run":{"runId":%s,"sessionId":%s,"turnId":%s,"epoch":3,"expiresAt":%s},"input":{"type":"turn","engine":"agent",`,
		w.id("run"), w.id("ses"), w.id("turn"), instant)
	fmt.Fprintf(w, `"memory":{"access":"read_write","instructions":%s,"truncated":false},"checkpoint":{"seg":1,"state":{"a":1,"b":[1,2,3]}},"servers":[`, w.prose(60))
	for s := range 4 {
		if s > 0 {
			w.WriteByte(',')
		}
		fmt.Fprintf(w, `{"agentId":"main","name":"srv%d","tools":[`, s)
		for t := range 5 {
			if t > 0 {
				w.WriteByte(',')
			}
			fmt.Fprintf(w, `{"name":"tool_%d","description":%s,"inputSchema":{"type":"object","properties":{"path":{"type":"string"},`, t, w.prose(14))
			fmt.Fprintf(w, `"range":{"type":"array","items":{"type":"integer","minimum":0}},"flag":{"type":"boolean"}},"required":["path"]},"readOnly":true}`)
		}
		w.WriteString(`]}`)
	}
	fmt.Fprintf(w, `],"history":[`)
	for i := range 6 {
		if i > 0 {
			w.WriteByte(',')
		}
		fmt.Fprintf(w, `{"id":%s,"role":"user","parts":[{"type":"text","text":%s}],"usage":{"input":%d,"output":%d,"cost":0.00%d}}`,
			w.id("m"), w.prose(25), 100+i, 200*i, i+1)
	}
	w.WriteString(`]}}`)
	return []byte(w.String())
}
