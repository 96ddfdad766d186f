package wire

// Method is one request, or one message without an answer, of a protocol that carries named methods in frames.
type Method struct {
	Name      string    // on the wire
	Direction Direction // who sends it
	Message   bool      // it is not answered
	Params    Type
	Result    Type // of the answer; without a name where Message is set
	// Description says what it is for, and Notes what no schema says: when it may be sent, what it changes.
	Description string
	Notes       string
}

// Topic is one kind of event of a protocol that publishes events by topic.
type Topic struct {
	Name      string // on the wire
	Version   int64  // from 1
	Direction Direction
	Owner     string // who publishes it, "" where the definition does not say
	Scope     string // what a subscription may be limited to, "" where the definition does not say
	Payload   Type
	Document  string // file name of the definition
}
