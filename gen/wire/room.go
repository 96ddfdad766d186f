package wire

import "sync/atomic"

// Room tells how large lists of T are made. How many elements are coming is not known before they have been read; that
// there will be as many as in the list before is a good guess.
type Room[T any] struct{ expected atomic.Int32 }

// mostExpected bounds the room that is made for a list before its elements have been seen.
const mostExpected = 1 << 10

// Grow returns the list with room for more elements: memory behind its length, all of it zero.
func (m *Room[T]) Grow(list []T) []T {
	if cap(list) == 0 {
		return make([]T, 0, max(1, m.expected.Load()))
	}
	more := make([]T, len(list), 2*cap(list)+2)
	copy(more, list)
	return more
}

// Done returns the finished list, never nil and at most half empty.
func (m *Room[T]) Done(list []T) []T {
	n := len(list)
	if e := int(m.expected.Load()); e != n && n <= mostExpected {
		if n < e {
			n += (e - n) / 2 // short lists among long ones are no reason to forget the long ones at once
		}
		m.expected.Store(int32(n))
	}
	if list == nil {
		return []T{}
	}
	if cap(list) > 2*len(list) {
		return append(make([]T, 0, len(list)), list...)
	}
	return list
}
