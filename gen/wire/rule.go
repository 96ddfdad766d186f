package wire

import "strconv"

// Place is a schema of a document: the place that violations name.
type Place struct {
	Document string // file name of the document
	Pointer  string // JSON pointer of the schema
}

// site is the rule of one keyword at the place. It is made only when the rule is broken.
func (p *Place) site(keyword, want string) *Site {
	return &Site{Document: p.Document, Pointer: p.Pointer + "/" + keyword, Keyword: keyword, Want: want}
}

// Broken records that the value at offset at breaks the rule of keyword at place p. It returns true if reading should
// go on.
func (r *Reader) Broken(at int, p *Place, keyword, want string) bool {
	if r.trial {
		return r.Fail(at, nil) // nothing is recorded, so no site need be made
	}
	return r.Fail(at, p.site(keyword, want))
}

// broken is Broken with words that are only put together if the violation is recorded: trials fail all the time.
func (r *Reader) broken(at int, p *Place, keyword string, want func() string) bool {
	if r.trial {
		return r.Fail(at, nil)
	}
	return r.Fail(at, p.site(keyword, want()))
}

// Mismatch records that the next value has a kind which the place does not allow, and skips it. It returns true if
// reading should go on.
func (r *Reader) Mismatch(p *Place, want string) bool { return r.Refused(p, "type", want) }

// Refused records that the next value breaks the rule of keyword at place p, and skips it.
func (r *Reader) Refused(p *Place, keyword, want string) bool {
	if r.trial {
		return r.FailSkip(nil)
	}
	return r.FailSkip(p.site(keyword, want))
}

// CheckNull consumes null; anything else is a violation of the place's type.
func (r *Reader) CheckNull(p *Place) bool {
	if r.Kind() != KindNull {
		return r.Mismatch(p, "null")
	}
	return r.Null()
}

// CheckBool consumes a boolean.
func (r *Reader) CheckBool(p *Place) bool {
	if r.Kind() != KindBool {
		return r.Mismatch(p, "a boolean")
	}
	_, ok := r.Bool()
	return ok
}

// ReadBool consumes a boolean into v.
func (r *Reader) ReadBool(p *Place, v *bool) (ok bool) {
	if r.Kind() != KindBool {
		return r.Mismatch(p, "a boolean")
	}
	*v, ok = r.Bool()
	return ok
}

// CheckKind consumes a value of one kind, whatever is in it.
func (r *Reader) CheckKind(kind Kind, p *Place) bool {
	if r.Kind() != kind {
		return r.Mismatch(p, wantKind[kind])
	}
	return r.Skip()
}

var wantKind = [...]string{KindNull: "null", KindBool: "a boolean", KindNumber: "a number", KindString: "a string", KindArray: "an array", KindObject: "an object"}

// ReadKind is [Reader.CheckKind] that keeps the value as it is written.
func (r *Reader) ReadKind(kind Kind, p *Place, v *Raw) bool {
	at := r.pos
	ok := r.CheckKind(kind, p)
	*v = r.raw(at, max(r.pos, at))
	return ok
}

// CheckTrue consumes a boolean that must be want.
func (r *Reader) CheckTrue(p *Place, want bool) bool {
	if r.Kind() != KindBool {
		return r.Mismatch(p, "a boolean")
	}
	at := r.Pos()
	v, ok := r.Bool()
	if !ok {
		return false
	}
	return v == want || r.broken(at, p, "const", func() string { return strconv.FormatBool(want) })
}

// CheckConst consumes a value that must equal the JSON text want.
func (r *Reader) CheckConst(p *Place, want string) bool {
	at := r.Pos()
	m := r.Mark()
	if !r.Skip() {
		return false
	}
	return Equal(r.Span(m), []byte(want)) || r.Broken(at, p, "const", want)
}

// CheckEnum consumes a value that must equal one of the JSON texts.
func (r *Reader) CheckEnum(p *Place, texts ...string) bool {
	at := r.Pos()
	m := r.Mark()
	if !r.Skip() {
		return false
	}
	got := r.Span(m)
	for _, want := range texts {
		if Equal(got, []byte(want)) {
			return true
		}
	}
	return r.broken(at, p, "enum", func() string { return oneOf(texts) })
}

// oneOf says a list of wanted values in words; a long list is cut.
func oneOf(texts []string) string {
	const most = 12
	want := "one of "
	for i, text := range texts {
		if i == most {
			return want + ", … (" + strconv.Itoa(len(texts)) + " values)"
		}
		if i > 0 {
			want += ", "
		}
		want += text
	}
	return want
}

// At names a schema of a document.
func At(document, pointer string) Place { return Place{Document: document, Pointer: pointer} }
