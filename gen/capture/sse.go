package capture

import (
	"bytes"
	"errors"
	"io"
)

// event is what has been read of a server-sent event so far.
type event struct {
	data   []byte // fields, each followed by a line feed
	name   string
	id     string // the last event ID, kept from event to event
	fields []field
	long   bool // beyond the bound: its data is dropped
	any    bool // some field has come
	first  int  // line of its first field
}

// nextEvent reads up to the empty line that ends an event with data (WHATWG HTML, section 9.2.6, "interpreting an event
// stream"). Comments, retry and unknown fields are passed over; so are events
// without a data field.
func (r *Reader) nextEvent() (*Message, error) {
	e := &r.event
	r.reset()
	for {
		text, err := r.lines.next()
		long := errors.Is(err, errTooLong)
		switch {
		case long:
			// Which field it is can no longer be told. If it was a comment, an event that could have been read is
			// reported as too long, which is better than an event passed over in silence.
			e.long = true
			r.begin()
			continue
		case errors.Is(err, io.EOF):
			if e.any {
				r.incomplete = e.first
			}
			return nil, err
		case err != nil:
			return nil, err
		}
		shift := 0
		if r.lines.line == 1 && bytes.HasPrefix(text, []byte("\ufeff")) {
			text, shift = text[3:], 1
		}
		if len(text) > 0 {
			r.field(text, shift)
			continue
		}
		switch {
		case e.long:
			r.number++
			return nil, &TooLongError{Number: r.number, Line: e.first, Limit: r.lines.limit}
		case len(e.fields) == 0:
			r.reset()
			continue
		}
		r.number++
		if e.name == "" {
			e.name = "message"
		}
		r.message = Message{
			Data: e.data[:len(e.data)-1], Number: r.number, Line: e.fields[0].line, Event: e.name, ID: e.id, fields: e.fields,
		}
		return &r.message, nil
	}
}

// reset begins a new event.
func (r *Reader) reset() {
	id := r.event.id
	data := r.event.data[:0]
	if cap(data) > kept {
		data = nil
	}
	r.event = event{data: data, fields: r.event.fields[:0], id: id}
}

func (r *Reader) begin() {
	if !r.event.any {
		r.event.any, r.event.first = true, r.lines.line
	}
}

// field takes one line that is not empty; shift code points of it have been cut off before.
func (r *Reader) field(text []byte, shift int) {
	e := &r.event
	name, value, colon := bytes.Cut(text, []byte(":"))
	if colon && len(name) == 0 {
		return // a comment
	}
	shift += runes(name)
	if colon {
		shift++
		if len(value) > 0 && value[0] == ' ' {
			value = value[1:]
			shift++
		}
	}
	switch string(name) {
	case "data":
		r.begin()
		if e.long || len(e.data)+len(value) > r.lines.limit {
			e.long, e.data = true, e.data[:0]
			return
		}
		e.data = append(append(e.data, value...), '\n')
		e.fields = append(e.fields, field{line: r.lines.line, shift: shift})
	case "event":
		r.begin()
		e.name = string(value)
	case "id":
		r.begin()
		if bytes.IndexByte(value, 0) < 0 {
			e.id = string(value)
		}
	}
}
