package agenticdriver

import (
	"bytes"
	"cmp"
	"io"
	"math"
	"net/http"
	"strconv"
	"strings"

	protocol "github.com/hallmark-kit/hallmark/gen/protocol/agenticdriver"
	"github.com/hallmark-kit/hallmark/gen/wire"
	"github.com/hallmark-kit/hallmark/reference/agenticdriver/failure"
)

// maxBody bounds a request's body, in bytes.
const maxBody = 1_000_000

// checkContent wants JSON that is not compressed.
func checkContent(r *http.Request) error {
	mediaType := r.Header.Get("Content-Type")
	name, _, _ := strings.Cut(mediaType, ";")
	if !strings.EqualFold(strings.TrimRight(name, " \t"), "application/json") {
		return failure.New(protocol.ErrorCodeINVALIDREQUEST, "The Content-Type has to be application/json.")
	}
	if values := r.Header.Values("Content-Encoding"); len(values) > 1 || len(values) == 1 && values[0] != "identity" {
		return failure.New(protocol.ErrorCodeINVALIDREQUEST, "The body must not be encoded.")
	}
	return nil
}

// readBody reads a body of JSON text. A byte order mark before it is dropped.
func (s *server) readBody(w http.ResponseWriter, r *http.Request) ([]byte, error) {
	limit := cmp.Or(s.edges.policy.BodyLimit, maxBody)
	if r.ContentLength < 0 && s.edges.policy.ChunkedUnlimited {
		limit = math.MaxInt32
	}
	tooLarge := failure.Newf(protocol.ErrorCodeBODYTOOLARGE, "The body has more than %d bytes.", limit)
	if r.ContentLength > int64(limit) {
		w.Header().Set("Connection", "close")
		return nil, tooLarge
	}
	body, err := io.ReadAll(io.LimitReader(r.Body, int64(limit)+1))
	if len(body) > limit {
		w.Header().Set("Connection", "close")
		return nil, tooLarge
	}
	if err != nil {
		return nil, failure.New(protocol.ErrorCodeINVALIDREQUEST, "The body did not arrive as a whole.")
	}
	body = bytes.TrimPrefix(body, []byte("\ufeff"))
	if err := wire.Raw(body).Valid(wire.AllowRepeatedNames(), wire.Limit(1)); err != nil {
		return nil, failure.Invalid(protocol.ErrorCodeINVALIDREQUEST, err)
	}
	return body, nil
}

// refuse answers with an error.
func (s *server) refuse(w http.ResponseWriter, r *http.Request, err error) {
	known := failure.Of(err)
	if known.Code == string(protocol.ErrorCodeINTERNALERROR) && err != error(known) {
		s.log.Error("a request failed in a way that has no code", "method", r.Method, "path", r.URL.Path)
	}
	if s.edges.refusal != nil {
		known = s.edges.refusal(known, err)
	}
	writeFailure(w, known)
}

func writeFailure(w http.ResponseWriter, err *failure.Error) {
	body := protocol.Error{Error: err.Info()}
	writeJSON(w, err.Status(), body.AppendJSON(nil))
}

func writeJSON(w http.ResponseWriter, status int, body []byte) {
	h := w.Header()
	h.Set("Content-Type", "application/json; charset=utf-8")
	h.Set("Content-Length", strconv.Itoa(len(body)))
	w.WriteHeader(status)
	_, _ = w.Write(body) // whoever does not read it has gone
}
