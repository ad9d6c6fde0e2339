package main

import (
	"strings"
	"testing"
)

// TestList checks that every row names one version of one module, and that there are enough of them.
func TestList(t *testing.T) {
	modules, err := readList("../../"+list, nil)
	if err != nil {
		t.Fatal(err)
	}
	seen := map[string]bool{}
	for _, m := range modules {
		if seen[m.path] {
			t.Errorf("%s is there twice", m.path)
		}
		seen[m.path] = true
		if m.path != "std" && !strings.HasPrefix(m.version, "v") {
			t.Errorf("%s has no version", m.path)
		}
	}
	if len(modules) < wantModules {
		t.Errorf("%d modules, want %d", len(modules), wantModules)
	}
	if one, err := readList("../../"+list, []string{"std"}); err != nil || len(one) != 1 {
		t.Errorf("asked for one: %v, %v", one, err)
	}
	if _, err := readList("../../"+list, []string{"none"}); err == nil {
		t.Error("a module that is not in the list is found")
	}
}

// TestTotal checks what makes a run fail.
func TestTotal(t *testing.T) {
	for name, c := range map[string]corpus{
		"finding":  {modules: 50, reading: 20, findings: 1},
		"failed":   {modules: 50, reading: 20, failed: 1},
		"too few":  {modules: 39, reading: 20},
		"not read": {modules: 50, reading: 9},
	} {
		c.w = new(strings.Builder)
		if c.total(true) == nil {
			t.Errorf("%s: no error", name)
		}
	}
	if err := (&corpus{w: new(strings.Builder), modules: 50, reading: 20}).total(true); err != nil {
		t.Error(err)
	}
}
