package retrieval

import (
	"bytes"
	"context"
	"errors"
	"io"
	"regexp"
	"strconv"
	"time"

	"github.com/ledongthuc/pdf"

	protocol "github.com/hallmark-kit/hallmark/gen/protocol/agenticdriver"
	"github.com/hallmark-kit/hallmark/reference/agenticdriver/failure"
)

// Bounds of a PDF document.
const (
	maxPages   = 200
	maxNodes   = 10 * maxPages // of the page tree
	maxDepth   = 64            // of the page tree
	maxContent = 16 << 20      // bytes of drawing instructions of all pages, unpacked
	minReads   = 20_000        // times that any file may be read at some place; a large one more often
	bytesARead = 16
	pdfTimeout = 20 * time.Second
)

var unreadable = failure.New(protocol.ErrorCodeINVALIDDOCUMENT, "The PDF document cannot be read.")

// pages gives the text of each page. The library trusts its files: one that
// refers to itself keeps it busy for ever, and it panics where it does not
// understand. So it reads through a guard that stops it, and what it would
// follow without end is looked at before.
func pages(ctx context.Context, data []byte) (list []string, err error) {
	ctx, cancel := context.WithTimeout(ctx, pdfTimeout)
	defer cancel()
	defer func() {
		if p := recover(); p != nil || err != nil && ctx.Err() != nil {
			list, err = nil, cause(ctx, err)
		}
	}()
	if !plausible(data) {
		return nil, unreadable
	}
	return readPages(&guard{ctx: ctx, data: bytes.NewReader(data), left: minReads + len(data)/bytesARead}, int64(len(data)))
}

// cause is why reading ended with a panic, or after its time.
func cause(ctx context.Context, err error) error {
	switch why := context.Cause(ctx); {
	case errors.Is(why, context.DeadlineExceeded):
		return failure.New(protocol.ErrorCodeINVALIDDOCUMENT, "The PDF document takes too long to read.")
	case why != nil:
		return why
	case err != nil:
		return err
	}
	return unreadable
}

// guard is a file that ends its reader with a panic when it has read enough.
type guard struct {
	ctx  context.Context
	data *bytes.Reader
	left int
}

func (g *guard) ReadAt(p []byte, at int64) (int, error) {
	if g.left--; g.left < 0 || g.ctx.Err() != nil {
		panic("enough")
	}
	return g.data.ReadAt(p, at)
}

func readPages(f io.ReaderAt, size int64) ([]string, error) {
	r, err := pdf.NewReader(f, size)
	switch {
	case errors.Is(err, pdf.ErrInvalidPassword):
		return nil, failure.New(protocol.ErrorCodePDFENCRYPTED, "The PDF document is encrypted.")
	case err != nil:
		return nil, unreadable
	}
	var tree tree
	if err := tree.walk(r.Trailer().Key("Root").Key("Pages"), 0); err != nil {
		return nil, err
	}
	var list []string
	left := int64(maxContent)
	for _, p := range tree.pages {
		if left -= contentSize(p.V.Key("Contents"), left); left <= 0 {
			return nil, failure.New(protocol.ErrorCodeDOCUMENTLIMIT, "The pages of the PDF document are too large.")
		}
		text, err := p.GetPlainText(nil)
		if err != nil {
			return nil, unreadable
		}
		list = append(list, text)
	}
	return list, nil
}

// tree gathers the pages of a document.
type tree struct {
	nodes int
	pages []pdf.Page
}

func (t *tree) walk(v pdf.Value, depth int) error {
	if t.nodes++; t.nodes > maxNodes || depth > maxDepth {
		return unreadable
	}
	switch v.Key("Type").Name() {
	case "Pages":
		kids := v.Key("Kids")
		for i := range kids.Len() {
			if err := t.walk(kids.Index(i), depth+1); err != nil {
				return err
			}
		}
	case "Page":
		up := v.Key("Parent") // the library looks there for what the page lacks
		for i := 0; !up.IsNull(); up = up.Key("Parent") {
			if i++; i > maxDepth {
				return unreadable
			}
		}
		if t.pages = append(t.pages, pdf.Page{V: v}); len(t.pages) > maxPages {
			return failure.Newf(protocol.ErrorCodeDOCUMENTLIMIT, "The PDF document has more than %d pages.", maxPages)
		}
	}
	return nil
}

// contentSize is how long the streams of a page are, unpacked; no more than
// limit are counted.
func contentSize(v pdf.Value, limit int64) (n int64) {
	parts := []pdf.Value{v}
	if v.Kind() == pdf.Array {
		parts = nil
		for i := range v.Len() {
			parts = append(parts, v.Index(i))
		}
	}
	for _, p := range parts {
		if p.Kind() == pdf.Stream && n < limit {
			m, _ := io.Copy(io.Discard, io.LimitReader(p.Reader(), limit-n))
			n += m
		}
	}
	return n
}

var (
	sizes = regexp.MustCompile(`/(?:Size|N|Count)\s*(\d+)`)
	xrefs = regexp.MustCompile(`(?:^|[^t])xref\s`)
)

// plausible tells whether the numbers of objects that a file claims to have fit
// into it: the library makes room for whatever it is told.
func plausible(data []byte) bool {
	for _, m := range sizes.FindAllSubmatch(data, -1) {
		if !fits(m[1], data) {
			return false
		}
	}
	for _, at := range xrefs.FindAllIndex(data, -1) {
		for rest := data[at[1]:]; ; {
			var first, count []byte
			if first, rest = token(rest); len(first) == 0 || !digits(first) {
				break // trailer
			}
			count, rest = token(rest)
			if !fits(first, data) || !fits(count, data) {
				return false
			}
			n, _ := strconv.Atoi(string(count))
			for range 3 * n {
				_, rest = token(rest)
			}
		}
	}
	return true
}

// fits tells whether so many objects could be in the file: packed ones take
// less than a byte each, but not by much.
func fits(number, data []byte) bool {
	n, err := strconv.ParseUint(string(number), 10, 32)
	return err == nil && n <= uint64(len(data))*8
}

func token(text []byte) (word, rest []byte) {
	text = bytes.TrimLeft(text, " \t\r\n\f\x00")
	n := bytes.IndexAny(text, " \t\r\n\f\x00")
	if n < 0 {
		n = len(text)
	}
	return text[:n], text[n:]
}

func digits(text []byte) bool {
	_, err := strconv.ParseUint(string(text), 10, 64)
	return err == nil
}
