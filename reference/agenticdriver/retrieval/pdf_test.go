package retrieval

import (
	"bytes"
	"compress/zlib"
	"context"
	"fmt"
	"math/rand/v2"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/hallmark-kit/hallmark/reference/agenticdriver/failure"
)

func readFile(t *testing.T, name string) []byte {
	t.Helper()
	data, err := os.ReadFile("testdata/" + name)
	if err != nil {
		t.Fatal(err)
	}
	return data
}

func TestTextOfPDFPages(t *testing.T) {
	list, err := pages(t.Context(), readFile(t, "two-pages.pdf"))
	if err != nil || len(list) != 2 || !strings.Contains(list[0], "The first page is about whales.\nThey are large.") ||
		!strings.Contains(list[1], "The second page is about ants.") {
		t.Errorf("got %q, %v", list, err)
	}
}

// file writes a PDF file of objects, numbered from 1; the first is the catalogue.
func file(objects ...string) []byte {
	var b bytes.Buffer
	b.WriteString("%PDF-1.4\n")
	var at []int
	for i, o := range objects {
		at = append(at, b.Len())
		fmt.Fprintf(&b, "%d 0 obj\n%s\nendobj\n", i+1, o)
	}
	xref := b.Len()
	fmt.Fprintf(&b, "xref\n0 %d\n0000000000 65535 f \n", len(objects)+1)
	for _, n := range at {
		fmt.Fprintf(&b, "%010d 00000 n \n", n)
	}
	fmt.Fprintf(&b, "trailer\n<< /Size %d /Root 1 0 R >>\nstartxref\n%d\n%%%%EOF\n", len(objects)+1, xref)
	return b.Bytes()
}

func stream(text string) string {
	return fmt.Sprintf("<< /Length %d >>\nstream\n%s\nendstream", len(text), text)
}

// Files that would keep the library busy for ever, or make it take all memory,
// are refused.
func TestHostilePDFFilesAreRefused(t *testing.T) {
	const catalogue = "<< /Type /Catalog /Pages 2 0 R >>"
	page := func(contents string) []byte {
		return file(catalogue, "<< /Type /Pages /Kids [3 0 R] /Count 1 >>", "<< /Type /Page /Parent 2 0 R /Contents 4 0 R >>", contents)
	}
	simple := page(stream("BT (x) Tj ET"))
	tests := []struct {
		name string
		data []byte
	}{
		{"nothing", nil},
		{"a page tree that holds itself", file(catalogue, "<< /Type /Pages /Kids [2 0 R] /Count 1 >>")},
		{"a page that is its own parent", file(catalogue, "<< /Type /Pages /Kids [3 0 R] /Count 1 >>", "<< /Type /Page /Parent 3 0 R /Contents 4 0 R >>", stream("BT (x) Tj ET"))},
		{"a table that comes before itself", bytes.Replace(simple, []byte("/Root"), fmt.Appendf(nil, "/Prev %d /Root", bytes.Index(simple, []byte("xref\n"))), 1)},
		{"more objects than bytes", bytes.Replace(simple, []byte("/Size 5"), []byte("/Size 999999999"), 1)},
		{"a table that begins beyond all files", bytes.Replace(simple, []byte("xref\n0 5"), []byte("xref\n999999999 5"), 1)},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			list, err := pages(t.Context(), tt.data)
			if code := failure.Of(err); err == nil || code.Code != "INVALID_DOCUMENT" {
				t.Errorf("got %q, %v", list, err)
			}
		})
	}
	for name, contents := range map[string]string{"arrays in arrays": strings.Repeat("[", 300_000), "dictionaries in dictionaries": strings.Repeat("<</a ", 100_000)} {
		t.Run(name, func(t *testing.T) { _, _ = pages(t.Context(), page(stream(contents))) }) // it ends
	}
	var packed bytes.Buffer
	w := zlib.NewWriter(&packed)
	_, _ = w.Write(bytes.Repeat([]byte("q "), maxContent))
	_ = w.Close()
	bomb := fmt.Sprintf("<< /Filter /FlateDecode /Length %d >>\nstream\n%s\nendstream", packed.Len(), packed.Bytes())
	if _, err := pages(t.Context(), page(bomb)); err == nil || failure.Of(err).Code != "DOCUMENT_LIMIT" {
		t.Errorf("a page of too many instructions: got %v", err)
	}
	many := "<< /Type /Pages /Kids [" + strings.Repeat("3 0 R ", maxPages+1) + "] /Count 201 >>"
	if _, err := pages(t.Context(), file(catalogue, many, "<< /Type /Page >>")); err == nil || failure.Of(err).Code != "DOCUMENT_LIMIT" {
		t.Errorf("too many pages: got %v", err)
	}
}

func TestReadingAPDFEndsWithItsCaller(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := pages(ctx, readFile(t, "two-pages.pdf")); err != context.Canceled {
		t.Errorf("got %v", err)
	}
}

// Damaged files are read or refused; none brings the host down.
func TestDamagedPDFFiles(t *testing.T) {
	whole := readFile(t, "two-pages.pdf")
	rng := rand.New(rand.NewPCG(1, 2))
	rounds := 500
	if testing.Short() {
		rounds = 100
	}
	for range rounds {
		data := slices.Clone(whole)
		for range 1 + rng.IntN(4) {
			switch at := rng.IntN(len(data)); rng.IntN(3) {
			case 0:
				data[at] = byte(rng.Uint32())
			case 1:
				data = slices.Delete(data, at, min(at+1+rng.IntN(9), len(data)))
			case 2:
				data[at] = "0123456789<>[]/ R"[rng.IntN(17)]
			}
		}
		if _, err := pages(t.Context(), data); err != nil && failure.Of(err).Code == "INTERNAL_ERROR" {
			t.Errorf("got %v for %q", err, data)
		}
	}
}
