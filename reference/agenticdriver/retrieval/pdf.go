package retrieval

import (
	"bytes"
	"context"
	"errors"
	"time"

	"github.com/ledongthuc/pdf"

	protocol "github.com/hallmark-kit/hallmark/gen/protocol/agenticdriver"
	"github.com/hallmark-kit/hallmark/reference/agenticdriver/failure"
)

// Bounds of a PDF document.
const (
	maxPages   = 200
	pdfTimeout = 20 * time.Second
)

// pages gives the text of each page. The library is given no more than
// pdfTimeout, and may panic: files from outside can be anything.
func pages(ctx context.Context, data []byte) ([]string, error) {
	type result struct {
		pages []string
		err   error
	}
	done := make(chan result, 1)
	go func() {
		defer func() {
			if recover() != nil {
				done <- result{err: failure.New(protocol.ErrorCodeINVALIDDOCUMENT, "The PDF document cannot be read.")}
			}
		}()
		list, err := readPages(data)
		done <- result{list, err}
	}()
	timer := time.NewTimer(pdfTimeout)
	defer timer.Stop()
	select {
	case r := <-done:
		return r.pages, r.err
	case <-timer.C:
		return nil, failure.New(protocol.ErrorCodeINVALIDDOCUMENT, "The PDF document takes too long to read.")
	case <-ctx.Done():
		return nil, context.Cause(ctx)
	}
}

func readPages(data []byte) ([]string, error) {
	r, err := pdf.NewReader(bytes.NewReader(data), int64(len(data)))
	switch {
	case errors.Is(err, pdf.ErrInvalidPassword):
		return nil, failure.New(protocol.ErrorCodePDFENCRYPTED, "The PDF document is encrypted.")
	case err != nil:
		return nil, failure.New(protocol.ErrorCodeINVALIDDOCUMENT, "The PDF document cannot be read.")
	case r.NumPage() > maxPages:
		return nil, failure.Newf(protocol.ErrorCodeDOCUMENTLIMIT, "The PDF document has more than %d pages.", maxPages)
	}
	var list []string
	for i := 1; i <= r.NumPage(); i++ {
		text, err := r.Page(i).GetPlainText(nil)
		if err != nil {
			return nil, failure.New(protocol.ErrorCodeINVALIDDOCUMENT, "A page of the PDF document cannot be read.")
		}
		list = append(list, text)
	}
	return list, nil
}
