package tricky_test

import (
	"testing"
	"time"

	"example.test/foundingb/tricky"
)

func TestTake(t *testing.T) {
	if !tricky.Take("a", "b", time.Second) || tricky.Take("", "b", time.Second) {
		t.Error("Take says the contrary")
	}
	if tricky.ErrBusy == nil || tricky.New(nil) == nil {
		t.Error("nothing there")
	}
}
