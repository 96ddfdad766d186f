package measure

import (
	"github.com/go-faster/jx"
)

// replayPeer writes the tokens of a message with the writer of jx. No value is
// walked: it is about what a hand-written encoder on jx costs at least.
func replayPeer() Peer {
	return Peer{Name: JX + " writer", Task: Encode, Notes: "the tokens, from a list", Prepare: func(m Message) (func() error, error) {
		d := jx.DecodeBytes(m.Data)
		tokens, err := record(d, nil)
		if err != nil {
			return nil, err
		}
		var e jx.Encoder
		return func() error {
			e.Reset()
			for i := range tokens {
				tokens[i].write(&e)
			}
			return nil
		}, nil
	}}
}

type tokenKind uint8

const (
	objectStart tokenKind = iota
	objectEnd
	arrayStart
	arrayEnd
	fieldName
	stringValue
	rawValue // numbers and literals
)

type token struct {
	kind tokenKind
	text string
	raw  []byte
}

func (t *token) write(e *jx.Encoder) {
	switch t.kind {
	case objectStart:
		e.ObjStart()
	case objectEnd:
		e.ObjEnd()
	case arrayStart:
		e.ArrStart()
	case arrayEnd:
		e.ArrEnd()
	case fieldName:
		e.FieldStart(t.text)
	case stringValue:
		e.Str(t.text)
	case rawValue:
		e.Raw(t.raw)
	}
}

// record appends the tokens of the next value.
func record(d *jx.Decoder, to []token) ([]token, error) {
	switch d.Next() {
	case jx.Object:
		to = append(to, token{kind: objectStart})
		err := d.Obj(func(d *jx.Decoder, key string) (err error) {
			to, err = record(d, append(to, token{kind: fieldName, text: key}))
			return err
		})
		return append(to, token{kind: objectEnd}), err
	case jx.Array:
		to = append(to, token{kind: arrayStart})
		err := d.Arr(func(d *jx.Decoder) (err error) {
			to, err = record(d, to)
			return err
		})
		return append(to, token{kind: arrayEnd}), err
	case jx.String:
		s, err := d.Str()
		return append(to, token{kind: stringValue, text: s}), err
	}
	raw, err := d.RawAppend(nil)
	return append(to, token{kind: rawValue, raw: raw}), err
}
