package client_test

import (
	"testing"

	"github.com/hallmark-kit/hallmark/reference/agenticdriver/client"
)

func TestFaultsAreListedOnceAndSaid(t *testing.T) {
	last := ""
	for _, f := range client.Faults() {
		if f.ID <= last || f.Title == "" || f.Description == "" {
			t.Errorf("%+v after %q", f, last)
		}
		last = f.ID
		if _, err := client.New("http://localhost", client.Options{Fault: f.ID}); err != nil {
			t.Error(err)
		}
	}
	if _, err := client.New("http://localhost", client.Options{Fault: "no-such-fault"}); err == nil {
		t.Error("a fault that is none was taken")
	}
}
