package agenticdriver

import (
	"encoding/base64"
	"encoding/json"
	"net/http"
	"slices"
	"strings"
	"time"
	"unicode/utf8"

	protocol "github.com/hallmark-kit/hallmark/gen/protocol/agenticdriver"
	"github.com/hallmark-kit/hallmark/gen/wire"
	"github.com/hallmark-kit/hallmark/reference/agenticdriver/canonical"
	"github.com/hallmark-kit/hallmark/reference/agenticdriver/config"
	"github.com/hallmark-kit/hallmark/reference/agenticdriver/failure"
	"github.com/hallmark-kit/hallmark/reference/agenticdriver/run"
)

// discoveryFaults are wrong ways to tell which providers there are.
var discoveryFaults = []fault{
	{"providers-unfiltered", "providers that were not granted", "Lists every provider for everybody.",
		func(e *edges) { e.policy.ProvidersUnfiltered = true }},
	{"capability-as-text", "capabilities are truth values", "Writes the capability tools as text.",
		onSuccess("/v1/providers", func(o object) {
			each(o, "/providers", func(p object) { put(p, "/capabilities/tools", "yes") })
		})},
	{"discovery-uncached", "the last probe without a refresh", "Says that every list was probed just now.", checkedNow("/v1/providers")},
	{"refresh-probes-always", "the distance of refreshes", "Says that every refresh has probed just now.", checkedNow("/v1/providers?refresh=true")},
	{"catalog-widens-models", "models that are only reported", "Runs every model that a provider reports.",
		configuration(func(d *config.Document) {
			for _, p := range d.Providers {
				p.Models = slices.Concat(p.Models, p.Catalog)
			}
		})},
}

// checkedNow makes the answers at a target tell that providers were asked when
// they were listed.
func checkedNow(target string) func(*edges) {
	return onAnswer(func(r *http.Request, a *reply) {
		if r.RequestURI == target {
			a.body = changed(a.body, func(o object) {
				each(o, "/providers", func(p object) { put(p, "/health/checkedAt", time.Now().UTC().Format(time.RFC3339Nano)) })
			})
		}
	})
}

// capacityFaults are wrong ways to share out execution slots.
var capacityFaults = []fault{
	{"capacity-unlimited", "saturation", "Carries out any number of runs at once.",
		configuration(func(d *config.Document) { d.Limits.Slots, d.Limits.SlotsPerSubject = 1000, 1000 })},
	{"busy-is-final", "refusals for want of room", "Says that it is no use to try again later.",
		refused(func(f *failure.Error) { f.Retryable = false }, "BUSY", "QUEUE_FULL")},
	{"sessions-take-slot", "sessions on a full host", "Wants a slot for creating a session.", takingSlot("POST /v1/sessions/create")},
	{"approvals-take-slot", "decisions on a full host", "Wants a slot for a decision.", takingSlot("POST /v1/approvals/decisions")},
	{"discovery-takes-slot", "discovery on a full host", "Wants a slot for listing providers.", takingSlot("GET /v1/providers")},
	{"queued-run-silent", "the start of a run that waits", "Says that a run has started once it has a slot.",
		onRun(func(r *run.Run, next emitter) emitter {
			var held protocol.RunEvent
			return func(ev protocol.RunEvent) {
				if _, ok := ev.(*protocol.RunStarted); ok && r.Ticket.Queued() {
					held = ev
					return
				}
				if held != nil {
					next(held)
					held = nil
				}
				next(ev)
			}
		})},
	{"idle-while-queued", "the idle timeout of a run that waits", "Lets the idle clock run while a run waits for its slot.",
		func(e *edges) { e.policy.IdleWhileQueued = true }},
}

// takingSlot makes an operation take an execution slot, if there is one now.
func takingSlot(target string) func(*edges) {
	return wrapped(target, func(s *server, c *call, do route) (answer, error) {
		ticket := s.engine.Admission.Try(c.principal.Subject())
		if ticket == nil {
			return nil, failure.New(protocol.ErrorCodeBUSY, "The host is busy.")
		}
		defer ticket.Release()
		return do(c)
	})
}

