package document

// PayloadPointer is where an event definition keeps the schema of its payload.
const PayloadPointer = "/payloadSchema"

// Event is what an event definition says besides the schema of the payload. Its
// $schema names the format of the definition itself, usually by a relative path,
// and is never followed.
type Event struct {
	Topic     string
	Version   int64  // from 1
	Direction string // as written, for example "server->client"; "" when not given
	Owner     string // "" when not given
	Scope     string // "" when not given
	Payload   *Value // the schema, at PayloadPointer
}

func (f *File) classifyEvent() error {
	e := &Event{Payload: f.Root.Get("payloadSchema")}
	texts := []struct {
		name string
		to   *string
	}{{"topic", &e.Topic}, {"direction", &e.Direction}, {"owner", &e.Owner}, {"scope", &e.Scope}}
	for _, t := range texts {
		v := f.Root.Get(t.name)
		if v == nil {
			continue
		}
		if v.Kind != String || v.Text == "" {
			return f.Errorf(v, "/"+t.name, "%s of an event definition must be a string that is not empty", t.name)
		}
		*t.to = v.Text
	}
	v := f.Root.Get("version")
	if v == nil {
		return f.Errorf(f.Root, "", "an event definition needs a version: a whole number from 1")
	}
	n, ok := int64(0), false
	if v.Kind == Number {
		n, ok = v.Decimal().Int64()
	}
	if !ok || n < 1 {
		return f.Errorf(v, "/version", "version of an event definition must be a whole number from 1")
	}
	e.Version = n
	if k := e.Payload.Kind; k != Object && k != Bool {
		return f.Errorf(e.Payload, PayloadPointer, "a schema (an object or a boolean) was expected, not %s", k)
	}
	f.Form, f.Event = EventDefinition, e
	f.Dialect = e.Payload.StringMember("$schema")
	return nil
}
