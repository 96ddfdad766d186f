package wire

import "sync"

// Scratch holds the room in which lists of T grow while they are read. A list of unknown length that grows by itself
// leaves a trail of ever larger arrays behind; here the trail is used again, and the finished list is allocated once,
// at its length.
type Scratch[T any] struct{ pool sync.Pool }

// keepElements bounds the room that is kept for the next list.
const keepElements = 1 << 10

// Get returns an empty list to append to. Each belongs to one reader until [Scratch.Take].
func (s *Scratch[T]) Get() *[]T {
	if list, ok := s.pool.Get().(*[]T); ok {
		return list
	}
	return new([]T)
}

// Take returns a copy of the list, with nothing to spare and never nil, and takes back the room.
func (s *Scratch[T]) Take(list *[]T) []T {
	out := make([]T, len(*list))
	copy(out, *list)
	if cap(*list) > keepElements {
		return out
	}
	clear(*list) // what was read must not live on in the pool
	*list = (*list)[:0]
	s.pool.Put(list)
	return out
}