// requestFaults are wrong ways to check what a run asks for.
var requestFaults = []fault{
	{"provider-grant-unchecked", "the grant of providers", "Lets every principal run every provider.",
		granting(func(d *config.Document, g *protocol.Grant) {
			for _, p := range d.Providers {
				g.Providers = append(g.Providers, p.ID)
			}
		})},
	{"tool-grant-unchecked", "the grant of tools", "Lets every principal call every tool.",
		granting(func(d *config.Document, g *protocol.Grant) {
			for _, t := range d.Tools {
				g.Tools = append(g.Tools, t.Name)
			}
		})},
	{"corpus-grant-unchecked", "the grant of corpora", "Lets every principal search every corpus.",
		granting(func(d *config.Document, g *protocol.Grant) {
			g.Retrieval = &protocol.RetrievalGrant{}
			for _, c := range d.Corpora {
				g.Retrieval.Search = append(g.Retrieval.Search, c.ID)
			}
		})},
	{"unknown-provider-not-found", "the code of unknown providers", "Refuses unknown providers as NOT_FOUND.", recoded("UNKNOWN_PROVIDER", "NOT_FOUND")},
	{"unknown-model-runs", "models that are not listed", "Runs any model.",
		configuration(func(d *config.Document) {
			for _, p := range d.Providers {
				p.AnyModel = true
			}
		})},
	{"unknown-tool-dropped", "unknown tools", "Takes tools that it does not have out of the run.", func(e *edges) { e.policy.UnknownToolDropped = true }},
	{"capabilities-unchecked", "required capabilities", "Does not look at required capabilities.",
		onBody("/v1/runs", func(o object) { drop(o, "/requiredCapabilities") })},
	{"doubled-names-merged", "names that are given twice", "Takes names of tools and capabilities that are given twice for one.",
		onBody("/v1/runs", func(o object) {
			for _, name := range []string{"tools", "requiredCapabilities"} {
				if list, ok := o[name].([]any); ok {
					o[name] = slices.Compact(list)
				}
			}
		})},
	{"empty-input-runs", "empty inputs", "Runs an empty input as if it were a space.",
		onBody("/v1/runs", func(o object) {
			if o["input"] == "" {
				o["input"] = " "
			}
		})},
	{"history-cut", "long histories", "Leaves out what a history has beyond 100 messages.",
		onBody("/v1/runs", func(o object) { cut(o, "/history", 100) })},
	{"attachments-cut", "many attachments", "Leaves out what comes after the 16th attachment.",
		onBody("/v1/runs", func(o object) { cut(o, "/attachments", 16) })},
	{"max-steps-clamped", "the bound of maxSteps", "Takes more than 64 steps for 64.",
		onBody("/v1/runs", func(o object) {
			if n, ok := o["maxSteps"].(json.Number); ok && len(n) == 2 && n > "64" {
				o["maxSteps"] = 64
			}
		})},
	{"metadata-unlimited", "much metadata", "Takes any number of metadata.", func(e *edges) { e.policy.MetadataUnlimited = true }},
	{"history-dropped", "history and instructions", "Shows the model neither history nor instructions.",
		onBody("/v1/runs", func(o object) {
			drop(o, "/history")
			drop(o, "/instructions")
		})},
	{"accept-defaults-to-stream", "the answer without an Accept", "Streams unless the client asks for JSON.",
		onHeader(func(h http.Header) {
			if !strings.Contains(h.Get("Accept"), "json") {
				h.Set("Accept", "text/event-stream")
			}
		})},
	{"modality-unchecked", "media types a model does not take", "Gives images to every model.",
		configuration(func(d *config.Document) {
			for _, p := range d.Providers {
				for _, m := range p.Models {
					if p.InputMediaTypes == nil {
						p.InputMediaTypes = map[string][]protocol.InputMediaType{}
					}
					p.InputMediaTypes[m] = []protocol.InputMediaType{"image/png", "image/jpeg", "image/webp", "application/pdf"}
				}
			}
		})},
	{"context-unlimited", "the size of attachments", "Takes attachments of any size.", func(e *edges) { e.policy.ContextUnlimited = true }},
	{"base64-lenient", "canonical base64", "Takes base64 with white space and without padding.",
		onBody("/v1/runs", func(o object) {
			each(o, "/attachments", func(a object) {
				data := strings.Map(func(r rune) rune {
					if strings.ContainsRune(" \t\r\n=", r) {
						return -1
					}
					return r
				}, text(a, "/data"))
				if b, err := base64.RawStdEncoding.DecodeString(data); err == nil && data != "" {
					a["data"] = base64.StdEncoding.EncodeToString(b)
				}
			})
		})},
	{"signature-unchecked", "content that is not of its media type", "Takes any bytes for a PNG.",
		onBody("/v1/runs", func(o object) {
			each(o, "/attachments", func(a object) {
				if b, err := base64.StdEncoding.DecodeString(text(a, "/data")); err == nil && a["mediaType"] == "image/png" {
					a["data"] = base64.StdEncoding.EncodeToString(append([]byte("\x89PNG\r\n\x1a\n"), b...))
				}
			})
		})},
	{"references-shared", "references of another subject", "Resolves references for everybody.",
		configuration(func(d *config.Document) {
			for i := range d.References {
				d.References[i].Subjects = []string{"*"}
			}
		})},
	{"json-artifact-unchecked", "artifacts of JSON without a schema", "Makes a text of a JSON artifact that has no schema.",
		onBody("/v1/runs", func(o object) {
			if o["outputSchema"] == nil {
				put(o, "/outputArtifact/mediaType", "text/plain")
			}
		})},
	{"remote-schema-ignored", "schemas that lie elsewhere", "Takes references and asynchronous keywords out of output schemas.",
		onBody("/v1/runs", func(o object) {
			drop(o, "/outputSchema/$ref")
			drop(o, "/outputSchema/$async")
		})},
	{"schemas-read-as-2020", "the default dialect of schemas", "Reads schemas without a dialect as draft 2020-12.",
		onBody("/v1/runs", func(o object) {
			if at(o, "/outputSchema/$schema") == nil {
				put(o, "/outputSchema/$schema", "https://json-schema.org/draft/2020-12/schema")
			}
		})},
}

