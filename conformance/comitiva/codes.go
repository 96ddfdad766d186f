package comitiva

import (
	"slices"

	"github.com/hallmark-kit/hallmark/conformance/protocol"
	"github.com/hallmark-kit/hallmark/conformance/value"
)

// shellOnly are error codes that only a shell produces; runner and shell share one list of codes.
var shellOnly = []string{
	"runner_crashed", "runner_unavailable", "conversation_busy", "interrupted", "connection_in_use",
	"connection_disabled", "model_required", "secret_store_unavailable", "oauth_not_configured", "oauth_failed",
	"oauth_cancelled", "google_not_connected", "google_reconnect_required", "attachment_too_large",
	"unsupported_attachment", "attachment_too_many", "update_failed",
}

// shellCodes holds a runner to CO-79: it emits none of the shell's codes.
type shellCodes struct{}

func (shellCodes) Sent(any, bool) {}

func (shellCodes) Received(m *value.Object) []protocol.Breach {
	code := ""
	switch text(m, "type") {
	case "run.error":
		code = text(m, "code")
	case "response":
		for _, at := range []string{"/error/code", "/result/error/code"} {
			if v, ok := value.At(m, at); ok {
				code, _ = v.(string)
			}
		}
	}
	if slices.Contains(shellOnly, code) {
		return []protocol.Breach{{Requirement: "CO-79", Reason: "the code " + code + " belongs to the shell"}}
	}
	return nil
}
