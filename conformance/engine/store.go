package engine

import (
	"github.com/hallmark-kit/hallmark/conformance/value"
)

// item is one message of the target or one recording of a stand-in.
type item struct {
	value    *value.Object
	stream   string
	consumed bool
}

// store holds items by stream until steps consume them, and all of them for steps that look back.
type store struct {
	all     []*item
	oldest  int // index in all before which everything is consumed
	streams map[string][]*item
}

func newStore() *store { return &store{streams: make(map[string][]*item)} }

func (s *store) add(stream string, v *value.Object) {
	it := &item{value: v, stream: stream}
	s.all = append(s.all, it)
	s.streams[stream] = append(s.streams[stream], it)
}

// head returns the oldest unconsumed item of a stream, nil when there is none.
func (s *store) head(stream string) *item {
	queue := s.streams[stream]
	for len(queue) > 0 && queue[0].consumed {
		queue = queue[1:]
	}
	s.streams[stream] = queue
	if len(queue) == 0 {
		return nil
	}
	return queue[0]
}

// headOfAny returns the oldest unconsumed item of all streams.
func (s *store) headOfAny() *item {
	for ; s.oldest < len(s.all); s.oldest++ {
		if !s.all[s.oldest].consumed {
			return s.all[s.oldest]
		}
	}
	return nil
}

// unread returns up to most unconsumed items.
func (s *store) unread(most int) []*item {
	var out []*item
	for _, it := range s.all[min(s.oldest, len(s.all)):] {
		if !it.consumed && len(out) < most {
			out = append(out, it)
		}
	}
	return out
}