// granting changes the grants of all principals.
func granting(change func(d *config.Document, g *protocol.Grant)) func(*edges) {
	return configuration(func(d *config.Document) {
		for _, p := range d.Principals {
			change(d, &p.Grant)
		}
	})
}

// runFaults are wrong ways to carry out a run.
var runFaults = []fault{
	{"json-runs-detached", "leaving a run that answers JSON", "Goes on with a run whose caller has gone.", func(e *edges) { e.policy.JSONDetached = true }},
	{"streams-detached", "leaving a stream", "Goes on with a run whose stream was closed.", func(e *edges) { e.policy.StreamsDetached = true }},
	{"default-idle-timeout", "runs without an idle timeout", "Gives a run that asks for none an idle timeout of 300 ms.",
		configuration(func(d *config.Document) { d.Limits.IdleTimeoutMs = 300 })},
	{"idle-timeout-ignored", "idle timeouts", "Does not look at the idle timeout.", onBody("/v1/runs", func(o object) { drop(o, "/idleTimeoutMs") })},
	{"idle-timeout-is-internal", "the code of an idle timeout", "Answers an idle timeout as INTERNAL_ERROR.", recoded("IDLE_TIMEOUT", "INTERNAL_ERROR")},
	{"idle-timeout-fails", "the end of a run that stands still", "Says that a run that stood still has failed.",
		onEnd(func(f *protocol.RunFailed) {
			if f.Error.Code == "IDLE_TIMEOUT" {
				f.Type = protocol.RunFailedTypeRunFailed
			}
		})},
	{"idle-zero-expires", "an idle timeout of zero", "Takes an idle timeout of 0 for one of 100 ms.",
		onBody("/v1/runs", func(o object) {
			if o["idleTimeoutMs"] == json.Number("0") {
				o["idleTimeoutMs"] = 100
			}
		})},
	{"progress-does-not-count", "progress and the idle timeout", "Lets only text restart the idle clock.", func(e *edges) { e.policy.ProgressUncounted = true }},
	{"raw-failure-shown", "what breaks inside", "Shows the text of what broke inside.", func(e *edges) { e.policy.RawFailures = true }},
	{"provider-error-mapped", "codes of providers", "Passes codes that the protocol does not name on as PROVIDER_ERROR.",
		onEnd(func(f *protocol.RunFailed) {
			if !protocol.ErrorCode(f.Error.Code).Valid() {
				f.Error.Code = "PROVIDER_ERROR"
			}
		})},
	{"provider-error-never-retryable", "failures that may be tried again", "Says that no failure of a run may be tried again.",
		onEnd(func(f *protocol.RunFailed) { f.Error.Retryable = false })},
	{"step-limit-completes", "the limit of steps", "Completes a run at the limit of its steps.",
		onRun(func(r *run.Run, next emitter) emitter {
			return func(ev protocol.RunEvent) {
				if f, ok := ev.(*protocol.RunFailed); ok && f.Error.Code == "STEP_LIMIT" {
					req := r.Plan.Request
					ev = &protocol.RunCompleted{Result: protocol.RunResult{RunID: r.ID, Provider: req.Provider, Model: req.Model,
						Steps: wire.Int(1), FinishReason: protocol.FinishReasonLength}}
				}
				next(ev)
			}
		})},
	{"last-step-runs-tools", "calls of the last step", "Carries out the calls of the last step.", func(e *edges) { e.policy.LastStepRunsTools = true }},

	{"calls-checked-one-by-one", "one bad call among several", "Checks each call when its turn comes.", func(e *edges) { e.policy.CheckedSingly = true }},
	{"arguments-unchecked", "arguments of tools", "Does not hold arguments to the schema of the tool.", func(e *edges) { e.policy.ArgumentsUnchecked = true }},
	{"unlisted-tool-called", "tools that the run did not list", "Calls every tool of the host that the model asks for.", func(e *edges) { e.policy.UnlistedCalled = true }},
	{"duplicate-call-id-runs", "ids of calls", "Carries out calls whose ids come twice.", func(e *edges) { e.policy.IDsUnchecked = true }},
	{"calls-unlimited", "the number of calls in a turn", "Carries out any number of calls in a turn.", func(e *edges) { e.policy.Unlimited = true }},
	{"numbers-as-doubles", "numbers in arguments", "Reads numbers in arguments as floating point.",
		onEvent(func(next emitter, called *protocol.ToolCalled) {
			var v any
			if json.Unmarshal(called.Call.Arguments, &v) == nil {
				called.Call.Arguments = encoded(v)
			}
			next(called)
		})},

	{"digest-of-base64", "digests of attachments", "Tells the digest of an attached text's base64.",
		onAttached(func(m *protocol.ContextManifest, text string) {
			m.SHA256 = canonical.SHA256([]byte(base64.StdEncoding.EncodeToString([]byte(text))))
		})},
	{"bytes-in-characters", "sizes of attachments", "Counts the characters of an attached text.",
		onAttached(func(m *protocol.ContextManifest, text string) { m.Bytes = int64(utf8.RuneCountInString(text)) })},
	{"artifact-digest-of-name", "digests of artifacts", "Tells the digest of an artifact's name.",
		onResult(func(_ *run.Run, result *protocol.RunResult) {
			for i := range result.Artifacts {
				result.Artifacts[i].SHA256 = canonical.SHA256([]byte(result.Artifacts[i].Name))
			}
		})},
	{"mismatch-delivered", "output that does not match", "Delivers JSON that does not match its schema.", func(e *edges) { e.policy.MismatchDelivered = true }},
	{"text-delivered-as-output", "output that is no JSON", "Delivers text that is no JSON as a string.", func(e *edges) { e.policy.TextDelivered = true }},
	{"output-left-out", "structured output", "Leaves the output out of a result.",
		onResult(func(_ *run.Run, result *protocol.RunResult) { result.Output = nil })},
	{"finish-reason-always-stop", "the finish reason", "Says that every run came to its natural end.",
		onResult(func(_ *run.Run, result *protocol.RunResult) { result.FinishReason = protocol.FinishReasonStop })},
	{"result-of-another-model", "the model of a result", "Names another model in results.",
		onResult(func(_ *run.Run, result *protocol.RunResult) { result.Model += "-latest" })},
	{"result-without-usage", "the usage of a result", "Leaves the usage out of results.",
		onSuccess("/v1/runs", func(o object) { drop(o, "/usage") })},
	{"usage-of-last-step", "the usage of several steps", "Tells the usage of the last step as that of the run.",
		onRun(func(_ *run.Run, next emitter) emitter {
			var last protocol.Usage
			return func(ev protocol.RunEvent) {
				switch e := ev.(type) {
				case *protocol.UsageReported:
					last = e.Usage
				case *protocol.RunCompleted:
					e.Result.Usage = last
				}
				next(ev)
			}
		})},
	{"usage-zero-when-unknown", "usage that nobody knows", "Tells usage that it does not know as 0.",
		onResult(func(_ *run.Run, result *protocol.RunResult) {
			for _, n := range []*wire.Opt[int64]{&result.Usage.InputTokens, &result.Usage.OutputTokens} {
				*n = wire.Some(n.Or(0))
			}
		})},
}

// onAttached changes what a result tells of a text that came with the run.
func onAttached(change func(m *protocol.ContextManifest, text string)) func(*edges) {
	return onResult(func(r *run.Run, result *protocol.RunResult) {
		for i, a := range r.Plan.Request.Attachments {
			if d, ok := a.(*protocol.TextDocument); ok && i < len(result.Sources) {
				change(&result.Sources[i], d.Text)
			}
		}
	})
}
