package wire

import "testing"

// An empty list is present: nil stands for a list that is absent.
func TestFinishedListsAreNeverNil(t *testing.T) {
	var room Room[string]
	if got := room.Done(nil); got == nil {
		t.Error("a list without elements is nil")
	}
	list := room.Grow(nil)
	if got := room.Done(append(list, "a")); len(got) != 1 {
		t.Errorf("got %q", got)
	}
	if got := room.Done(room.Grow(nil)[:0]); got == nil {
		t.Error("a list without elements after a longer one is nil")
	}
}
