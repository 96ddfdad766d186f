package measure

// Task is what is done with a message.
type Task string

// The tasks.
const (
	Decode   Task = "decode"   // text to Go values
	Validate Task = "validate" // text to yes or no, nothing kept
	Encode   Task = "encode"   // Go values to text, into a buffer that is reused
)

// Peer does one task with messages. Ours are peers too.
type Peer struct {
	Name  string // library, and how it is used
	Task  Task
	Notes string // what it leaves undone
	// Prepare makes the operation for a message. Several may share a peer: what
	// Prepare does not know it answers with a nil operation.
	Prepare func(Message) (func() error, error)
}

// Names of the peers that the reach of the project is told against.
const (
	Hallmark = "hallmark"
	Ogen     = "ogen"
	Goccy    = "goccy/go-json"
	JX       = "jx"
	JSONv2   = "encoding/json/v2"
)

// Unvalidated says that a peer takes every text that fits its Go types.
const Unvalidated = "nothing validated"

// byMessage makes a Prepare out of one function for each message.
func byMessage(of map[string]func(Message) (func() error, error)) func(Message) (func() error, error) {
	return func(m Message) (func() error, error) {
		if prepare := of[m.Name]; prepare != nil {
			return prepare(m)
		}
		return nil, nil
	}
}

// Peers are the peers that need no code but what is here, ours first.
func Peers() []Peer {
	peers := append(hallmarkPeers(), handPeers()...)
	peers = append(peers, replayPeer())
	return append(peers, scanPeers()...)
}
